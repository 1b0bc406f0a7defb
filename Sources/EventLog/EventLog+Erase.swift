import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// The events whose values this log permanently refuses, from any source. Some may not have arrived yet.
    public func erased() throws -> EventSet {
        try read { transaction in try LogTables(in: transaction).erased.events(in: transaction) }
    }

    /// Removes the values of `events` from this log, and refuses them from now on.
    ///
    /// The hash of the values replaces them, so no leaf and no root of a tree changes. If any of the events has values,
    /// the whole log is rewritten to a new file that replaces the present one: no page of the new file ever held the
    /// values. Positions, runs, trees and epoch stay; the checksums that chain the frames change from the first such
    /// event on. Readers continue meanwhile; writers wait.
    ///
    /// - Parameters:
    ///   - dropCopies: Deletes copies of the values outside the log. Called before anything is changed, while nobody
    ///     else writes. It may be called again.
    ///   - baseWithout: Returns the archive snapshot, if there is one, without the values of the given events.
    /// - Returns: The number of events that had values until now.
    /// - Throws: ``EventLogError`` if the log is damaged, since a new chain of checksums would hide that; `LMDBError`,
    ///   for instance if there is no room for a second file. Then nothing has changed, unless only the final flush of
    ///   the folder failed.
    /// - Precondition: This thread is not inside a transaction of this log.
    /// - Complexity: O(`events`), and O(bytes of the log) if the file is replaced.
    @discardableResult
    public func erase(
        _ events: EventSet, dropCopies: () throws -> Void = {},
        baseWithout: (EventSet) throws -> [UInt8]? = { _ in nil }
    ) throws -> Int {
        try checkAfterFailedCommit()
        return try write { transaction in
            try dropCopies()
            let tables = try LogTables(in: transaction)
            var erased = try tables.erased.events(in: transaction)
            let isNew = !events.ranges.allSatisfy(erased.contains)
            erased.formUnion(events)
            let archived = try tables.base(in: transaction)?.vector ?? VersionVector()
            let isInBase = isNew && events.ranges.contains { $0.first <= archived[$0.replica] }
            guard try isInBase || haveValues(events) || rangesHold(events, in: transaction, tables) else {
                try LogTables(in: transaction).erased.replace(with: erased, in: transaction)
                return 0
            }
            // Reads within a write see the state before it, and nothing is written to the old file.
            return try read { old in
                var count = 0
                let base = isInBase ? try baseWithout(erased) : nil
                try environment().replaceFile(during: transaction) { new in
                    count = 0
                    try Self.copyAll(old, new) { frame, bytes in
                        // The placeholder of a lost event has no values to remove, and who belongs to the log is never erased.
                        guard erased.contains(frame.id), !frame.isPartial, !Self.isStatement(frame, in: bytes) else {
                            return .same
                        }
                        count += 1
                        return .withheld
                    }
                    if let base {
                        try LogTables(in: new).putBase(base, at: archived, in: new)
                    } else {
                        try Self.copyBase(old, new)
                    }
                    try LogTables(in: new).erased.replace(with: erased, in: new)
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
