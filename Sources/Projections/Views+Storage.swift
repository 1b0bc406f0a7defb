import GroundwaveLMDB

extension Views {
    /// Returns the storage statistics of each table of the views, by name.
    public func storage() throws -> [(name: String, statistics: TableStatistics)] {
        try environment().read { transaction in
            let tables = try ViewTables(in: transaction)
            return [
                ("records", try transaction.statistics(of: tables.records)),
                ("index", try transaction.statistics(of: tables.index)),
                ("unread", try transaction.statistics(of: tables.unread)),
                ("blocks", try transaction.statistics(of: tables.blocks)),
                ("cells", try transaction.statistics(of: tables.cells)),
                ("behind", try transaction.statistics(of: tables.behind)),
            ]
        }
    }
}
