import EventLog
import Events

/// What somebody lacks, as segments one after the other.
public struct Bundle<Log: ReplicatedLog> {
    private let log: Log
    private let identity: Identity
    private let vector: VersionVector

    /// What `log` has and a store with `vector` lacks, signed as `identity`.
    public init(of log: Log, as identity: Identity, missingFrom vector: VersionVector) {
        self.log = log
        self.identity = identity
        self.vector = vector
    }

    /// Hands out the segments, at least one, with the ranges in each.
    public func write(now: Arrival, _ body: (_ segment: [UInt8], _ ranges: [RangeFrame]) throws -> Void) throws {
        let statement = try Statement(of: log, as: identity, milliseconds: now.wallMilliseconds)
        var known = vector
        var kept = try log.keptFrames()[...]
        var isFirst = true
        while true {
            var segment = SegmentFrames(of: log, signedBy: identity)
            try segment.append(of: statement.vector, missingFrom: &known)
            while segment.hasRoom, let frame = kept.popFirst() {
                if frame.range.last > vector[frame.range.replica] || statement.apart.contains(KeptRange(frame)) {
                    segment.append(kept: frame)
                }
            }
            let frames = segment.frames
            if frames.isEmpty, !isFirst { return }
            isFirst = false
            try body(Segment.bytes(log: log.id, statement, frames, by: identity), frames)
        }
    }
}
