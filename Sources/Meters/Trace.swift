import GroundwaveEvents
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveRecords

/// What a trace says of itself: what was recorded, with which meter, when, and how it ended.
public struct Trace: Hashable, Sendable {
    /// Its record.
    public let id: RecordID
    /// The meter.
    public let meter: MACAddress?
    /// Its model; `nil` for one that this version does not know.
    public let model: MeterModel?
    /// By which way its frames came.
    public let link: MeterModel.Link?
    /// How many rows a second there are, where the input does not say when they came.
    public let rate: Double?
    /// What people call the trace; empty where nobody has named it.
    public let name: String
    /// Where the rows come from.
    public let source: String
    /// When recording began: milliseconds since 1970.
    public let started: Int64?
    /// When it ended: the time of the last row; `nil` where it goes on, or nobody has said so.
    public let ended: Int64?
    /// How it ended; `nil` where it goes on, or nobody has said so.
    public let end: TraceEnd?
    /// Whether its samples travel; `nil` where that is as its meter says.
    public let sharing: SampleSharing?

    /// The trace that `record` shows.
    public init(_ record: Record) {
        let fields = Dictionary(
            Metering.trace.values(of: record).map { ($0.name, String(decoding: $0.value, as: UTF8.self)) },
            uniquingKeysWith: { first, _ in first })
        func text(_ name: String) -> String? { fields[name] }
        id = record.id
        meter = text("METER").flatMap { MACAddress($0) }
        model = text("MODEL").flatMap { MeterModel(rawValue: $0) }
        link = text("LINK").flatMap { MeterModel.Link(rawValue: $0) }
        rate = text("RATE").flatMap { Double($0) }
        name = text("NAME") ?? ""
        source = text("SOURCE") ?? ""
        started = text("STARTED").flatMap { Int64($0) }
        ended = text("ENDED").flatMap { Int64($0) }
        end = text("END").flatMap { TraceEnd(rawValue: $0) }
        sharing = text("SAMPLES").flatMap { SampleSharing(rawValue: $0) }
    }
}

/// What the log of one device has of the samples of a trace.
public struct TraceStorage: Hashable, Sendable {
    /// How many bytes the events take whose samples are here, without the rest of the pages that they stand on.
    public internal(set) var byteCount = 0
    /// How many values these samples are.
    public internal(set) var valueCount: UInt64 = 0
    /// Of how many rows the samples are not here: they stayed on another device, or were old.
    public internal(set) var withheldCount: UInt64 = 0
    /// Of how many rows the event is damaged, lost, or of a later version of this program. Samples are not decoded to see.
    public internal(set) var unreadableCount: UInt64 = 0

    /// Bytes for each value; `nil` where there are no values.
    public var bytesPerValue: Double? { valueCount > 0 ? Double(byteCount) / Double(valueCount) : nil }
}

/// Whether a trace is being recorded on this device.
public enum TailState: String, Sendable {
    /// It is not: it has ended, or another device records it.
    case none
    /// A process records it.
    case recording
    /// The process that recorded it ended before it could say so in the log: the next opening that writes does.
    case interrupted
}

/// What is said of all rows of a trace.
public struct TraceSummary: Hashable, Sendable {
    /// What is said of the rows that can be read, those on this device alone included.
    public var rows = JoinedSummary()
    /// How many blocks there are in the log.
    public var blockCount = 0
    /// How many of them could not be read: made by a later version, or malformed.
    public var unreadCount = 0
    /// How many rows are on this device and not in the log yet.
    public var tailCount = 0
    /// Whether it is being recorded on this device.
    public var tail = TailState.none

    /// What is said of the rows of each layout, in order of their first rows.
    public var parts: [BlockSummary] { rows.parts }
    /// How many rows there are.
    public var rowCount: UInt64 { rows.rowCount }
    /// When the first row came: milliseconds since 1970.
    public var firstTime: Int64? { rows.leastTime }
    /// When the last row came.
    public var lastTime: Int64? { rows.greatestTime }
    /// In how many places rows are missing.
    public var gapCount: UInt64 { rows.gapCount }
    /// How many rows are missing.
    public var missingCount: UInt64 { rows.missingCount }
    /// How many rows came again.
    public var repeatCount: UInt64 { rows.repeatCount }
}
