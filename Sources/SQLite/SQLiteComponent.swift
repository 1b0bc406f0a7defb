import GroundwaveADIF
import GroundwaveLogbook
import GroundwaveMeters
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTraceFiles

extension StoreComponent {
    /// Exports of contacts and traces as SQLite databases.
    public static let sqlite: StoreComponent = {
        var component = StoreComponent(name: "SQLite")
        component.service = SQLiteDatabases()
        return component
    }()
}

private struct SQLiteDatabases: ContactDatabase, TraceDatabase {
    func write(
        _ names: [FieldName], path: String, facts: [(key: String, value: String)],
        _ each: (_ take: (RecordID, borrowing ShownValues) throws -> Void) throws -> Void
    ) throws -> [ExportReport.Remark] { try ContactTable(names: names).write(path: path, facts: facts, each) }

    func write(
        _ trace: Trace, calibration: Calibration, path: String, _ options: TraceExportOptions,
        _ body: (any RowWriter) throws -> (counts: TraceWriter.Counts, absent: AbsentRows)
    ) throws -> (counts: TraceWriter.Counts, absent: AbsentRows) {
        try SQLiteFile.write(path: path) { database in
            let written = try body(TraceTable(database, gaps: options.gaps))
            try TraceTable.note(options.markers, in: database)
            try TraceTable.note(trace, calibration, written.counts, written.absent, in: database)
            return written
        }
    }

    func isOfWriting(_ error: any Error) -> Bool { SQLiteFile.isOfWriting(error) }
}
