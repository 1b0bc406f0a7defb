import GroundwaveMetering

/// Writes rows of a trace, piece by piece, as a file of one format.
///
/// Bytes are passed to a closure as they are produced, in pieces of any length, so memory does not grow with the
/// number of rows: a buffer of 64 KiB for text, a row group of about 32 MiB for Parquet, 1 MiB per channel for
/// sigrok. After an error, including the closure's own, the file is incomplete and the writer cannot be used.
///
/// ```swift
/// var writer = try TraceWriter(.csv)
/// try writer.begin(layout) { try file.write($0) }
/// for block in blocks { try writer.append(block) { try file.write($0) } }
/// let counts = try writer.finish { try file.write($0) }
/// ```
public struct TraceWriter {
    /// Writes the next bytes of the file.
    public typealias Sink = (_ bytes: [UInt8]) throws -> Void

    /// The numbers of written and missing rows.
    public struct Counts: Hashable, Sendable {
        /// The number of rows written, without gap rows.
        public var rows: UInt64 = 0
        /// The number of rows missing before written rows. Stays at the maximum instead of overflowing.
        public var missing: UInt64 = 0
        /// The number of frames repeated before written rows. Stays at the maximum instead of overflowing.
        public var repeats: UInt64 = 0
        /// The number of rows missing after the last written row; they are not in the file.
        public var missingBehind: UInt64 = 0
        /// The number of frames repeated after the last written row; they are not in the file.
        public var repeatsBehind: UInt64 = 0
    }

    private let format: TraceExportFormat
    private let options: TraceExportOptions
    private var rows: any RowWriter
    private var selection: RowSelection?
    private var buckets: BucketMeans?
    private var counts = Counts()

    /// Creates a writer of `format`.
    ///
    /// - Throws: ``TraceExportError/option(_:)`` if the format does not support the options, and for
    ///   ``TraceExportFormat/sqlite``, whose file cannot be written as a stream.
    public init(_ format: TraceExportFormat, options: TraceExportOptions = TraceExportOptions()) throws {
        try self.init(format, options: options, rows: Self.rows(format, options))
    }

    /// Creates a writer of `format` that passes its rows to `rows`, which is evaluated once the options are accepted.
    package init(
        _ format: TraceExportFormat, options: TraceExportOptions, rows: @autoclosure () throws -> any RowWriter
    ) throws {
        try options.check(for: format)
        (self.format, self.options) = (format, options)
        self.rows = try rows()
    }

    private static func rows(_ format: TraceExportFormat, _ options: TraceExportOptions) throws -> any RowWriter {
        switch format {
        case .csv: TextRows(.csv, gaps: options.gaps, markers: options.markers)
        case .ndjson: TextRows(.ndjson, gaps: options.gaps, markers: options.markers)
        case .influx: try InfluxRows(options.series, calibration: options.calibration, markers: options.markers)
        case .parquet: ParquetRows(gaps: options.gaps, calibration: options.calibration)
        case .sqlite: throw TraceExportError.option("an SQLite database must be a file, not a stream of bytes")
        case .sigrok: try SigrokRows(milliseconds: options.bucketMilliseconds ?? 0)
        }
    }

    /// Begins the file, for rows of `layout`. Must be called once, before any other method. A trace without rows gives
    /// a file with columns only.
    ///
    /// - Throws: ``TraceExportError`` if a requested channel does not exist or cannot be a column; any error of the
    ///   sink.
    public mutating func begin(_ layout: Layout, to sink: Sink) throws {
        try begin(unionOf: [layout], to: sink)
    }

