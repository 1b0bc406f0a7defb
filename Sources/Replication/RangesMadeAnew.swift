import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// Makes the ranges of a store's objects anew from its log: many small ones become few, and erased values are left out.
///
/// A range stays as it is, but for erased values, where the log would say less: its events are not in the log, or their
/// values are in no log but others'.
struct RangesMadeAnew<Log: ReplicatedLog> {
    private let log: Log
    private let identity: Identity
    private let erased: EventSet
    private let checkSignature: @Sendable (SignedHead) throws(SignedHeadError) -> Void

    init(
        of log: Log, signedBy identity: Identity, _ erased: EventSet,
        checkSignature: @escaping @Sendable (SignedHead) throws(SignedHeadError) -> Void
    ) {
        (self.log, self.identity, self.erased, self.checkSignature) = (log, identity, erased, checkSignature)
    }

    /// Returns frames with the events of `ranges`, at most 8 MiB of them together; `nil` if one is not what was signed.
    func frames(of ranges: [[UInt8]]) throws -> [RangeFrame]? {
        guard let found = read(ranges) else { return nil }
        let streams = try log.streams()
        let cleaned = { try found.map { try clean($0, streams) } }
        var (asTheyAre, here): ([RangeFrame], EventSet) = ([], EventSet())
        for frame in found {
            if try isSaid(frame, streams) {
                here.insert(frame.range)
            } else {
                asTheyAre.append(try clean(frame, streams))
            }
        }
        var frames: [RangeFrame] = []
        for range in here.ranges {
            var next = range.first
            while next <= range.last {
                let rest = EventRange(range.replica, next, through: range.last)
                guard
                    let frame = try log.frame(
                        of: rest, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
                else { return try cleaned() }
                frames.append(frame)
                next += frame.range.count
            }
        }
        frames += asTheyAre
        let byteCount = frames.reduce(Segment.prefixSize + 4) { $0 + $1.bytes.count }
        return byteCount <= Segment.byteLimit ? frames : try cleaned()
    }

    /// Whether `ranges` have values of events that were erased.
    func haveErasedValues(_ ranges: [[UInt8]]) throws -> Bool {
        let streams = try log.streams()
        return try read(ranges)?.contains { frame in try clean(frame, streams) != frame } ?? false
    }

    private func read(_ ranges: [[UInt8]]) -> [RangeFrame]? {
        try? ranges.map { try RangeFrame(reading: $0, of: log.id, checkSignature: checkSignature) }
    }

    private func clean(_ frame: RangeFrame, _ streams: Streams) throws -> RangeFrame {
        try frame.withholding(erased, streams) { try log.leaf(of: $0) }
    }

    /// Whether the log has the events of `frame`, and all of their values that it has, but for those that were erased.
    private func isSaid(_ frame: RangeFrame, _ streams: Streams) throws -> Bool {
        guard !streams.isForked(frame.range.replica),
            try log.root(of: frame.range.replica, through: frame.range.last)?.prefix == RetainedRange(frame).rootPrefix
        else { return false }
        var sequence = frame.range.first
        while sequence <= frame.range.last {
            let rest = EventRange(frame.range.replica, sequence, through: frame.range.last)
            guard
                let made = try log.frame(of: rest, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
            else { return false }
            for number in made.range.first...made.range.last {
                let isLess =
                    try made.withEvent(number) { event, _ in event.isWithheld }
                    && !erased.contains(EventID(frame.range.replica, number))
                    && !frame.withEvent(number) { event, _ in event.isWithheld }
                if isLess { return false }
            }
            sequence += made.range.count
        }
        return true
    }
}
