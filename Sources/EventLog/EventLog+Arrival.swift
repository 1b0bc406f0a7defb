import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns when this store received the event at `position`; `nil` if there is no such event.
    public func arrival(of position: Position) throws -> Arrival? {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            guard position >= 1, position < (try tables.state(in: transaction).nextPosition) else {
                return nil
            }
            let row = try transaction.withLast(atOrBefore: position, in: tables.arrivals) { key, value in
                (first: UInt64(keyBytes: key), row: ArrivalRow(value))
            }
            guard let first = row?.first, let row = row?.row, position - first < row.count else {
                throw EventLogError.damaged(LogTable.arrivals.row)
            }
            return row.arrival
        }
    }
}