    /// As ``begin(_:to:)``, for rows of any of `layouts`, of which there is at least one: the file has all of their
    /// requested channels, each in the finest of its decimals. A value that a row lacks is an empty field of CSV, a
    /// key or field that is left out of NDJSON and InfluxDB, NULL in SQLite and Parquet, and the sample before in
    /// sigrok, or NaN if there is none. A row without any of the channels is left out.
    ///
    /// - Parameter mayLack: Whether a row may lack a channel of its own layout.
    /// - Throws: As ``begin(_:to:)``; also if a channel has two units, or the layouts have two counters, and the
    ///   format does not name the channels in each row.
    public mutating func begin(unionOf layouts: [Layout], mayLack: Bool = false, to sink: Sink) throws {
        precondition(selection == nil, "A file begins once.")
        precondition(!layouts.isEmpty, "A file has the channels of at least one layout.")
        let union: Layout
        var mayLack = mayLack
        do {
            let united = try UnionOfLayouts(of: layouts, options)
            union = united.layout
            mayLack = mayLack || united.mayLack
        } catch {
            guard format.holdsSeveralLayouts else { throw error }
            union = try UnionOfLayouts.wanted(layouts, options.channels)[0]
        }
        let selection = try RowSelection(union, options)
        self.selection = selection
        if format != .sigrok, let milliseconds = options.bucketMilliseconds {
            buckets = BucketMeans(milliseconds: milliseconds, channelCount: selection.layout.channels.count)
        }
        try rows.begin(written(selection.layout), mayLack: mayLack, to: sink)
    }

    /// Writes the next rows.
    ///
    /// - Throws: ``TraceExportError/layoutChanged(row:)`` if the rows have channels that the file was not begun with,
    ///   and the format does not name them in each row; another ``TraceExportError`` if a value does not fit; any
    ///   error of the sink.
    /// - Complexity: O(values). For CSV and NDJSON, only the bytes passed to the sink are allocated.
    public mutating func append(_ rows: TraceRows, to sink: Sink) throws {
        precondition(selection != nil, "A file is begun before rows are written.")
        if selection?.adopt(rows.layout) == false { try change(to: rows, to: sink) }
        guard var selected = try selection?.select(rows) else { return }
        if buckets != nil {
            var means = ExportRows(channelCount: selected.columns.count)
            buckets?.append(selected, to: &means)
            selected = means
        }
        try write(selected, to: sink)
    }

    /// Ends the file and returns the counts. Must be called once.
    ///
    /// - Throws: ``TraceExportError`` if the file exceeds the limits of the format; any error of the sink.
    public mutating func finish(to sink: Sink) throws -> Counts {
        precondition(selection != nil, "A file is begun before it ends.")
        // No bucket follows this one, so any number of channels will do.
        try closeBucket(channelCount: 1, to: sink)
        try rows.finish(to: sink)
        if let pending = selection?.pending {
            (counts.missingBehind, counts.repeatsBehind) = (pending.missing, pending.repeats)
        }
        return counts
    }

    /// Continues with the layout of `rows`, which the file was not begun with. A bucket ends there.
    private mutating func change(to rows: TraceRows, to sink: Sink) throws {
        guard format.holdsSeveralLayouts else { throw TraceExportError.layoutChanged(row: rows.first) }
        try selection?.change(to: rows.layout)
        guard let selected = selection?.layout else { return }
        try closeBucket(channelCount: selected.channels.count, to: sink)
        try self.rows.begin(written(selected), mayLack: true, to: sink)
    }

    /// Writes the row of the open bucket, if any, and begins another with `channelCount` channels.
    private mutating func closeBucket(channelCount: Int, to sink: Sink) throws {
        guard var open = buckets else { return }
        var means = ExportRows(channelCount: open.channelCount)
        open.finish(to: &means, channelCount: channelCount)
        buckets = open
        try write(means, to: sink)
    }

    private mutating func write(_ selected: ExportRows, to sink: Sink) throws {
        if selected.count == 0 { return }
        counts.rows += UInt64(selected.count)
        var noted = PendingNote(missing: counts.missing, repeats: counts.repeats)
        for note in selected.notes { noted.add(missing: note.missing, repeats: note.repeats) }
        (counts.missing, counts.repeats) = (noted.missing, noted.repeats)
        try rows.append(selected, to: sink)
    }

    /// Returns the layout of the rows in the file: means have no counter.
    private func written(_ selected: Layout) -> Layout { buckets == nil ? selected : Layout(selected.channels) }
}

/// Writes selected rows in one format.
package protocol RowWriter {
    /// Begins the file, or continues with rows of another layout if the format allows it.
    ///
    /// - Parameter mayLack: Whether rows may lack a channel, or the counter: see ``ExportRows/patterns``.
    mutating func begin(_ layout: Layout, mayLack: Bool, to sink: TraceWriter.Sink) throws
    /// Writes at least one row.
    mutating func append(_ rows: ExportRows, to sink: TraceWriter.Sink) throws
    /// Ends the file.
    mutating func finish(to sink: TraceWriter.Sink) throws
}
