import GroundwaveLMDB
import GroundwaveLogFormat

extension EventLog {
    /// Returns the space that the tables of the log take, by name, except `meta`, `holes` and `lacking`; the caller
    /// shows these with the rest of the file as `free and shared`.
    public func storage() throws -> [(name: String, statistics: TableStatistics)] {
        try read { transaction in
            let tables = try LogTables(in: transaction)
            let late = try LateTables(in: transaction)
            return [
                ("events", try transaction.statistics(of: tables.events)),
                ("runs", try transaction.statistics(of: tables.runs)),
                ("heads", try transaction.statistics(of: tables.heads)),
                ("arrivals", try transaction.statistics(of: tables.arrivals)),
                ("trees", try transaction.statistics(of: tables.trees)),
                ("nodes", try transaction.statistics(of: tables.nodes)),
                ("erased", try transaction.statistics(of: tables.erased)),
                ("signed", try transaction.statistics(of: tables.signed)),
                ("waiting", try transaction.statistics(of: tables.waiting)),
                ("streams", try transaction.statistics(of: tables.streams)),
                ("base", try transaction.statistics(of: tables.base)),
                ("late", try transaction.statistics(of: late.late)),
                ("filled", try transaction.statistics(of: late.filled)),
            ]
        }
    }
}
