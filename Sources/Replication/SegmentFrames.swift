import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// Collects ranges for one segment, until it is full.
struct SegmentFrames<Log: ReplicatedLog> {
    private let log: Log
    private let identity: Identity
    private(set) var frames: [RangeFrame] = []
    /// The frames of retained ranges.
    private(set) var kept: [RangeFrame] = []
    /// The events of the other frames, as the log names them.
    private(set) var ranges: [EventRange] = []
    private var byteCount = 0

    init(of log: Log, signedBy identity: Identity) {
        self.log = log
        self.identity = identity
    }

    /// Whether another range of the preferred size fits into this segment.
    var hasRoom: Bool { byteCount < Segment.preferredBytes - RangeLimits.preferredBytes }

    /// Appends the frame of the beginning of `range`.
    mutating func append(_ frame: RangeFrame, of range: EventRange) {
        frames.append(frame)
        ranges.append(EventRange(range.replica, range.first, through: range.first + frame.range.count - 1))
        byteCount += frame.bytes.count
    }

    /// Appends a retained range.
    mutating func append(kept frame: RangeFrame) {
        frames.append(frame)
        kept.append(frame)
        byteCount += frame.bytes.count
    }

    /// Returns a frame of the beginning of `range`; `nil` if the events are missing or cannot be proved.
    func frame(of range: EventRange) throws -> RangeFrame? {
        try log.frame(of: range, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
    }

    /// Appends the events of `vector` that `known` is missing while there is room, and advances `known` past them.
    mutating func append(of vector: VersionVector, missingFrom known: inout VersionVector) throws {
        while hasRoom, let range = vector.ranges(missingFrom: known).first {
            let frame = try frame(of: range)
            known[range.replica] = frame.map { range.first + $0.range.count - 1 } ?? range.last
            if let frame { append(frame, of: range) }
        }
    }
}
