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
    /// What people call it; empty where nobody has named it.
    public let name: String
    /// Its model; `nil` for one that this version does not know.
    public let model: MeterModel?
    /// In what its display shows temperatures: `C` or `F`; `nil` where nobody has said so.
    public let temperatureUnit: String?
    /// Whether the samples of its traces travel; `nil` where nobody has said so: then they stay where they were recorded.
    public let sharing: SampleSharing?
    /// Who has it; `nil` where it is free: nobody has connected, or the last one has let go.
    public let lease: MeterLease?
}

/// Who has a meter, and until when.
///
/// A lease is for 120 s, and is renewed each minute while the meter is connected. Whether it is held is judged when it is
/// read: by when it arrived here, so that clocks that differ do no harm.
public struct MeterLease: Hashable, Sendable {
    /// The replica of the device that has it.
    public let replica: ReplicaID
    /// What that device is called.
    public let device: String
    /// How often the meter has changed hands: a takeover is one more, a renewal the same.
    public let term: UInt64
    /// When it was written: milliseconds since 1970, by the clock of that device.
    public let written: Int64
    /// When it ends, by the clock of this machine: milliseconds since 1970.
    public let expires: Int64
    /// Whether it has not ended.
    public let isHeld: Bool

    /// For how long a lease is.
    public static let milliseconds: Int64 = 120_000
    /// How often whoever is connected renews it.
    public static let renewalMilliseconds: Int64 = 60_000
    /// How much the clock of another device may lag. A lease that was older than this when it came is an old one: it came
    /// with a bootstrap, or with history that was fetched.
    static let clockTolerance: Int64 = 600_000
}

/// What the field `LEASE` of a meter holds: a term, then 8 bytes that differ from one renewal to the next, then whether the
/// meter is had (1) or was let go (0).
struct MeterClaim {
    var term: UInt64
    var isHeld: Bool
    /// A renewal says what was said before; where the value were the same, nothing would be written.
    var nonce: UInt64 = 0

    init(term: UInt64, isHeld: Bool, nonce: UInt64) { (self.term, self.isHeld, self.nonce) = (term, isHeld, nonce) }

    init?(_ value: [UInt8]) {
        term = LeaseClaim.term(of: value)
        guard term >= 1, let last = value.last else { return nil }
        isHeld = last == 1
    }

    var bytes: [UInt8] {
        var holder = ByteWriter(capacity: 9)
        holder.append(littleEndian: nonce)
        holder.append(UInt8(isHeld ? 1 : 0))
        return LeaseClaim.encode(term: term, holder: holder.bytes)
    }
}
