import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

// A write that never reached the disk leaves the previous content of the page: a complete page with valid checksums,
// some commits old. So when a log is opened, the rows that every commit writes are compared with each other.
// LogVerifier, which checks every page, compares the whole content in the same way.
extension EventLog {
    /// Throws ``EventLogError/damaged(_:)`` if the rows that describe the end of the log contradict each other.
    ///
    /// - Complexity: O(replicas + branches + ranges of events that are erased, lost or missing their values), and the
    ///   last page of the events.
    static func checkAgreement(in environment: Environment) throws {
        try environment.read { transaction in
            let tables = try LogTables(in: transaction)
            let end = try tables.state(in: transaction).nextPosition - 1
            let last = try transaction.withCursor(tables.events) { cursor in
                try cursor.last() ? try cursor.withEntry { key, _ in UInt64(keyBytes: key) } : 0
            }
            guard last == end, try transaction.statistics(of: tables.events).entries == end else {
                throw EventLogError.damaged("the next position of the log")
            }
            var events: UInt64 = 0
            try transaction.forEach(in: tables.heads) { _, value in
                events &+= HeadRow(value)?.sequence ?? 0
                return true
            }
            guard events == end else { throw EventLogError.damaged(LogTable.heads.row) }
            try checkCount(of: tables.erased, in: transaction)
            try checkCount(of: tables.holes, in: transaction)
            try checkCount(of: tables.lacking, in: transaction)
            try checkCount(of: tables.streams, in: transaction)
            // Each late event has one row in each of the two tables.
            let late = try LateTables(in: transaction)
            guard try transaction.statistics(of: late.late).entries == transaction.statistics(of: late.filled).entries
            else { throw EventLogError.damaged(LogTable.filled.row) }
        }
    }

    /// Throws if the number of rows in `table` differs from LMDB's count of them, which is on another page.
    private static func checkCount<Key: TableKey>(
        of table: CheckedTable<Key>, in transaction: borrowing ReadTransaction
    ) throws {
        var count = 0
        try transaction.forEach(in: table) { _, _ in
            count += 1
            return true
        }
        guard try transaction.statistics(of: table).entries == count else {
            throw EventLogError.damaged(table.kind.row)
        }
    }
}
