import ByteCoding
import Events
import LMDB

// Events whose values never came: whoever sent them had them in an archive, or lacked them too. The meta row `lacking`
// is there while there may be any, so that a log that has all of its values need not be read to know it.
extension EventLog {
    static let lackingKey = [UInt8]("lacking".utf8)

    /// The events that are here without their values, neither erased nor archived here: what others may still have.
    ///
    /// - Complexity: A look-up where nothing is lacking; else as reading every event.
    public func lackingValues() throws -> EventSet {
        let isPossible = try read { transaction in
            try transaction.value(Self.lackingKey, in: LogTables(in: transaction).meta) != nil
        }
        guard isPossible else { return EventSet() }
        let erased = try erased()
        let archived = try base()?.vector ?? VersionVector()
        var lacking = EventSet()
        try scan(from: 1) { _, frame, _ in
            if frame.isWithheld, !erased.contains(frame.id), !archived.contains(frame.id) {
                lacking.insert(EventRange(frame.id.replica, frame.id.sequence, through: frame.id.sequence))
            }
            return true
        }
        return lacking
    }

    /// Puts the values in that `frames` have and this log lacks.
    ///
    /// The log is written anew, as when values are erased: leaves, roots, positions and runs stay.
    ///
    /// - Parameter frames: Ranges that were checked.
    /// - Returns: How many events have their values now.
    /// - Throws: As ``erase(_:dropCopies:baseWithout:)``; then nothing has changed.
    func fill(from frames: [RangeFrame]) throws -> Int {
        let lacking = try lackingValues()
        let found = try RangeFrame.values(of: lacking, from: frames, streams: streams()) { try leaf(of: $0) }
        if found.isEmpty { return 0 }
        let isAll = UInt64(found.count) == lacking.count
        try rewrite { old, new in
            try Self.copyAll(old, new) { frame, bytes in
                guard frame.isWithheld, let whole = found[frame.id] else { return .same }
                var writer = ByteWriter(capacity: whole.count + 64)
                let readings = frame.names(in: bytes).readings
                writer.append(try Frame(whole.span.bytes, at: 0), in: whole.span.bytes, readAs: readings, after: 0)
                return .other(writer.bytes)
            }
            try Self.copyBase(old, new)
            if isAll { _ = try new.remove(Self.lackingKey, in: LogTables(in: new).meta) }
        }
        return found.count
    }

    /// Notes that values may be lacking, unless that is noted.
    static func noteLacking(in transaction: borrowing WriteTransaction, _ tables: LogTables) throws {
        guard try transaction.value(lackingKey, in: tables.meta) == nil else { return }
        try transaction.put([UInt8(1)].span.bytes, for: lackingKey, in: tables.meta)
    }
}

extension RangeFrame {
    /// Those of `frames` among `events` that have their values, as they stand there.
    ///
    /// - Parameter leaf: The leaf of an event of the log, which says that it is the same one.
    package static func values(
        of events: EventSet, from frames: [RangeFrame], streams: Streams, leaf: (EventID) throws -> Hash256?
    ) throws -> [EventID: [UInt8]] {
        var found: [EventID: [UInt8]] = [:]
        for frame in frames {
            for range in events.ranges where streams.origin(of: range.replica) == frame.range.replica {
                let base = streams.base(of: range.replica)
                let numbers = streams.numbers(of: range)
                let (first, last) = (
                    max(numbers.lowerBound, frame.range.first), min(numbers.upperBound, frame.range.last)
                )
                guard first <= last else { continue }
                for sequence in first...last {
                    let event = EventID(range.replica, sequence - base)
                    try frame.withEvent(sequence) { frameOfEvent, bytes in
                        guard !frameOfEvent.isWithheld,
                            try leaf(event) == frame.leaves[Int(sequence - frame.range.first)]
                        else { return }
                        found[event] = bytes.toArray()
                    }
                }
            }
        }
        return found
    }
}
