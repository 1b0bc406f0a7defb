import Events

extension LogVerifier {
    /// The events that the log at `path` says are lost, read page by page. Cost: a few pages.
    package static func holes(path: String) throws -> [EventRange] {
        let file = try PageFile(path)
        guard let meta = MetaPage.both(of: file).compactMap({ $0 }).max(by: { $0.transaction < $1.transaction }) else {
            throw EventLogError.notALog
        }
        var reader = try PageReader(file, meta: meta)
        var tables = TableCollector()
        _ = reader.walk(meta.main, holdsTables: true, valueLimit: TreeRecord.byteCount, &tables)
        guard let record = tables.tables[LogTable.holes.name] else { throw EventLogError.notALog }
        var rows = RowCollector(table: .holes, rows: LogRows())
        _ = reader.walk(record, valueLimit: meta.pageSize, &rows)
        return rows.rows.holes.ranges
    }
}
