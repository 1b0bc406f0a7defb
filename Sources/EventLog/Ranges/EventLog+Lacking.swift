import ByteCoding
import Events
import LMDB

// Events that are here without their values, which others may have: whoever sent them had none, or kept them to itself, or
// this device has let go of them. The table `lacking` names them.
extension EventLog {
    /// The events that are here without their values, neither erased nor archived here: what others may still have.
    ///
    /// - Complexity: O(runs of such events).
    public func lackingValues() throws -> EventSet {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let lacking = try Self.events(tables.lacking, in: transaction)
            if lacking.isEmpty { return lacking }
            let archived = try Self.base(in: transaction, tables)?.vector ?? VersionVector()
            let ranges = archived.entries.map { EventRange($0.replica, 1, through: $0.sequence) }
            return try lacking.subtracting(Self.erased(in: transaction, tables)).subtracting(EventSet(ranges))
        }
    }

    /// Takes the values of `events` out of this log; others may still have them, and a peer may bring them back.
    ///
    /// The log is written anew, as ``erase(_:dropCopies:baseWithout:)`` does: leaves, roots, positions and runs stay.
    ///
    /// - Returns: How many events had values until now and have none any more.
    /// - Throws: As ``erase(_:dropCopies:baseWithout:)``; then nothing has changed.
    /// - Complexity: O(bytes of the log).
    @discardableResult
    public func letGo(_ events: EventSet) throws -> Int {
        var withheld = EventSet()
        try rewrite { old, new in
            withheld = EventSet()
            try Self.copyAll(old, new) { frame, _ in
                guard !frame.isWithheld, !frame.isLost, events.contains(frame.id) else { return .same }
                withheld.insert(frame.id)
                return .withheld
            }
            try Self.copyBase(old, new)
            let tables = try LogTables(in: new)
            try Self.put(Self.events(tables.lacking, in: new).union(withheld), tables.lacking, in: new)
        }
        return Int(withheld.count)
    }

    /// Those of `events`, which are here without their values, whose values `frames` have: their frames.
    ///
    /// - Parameter frames: Ranges that were checked.
    public func values(of events: EventSet, in frames: [RangeFrame]) throws -> [EventID: [UInt8]] {
        try RangeFrame.values(of: events, from: frames, streams: streams()) { try leaf(of: $0) }
    }

    /// Puts values in that events here lack, as ``values(of:in:)`` has found them.
    ///
    /// The log is written anew, as when values are erased: leaves, roots, positions and runs stay.
    ///
    /// - Returns: How many events have their values now: not those that were erased meanwhile, or have another leaf.
    /// - Throws: As ``erase(_:dropCopies:baseWithout:)``; then nothing has changed.
    /// - Complexity: O(bytes of the log), whatever the number of values.
    @discardableResult
    public func fill(_ values: [EventID: [UInt8]]) throws -> Int {
        let lacking = try lackingValues()
        var hasher = MerkleHasher()
        let found = try values.filter { event, bytes in
            guard lacking.contains(event) else { return false }
            let given = try bytes.withSpan { hasher.leaf(of: try Frame(parsing: $0), in: $0) }
            return try leaf(of: event) == given
        }
        if found.isEmpty { return 0 }
        try rewrite { old, new in
            try Self.copyAll(old, new) { frame, bytes in
                guard frame.isWithheld, let whole = found[frame.id] else { return .same }
                var writer = ByteWriter(capacity: whole.count + 64)
                let readings = frame.names(in: bytes).readings
                writer.append(try Frame(whole.span.bytes, at: 0), in: whole.span.bytes, readAs: readings, after: 0)
                return .other(writer.bytes)
            }
            try Self.copyBase(old, new)
            let tables = try LogTables(in: new)
            var filled = EventSet()
            for event in found.keys { filled.insert(event) }
            try Self.put(Self.events(tables.lacking, in: new).subtracting(filled), tables.lacking, in: new)
        }
        return found.count
    }

    /// Notes that `events` are here without their values.
    static func noteLacking(
        _ events: EventSet, in transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        for replica in Set(events.ranges.map(\.replica)).sorted() {
            let own = EventSet(events.ranges.filter { $0.replica == replica })
            try add(own, of: replica, to: tables.lacking, in: transaction)
        }
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
