import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveMembership

// Values that are refused: a fold of the events that erase and count. Each row of the table `erased` is what was carried out of
// one of them; it goes when its event stops counting, in the commit that decides so.
extension EventLog {
    /// The events whose values this log refuses, from any source. Some may not have arrived yet.
    public func erased() throws -> EventSet {
        try read { transaction in try LogTables(in: transaction).erased.events(in: transaction) }
    }

    /// The same, by the events that erase them.
    package func refusals() throws -> [EventID: EventSet] {
        try read { transaction in try LogTables(in: transaction).erased.refusals(in: transaction) }
    }

    /// Removes values from this log, and refuses them from now on, for as long as an event that erases them counts.
    ///
    /// The hash of the values replaces them, so no leaf and no root of a tree changes. If any of the events has values,
    /// the whole log is rewritten to a new file that replaces the present one: no page of the new file ever held the
    /// values. Positions, runs, trees and epoch stay; the checksums that chain the frames change from the first such
    /// event on. Readers continue meanwhile; writers wait.
    ///
    /// - Parameters:
    ///   - refusals: The events whose values go, by the events that erase them. One that does not count erases nothing.
    ///   - dropCopies: Deletes copies of the values outside the log. Called before anything is changed, while nobody
    ///     else writes. It may be called again.
    ///   - baseWithout: Returns the archive snapshot, if there is one, without the values of the given events.
    /// - Returns: The number of events that had values until now.
    /// - Throws: ``EventLogError`` if the log is damaged, since a new chain of checksums would hide that; `LMDBError`,
    ///   for instance if there is no room for a second file. Then nothing has changed, unless only the final flush of
    ///   the folder failed.
    /// - Precondition: This thread is not inside a transaction of this log.
    /// - Complexity: O(events), and O(bytes of the log) if the file is replaced.
    @discardableResult
    public func erase(
        _ refusals: [EventID: EventSet], dropCopies: () throws -> Void = {},
        baseWithout: (EventSet) throws -> [UInt8]? = { _ in nil }
    ) throws -> Int {
        try checkAfterFailedCommit()
        return try write { transaction in
            let tables = try LogTables(in: transaction)
            let counting = try Self.counting(refusals, by: roster(in: transaction, tables), in: transaction, tables)
            if counting.isEmpty { return 0 }
            try dropCopies()
            let events = counting.values.reduce(into: EventSet()) { $0.formUnion($1) }
            var erased = try tables.erased.events(in: transaction)
            let isNew = !events.ranges.allSatisfy(erased.contains)
            erased.formUnion(events)
            let all = try tables.erased.refusals(in: transaction).merging(counting) { $0.union($1) }
            let archived = try tables.base(in: transaction)?.vector ?? VersionVector()
            let isInBase = isNew && events.ranges.contains { $0.first <= archived[$0.replica] }
            guard try isInBase || haveValues(events) || rangesHold(events, in: transaction, tables) else {
                try tables.erased.replace(with: all, in: transaction)
                return 0
            }
            // Reads within a write see the state before it, and nothing is written to the old file.
            return try read { old in
                var count = 0
                let base = isInBase ? try baseWithout(erased) : nil
                try environment().replaceFile(during: transaction) { new in
                    count = 0
                    try Self.copyAll(old, new) { frame, bytes in
                        // The placeholder of a lost event has no values to remove, and some are never erased.
                        guard erased.contains(frame.id), !frame.isPartial, !Self.isNeverErased(frame, in: bytes) else {
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
                    try LogTables(in: new).erased.replace(with: all, in: new)
                    try withholdFromRanges(erased, in: new)
                }
                return count
            }
        }
    }

    /// Returns what is refused because of events that count, or are archived: what was archived before they stopped counting
    /// goes on counting here.
    private static func counting(
        _ refusals: [EventID: EventSet], by roster: Roster?, in transaction: borrowing WriteTransaction,
        _ tables: LogTables
    ) throws -> [EventID: EventSet] {
        guard let roster else { return refusals }
        let archived = try tables.base(in: transaction)?.vector ?? VersionVector()
        return refusals.filter { roster.counts($0.key) || archived.contains($0.key) }
    }

    /// Ends what is refused because of events that do not count. Values that nothing else refuses are missing from then on: they
    /// are fetched like any others, and reported until they are here.
    ///
    /// - Complexity: O(events whose values are no longer refused), and O(runs of refused events).
    static func endRefusals(
        by roster: Roster?, _ transaction: borrowing WriteTransaction, _ tables: LogTables
    ) throws {
        let all = try tables.erased.refusals(in: transaction)
        let rest = try counting(all, by: roster, in: transaction, tables)
        if rest.count == all.count { return }
        let before = try tables.erased.events(in: transaction)
        try tables.erased.replace(with: rest, in: transaction)
        var missing = EventSet()
        for range in before.subtracting(try tables.erased.events(in: transaction)).ranges {
            var next = EventID(range.replica, range.first)
            while next.sequence <= range.last, let position = try position(of: next, in: transaction, tables) {
                let isWithheld = try withEvent(next, at: position, in: transaction, tables) { frame, _ in
                    frame.isWithheld
                }
                if isWithheld { missing.insert(next) }
                next = EventID(next.replica, next.sequence + 1)
            }
        }
        try tables.lacking.insert(missing, in: transaction)
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
