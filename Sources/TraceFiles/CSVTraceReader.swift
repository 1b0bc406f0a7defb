import GroundwaveMetering

/// Reads rows of a trace from the CSV that ``TraceWriter`` writes, in pieces of any length.
///
/// It restores the integers, times, counters, gaps and repeats; any other text is refused with its line number. Lines
/// may end with CR LF or LF. The decimals of a channel come from its first value, so a channel without values has none.
/// Rows that lack a channel, or the counter, have a layout without it.
///
/// ```swift
/// var reader = CSVTraceReader()
/// while let bytes = try file.next() { for rows in try reader.append(bytes) { … } }
/// try reader.finish()
/// ```
public struct CSVTraceReader {
    /// The most bytes of a line, including its end.
    public static let lineByteLimit = CSVLines.byteLimit

    /// The descriptions of moments that were read so far.
    public private(set) var markers: [TraceExportOptions.Marker] = []

    /// All columns of the file; `nil` until the first row was read. ``finish()`` sets it for a file without rows.
    public private(set) var layout: Layout?

    private var first: UInt64
    private var lines = CSVLines()
    private var columns: CSVColumns?
    // The rows that were read and not returned yet, all but the last of them complete.
    private var rows: [TraceRows] = []
    // Which channels the rows of the last of them have, and its layout.
    private var present: [Bool] = []
    private var part: Layout?
    // The fields of the current line; kept to reuse its memory.
    private var fields: [Range<Int>] = []
    // A pending gap row: its time, and the number of missing rows.
    private var gap: (time: Int64, missing: UInt64)?
    private var clock = UTCReader()

    /// Creates a reader of a file whose first row has number `first` in the trace.
    public init(first: UInt64 = 0) { self.first = first }

    /// Reads `bytes`, which follow those before, and returns the rows that they complete, in runs of one layout.
    ///
    /// - Throws: ``CSVTraceError``; the reader cannot be used afterwards.
    /// - Complexity: O(bytes).
    public mutating func append(_ bytes: [UInt8]) throws(CSVTraceError) -> [TraceRows] {
        lines.append(bytes)
        while let line = try nextLine() {
            do throws(CSVTraceError.Reason) {
                if let columns {
                    try readRow(line.bytes, line.range, columns)
                } else {
                    columns = try CSVColumns(String(decoding: line.bytes[line.range], as: UTF8.self))
                }
            } catch {
                throw CSVTraceError(line: lines.number, reason: error)
            }
        }
        defer { rows = [] }
        return rows
    }

    /// Ends the input.
    ///
    /// - Throws: ``CSVTraceError`` if the file was cut, or lacks even its first line.
    public mutating func finish() throws(CSVTraceError) {
        let end = lines.number + 1
        if lines.isUnfinished { throw CSVTraceError(line: end, reason: .lineNotEnded) }
        guard let columns else {
            throw CSVTraceError(line: end, reason: .missingColumn(found: "nothing", expected: ColumnNames.time))
        }
        if gap != nil { throw CSVTraceError(line: end, reason: .gapRow) }
        if layout == nil { layout = columns.layout }
    }

    private mutating func nextLine() throws(CSVTraceError) -> CSVLines.Line? {
        do throws(LineTooLong) {
            return try lines.next()
        } catch {
            throw CSVTraceError(line: error.line, reason: .lineTooLong(limit: Self.lineByteLimit))
        }
    }

