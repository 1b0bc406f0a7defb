import GroundwaveEvents
import GroundwaveMDBPages

extension LogVerifier {
    /// The events that the log at `path` says are lost, read page by page. Cost: a few pages.
    package static func holes(path: String) throws -> [EventRange] { try rows(of: .holes, path: path).holes.ranges }

    /// The format that the log at `path` says it has; `nil` where that cannot be read. Cost: a few pages.
    package static func format(path: String) -> UInt32? {
        (try? rows(of: .meta, path: path))?.metaRow("format", count: 4)?.withSpan { $0.uint32(at: 0) }
    }

    /// What the table `table` of the log at `path` says, as far as its pages can be read. Cost: the pages of that table.
    static func rows(of table: LogTable, path: String) throws -> LogRows {
        let file = try PageFile(path)
        guard let meta = MetaPage.newest(of: file) else { throw EventLogError.notALog }
        var reader = try PageReader(file, meta: meta)
        var tables = TableCollector()
        _ = reader.walk(meta.main, holdsTables: true, valueLimit: TreeRecord.byteCount, &tables)
        guard let record = tables.tables[table.name] else { throw EventLogError.notALog }
        var rows = RowCollector(table: table, rows: LogRows())
        _ = reader.walk(record, valueLimit: EventLimits.batchBytes, &rows)
        return rows.rows
    }
}
