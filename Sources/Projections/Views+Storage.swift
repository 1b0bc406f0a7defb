import GroundwaveLMDB

extension Views {
    /// What the tables of the views take, by their names.
    public func storage() throws -> [(name: String, statistics: TableStatistics)] {
        try environment().read { transaction in
            let tables = try ViewTables(in: transaction)
            return [
                ("records", try transaction.statistics(of: tables.records)),
                ("index", try transaction.statistics(of: tables.index)),
                ("unread", try transaction.statistics(of: tables.unread)),
                ("blocks", try transaction.statistics(of: tables.blocks)),
                ("cells", try transaction.statistics(of: tables.cells)),
            ]
        }
    }
}
