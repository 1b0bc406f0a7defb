import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// Some events of a log, as a sequence of segments.
public struct Bundle<Log: ReplicatedLog> {
    package let log: Log
    private let identity: Identity
    private let ranges: [EventRange]
    private let kept: [RangeFrame]

    /// Creates a bundle of the events and retained ranges of `log` that a store with `vector` is missing, signed as
    /// `identity`.
    public init(of log: Log, as identity: Identity, missingFrom vector: VersionVector) throws {
        // Pending ranges, and those of a forked replica, are always included: another history may have the same
        // numbers, and `vector` does not tell which of them the recipient has.
        let pending = Set(try log.pendingFrames())
        let streams = try log.streams()
        self.init(
            of: log, as: identity, try log.provenVector(signedBy: identity).ranges(missingFrom: vector),
            kept: try log.retainedFrames().filter {
                $0.range.last > vector[$0.range.replica] || pending.contains($0) || streams.isForked($0.range.replica)
            })
    }

    /// Creates a bundle of the events of `ranges` that the log can prove, and of the retained ranges `kept`, signed as
    /// `identity`.
    public init(of log: Log, as identity: Identity, _ ranges: [EventRange], kept: [RangeFrame]) {
        self.log = log
        self.identity = identity
        self.ranges = ranges
        self.kept = kept
    }

    /// Passes the segments, at least one, to `body`, each with the ranges in it. Errors of `body` end the writing.
    public func write(_ body: (_ segment: [UInt8], _ ranges: [RangeFrame]) throws -> Void) throws {
        var (ranges, kept) = (ranges[...], kept[...])
        var number: UInt64 = 0
        while true {
            var segment = SegmentFrames(of: log, signedBy: identity)
            while segment.hasRoom, let range = ranges.popFirst() {
                guard let frame = try segment.frame(of: range) else { continue }
                segment.append(frame, of: range)
                // A frame may hold only the first events of a long range; the rest is the next range.
                guard frame.range.count < range.count else { continue }
                let rest = EventRange(range.replica, range.first + frame.range.count, through: range.last)
                ranges.insert(rest, at: ranges.startIndex)
            }
            while segment.hasRoom, let frame = kept.popFirst() { segment.append(kept: frame) }
            let frames = segment.frames
            if frames.isEmpty, number > 0 { return }
            number += 1
            try body(Segment.bytes(log: log.id, of: identity.replica, number...number, frames.map(\.bytes)), frames)
        }
    }
}
