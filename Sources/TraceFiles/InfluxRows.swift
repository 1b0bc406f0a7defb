import GroundwaveMetering

/// Writes rows as points in the line protocol of InfluxDB.
///
/// A line is the measurement with its tags (`meter`, `model`, `trace`, if not empty), one field for each channel with
/// its unit in the name, and a time: `meter,trace=7 voltage_V=1.2345,current_A=-0.005 1777636800000000000`. Numbers
/// are written as exact decimals; InfluxDB stores them as 64-bit floating point. Points with equal times would
/// overwrite each other there, so each has a distinct time: see ``RowClock``. A calibration is a comment in the first line. A marker is a point of the measurement
/// `meter_markers` with a field `text`. Missing and repeated rows are not
/// written, since a field of a point describes only that point. A channel that a row lacks is no field of its point.
struct InfluxRows: RowWriter {
    private let series: [UInt8]
    private var channels: [[UInt8]] = []
    private var decimals: [Int] = []
    private var clock: RowClock?
    private var buffer = ExportBuffer()
    private var rowByteLimit = 0
    private var rowCount: UInt64 = 0
    private var tick: Layout.Tick?

    /// What is written before the first point.
    private var head: [UInt8]

    /// - Parameters:
    ///   - calibration: See ``TraceExportOptions/calibration``.
    ///   - markers: See ``TraceExportOptions/markers``.
    init(
        _ series: TraceExportOptions.Series, calibration: String = "", markers: [TraceExportOptions.Marker] = []
    ) throws(TraceExportError) {
        head = calibration.isEmpty ? [] : Array("# calibrated: \(calibration)\n".utf8)
        let measurement = try Self.escaped(series.measurement, ", ")
        var (line, tags) = (measurement, [UInt8]())
        if line.isEmpty { throw .option("a measurement needs a name") }
        if line[0] == UInt8(ascii: "#") || line[0] == UInt8(ascii: "_") {
            throw .option("\(series.measurement) begins like a comment or one of InfluxDB's own names")
        }
        for (name, value) in [("meter", series.meter), ("model", series.model), ("trace", series.trace)]
        where !value.isEmpty {
            tags += Array(",\(name)=".utf8)
            tags += try Self.escaped(value, ", =")
        }
        line += tags
        self.series = line
        for marker in markers {
            let (nanoseconds, hasOverflow) = marker.time.multipliedReportingOverflow(by: 1_000_000)
            if hasOverflow { continue }
            let text = marker.text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            let plain = text.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
            head += measurement + Array("_markers".utf8) + tags + Array(" text=\"".utf8) + plain
            head += Array("\" \(nanoseconds)\n".utf8)
        }
    }

    // A backslash is literal except before a character that it escapes, and parsers differ on two of them; so none is
    // allowed.
    private static func escaped(_ text: String, _ special: String) throws(TraceExportError) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "\\") else {
                throw .option("\(text.debugDescription) has a backslash or control character and cannot be written")
            }
            if special.utf8.contains(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return bytes
    }

    mutating func begin(_ layout: Layout, mayLack: Bool, to sink: TraceWriter.Sink) throws {
        channels = layout.channels.map { Array("\(ColumnNames.column($0))=".utf8) }
        decimals = layout.channels.map(\.decimals)
        // Times keep ascending over a change of layout, even if the counter changes.
        if clock == nil || tick != layout.tick { clock = RowClock(hertz: layout.tick?.hertz, after: clock) }
        tick = layout.tick
        if !head.isEmpty { try sink(head) }
        head = []
        rowByteLimit =
            series.count + channels.reduce(0) { $0 + $1.count } + (channels.count + 1) * (DecimalText.byteLimit + 2)
    }

    mutating func append(_ rows: ExportRows, to sink: TraceWriter.Sink) throws {
        var row = 0
        while row < rows.count {
            try buffer.makeRoom(for: rowByteLimit, sink)
            try fill(rows, &row)
        }
        rowCount += UInt64(rows.count)
    }

    mutating func finish(to sink: TraceWriter.Sink) throws { try buffer.flush(to: sink) }

    // Writes rows from `row` on while the buffer has room for another.
    private mutating func fill(_ rows: ExportRows, _ row: inout Int) throws(TraceExportError) {
        guard var clock else { return }
        let (channels, decimals, series) = (channels, decimals, series)
        let last = buffer.storage.count - rowByteLimit
        var end = buffer.end
        let (first, hasAll) = (rowCount, rows.patterns.isEmpty)
        var bytes = buffer.storage.mutableSpan
        while row < rows.count && end <= last {
            guard let moment = clock.nanoseconds(rows.times[row], tick: rows.tick(at: row)) else {
                throw .value(
                    "the time", row: first + UInt64(row), reason: "InfluxDB only has times from 1677 to 2262")
            }
            DecimalText.put(series, into: &bytes, at: &end)
            var separator = UInt8(ascii: " ")
            for column in 0..<channels.count where hasAll || rows.has(column, at: row) {
                DecimalText.put(separator, into: &bytes, at: &end)
                separator = UInt8(ascii: ",")
                DecimalText.put(channels[column], into: &bytes, at: &end)
                DecimalText.write(rows.columns[column][row], decimals: decimals[column], into: &bytes, at: &end)
            }
            DecimalText.put(UInt8(ascii: " "), into: &bytes, at: &end)
            DecimalText.write(moment, decimals: 0, into: &bytes, at: &end)
            DecimalText.put(0x0A, into: &bytes, at: &end)
            row += 1
        }
        buffer.end = end
        self.clock = clock
    }
}
