import GroundwaveByteCoding
import GroundwaveMetering

/// Writes rows as an Apache Parquet file (apache/parquet-format 2).
///
/// The columns are those of the CSV. `time` is a timestamp of milliseconds in UTC. Channels with decimals are DECIMAL
/// of 18 digits with their scale, so a number of 19 digits is refused. All other columns are 64-bit integers,
/// `missing` and `repeats` unsigned. Counter and channels may be null with gap rows
/// (``TraceExportOptions/GapPolicy/blank``), and if rows may lack some of them. Pages have 16,384 rows and are compressed by zstd: the same rows give the same bytes with the same
/// libzstd. A row group ends after 262,144 rows or 32 MiB; only its footer entry stays in memory.
struct ParquetRows: RowWriter {
    private static let groupByteLimit = 32 << 20

    private let gaps: TraceExportOptions.GapPolicy
    private let calibration: String
    private let level: Int32?
    private let pageRowCount: Int
    private let groupRowLimit: Int
    private var columns: [ParquetColumn] = []
    // The counter's column follows the time, and the counts directly precede the channels.
    private var hasTick = false
    private var firstChannel = 3
    private var footer = ParquetFooter()
    private var offset = 0
    private var pageRows = 0
    private var groupRows = 0
    // The positions of the gap rows in the open page.
    private var pageBlanks: [Int] = []
    // The number of rows in finished pages, without gap rows; for messages.
    private var rowCount: UInt64 = 0

    /// Creates a file compressed at `level` of zstd; uncompressed if `nil`.
    ///
    /// - Parameter calibration: See ``TraceExportOptions/calibration``.
    init(
        gaps: TraceExportOptions.GapPolicy, calibration: String = "", level: Int32? = 1, pageRowCount: Int = 16_384,
        groupRowLimit: Int = 262_144
    ) {
        (self.gaps, self.calibration, self.level) = (gaps, calibration, level)
        (self.pageRowCount, self.groupRowLimit) = (pageRowCount, groupRowLimit)
    }

    mutating func begin(_ layout: Layout, mayLack: Bool, to sink: TraceWriter.Sink) throws {
        let isOptional = gaps == .blank || mayLack
        hasTick = layout.tick != nil
        firstChannel = hasTick ? 4 : 3
        func column(_ name: String, _ kind: ParquetColumn.Kind, isOptional: Bool = false) -> ParquetColumn {
            ParquetColumn(name, kind, isOptional: isOptional, level: level)
        }
        columns = [column(ColumnNames.time, .time)]
        if let tick = layout.tick { columns.append(column(ColumnNames.column(tick), .integer, isOptional: isOptional)) }
        columns += [column(ColumnNames.missing, .count), column(ColumnNames.repeats, .count)]
        for channel in layout.channels {
            let kind: ParquetColumn.Kind = channel.decimals == 0 ? .integer : .decimal(channel.decimals)
            columns.append(column(ColumnNames.column(channel), kind, isOptional: isOptional))
        }
        try hand(Parquet.magic, to: sink)
    }

    mutating func append(_ rows: ExportRows, to sink: TraceWriter.Sink) throws {
        var row = 0
        var note = 0
        while row < rows.count {
            if note < rows.notes.count, rows.notes[note].row == row {
                var noted = rows.notes[note]
                if gaps == .blank && noted.missing > 0 {
                    appendBlank(rows.times[row], missing: noted.missing)
                    noted.missing = 0
                    if pageRows == pageRowCount { try closePage(to: sink) }
                }
                append(rows, row..<row + 1, missing: noted.missing, repeats: noted.repeats)
                note += 1
                row += 1
            } else {
                let next = note < rows.notes.count ? rows.notes[note].row : rows.count
                let end = min(next, row + pageRowCount - pageRows)
                append(rows, row..<end, missing: 0, repeats: 0)
                row = end
            }
            if pageRows == pageRowCount { try closePage(to: sink) }
        }
    }

