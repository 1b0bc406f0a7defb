import GroundwaveByteCoding
import GroundwaveEvents

/// The name of an epoch, which is the time between two changes of the key that new objects are sealed with.
///
/// It is the beginning of a hash of the key. So it says nothing about the key, and no other key has the same name.
package struct EpochID: SixteenByteID {
    /// The first eight bytes, read big-endian.
    package let high: UInt64
    /// The last eight bytes, read big-endian.
    package let low: UInt64

    /// An id from its two halves.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The 16 bytes in lower-case hexadecimal.
    package var description: String { Hexadecimal.encode(bytes) }
}

/// The key of one epoch: 32 bytes, from which the key of each object of the epoch is derived.
package struct EpochKey: Secret {
    /// The 32 bytes.
    package let bytes: [UInt8]
    /// The first 16 bytes of the SHA-256 of `groundwave epoch` in ASCII and the key.
    package let id: EpochID

    /// The key with the 32 bytes `bytes`; `nil` if there are not as many.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(checked: bytes)
    }

    private init(checked bytes: [UInt8]) {
        self.bytes = bytes
        let hash = (Array("groundwave epoch".utf8) + bytes).withSpan { Hash256(hashing: $0) }
        id = EpochID(high: hash.id.high, low: hash.id.low)
    }

    /// A new key from a source of randomness, which must be unpredictable.
    package static func random(using generator: inout some RandomNumberGenerator) -> EpochKey {
        EpochKey(checked: randomBytes(32, using: &generator))
    }
}
