import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMDBPages

extension LogVerifier {
    /// Returns the declared lost ranges of the log at `path`, read page by page. Cost: a few pages.
    package static func lostRanges(path: String) throws -> [EventRange] {
        try rows(of: .holes, path: path).lostRanges.ranges
    }

    /// Returns the format of the log at `path`; `nil` if it cannot be read. Cost: a few pages.
    package static func format(path: String) -> UInt32? {
        (try? rows(of: .meta, path: path))?.metaRow("format", count: 4)?.withSpan { $0.uint32(at: 0) }
    }

    /// Returns the rows of `table` of the log at `path`, as far as its pages are readable. Cost: the pages of that
    /// table.
    package static func rows(of table: LogTable, path: String) throws -> LogRows {
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
