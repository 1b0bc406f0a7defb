import GroundwaveStore
import GroundwaveTraceFiles

/// Writes rows of traces into SQLite databases. The SQLite component provides it.
package protocol TraceDatabase: Sendable {
    /// Writes a database of `trace` into the empty file at `path`: `body` writes its rows, which are corrected by
    /// `calibration`, to the writer that it is lent. It has the markers of `options`.
    ///
    /// - Returns: What `body` returned.
    func write(
        _ trace: Trace, calibration: Calibration, path: String, _ options: TraceExportOptions,
        _ body: (any RowWriter) throws -> (counts: TraceWriter.Counts, absent: AbsentRows)
    ) throws -> (counts: TraceWriter.Counts, absent: AbsentRows)

    /// Whether `error` comes from writing the database.
    func isOfWriting(_ error: any Error) -> Bool
}

extension [StoreComponent] {
    /// The writer of trace databases of one of the components.
    ///
    /// - Throws: ``StoreError`` with code `usage` if none has one.
    func traceDatabase() throws -> any TraceDatabase {
        for component in self { if let database = component.service as? any TraceDatabase { return database } }
        throw StoreError(
            .usage, "This program was built without the SQLite component.", hint: "Choose another format.")
    }
}
