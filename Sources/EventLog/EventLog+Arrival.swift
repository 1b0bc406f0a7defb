import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns when this store received the event at `position`; `nil` if there is no such event.
    ///
    /// - Throws: ``EventLogError/damaged(_:)`` if the row of the arrival is missing, malformed or stale.
    /// - Complexity: Two look-ups.
    public func arrival(of position: Position) throws -> Arrival? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            guard position >= 1, position < (try tables.state(in: transaction).nextPosition) else {
                return nil
            }
            let row = try transaction.withLast(atOrBefore: position, in: tables.arrivals) { key, value in
                (first: UInt64(keyBytes: key), row: ArrivalRow(value))
            }
            // The row counts its events: a stale one may end before `position`.
            guard let first = row?.first, let row = row?.row, position - first < row.count else {
                throw EventLogError.damaged(LogTable.arrivals.row)
            }
            return row.arrival
        }
    }
}
