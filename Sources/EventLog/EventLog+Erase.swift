import ByteCoding
import Events
import LMDB

extension EventLog {
    /// The events whose values this log refuses for ever, wherever they come from. Some may not have come yet.
    public func erased() throws -> EventSet {
        try read { transaction in try Self.erased(in: transaction, LogTables(in: transaction)) }
    }

    /// Takes the values of `events` out of this log, and refuses them from now on.
    ///
    /// Their hash stands in their place, so no leaf and no root of a tree changes. Where any of them has values, the whole
    /// log is written anew beside the present file and takes its place: no page of the new one ever held them.
    /// Positions, runs, trees and epoch stay; the checksums that chain the frames change from the first such event on.
    /// Others may read meanwhile, and whoever writes waits.
    ///
    /// - Parameter dropCopies: Called before anything is changed, while nobody else writes: whoever made a copy of the
    ///   values outside the log deletes it here. It may be called again.
    /// - Returns: How many events had values until now.
    /// - Throws: ``EventLogError`` where the log is damaged, since a new chain of checksums would hide that; `LMDBError`,
    ///   such as that there is no room for a second file. Then nothing has changed, unless only the last flush of the
    ///   folder failed.
    /// - Precondition: This thread is not inside a transaction of this log.
    /// - Complexity: O(`events`), and O(bytes of the log) where the file is replaced.
    @discardableResult
    public func erase(_ events: EventSet, dropCopies: () -> Void = {}) throws -> Int {
        try checkAfterFailedCommit()
        return try write { transaction in
            dropCopies()
            var erased = try Self.erased(in: transaction, LogTables(in: transaction))
            erased.formUnion(events)
            guard try haveValues(events) else {
                try Self.put(erased, in: transaction)
                return 0
            }
            // Reads within a write see what was there before it, and nothing is written to the old file.
            return try read { old in
                var count = 0
                try environment().replaceFile(during: transaction) { new in
                    count = try Self.copy(old, to: new, without: erased)
                }
                return count
            }
        }
    }

    /// Whether any of `events` that are here has values.
    private func haveValues(_ events: EventSet) throws -> Bool {
        var isFound = false
        for range in events.ranges where !isFound {
            try scan(range) { _, frame, _ in
                isFound = !frame.isWithheld
                return !isFound
            }
        }
        return isFound
    }

    /// Copies a whole log but for the values of `erased`; returns how many events lost theirs.
    private static func copy(
        _ old: borrowing ReadTransaction, to new: borrowing WriteTransaction, without erased: EventSet
    ) throws -> Int {
        try LogTables.create(in: new)
        let (from, to) = (try LogTables(in: old), try LogTables(in: new))
        try copy(from.runs, to.runs, old, new)
        try copy(from.heads, to.heads, old, new)
        try copy(from.arrivals, to.arrivals, old, new)
        try copy(from.trees, to.trees, old, new)
        try copy(from.nodes, to.nodes, old, new)
        try copy(from.meta, to.meta, old, new)
        var state = try state(in: old, from.meta)
        let count = try copyEvents(from.events, to.events, &state, old, new, without: erased)
        try new.put(state.bytes.span.bytes, for: LogState.key, in: to.meta)
        try put(erased, in: new)
        return count
    }

    private static func copy<Key: TableKey>(
        _ table: Table<Key>, _ target: Table<Key>, _ old: borrowing ReadTransaction,
        _ new: borrowing WriteTransaction
    ) throws {
        try old.withCursor(table) { cursor in
            try cursor.forEach(from: nil) { key, value in
                guard let key = Key(keyBytes: key) else { throw EventLogError.damaged("the key of a row") }
                try new.append(value, for: key, in: target)
                return true
            }
        }
    }

    /// Copies the events and chains them anew. Each must be whole and follow the one before it.
    private static func copyEvents(
        _ table: Table<UInt64>, _ target: Table<UInt64>, _ state: inout LogState, _ old: borrowing ReadTransaction,
        _ new: borrowing WriteTransaction, without erased: EventSet
    ) throws -> Int {
        var buffer = ByteWriter(capacity: 1024)
        var (count, next, oldChecksum, newChecksum) = (0, Position(1), UInt32(0), UInt32(0))
        try old.withCursor(table) { cursor in
            try cursor.forEach(from: nil) { key, value in
                let frame = try Frame(verifying: value, at: next)
                guard UInt64(keyBytes: key) == next, frame.previousChecksum == oldChecksum else {
                    throw EventLogError.damaged("the chain of frames at position \(next)")
                }
                oldChecksum = frame.checksum(in: value)
                buffer.removeAll()
                if erased.contains(frame.id) {
                    newChecksum = buffer.append(withholding: frame, in: value, after: newChecksum)
                    if !frame.isWithheld { count += 1 }
                } else {
                    newChecksum = buffer.append(rechaining: value, after: newChecksum)
                }
                try buffer.withSpan { try new.append($0, for: next, in: target) }
                next += 1
                return true
            }
        }
        guard next == state.nextPosition, oldChecksum == state.lastChecksum else {
            throw EventLogError.damaged("the last frame")
        }
        state.lastChecksum = newChecksum
        return count
    }
}

// The rows: key replica and first number of a run, value its last number (8).
extension EventLog {
    static func erased(in transaction: borrowing some Reading & ~Copyable, _ tables: LogTables) throws -> EventSet {
        var events = EventSet()
        try transaction.withCursor(tables.erased) { cursor in
            try cursor.forEach(from: nil) { key, value in
                guard let range = erasedRange(key, value) else {
                    throw EventLogError.damaged("a row that names erased events")
                }
                events.insert(range)
                return true
            }
        }
        return events
    }

    static func erasedRange(_ key: RawSpan, _ value: RawSpan) -> EventRange? {
        guard let key = ReplicaNumberKey(keyBytes: key), value.byteCount == 8, key.number >= 1,
            value.uint64(at: 0) >= key.number
        else { return nil }
        return EventRange(key.replica, key.number, through: value.uint64(at: 0))
    }

    private static func put(_ erased: EventSet, in transaction: borrowing WriteTransaction) throws {
        let table = try LogTables(in: transaction).erased
        try transaction.removeAll(in: table)
        for range in erased.ranges {
            var writer = ByteWriter(capacity: 8)
            writer.append(littleEndian: range.last)
            try transaction.append(
                writer.bytes.span.bytes, for: ReplicaNumberKey(range.replica, range.first), in: table)
        }
    }
}
