import GroundwaveEventLog
import GroundwaveEvents

/// Collects ranges for one segment, until it has enough.
struct SegmentFrames<Log: ReplicatedLog> {
    private let log: Log
    private let identity: Identity
    private(set) var frames: [RangeFrame] = []
    /// Those of them that the log only keeps.
    private(set) var kept: [RangeFrame] = []
    /// Which events the others are, as the log names them.
    private(set) var ranges: [EventRange] = []
    private var byteCount = 0

    init(of log: Log, signedBy identity: Identity) {
        self.log = log
        self.identity = identity
    }

    /// Whether another range of the greatest size still belongs into this segment.
    var hasRoom: Bool { byteCount < Segment.preferredBytes - RangeLimits.preferredBytes }

    /// Appends the frame of the beginning of `range`.
    mutating func append(_ frame: RangeFrame, of range: EventRange) {
        frames.append(frame)
        ranges.append(EventRange(range.replica, range.first, through: range.first + frame.range.count - 1))
        byteCount += frame.bytes.count
    }

    /// Appends a range that the log keeps as it came.
    mutating func append(kept frame: RangeFrame) {
        frames.append(frame)
        kept.append(frame)
        byteCount += frame.bytes.count
    }

    /// A frame of the beginning of `range`; `nil` where there is none, or nothing proves it.
    func frame(of range: EventRange) throws -> RangeFrame? {
        try log.frame(of: range, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
    }

    /// Appends what `vector` has and `known` lacks, as far as there is room; `known` goes along.
    mutating func append(of vector: VersionVector, missingFrom known: inout VersionVector) throws {
        while hasRoom, let range = vector.ranges(missingFrom: known).first {
            let frame = try frame(of: range)
            known[range.replica] = frame.map { range.first + $0.range.count - 1 } ?? range.last
            if let frame { append(frame, of: range) }
        }
    }
}