    mutating func finish(to sink: TraceWriter.Sink) throws {
        if pageRows > 0 { try closePage(to: sink) }
        if groupRows > 0 { try closeGroup(to: sink) }
        let about = footer.bytes(columns, calibration: calibration)
        guard about.count <= Int(UInt32.max) else { throw TraceExportError.tooLarge("the footer is too long") }
        var end = ByteWriter()
        end.append(contentsOf: about)
        end.append(littleEndian: UInt32(about.count))
        end.append(contentsOf: Parquet.magic)
        try hand(end.bytes, to: sink)
    }

    private mutating func append(_ rows: ExportRows, _ range: Range<Int>, missing: UInt64, repeats: UInt64) {
        columns[0].values += rows.times[range]
        columns[firstChannel - 2].values += repeatElement(Int64(bitPattern: missing), count: range.count)
        columns[firstChannel - 1].values += repeatElement(Int64(bitPattern: repeats), count: range.count)
        for index in [0, firstChannel - 2, firstChannel - 1] {
            columns[index].note(isPresent: true, count: range.count)
        }
        let hasAll = rows.patterns.isEmpty
        if hasTick { append(rows.ticks, range, to: 1, hasAll: hasAll) { rows.hasTick(at: $0) } }
        for (index, column) in rows.columns.enumerated() {
            append(column, range, to: firstChannel + index, hasAll: hasAll) { rows.has(index, at: $0) }
        }
        pageRows += range.count
    }

    /// Appends to column `place` those of the `values` in `range` that are present.
    private mutating func append(
        _ values: [Int64], _ range: Range<Int>, to place: Int, hasAll: Bool, where isPresent: (Int) -> Bool
    ) {
        if hasAll {
            columns[place].values += values[range]
            columns[place].note(isPresent: true, count: range.count)
            return
        }
        for row in range {
            let isPresent = isPresent(row)
            if isPresent { columns[place].values.append(values[row]) }
            columns[place].note(isPresent: isPresent, count: 1)
        }
    }

    private mutating func appendBlank(_ time: Int64, missing: UInt64) {
        columns[0].values.append(time)
        columns[firstChannel - 2].values.append(Int64(bitPattern: missing))
        columns[firstChannel - 1].values.append(0)
        for index in columns.indices { columns[index].note(isPresent: !columns[index].isOptional, count: 1) }
        pageBlanks.append(pageRows)
        pageRows += 1
    }

    private mutating func closePage(to sink: TraceWriter.Sink) throws {
        for index in columns.indices {
            do throws(ParquetColumn.Overflow) {
                try columns[index].closePage()
            } catch {
                let blankCount = pageBlanks.count(where: { $0 < error.row })
                throw TraceExportError.value(
                    columns[index].name, row: rowCount + UInt64(error.row - blankCount),
                    reason: "it has more than \(ParquetColumn.decimalDigits) digits")
            }
        }
        rowCount += UInt64(pageRows - pageBlanks.count)
        groupRows += pageRows
        (pageRows, pageBlanks) = (0, [])
        let byteCount = columns.reduce(0) { $0 + $1.byteCount }
        if groupRows >= groupRowLimit || byteCount >= Self.groupByteLimit { try closeGroup(to: sink) }
    }

    private mutating func closeGroup(to sink: TraceWriter.Sink) throws {
        let start = offset
        var chunks: [ParquetColumn.Chunk] = []
        for index in columns.indices {
            let (pages, chunk) = columns[index].takeChunk(at: offset)
            chunks.append(chunk)
            try hand(pages, to: sink)
        }
        footer.append(chunks, rowCount: groupRows, at: start, byteCount: offset - start)
        groupRows = 0
    }

    private mutating func hand(_ bytes: [UInt8], to sink: TraceWriter.Sink) throws {
        offset += bytes.count
        try sink(bytes)
    }
}
