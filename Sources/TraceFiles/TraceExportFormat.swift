/// The formats that the rows of a trace are written in.
///
/// The raw values are the words on the command line. All but ``sigrok`` hold each row with its integers as they are.
public enum TraceExportFormat: String, Hashable, Sendable, CaseIterable {
    /// A table for spreadsheets (RFC 4180), which ``CSVTraceReader`` reads back: see ``TextRows``.
    case csv
    /// One JSON object a row, with the columns of ``csv`` as keys and numbers as exact decimals.
    case ndjson
    /// The line protocol of InfluxDB: one point a row, times in nanoseconds that ascend.
    case influx
    /// Apache Parquet: integers as decimals of a fixed scale, in row groups of bounded size.
    case parquet
    /// An SQLite database with a row for each row, for questions in SQL: integers as they are. It is a file and cannot be
    /// written piece by piece.
    case sqlite
    /// A session of sigrok (srzip, version 2): floating point at a fixed rate, for PulseView and SmuView.
    case sigrok

    /// What the name of a file ends with, without the dot.
    public var fileExtension: String {
        switch self {
        case .csv: "csv"
        case .ndjson: "ndjson"
        case .influx: "lp"
        case .parquet: "parquet"
        case .sqlite: "sqlite"
        case .sigrok: "sr"
        }
    }

    /// The media type.
    public var mediaType: String {
        switch self {
        case .csv: "text/csv"
        case .ndjson: "application/x-ndjson"
        case .influx: "text/plain"
        case .parquet: "application/vnd.apache.parquet"
        case .sqlite: "application/vnd.sqlite3"
        case .sigrok: "application/zip"
        }
    }

    /// Whether a file may hold rows of several layouts: where each row names its channels.
    public var holdsSeveralLayouts: Bool { self == .ndjson || self == .influx }
}
