import GroundwaveEvents
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveRecords

/// The description of a trace: what was recorded, with which meter, when, and how it ended.
public struct Trace: Hashable, Sendable {
    /// Its record.
    public let id: RecordID
    /// The meter.
    public let meter: MACAddress?
    /// Its model; `nil` for one that this version does not know.
    public let model: MeterModel?
    /// The link over which its frames came.
    public let link: MeterModel.Link?
    /// The number of rows per second, if the input has no times.
    public let rate: Double?
    /// The name that people gave it; empty if none.
    public let name: String
    /// Where the rows come from.
    public let source: String
    /// When recording began: milliseconds since 1970.
    public let started: Int64?
    /// When it ended: the time of the last row; `nil` if it is running, or if no end was recorded.
    public let ended: Int64?
    /// How it ended; `nil` if it is running, or if no end was recorded.
    public let end: TraceEnd?
    /// The condition that ended it: ``StopCondition/description``; `nil` if none did.
    public let stoppedBy: String?
    /// Whether its samples are synchronised; `nil` if the setting of its meter applies.
    public let sharing: SampleSharing?

    /// Reads the trace from `record`.
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
        stoppedBy = text("STOPPED_BY")
        sharing = text("SAMPLES").flatMap { SampleSharing(rawValue: $0) }
    }
}

/// What the log of one device has of the samples of a trace.
public struct TraceStorage: Hashable, Sendable {
    /// The size in bytes of the events whose samples are here, without unused space on their pages.
    public internal(set) var byteCount = 0
    /// The number of values in these samples.
    public internal(set) var valueCount: UInt64 = 0
    /// The number of rows whose samples are not here: they stayed on another device, or were old.
    public internal(set) var withheldCount: UInt64 = 0
    /// The number of rows whose event is damaged, lost, or of a later version of this program. Samples are not
    /// decoded to find out.
    public internal(set) var unreadableCount: UInt64 = 0

    /// The number of bytes for each value; `nil` if there are no values.
    public var bytesPerValue: Double? { valueCount > 0 ? Double(byteCount) / Double(valueCount) : nil }
}

/// Whether a trace is being recorded on this device.
public enum TailState: String, Sendable {
    /// It is not being recorded here: it has ended, or another device records it.
    case none
    /// A process records it.
    case recording
    /// The process that recorded it ended before it recorded the end in the log; the next open for writing does so.
    case interrupted
}

/// The summary of all rows of a trace.
public struct TraceSummary: Hashable, Sendable {
    /// The summary of the rows that can be read, including those that only this device has.
    public var rows = JoinedSummary()
    /// The number of blocks in the log.
    public var blockCount = 0
    /// The number of blocks that could not be read: made by a later version, or malformed.
    public var unreadCount = 0
    /// The number of rows that are hidden or erased, of which none counts: see ``HiddenStretch``.
    public var hiddenCount: UInt64 = 0
    /// The number of rows that are on this device and not in the log yet.
    public var tailCount = 0
    /// Whether it is being recorded on this device.
    public var tail = TailState.none
    /// What ``rows`` are corrected by; empty if nothing is, or if they are shown as measured.
    public var calibration = Calibration.none

    /// The summaries of the rows of each layout, in order of their first rows.
    public var parts: [BlockSummary] { rows.parts }
    /// The channels of all layouts, with the summary of their values: see ``JoinedSummary/channels``.
    public var channels: [(channel: Channel, cell: Cell)] { rows.channels }
    /// The number of rows.
    public var rowCount: UInt64 { rows.rowCount }
    /// The time of the first row: milliseconds since 1970.
    public var firstTime: Int64? { rows.leastTime }
    /// The time of the last row.
    public var lastTime: Int64? { rows.greatestTime }
    /// The number of gaps.
    public var gapCount: UInt64 { rows.gapCount }
    /// The number of missing rows.
    public var missingCount: UInt64 { rows.missingCount }
    /// The number of repeated rows.
    public var repeatCount: UInt64 { rows.repeatCount }
}
