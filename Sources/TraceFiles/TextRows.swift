import GroundwaveMetering

/// Writes rows as lines of text: CSV and NDJSON.
///
/// The columns are `time` (UTC), the counter if there is one (`tick_1000Hz_mod65536`, without its overflows),
/// `missing` (rows missing before this row), `repeats` (frames repeated before it), then the channels with their
/// unit: `voltage_V`. All decimals of a channel are always written, so that the text shows their number.
///
/// A gap row (``TraceExportOptions/GapPolicy/blank``) has only a time and the number of missing rows: other fields
/// are empty in CSV and `null` in NDJSON. A value that a row lacks is an empty field in CSV, and left out in NDJSON.
///
/// A marker is a line of its own with its time and text, before the first row that is not earlier; in CSV its text is in
/// the last column, `marker_text`, which only files with markers have. Control characters in it are blanks.
struct TextRows: RowWriter {
    /// The syntax of a line.
    enum Dialect {
        case csv, ndjson
    }

    /// The constant parts of a row, for one layout.
    private struct Plan {
        // The parts before the time, and between the time and the first number.
        var beginning: [UInt8] = []
        var behindTime: [UInt8] = []
        // The part behind the time if the row lacks the counter.
        var behindTimeAlone: [UInt8] = []
        // The parts before the two counts, and the whole text if both counts are 0.
        var missing: [UInt8] = []
        var repeats: [UInt8] = []
        var noNote: [UInt8] = []
        var channels: [[UInt8]] = []
        // What stands for a value that a row lacks: all before it in CSV, nothing in NDJSON.
        var absent: [[UInt8]] = []
        var ending: [UInt8] = []
        // The part of a marker between its time and its text.
        var beforeMarker: [UInt8] = []
        // The parts of a gap row.
        var blankTick: [UInt8] = []
        var blankEnding: [UInt8] = []
        var decimals: [Int] = []
        var rowByteLimit = 0
    }

    private let dialect: Dialect
    private let gaps: TraceExportOptions.GapPolicy
    private var plan = Plan()
    private var clock = UTCText()
    private var buffer = ExportBuffer()
    private var markers: ArraySlice<TraceExportOptions.Marker>
    private let hasMarkers: Bool

    init(_ dialect: Dialect, gaps: TraceExportOptions.GapPolicy, markers: [TraceExportOptions.Marker] = []) {
        self.dialect = dialect
        self.gaps = gaps
        self.markers = markers[...]
        hasMarkers = !markers.isEmpty
    }

    mutating func begin(_ layout: Layout, mayLack: Bool, to sink: TraceWriter.Sink) throws {
        plan = Self.plan(layout, dialect, hasMarkers: hasMarkers)
        if dialect == .csv {
            let columns = Self.columns(layout) + (hasMarkers ? [ColumnNames.marker] : [])
            try buffer.append(columns.joined(separator: ",").utf8, to: sink)
            try buffer.append([0x0D, 0x0A], to: sink)
        }
    }

    mutating func finish(to sink: TraceWriter.Sink) throws {
        while let marker = markers.popFirst() { try write(marker, to: sink) }
        try buffer.flush(to: sink)
    }

    mutating func append(_ rows: ExportRows, to sink: TraceWriter.Sink) throws {
        var row = 0
        var note = 0
        while row < rows.count {
            while let marker = markers.first, marker.time <= rows.times[row] {
                try write(marker, to: sink)
                markers.removeFirst()
            }
            let stop = markers.first.flatMap { marker in rows.times[row...].firstIndex { $0 >= marker.time } }
            while row < stop ?? rows.count {
                try buffer.makeRoom(for: plan.rowByteLimit, sink)
                fill(rows, &row, upTo: stop ?? rows.count, &note)
            }
        }
    }

    private mutating func write(_ marker: TraceExportOptions.Marker, to sink: TraceWriter.Sink) throws {
        var time = [UInt8](repeating: 0, count: UTCText.byteLimit)
        var span = time.mutableSpan
        var end = 0
        clock.write(marker.time, into: &span, at: &end)
        try buffer.append(plan.beginning + time[..<end] + plan.behindTimeAlone + plan.beforeMarker, to: sink)
        try buffer.append(Self.quoted(marker.text, dialect), to: sink)
        try buffer.append(dialect == .csv ? [0x0D, 0x0A] : Array("}\n".utf8), to: sink)
    }

