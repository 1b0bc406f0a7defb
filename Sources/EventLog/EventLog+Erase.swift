import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB

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
    /// - Parameters:
    ///   - dropCopies: Called before anything is changed, while nobody else writes: whoever made a copy of the values
    ///     outside the log deletes it here. It may be called again.
    ///   - baseWithout: Where history was archived, the snapshot that stands for it without the values of these events.
    /// - Returns: How many events had values until now.
    /// - Throws: ``EventLogError`` where the log is damaged, since a new chain of checksums would hide that; `LMDBError`,
    ///   such as that there is no room for a second file. Then nothing has changed, unless only the last flush of the
    ///   folder failed.
    /// - Precondition: This thread is not inside a transaction of this log.
    /// - Complexity: O(`events`), and O(bytes of the log) where the file is replaced.
    @discardableResult
    public func erase(
        _ events: EventSet, dropCopies: () throws -> Void = {},
        baseWithout: (EventSet) throws -> [UInt8]? = { _ in nil }
    ) throws -> Int {
        try checkAfterFailedCommit()
        return try write { transaction in
            try dropCopies()
            let tables = try LogTables(in: transaction)
            var erased = try Self.erased(in: transaction, tables)
            let isNew = !events.ranges.allSatisfy(erased.contains)
            erased.formUnion(events)
            let archived = try Self.base(in: transaction, tables)?.vector ?? VersionVector()
            let isInBase = isNew && events.ranges.contains { $0.first <= archived[$0.replica] }
            guard try isInBase || haveValues(events) || rangesHold(events, in: transaction, tables) else {
                try Self.put(erased, in: transaction)
                return 0
            }
            // Reads within a write see what was there before it, and nothing is written to the old file.
            return try read { old in
                var count = 0
                let base = isInBase ? try baseWithout(erased) : nil
                try environment().replaceFile(during: transaction) { new in
                    count = 0
                    try Self.copyAll(old, new) { frame, _ in
                        // A place that is held for a lost event has nothing to be taken out.
                        guard erased.contains(frame.id), !frame.isPartial else { return .same }
                        count += 1
                        return .withheld
                    }
                    if let base { try Self.put(base, at: archived, in: new) } else { try Self.copyBase(old, new) }
                    try Self.put(erased, in: new)
                    try withholdFromRanges(erased, in: new)
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
                isFound = !frame.isPartial
                return !isFound
            }
        }
        return isFound
    }
}

extension EventLog {
    static func erased(in transaction: borrowing some ReadableTransaction & ~Copyable, _ tables: LogTables) throws
        -> EventSet
    {
        try events(tables.erased, in: transaction)
    }

    private static func put(_ erased: EventSet, in transaction: borrowing WriteTransaction) throws {
        try put(erased, LogTables(in: transaction).erased, in: transaction)
    }
}
