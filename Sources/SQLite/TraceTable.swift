import GroundwaveMetering
import GroundwaveMeters
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTraceFiles

/// Writes rows of a trace into a new SQLite database, for SQL queries.
///
/// | table | columns |
/// |---|---|
/// | `rows` | `row`, the number in the trace; `time_ms`, milliseconds since 1970 in UTC; the counter, if there is one, named as in CSV; `missing` and `repeats`, the numbers of missing and repeated rows before this row; then each channel, an integer in the unit that its name states, such as `voltage_100uV` |
/// | `channels` | `column`, `name`, `unit`, `decimals`: a value is its integer times ten to the minus `decimals`, in `unit` |
/// | `trace` | `key` and `value`: program, trace, name, meter, model, source, started, what values are calibrated by; the numbers of rows, missing, repeats, withheld, unreadable, hidden; those without a value are omitted |
/// | `markers` | `time_ms` and `text` of each marker, in order of time; only if there are any |
/// | `readings` | a view: the columns of CSV, with `time` as text and channels as decimal numbers, which are floating point |
///
/// Rows are in the order of the trace and of their rowids. A channel, or the counter, that a row lacks is NULL. For means
/// of several rows, `row` is NULL. With the gap policy `blank`, a gap is a row of its own: with `missing`, and NULL in
/// `row`, the counter and the channels.
struct TraceTable: RowWriter {
    /// The number of rows that one statement inserts: most of the cost of a statement does not depend on its values.
    private static let rowsPerStatement = 32

    private let database: Database
    private let gaps: TraceExportOptions.GapPolicy
    private var hasTick = false
    private var channelCount = 0
    private var insertMany: Statement?
    private var insertOne: Statement?
    /// The values of the rows that are not inserted yet, row after row: fewer than one statement inserts.
    private var values: [SQLiteValue] = []
    /// The number of rows appended, without gap rows.
    private var rowCount: UInt64 = 0

    /// Creates a writer into `database`, which must be empty.
    init(_ database: Database, gaps: TraceExportOptions.GapPolicy) { (self.database, self.gaps) = (database, gaps) }

    mutating func begin(_ layout: Layout, mayLack: Bool, to sink: TraceWriter.Sink) throws {
        let tick = layout.tick.map { ColumnNames.column($0) }
        let own = ["row", "time_ms"] + (tick.map { [$0] } ?? []) + [ColumnNames.missing, ColumnNames.repeats]
        let names = own + layout.channels.map(Self.column)
        // A channel has two columns: one in `rows`, and one in the view `readings`, which also has `time`.
        var taken = Set(own + ["time"])
        for channel in layout.channels {
            let isOwn = own.contains(Self.column(channel).lowercased())
            guard isOwn || !taken.insert(ColumnNames.column(channel).lowercased()).inserted else { continue }
            throw TraceExportError.channel(
                channel.name,
                reason: "a column already has this name, and SQLite does not distinguish upper and lower case")
        }
        let columns = names.map { "\($0.quotedInSQL) INTEGER" }.joined(separator: ", ")
        try database.execute("CREATE TABLE rows (\(columns))")
        try database.execute(
            "CREATE TABLE channels (\"column\" TEXT PRIMARY KEY, name TEXT, unit TEXT, decimals INTEGER)")
        for channel in layout.channels {
            try database.execute(
                "INSERT INTO channels VALUES (?, ?, ?, ?)", .text(Self.column(channel)), .text(channel.name),
                .text(channel.unit.rawValue), .integer(Int64(channel.decimals)))
        }
        try database.execute(Self.view(layout, own))
        (hasTick, channelCount) = (layout.tick != nil, layout.channels.count)
        let row = "(" + Array(repeating: "?", count: names.count).joined(separator: ", ") + ")"
        let many = Array(repeating: row, count: Self.rowsPerStatement).joined(separator: ", ")
        insertMany = try database.prepare("INSERT INTO rows VALUES \(many)")
        insertOne = try database.prepare("INSERT INTO rows VALUES \(row)")
    }

    mutating func append(_ rows: ExportRows, to sink: TraceWriter.Sink) throws {
        var note = 0
        for row in 0..<rows.count {
            var (missing, repeats) = (UInt64(0), UInt64(0))
            if note < rows.notes.count, rows.notes[note].row == row {
                (missing, repeats) = (rows.notes[note].missing, rows.notes[note].repeats)
                note += 1
            }
            if gaps == .blank, missing > 0 {
                try beginRow(nil, rows.times[row], tick: nil, missing: missing, repeats: 0)
                for _ in 0..<channelCount { values.append(.null) }
                try insertIfFull()
                missing = 0
            }
            try beginRow(
                rows.number(of: row), rows.times[row], tick: rows.tick(at: row), missing: missing, repeats: repeats)
            for column in rows.columns.indices {
                values.append(rows.has(column, at: row) ? .integer(rows.columns[column][row]) : .null)
            }
            try insertIfFull()
            rowCount += 1
        }
    }