    /// Returns `text` in quotes, without control characters.
    private static func quoted(_ text: String, _ dialect: Dialect) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        var bytes = [quote]
        for byte in text.utf8 {
            switch byte {
            case quote: bytes += dialect == .csv ? [quote, quote] : Array("\\\"".utf8)
            case UInt8(ascii: "\\") where dialect == .ndjson: bytes += Array("\\\\".utf8)
            case ..<0x20, 0x7F: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return bytes + [quote]
    }

    // Writes rows from `row` on up to `stop`, while the buffer has room for another.
    private mutating func fill(_ rows: ExportRows, _ row: inout Int, upTo stop: Int, _ note: inout Int) {
        let plan = plan
        let (hasBlanks, hasAll) = (gaps == .blank, rows.patterns.isEmpty)
        var clock = clock
        let last = buffer.storage.count - plan.rowByteLimit
        var end = buffer.end
        var bytes = buffer.storage.mutableSpan
        while row < stop && end <= last {
            let isNoted = note < rows.notes.count && rows.notes[note].row == row
            var noted = isNoted ? rows.notes[note] : ExportRows.Note(row: row, missing: 0, repeats: 0)
            if isNoted {
                note += 1
                if hasBlanks && noted.missing > 0 {
                    Self.writeBlank(rows.times[row], noted.missing, plan, &clock, into: &bytes, at: &end)
                    noted.missing = 0
                }
            }
            DecimalText.put(plan.beginning, into: &bytes, at: &end)
            clock.write(rows.times[row], into: &bytes, at: &end)
            if let tick = rows.tick(at: row) {
                DecimalText.put(plan.behindTime, into: &bytes, at: &end)
                DecimalText.write(tick, decimals: 0, into: &bytes, at: &end)
            } else {
                DecimalText.put(plan.behindTimeAlone, into: &bytes, at: &end)
            }
            if isNoted {
                Self.write(noted.missing, noted.repeats, plan, into: &bytes, at: &end)
            } else {
                DecimalText.put(plan.noNote, into: &bytes, at: &end)
            }
            for column in 0..<plan.channels.count {
                guard hasAll || rows.has(column, at: row) else {
                    DecimalText.put(plan.absent[column], into: &bytes, at: &end)
                    continue
                }
                DecimalText.put(plan.channels[column], into: &bytes, at: &end)
                DecimalText.write(rows.columns[column][row], decimals: plan.decimals[column], into: &bytes, at: &end)
            }
            DecimalText.put(plan.ending, into: &bytes, at: &end)
            row += 1
        }
        buffer.end = end
        self.clock = clock
    }

    private static func writeBlank(
        _ time: Int64, _ missing: UInt64, _ plan: Plan, _ clock: inout UTCText, into bytes: inout MutableSpan<UInt8>,
        at end: inout Int
    ) {
        DecimalText.put(plan.beginning, into: &bytes, at: &end)
        clock.write(time, into: &bytes, at: &end)
        DecimalText.put(plan.behindTime, into: &bytes, at: &end)
        DecimalText.put(plan.blankTick, into: &bytes, at: &end)
        write(missing, 0, plan, into: &bytes, at: &end)
        DecimalText.put(plan.blankEnding, into: &bytes, at: &end)
    }

    private static func write(
        _ missing: UInt64, _ repeats: UInt64, _ plan: Plan, into bytes: inout MutableSpan<UInt8>, at end: inout Int
    ) {
        DecimalText.put(plan.missing, into: &bytes, at: &end)
        DecimalText.write(missing, decimals: 0, into: &bytes, at: &end)
        DecimalText.put(plan.repeats, into: &bytes, at: &end)
        DecimalText.write(repeats, decimals: 0, into: &bytes, at: &end)
    }
}

extension TextRows {
    /// Returns the names of the columns of `layout`, in order.
    static func columns(_ layout: Layout) -> [String] {
        [ColumnNames.time] + (layout.tick.map { [ColumnNames.column($0)] } ?? [])
            + [ColumnNames.missing, ColumnNames.repeats] + layout.channels.map(ColumnNames.column)
    }

    private static func plan(_ layout: Layout, _ dialect: Dialect, hasMarkers: Bool) -> Plan {
        // Names need no escaping: see `ColumnNames.isName`.
        func before(_ column: String) -> [UInt8] { dialect == .csv ? Array(",".utf8) : Array(",\"\(column)\":".utf8) }
        let blank = dialect == .csv ? "" : "null"
        var plan = Plan()
        plan.beginning = dialect == .csv ? [] : Array("{\"time\":\"".utf8)
        plan.behindTime =
            (dialect == .csv ? [] : Array("\"".utf8)) + (layout.tick.map { before(ColumnNames.column($0)) } ?? [])
        plan.behindTimeAlone = dialect == .csv ? plan.behindTime : Array("\"".utf8)
        plan.missing = before(ColumnNames.missing)
        plan.repeats = before(ColumnNames.repeats)
        plan.noNote = plan.missing + [UInt8(ascii: "0")] + plan.repeats + [UInt8(ascii: "0")]
        plan.channels = layout.channels.map { before(ColumnNames.column($0)) }
        plan.absent = dialect == .csv ? plan.channels : plan.channels.map { _ in [] }
        plan.decimals = layout.channels.map(\.decimals)
        plan.ending = dialect == .csv ? (hasMarkers ? [0x2C] : []) + [0x0D, 0x0A] : Array("}\n".utf8)
        plan.beforeMarker =
            dialect == .csv
            ? plan.noNote + plan.channels.flatMap(\.self) + before(ColumnNames.marker) : before(ColumnNames.marker)
        plan.blankTick = layout.tick == nil ? [] : Array(blank.utf8)
        plan.blankEnding = plan.channels.flatMap { $0 + Array(blank.utf8) } + plan.ending
        let names = [plan.beginning, plan.behindTime, plan.noNote, plan.ending] + plan.channels
        // Room for a row and the gap row before it.
        plan.rowByteLimit =
            2
            * (names.reduce(0) { $0 + $1.count } + UTCText.byteLimit + (3 + plan.channels.count) * DecimalText.byteLimit)
        return plan
    }
}
