import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// Some events of a log, as a sequence of segments.
public struct Bundle<Log: ReplicatedLog> {
    private let log: Log
    private let identity: Identity
    private let ranges: [EventRange]
    private let kept: [RangeFrame]

    /// Creates a bundle of the events and retained ranges of `log` that a store with `vector` is missing, signed as
    /// `identity`.
    public init(of log: Log, as identity: Identity, missingFrom vector: VersionVector) throws {
        let pending = Set(try log.pendingFrames())
        let streams = try log.streams()
        self.init(
            of: log, as: identity, try log.provenVector(signedBy: identity).ranges(missingFrom: vector),
            kept: try log.retainedFrames().filter {
                $0.range.last > vector[$0.range.replica] || pending.contains($0) || streams.isForked($0.range.replica)
            })
    }

    /// Creates a bundle of the provable events of `ranges` and the retained ranges `kept`, signed as `identity`.
    public init(of log: Log, as identity: Identity, _ ranges: [EventRange], kept: [RangeFrame]) {
        self.log = log
        self.identity = identity
        self.ranges = ranges
        self.kept = kept
    }

    /// Yields the segments, at least one, with the ranges in each.
    public func write(now: Arrival, _ body: (_ segment: [UInt8], _ ranges: [RangeFrame]) throws -> Void) throws {
        let manifest = try Manifest(of: log, as: identity, milliseconds: now.wallMilliseconds)
        var (ranges, kept) = (ranges[...], kept[...])
        var isFirst = true
        while true {
            var segment = SegmentFrames(of: log, signedBy: identity)
            while segment.hasRoom, let range = ranges.popFirst() {
                guard let frame = try segment.frame(of: range) else { continue }
                segment.append(frame, of: range)
                guard frame.range.count < range.count else { continue }
                let rest = EventRange(range.replica, range.first + frame.range.count, through: range.last)
                ranges.insert(rest, at: ranges.startIndex)
            }
            while segment.hasRoom, let frame = kept.popFirst() { segment.append(kept: frame) }
            let frames = segment.frames
            if frames.isEmpty, !isFirst { return }
            isFirst = false
            try body(Segment.bytes(log: log.id, manifest, frames, by: identity), frames)
        }
    }
}
