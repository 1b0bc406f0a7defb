import GroundwaveByteCoding
import GroundwaveMetering

/// Writes rows as a session of sigrok (srzip, version 2): a ZIP archive with `version`, `metadata` and, for each
/// channel, `analog-1-CHANNEL-CHUNK` with 32-bit floating-point numbers, little-endian.
///
/// A session has one fixed rate, so rows are grouped into intervals of equal length, by the times of ``RowClock``. A
/// sample is the mean of the rows of its interval that have the channel. An interval without such rows repeats the
/// previous sample, or is NaN if rows are missing or there is no sample before. The first interval is that of the first
/// row; its time is not in the session.
struct SigrokRows: RowWriter {
    private let milliseconds: Int
    private let chunkSampleCount: Int
    private var zip = StoredZip()
    private var chunks: [ByteWriter] = []
    private var chunkNumber = 1
    // The number of samples of each channel in the open chunk.
    private var sampleCount = 0
    // The divisor of each channel: a power of ten.
    private var scales: [Double] = []
    private var clock = RowClock(hertz: nil)
    // The number of the open interval, counted from 1970, and for each channel the sum and number of its values.
    private var interval: Int64?
    private var sums: [Int128] = []
    private var valueCounts: [Int] = []
    // The samples written last.
    private var samples: [Float] = []
    // The number of rows in the calls before.
    private var rowCount: UInt64 = 0

    /// Creates a session with intervals of `milliseconds`. Each chunk but the last has `chunkSampleCount` samples of a
    /// channel, by default 1 MiB; that much memory is used for each channel.
    ///
    /// - Throws: ``TraceExportError/option(_:)`` if the rate is not a whole number of hertz.
    init(milliseconds: Int, chunkSampleCount: Int = 262_144) throws(TraceExportError) {
        guard milliseconds >= 1, 1000.isMultiple(of: milliseconds) else {
            throw .option("\(milliseconds) ms do not give a whole number of samples per second, which sigrok needs")
        }
        self.milliseconds = milliseconds
        self.chunkSampleCount = chunkSampleCount
    }

    mutating func begin(_ layout: Layout, mayLack: Bool, to sink: TraceWriter.Sink) throws {
        scales = layout.channels.map { channel in (0..<channel.decimals).reduce(1.0) { scale, _ in scale * 10 } }
        sums = Array(repeating: 0, count: scales.count)
        valueCounts = Array(repeating: 0, count: scales.count)
        samples = Array(repeating: .nan, count: scales.count)
        chunks = Array(repeating: ByteWriter(), count: scales.count)
        clock = RowClock(hertz: layout.tick?.hertz)
        try zip.add("version", Array("2".utf8), to: sink)
        let rate = milliseconds == 1 ? "1 kHz" : "\(1000 / milliseconds) Hz"
        var metadata = "[global]\nsigrok version=0.5.2\n\n[device 1]\nsamplerate=\(rate)\n"
        metadata += "total analog=\(layout.channels.count)\n"
        for (index, channel) in layout.channels.enumerated() {
            metadata += "analog\(index + 1)=\(ColumnNames.column(channel))\n"
        }
        try zip.add("metadata", Array(metadata.utf8), to: sink)
    }

    mutating func append(_ rows: ExportRows, to sink: TraceWriter.Sink) throws {
        let length = Int64(milliseconds) * 1_000_000
        var note = 0
        for row in 0..<rows.count {
            guard let moment = clock.nanoseconds(rows.times[row], tick: rows.tick(at: row)) else {
                throw TraceExportError.value(
                    "the time", row: rowCount + UInt64(row), reason: "only times from 1677 to 2262 are possible")
            }
            var isBehindGap = false
            if note < rows.notes.count, rows.notes[note].row == row {
                isBehindGap = rows.notes[note].missing > 0
                note += 1
            }
            let interval = CivilDate.floorDivided(moment, length).quotient
            if let open = self.interval, open != interval {
                try close(followedBy: Int(interval - open - 1), isGap: isBehindGap, to: sink)
            }
            self.interval = interval
            for column in sums.indices where rows.has(column, at: row) {
                sums[column] += Int128(rows.columns[column][row])
                valueCounts[column] += 1
            }
        }
        rowCount += UInt64(rows.count)
    }

    mutating func finish(to sink: TraceWriter.Sink) throws {
        if interval != nil { try close(followedBy: 0, isGap: false, to: sink) }
        if sampleCount > 0 { try closeChunk(to: sink) }
        try zip.finish(to: sink)
    }

    // Writes the sample of the open interval, and those of the `emptyCount` intervals without rows after it, which are
    // NaN if `isGap` is true.
    private mutating func close(followedBy emptyCount: Int, isGap: Bool, to sink: TraceWriter.Sink) throws {
        guard emptyCount < StoredZip.byteLimit / 4 / scales.count else {
            throw TraceExportError.tooLarge(
                "a sigrok session must stay below 4 GiB, and the next row would exceed that")
        }
        for column in sums.indices where valueCounts[column] > 0 {
            // Nearly all sums fit into 64 bits, which convert to floating point directly.
            let sum = Int64(exactly: sums[column]).map(Double.init) ?? Double(sums[column])
            samples[column] = Float(sum / Double(valueCounts[column]) / scales[column])
            (sums[column], valueCounts[column]) = (0, 0)
        }
        try appendSamples(to: sink)
        if isGap { for column in samples.indices { samples[column] = .nan } }
        for _ in 0..<emptyCount { try appendSamples(to: sink) }
    }

    private mutating func appendSamples(to sink: TraceWriter.Sink) throws {
        for column in samples.indices { chunks[column].append(littleEndian: samples[column].bitPattern) }
        sampleCount += 1
        if sampleCount == chunkSampleCount { try closeChunk(to: sink) }
    }

    private mutating func closeChunk(to sink: TraceWriter.Sink) throws {
        for column in chunks.indices {
            try zip.add("analog-1-\(column + 1)-\(chunkNumber)", chunks[column].bytes, to: sink)
            chunks[column].removeAll()
        }
        sampleCount = 0
        chunkNumber += 1
    }
}
