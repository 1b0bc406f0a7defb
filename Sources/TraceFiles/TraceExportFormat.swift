/// The formats that rows of a trace can be written in.
///
/// The raw values are the names on the command line. All formats except ``sigrok`` store the integers of each row
/// exactly.
public enum TraceExportFormat: String, Hashable, Sendable, CaseIterable {
    /// A table for spreadsheets (RFC 4180), which can be imported again.
    case csv
    /// One JSON object per row, with the columns of ``csv`` as keys and numbers as exact decimals.
    case ndjson
    /// The line protocol of InfluxDB: one point per row, with ascending times in nanoseconds.
    case influx
    /// Apache Parquet: integers as decimals of a fixed scale, in row groups of bounded size.
    case parquet
    /// An SQLite database with one table row per row, for SQL queries; integers are stored exactly. It is a file and
    /// cannot be written as a stream.
    case sqlite
    /// A session of sigrok (srzip, version 2): floating point at a fixed rate, for PulseView and SmuView.
    case sigrok

    /// The file extension, without the dot.
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

    /// Whether rows can follow whose channels the file was not begun with: true if each row names its channels.
    public var holdsSeveralLayouts: Bool { self == .ndjson || self == .influx }
}
