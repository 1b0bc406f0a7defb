import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveRecords

/// A power meter, as the store knows it.
public struct Meter: Hashable, Sendable {
    /// Its record.
    public let id: RecordID
    /// Its address.
    public let address: MACAddress
    /// The name that people gave it; empty if none.
    public let name: String
    /// Its model; `nil` for one that this version does not know.
    public let model: MeterModel?
    /// The unit in which its display, and this program, show temperatures; `nil` if not set, or if this version does
    /// not know it: then in degrees Celsius.
    public let temperatureUnit: TemperatureUnit?
    /// Whether the samples of its traces are synchronised; `nil` if not set: then they stay where they were recorded.
    public let sharing: SampleSharing?
    /// When its record was last changed, renewals of its lease included: the greatest stamp among its present values,
    /// in milliseconds since 1970.
    public let updated: Int64
    /// Its last lease; `nil` if the meter is free: it was never connected, or the last holder released it.
    public let lease: MeterLease?
}

/// The device that holds a meter, and until when.
///
/// A lease lasts 120 s, and is renewed each minute while the meter is connected. Whether it is held is judged when it
/// is read, for a past moment at that moment: by the time at which it arrived here, and by how much longer it took than
/// earlier events of its device, so that differing clocks do no harm.
public struct MeterLease: Hashable, Sendable {
    /// The replica of the device that holds the meter.
    public let replica: ReplicaID
    /// The name of that device.
    public let device: String
    /// The number of times that the meter has changed hands: a takeover adds one, a renewal none.
    public let term: UInt64
    /// When the device connected, by its own clock: milliseconds since 1970. A renewal does not change it.
    public let since: Int64
    /// When it was written: milliseconds since 1970, by the clock of that device.
    public let written: Int64
    /// When it ends, by the clock of this machine: milliseconds since 1970.
    public let expires: Int64
    /// Whether it has not ended.
    public let isHeld: Bool

    /// The duration of a lease.
    public static let milliseconds: Int64 = 120_000
    /// The interval at which the connected device renews it.
    public static let renewalMilliseconds: Int64 = 60_000
    /// The maximum lag of the clock of another device. A lease that was older than this on arrival is an old one: it
    /// came with a bootstrap, or with history that was fetched.
    static let clockTolerance: Int64 = 600_000
}

/// The content of the field `LEASE` of a meter.
///
/// | size | |
/// |---|---|
/// | varint | the term |
/// | 8 | a number that differs from one renewal to the next |
/// | 8 | when the device connected, by its own clock: milliseconds since 1970 |
/// | 1 | 1 if the meter is held, 0 if it was released |
///
/// Integers are little-endian.
struct MeterClaim {
    var term: UInt64
    var isHeld: Bool
    /// When the device connected; a renewal repeats it.
    var since: Int64
    /// A renewal repeats the rest; without a different nonce, the unchanged value would not be written.
    var nonce: UInt64

    init(term: UInt64, isHeld: Bool, since: Int64, nonce: UInt64) {
        (self.term, self.isHeld, self.since, self.nonce) = (term, isHeld, since, nonce)
    }

    /// Reads a claim; `nil` if `value` is none.
    init?(_ value: [UInt8]) {
        let read: MeterClaim? = value.withSpan { bytes in
            var reader = ByteReader()
            guard let term = try? reader.varint(in: bytes), term >= 1, let nonce = try? reader.uint64(in: bytes),
                let since = try? reader.uint64(in: bytes), let state = try? reader.byte(in: bytes),
                reader.offset == bytes.byteCount
            else { return nil }
            return MeterClaim(term: term, isHeld: state == 1, since: Int64(bitPattern: since), nonce: nonce)
        }
        guard let read else { return nil }
        self = read
    }

    var bytes: [UInt8] {
        var holder = ByteWriter(capacity: 17)
        holder.append(littleEndian: nonce)
        holder.append(littleEndian: since)
        holder.append(UInt8(isHeld ? 1 : 0))
        return LeaseClaim.encode(term: term, holder: holder.bytes)
    }
}