    private mutating func readRow(
        _ bytes: [UInt8], _ range: Range<Int>, _ columns: CSVColumns
    ) throws(CSVTraceError.Reason) {
        split(bytes, range, columns)
        guard fields.count == columns.names.count + (columns.hasMarkers ? 1 : 0) else {
            throw .fieldCount(fields.count, expected: columns.names.count)
        }
        guard let time = clock.milliseconds(bytes, fields[0]) else { throw .time(CSVColumns.text(bytes, fields[0])) }
        if columns.hasMarkers, try readMarker(bytes, fields.removeLast(), at: time) { return }
        var missing = try columns.count(bytes, fields, columns.firstChannel - 2)
        let repeats = try columns.count(bytes, fields, columns.firstChannel - 1)
        let hasTick = columns.layout.tick != nil && !fields[1].isEmpty
        if fields[columns.firstChannel...].allSatisfy(\.isEmpty) {
            // A gap row has neither tick nor values, and at most one precedes a row.
            guard !hasTick, gap == nil, missing > 0, repeats == 0 else { throw .gapRow }
            gap = (time, missing)
            return
        }
        try takeDecimals(bytes, columns)
        beginRun(columns, hasTick: hasTick)
        let last = rows.count - 1
        if hasTick { rows[last].ticks.append(try columns.integer(bytes, fields, 1, decimals: 0)) }
        var place = 0
        for (index, channel) in (layout ?? columns.layout).channels.enumerated() where present[index] {
            let value = try columns.integer(bytes, fields, columns.firstChannel + index, decimals: channel.decimals)
            rows[last].columns[place].append(value)
            place += 1
        }
        if let gap {
            guard gap.time == time, missing == 0 else { throw .gapRow }
            missing = gap.missing
            self.gap = nil
        }
        let row = rows[last].count
        rows[last].times.append(time)
        first += 1
        if missing > 0 { rows[last].marks.append(Mark(.gap, before: row, count: missing)) }
        if repeats > 0 { rows[last].marks.append(Mark(.repeats, before: row, count: repeats)) }
    }

    /// Begins rows of another layout if the current row has other channels than the one before.
    private mutating func beginRun(_ columns: CSVColumns, hasTick: Bool) {
        let all = layout ?? columns.layout
        var isSame = part != nil && (part?.tick != nil) == hasTick
        for index in all.channels.indices {
            let isPresent = !fields[columns.firstChannel + index].isEmpty
            if present[index] != isPresent { (present[index], isSame) = (isPresent, false) }
        }
        if !isSame || part == nil {
            part = Layout(
                all.channels.indices.filter { present[$0] }.map { all.channels[$0] }, tick: hasTick ? all.tick : nil)
        } else if !rows.isEmpty {
            return
        }
        rows.append(TraceRows(part ?? all, first: first))
    }

    /// Reads the description of the moment `time`. Returns `false` if the line has none, but is a row.
    private mutating func readMarker(
        _ bytes: [UInt8], _ field: Range<Int>, at time: Int64
    ) throws(CSVTraceError.Reason) -> Bool {
        if field.isEmpty { return false }
        let quote = UInt8(ascii: "\"")
        guard field.count >= 2, bytes[field.lowerBound] == quote, bytes[field.upperBound - 1] == quote,
            fields.dropFirst().allSatisfy({ $0.isEmpty || bytes[$0].elementsEqual([UInt8(ascii: "0")]) })
        else { throw .marker }
        let text = String(decoding: bytes[field.dropFirst().dropLast()], as: UTF8.self)
        markers.append(TraceExportOptions.Marker(time: time, text: text.replacing("\"\"", with: "\"")))
        return true
    }

    private mutating func split(_ bytes: [UInt8], _ range: Range<Int>, _ columns: CSVColumns) {
        fields.removeAll(keepingCapacity: true)
        var start = range.lowerBound
        // A description may have commas: it is the rest of the line.
        let limit = columns.hasMarkers ? columns.names.count : .max
        for index in range where bytes[index] == UInt8(ascii: ",") && fields.count < limit {
            fields.append(start..<index)
            start = index + 1
        }
        fields.append(start..<range.upperBound)
    }

    // Takes the decimals of each channel from the first row that has it.
    private mutating func takeDecimals(_ bytes: [UInt8], _ columns: CSVColumns) throws(CSVTraceError.Reason) {
        if layout == nil {
            present = Array(repeating: false, count: columns.layout.channels.count)
        } else if columns.hasDecimals {
            return
        }
        let complete = try columns.withDecimals(of: bytes, fields)
        self.columns = complete
        layout = complete.layout
    }
}
