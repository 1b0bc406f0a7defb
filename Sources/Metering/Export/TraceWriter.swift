/// Writes rows of a trace, piece by piece, as a file of one format.
///
/// Bytes are handed to a closure as they come, in pieces of no fixed length, so that memory does not grow with the
/// number of rows: a buffer of 64 KiB for text, a row group of about 32 MiB for Parquet, 1 MiB a channel for sigrok.
/// After an error, be it the closure's own, the file is not whole and the writer of no more use.
///
/// ```swift
/// var writer = try TraceWriter(.csv)
/// try writer.begin(layout) { try file.write($0) }
/// for block in blocks { try writer.append(block) { try file.write($0) } }
/// let counts = try writer.finish { try file.write($0) }
/// ```
public struct TraceWriter {
    /// Takes the next bytes of the file.
    public typealias Sink = (_ bytes: [UInt8]) throws -> Void

    /// What was written.
    public struct Counts: Hashable, Sendable {
        /// Rows, without those that stand in gaps.
        public var rows: UInt64 = 0
        /// How many rows are missing before rows that were written. Sums stop at the greatest number.
        public var missing: UInt64 = 0
        /// How many frames were repeated before them.
        public var repeats: UInt64 = 0
        /// How many rows are missing behind the last one that was written, of which the file says nothing.
        public var missingBehind: UInt64 = 0
        /// How many frames were repeated there.
        public var repeatsBehind: UInt64 = 0
    }

    private let format: TraceExportFormat
    private let options: TraceExportOptions
    private var rows: any RowWriter
    private var layout: Layout?
    private var selection: RowSelection?
    private var buckets: BucketMeans?
    private var counts = Counts()

    /// A writer of `format`.
    ///
    /// - Throws: ``TraceExportError/option(_:)`` where the format cannot do what the options say, and for
    ///   ``TraceExportFormat/sqlite``, whose file is not written from its start to its end.
    public init(_ format: TraceExportFormat, options: TraceExportOptions = TraceExportOptions()) throws {
        try self.init(format, options: options, rows: Self.rows(format, options))
    }

    /// A writer of `format` that hands its rows to `rows`.
    package init(
        _ format: TraceExportFormat, options: TraceExportOptions, rows: @autoclosure () throws -> any RowWriter
    ) throws {
        try options.check(for: format)
        (self.format, self.options) = (format, options)
        self.rows = try rows()
    }

    private static func rows(_ format: TraceExportFormat, _ options: TraceExportOptions) throws -> any RowWriter {
        switch format {
        case .csv: TextRows(.csv, gaps: options.gaps)
        case .ndjson: TextRows(.ndjson, gaps: options.gaps)
        case .influx: try InfluxRows(options.series)
        case .parquet: ParquetRows(gaps: options.gaps)
        case .sqlite: throw TraceExportError.option("an SQLite database must be a file, not a stream of bytes")
        case .sigrok: try SigrokRows(milliseconds: options.bucketMilliseconds ?? 0)
        }
    }

    /// Begins the file, for rows of `layout`: once, before all else. A trace without rows is a file with its columns.
    ///
    /// - Throws: ``TraceExportError`` where a channel that was asked for is not there or cannot be a column; what the
    ///   sink throws.
    public mutating func begin(_ layout: Layout, to sink: Sink) throws {
        precondition(self.layout == nil, "A file begins once.")
        let selection = try RowSelection(layout, options)
        self.layout = layout
        self.selection = selection
        if format != .sigrok, let milliseconds = options.bucketMilliseconds {
            buckets = BucketMeans(milliseconds: milliseconds, channelCount: selection.layout.channels.count)
        }
        try rows.begin(written(selection.layout), to: sink)
    }

    /// Writes the rows behind those that were written before.
    ///
    /// - Throws: ``TraceExportError/layoutChanged(row:)`` where the rows have another layout and the format holds one;
    ///   another ``TraceExportError`` where a value does not fit; what the sink throws.
    /// - Complexity: O(values). For CSV and NDJSON nothing is allocated but the bytes that are handed out.
    public mutating func append(_ rows: TraceRows, to sink: Sink) throws {
        precondition(layout != nil, "A file is begun before rows are written.")
        if rows.layout != layout { try change(to: rows, to: sink) }
        guard var selected = selection?.select(rows) else { return }
        if buckets != nil {
            var means = ExportRows(channelCount: selected.columns.count)
            buckets?.append(selected, to: &means)
            selected = means
        }
        try write(selected, to: sink)
    }

    /// Ends the file, once, and returns what was written.
    ///
    /// - Throws: ``TraceExportError`` where the format cannot hold it; what the sink throws.
    public mutating func finish(to sink: Sink) throws -> Counts {
        precondition(layout != nil, "A file is begun before it ends.")
        try closeBucket(channelCount: 1, to: sink)
        try rows.finish(to: sink)
        if let pending = selection?.pending {
            (counts.missingBehind, counts.repeatsBehind) = (pending.missing, pending.repeats)
        }
        return counts
    }

    private mutating func change(to rows: TraceRows, to sink: Sink) throws {
        guard format.holdsSeveralLayouts else { throw TraceExportError.layoutChanged(row: rows.first) }
        try selection?.change(to: rows.layout)
        layout = rows.layout
        guard let selected = selection?.layout else { return }
        try closeBucket(channelCount: selected.channels.count, to: sink)
        try self.rows.begin(written(selected), to: sink)
    }

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

    // What the rows of the file have: means have no counter.
    private func written(_ selected: Layout) -> Layout { buckets == nil ? selected : Layout(selected.channels) }
}

/// Writes rows that were selected in one format.
package protocol RowWriter {
    /// Begins the file, or goes on with rows of another layout where the format can.
    mutating func begin(_ layout: Layout, to sink: TraceWriter.Sink) throws
    /// Writes at least one row.
    mutating func append(_ rows: ExportRows, to sink: TraceWriter.Sink) throws
    /// Ends the file.
    mutating func finish(to sink: TraceWriter.Sink) throws
}