    mutating func finish(to sink: TraceWriter.Sink) throws {
        for start in stride(from: 0, to: values.count, by: columnCount) {
            try insertOne?.execute(values[start..<start + columnCount])
        }
        values = []
    }

    private var columnCount: Int { channelCount + (hasTick ? 5 : 4) }

    /// Appends the values before the channels of a row.
    private mutating func beginRow(
        _ number: UInt64?, _ time: Int64, tick: Int64?, missing: UInt64, repeats: UInt64
    ) throws {
        values.append(try number.map { try fitting($0, "the number") } ?? .null)
        values.append(.integer(time))
        if hasTick { values.append(tick.map { .integer($0) } ?? .null) }
        values.append(try fitting(missing, ColumnNames.missing))
        values.append(try fitting(repeats, ColumnNames.repeats))
    }

    private mutating func insertIfFull() throws {
        guard values.count == columnCount * Self.rowsPerStatement else { return }
        try insertMany?.execute(values[...])
        values.removeAll(keepingCapacity: true)
    }

    /// Returns `number` as a value of SQLite; throws for column `name` if it exceeds 63 bits.
    private func fitting(_ number: UInt64, _ name: String) throws -> SQLiteValue {
        guard let value = Int64(exactly: number) else {
            throw TraceExportError.value(name, row: rowCount, reason: "SQLite integers have 63 bits")
        }
        return .integer(value)
    }

    /// Returns the name of a channel's column in `rows`: its name and the unit of its integers, such as `voltage_mV`,
    /// `current_100uA` or `mode`.
    private static func column(_ channel: Channel) -> String {
        if channel.decimals == 0 { return ColumnNames.column(channel) }
        if channel.unit == .none { return "\(channel.name)_1e-\(channel.decimals)" }
        let prefix = ["m", "u", "n"][(channel.decimals - 1) / 3]
        let step = ["", "100", "10"][channel.decimals % 3]
        return "\(channel.name)_\(step)\(prefix)\(channel.unit.rawValue)"
    }

    /// Returns the statement that creates the view `readings`, for the columns `own` before the channels.
    private static func view(_ layout: Layout, _ own: [String]) -> String {
        var columns = ["row", "strftime('%Y-%m-%dT%H:%M:%fZ', time_ms / 1000.0, 'unixepoch') AS time"]
        columns += own.dropFirst(2).map(\.quotedInSQL)
        for channel in layout.channels {
            let divisor = "1" + String(repeating: "0", count: channel.decimals)
            let value = channel.decimals == 0 ? "" : " / \(divisor).0"
            columns.append("\(column(channel).quotedInSQL)\(value) AS \(ColumnNames.column(channel).quotedInSQL)")
        }
        return "CREATE VIEW readings AS SELECT \(columns.joined(separator: ", ")) FROM rows"
    }

    /// Creates the table `markers`, if there are any.
    static func note(_ markers: [TraceExportOptions.Marker], in database: Database) throws {
        if markers.isEmpty { return }
        try database.execute("CREATE TABLE markers (time_ms INTEGER, text TEXT)")
        for marker in markers {
            try database.execute("INSERT INTO markers VALUES (?, ?)", .integer(marker.time), .text(marker.text))
        }
    }

    /// Creates the table `trace`, with the description of `trace` and the counts of written and absent rows.
    static func note(
        _ trace: Trace, _ calibration: Calibration, _ counts: TraceWriter.Counts, _ absent: AbsentRows,
        in database: Database
    ) throws {
        try database.execute("CREATE TABLE trace (key TEXT PRIMARY KEY, value TEXT)")
        let facts: [(key: String, value: String?)] = [
            ("program", "Groundwave \(Store.libraryVersion)"), ("trace", "\(trace.id)"), ("name", trace.name),
            ("meter", trace.meter?.description), ("model", trace.model?.rawValue), ("source", trace.source),
            ("started", trace.started.map(UTCText.milliseconds)), ("calibrated", calibration.formulas),
            ("rows", "\(counts.rows)"),
            ("missing", "\(counts.missing)"), ("repeats", "\(counts.repeats)"), ("withheld", "\(absent.withheldCount)"),
            ("unreadable", "\(absent.unreadableCount)"), ("hidden", "\(absent.hiddenCount)"),
        ]
        for (key, value) in facts where value?.isEmpty == false {
            try database.execute("INSERT INTO trace VALUES (?, ?)", .text(key), SQLiteValue(value))
        }
    }
}
