import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// Makes the ranges of a store's objects anew from its log: many small ones become few, and erased values are left out.
///
/// A range stays as it is, but for erased values, where the log would say less: its events are not in the log, or their
/// values are in no log but others'. The ranges were read from outside: one after another is expanded, and none is kept so.
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

    /// Returns ranges with the events of `ranges`, encoded, at most 8 MiB of them together; `nil` if one is not what was
    /// signed.
    func made(from ranges: [[UInt8]]) throws -> [[UInt8]]? {
        let streams = try log.streams()
        var (asTheyAre, here): ([[UInt8]], EventSet) = ([], EventSet())
        for bytes in ranges {
            guard let frame = read(bytes) else { return nil }
            if try isSaid(frame, streams) {
                here.insert(frame.range)
            } else {
                asTheyAre.append(try clean(frame, streams).bytes)
            }
        }
        guard let made = try made(of: here, room: Segment.byteLimit - Segment.prefixSize - 4, beside: asTheyAre) else {
            return try ranges.compactMap(read).map { try clean($0, streams).bytes }
        }
        return made + asTheyAre
    }

    /// Returns ranges of the log with `events`, encoded; `nil` if it cannot prove them, or if there is no room for them beside
    /// others.
    private func made(of events: EventSet, room: Int, beside others: [[UInt8]]) throws -> [[UInt8]]? {
        var room = others.reduce(room) { $0 - $1.count }
        var made: [[UInt8]] = []
        for range in events.ranges {
            var next = range.first
            while next <= range.last {
                let rest = EventRange(range.replica, next, through: range.last)
                guard let frame = try frame(of: rest), frame.bytes.count <= room else { return nil }
                made.append(frame.bytes)
                room -= frame.bytes.count
                next += frame.range.count
            }
        }
        return made
    }

    /// Whether `ranges` have values of events that were erased.
    func haveErasedValues(_ ranges: [[UInt8]]) throws -> Bool {
        let streams = try log.streams()
        return try ranges.contains { bytes in
            guard let frame = read(bytes) else { return false }
            return try clean(frame, streams) != frame
        }
    }

    private func read(_ bytes: [UInt8]) -> RangeFrame? {
        try? RangeFrame(reading: bytes, of: log.id, checkSignature: checkSignature)
    }

    private func frame(of range: EventRange) throws -> RangeFrame? {
        try log.frame(of: range, signedBy: identity, preferredBytes: RangeLimits.preferredBytes)
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
            guard let made = try self.frame(of: EventRange(frame.range.replica, sequence, through: frame.range.last))
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
