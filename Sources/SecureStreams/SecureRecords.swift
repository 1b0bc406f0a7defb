import GroundwavePeering
import GroundwaveSealing

/// The form of what a ``SecureStream`` sends after the handshake.
///
/// | size | of a record |
/// |---|---|
/// | 2 | length of the body in bytes, from 1 to 65,519, encrypted |
/// | 16 | tag |
/// | … | body, encrypted |
/// | 16 | tag |
///
/// A record with length 0 has no body, and is the last one of its direction. Both parts are transport messages of Noise
/// with an empty associated data, of which none is longer than 65,535 bytes (section 3).
package enum SecureRecord {
    /// The maximum size of a body in bytes.
    package static let bodyLimit = 65_535 - NoiseCipher.tagSize
    /// The size in bytes of the encrypted length with its tag.
    package static let headerSize = 2 + NoiseCipher.tagSize
}

/// Seals what one end of a connection sends, without I/O.
package struct RecordSealer: Secret {
    private var cipher: NoiseCipher

    /// The sealer of a connection after its handshake.
    package init(_ cipher: NoiseCipher) { self.cipher = cipher }

    /// Returns the next record.
    ///
    /// - Parameter body: At most ``SecureRecord/bodyLimit`` bytes; none for the last record.
    package mutating func record(_ body: some Collection<UInt8>) -> [UInt8] {
        precondition(body.count <= SecureRecord.bodyLimit, "A record has at most 65,519 bytes.")
        let header = cipher.seal([UInt8(truncatingIfNeeded: body.count), UInt8(body.count >> 8)])
        return body.isEmpty ? header : header + cipher.seal(Array(body))
    }
}

/// Opens what the other end of a connection has sent, without I/O. It holds at most one record.
package struct RecordOpener: Secret {
    private var cipher: NoiseCipher
    private var buffer: [UInt8] = []
    /// The length of the body that comes next; `nil` before its header.
    private var bodyLength: Int?

    /// The opener of a connection after its handshake.
    package init(_ cipher: NoiseCipher) { self.cipher = cipher }

    /// The number of bytes that are missing from what can be opened next.
    package var missingCount: Int { neededCount - buffer.count }

    private var neededCount: Int { bodyLength.map { $0 + NoiseCipher.tagSize } ?? SecureRecord.headerSize }

    /// Adds received bytes, at most ``missingCount``; more are refused. Returns the body of a record when it is complete,
    /// without bytes if it is the last one; `nil` before.
    ///
    /// - Parameter limit: The maximum length of a body; a longer one is refused when its header is read.
    /// - Throws: ``ConnectionError/tampered`` if this is not what the other end has sent next.
    package mutating func add(
        _ bytes: [UInt8], limit: Int = SecureRecord.bodyLimit
    ) throws(ConnectionError) -> [UInt8]? {
        buffer += bytes
        guard missingCount <= 0 else { return nil }
        guard let plain = cipher.open(buffer) else { throw .tampered }
        buffer.removeAll(keepingCapacity: true)
        if bodyLength != nil {
            bodyLength = nil
            return plain
        }
        let length = Int(plain[0]) | Int(plain[1]) << 8
        if length == 0 { return [] }
        guard length <= limit else { throw .tampered }
        bodyLength = length
        return nil
    }
}
