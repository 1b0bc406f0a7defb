import Events
import LMDB

// A write that never came leaves in its place what stood there before: a page that is whole, every checksum right, and
// that says what was so some commits ago. What is written at each commit is therefore held against each other when a log is
// opened. The look at every page (LogVerifier) does the same of all that is in it.
extension EventLog {
    /// Throws ``EventLogError/damaged(_:)`` where the rows that say how far the log goes do not agree.
    ///
    /// - Complexity: O(replicas, runs of erased, lost and lacking events, streams), and the last page of the events.
    static func checkAgreement(in environment: Environment) throws {
        try environment.read { transaction in
            let tables = try LogTables(in: transaction)
            let end = try state(in: transaction, tables.meta).nextPosition - 1
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
            let late = try LateTables(in: transaction)
            guard try transaction.statistics(of: late.late).entries == transaction.statistics(of: late.filled).entries
            else { throw EventLogError.damaged(LogTable.filled.row) }
        }
    }

    /// Throws unless `table` has as many rows as it should.
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
