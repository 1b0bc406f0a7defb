import Foundation
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTraceFiles

/// The result of exporting a trace.
public struct TraceExportReport: Hashable, Sendable {
    /// The number of rows written, and of those missing between them.
    public let counts: TraceWriter.Counts
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The rows that it does not have.
    public let absent: AbsentRows
    /// What the values are corrected by; empty if nothing is, or if they are as measured. Parquet, SQLite and InfluxDB
    /// files say it too.
    public let calibration: Calibration
}

/// The number of rows of a trace that an export could not write.
public struct AbsentRows: Hashable, Sendable {
    /// The number of withheld rows.
    public internal(set) var withheldCount: UInt64 = 0
    /// The number of rows that should be here and cannot be read: damaged, lost, or of a later version of this
    /// program.
    public internal(set) var unreadableCount: UInt64 = 0
    /// The number of rows that are hidden or erased: see ``HiddenStretch``.
    public internal(set) var hiddenCount: UInt64 = 0

    /// Creates two of the counts.
    public init(withheld: UInt64 = 0, unreadable: UInt64 = 0) {
        (withheldCount, unreadableCount) = (withheld, unreadable)
    }

    static func + (first: AbsentRows, second: AbsentRows) -> AbsentRows {
        var sum = AbsentRows(
            withheld: first.withheldCount + second.withheldCount,
            unreadable: first.unreadableCount + second.unreadableCount)
        sum.hiddenCount = first.hiddenCount + second.hiddenCount
        return sum
    }
}

extension Reading {
    /// Writes rows of `trace` as a file of `format`, whose bytes `sink` receives piece by piece; also while the trace
    /// is being recorded.
    ///
    /// The same range gives the same bytes. Rows that are withheld or cannot be read are left out and counted. If the
    /// channels change within the range, the file has all of them, or those requested, each in the finest of its
    /// decimals; values that a row lacks are empty, NULL or left out: see ``TraceExportFormat``.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - format: The format of the file.
    ///   - options: Columns and rows of the file.
    ///   - values: Whether values are corrected by the calibration.
    ///   - start: Rows before this time are left out: milliseconds since 1970.
    ///   - end: Rows from this time on are left out.
    ///   - sink: Receives the bytes.
    /// - Throws: ``StoreError`` with code `notFound` if the trace has no rows in this range, `damaged` if none of
    ///   those that it has can be read, `usage` if the options or the trace do not suit the format, and for `sqlite`,
    ///   which only a file can hold; the errors of `sink`.
    /// - Complexity: O(rows); memory for a block, and what the format needs.
    public func export(
        _ trace: Trace, as format: TraceExportFormat, _ options: TraceExportOptions = TraceExportOptions(),
        showing values: TraceValues = .calibrated, from start: Int64 = .min, to end: Int64 = .max,
        sink: @escaping ([UInt8]) throws -> Void
    ) throws -> TraceExportReport {
        guard format != .sqlite else {
            throw StoreError(
                .usage, "An SQLite database cannot be written to standard output.", hint: "Name a file with -o.")
        }
        var byteCount = 0
        let source = try ExportedTrace(trace, showing: values, from: start, to: end, in: self)
        return try describingExport {
            var writer = try TraceWriter(format, options: Self.options(options, of: source))
            let (counts, absent) = try write(source, with: &writer) { bytes in
                byteCount += bytes.count
                try sink(bytes)
            }
            return TraceExportReport(
                counts: counts, byteCount: byteCount, absent: absent, calibration: source.calibration(options))
        }
    }

    /// As ``export(_:as:_:showing:from:to:sink:)``, to a file that takes its name when it is complete; for `sqlite` too.
    ///
    /// If this throws, the file at `path` is unchanged.
    ///
    /// - Throws: As ``export(_:as:_:showing:from:to:sink:)``; the code for the system error if the file cannot be
    ///   written.
    /// - Complexity: As ``export(_:as:_:showing:from:to:sink:)``.
    public func export(
        _ trace: Trace, as format: TraceExportFormat, _ options: TraceExportOptions = TraceExportOptions(),
        showing values: TraceValues = .calibrated, from start: Int64 = .min, to end: Int64 = .max, toFile path: String
    ) throws -> TraceExportReport {
        if format == .sqlite {
            let source = try ExportedTrace(trace, showing: values, from: start, to: end, in: self)
            return try exportDatabase(source, options, toFile: path)
        }
        let file = GrowingFile(try AtomicFile(path))
        let report = try export(trace, as: format, options, showing: values, from: start, to: end) {
            try file.write($0)
        }
        try file.finish()
        return report
    }

    private func exportDatabase(
        _ source: ExportedTrace, _ options: TraceExportOptions, toFile path: String
    ) throws -> TraceExportReport {
        var file = try AtomicFile(path)
        let (counts, absent) = try describingExport {
            let database = try components.traceDatabase()
            return try file.describing(where: database.isOfWriting) {
                try database.write(
                    source.trace, calibration: source.calibration(options), path: file.aside,
                    Self.options(options, of: source)
                ) { rows in
                    var writer = try TraceWriter(.sqlite, options: options, rows: rows)
                    return try write(source, with: &writer) { _ in }
                }
            }
        }
        let byteCount = try file.byteCount()
        try file.finish()
        return TraceExportReport(
            counts: counts, byteCount: byteCount, absent: absent, calibration: source.calibration(options))
    }

    /// Passes rows of `source` to `writer`, and counts those that are not available.
    private func write(
        _ source: ExportedTrace, with writer: inout TraceWriter, sink: TraceWriter.Sink
    ) throws -> (counts: TraceWriter.Counts, absent: AbsentRows) {
        var (hasBegun, absent) = (false, AbsentRows())
        let trace = source.trace
        try forEachPiece(in: source.stretches, from: source.start, to: source.end) { piece in
            switch piece {
            case .rows(let rows):
                if !hasBegun { try writer.begin(unionOf: source.layouts, mayLack: source.mayLack, to: sink) }
                hasBegun = true
                try writer.append(rows, to: sink)
            case .withheld(let summary): absent.withheldCount += summary.count
            case .unreadable(let rows): absent.unreadableCount += UInt64(rows.count)
            case .hidden(let count): absent.hiddenCount += count
            }
            return true
        }
        guard hasBegun else {
            if absent.unreadableCount > 0 {
                throw StoreError(
                    .damaged, "The rows of the trace \(trace.id.short) cannot be read.",
                    hint: "To see why: \(.verifyTrace(trace.id.short))")
            }
            throw StoreError(
                .notFound, "The trace \(trace.id.short) has no rows there.",
                hint: absent.withheldCount > 0
                    ? "Its samples are withheld: only their summaries are here."
                    : "To see which it has: \(.showTrace(trace.id.short))")
        }
        return (try writer.finish(to: sink), absent)
    }

    /// Returns the layouts of the rows in this range, each once, in order of first appearance, and whether a row may lack
    /// what its layout has.
    ///
    /// Of a block that is only in part in the range, the rows are read if they have different channels.
    fileprivate func layouts(
        of stretches: [TraceStretch], from start: Int64, to end: Int64
    ) throws -> (layouts: [Layout], mayLack: Bool) {
        var (layouts, mayLack) = ([Layout](), false)
        func add(_ layout: Layout, _ patterns: [RowPattern]) {
            if !layouts.contains(layout) { layouts.append(layout) }
            mayLack = mayLack || !patterns.isEmpty
        }
        func add(_ rows: TraceRows?) {
            guard let rows = rows?.rows(from: start, to: end) else { return }
            add(rows.layout, rows.patterns)
        }
        for stretch in stretches {
            switch stretch {
            case .block(let summary, let block) where summary.mayHaveRows(from: start, to: end):
                if summary.patterns.isEmpty || summary.leastTime >= start && summary.greatestTime < end {
                    add(summary.layout, summary.patterns)
                } else {
                    add(try rows(of: block).items)
                }
            case .tail(_, let rows), .rest(_, let rows): add(rows)
            default: continue
            }
        }
        return (layouts, mayLack)
    }

    private static func options(_ options: TraceExportOptions, of source: ExportedTrace) -> TraceExportOptions {
        var options = options
        let trace = source.trace
        options.calibration = source.calibration(options).formulas
        options.markers = source.markers
        options.series.meter = trace.meter?.description ?? ""
        options.series.model = trace.model?.rawValue ?? ""
        options.series.trace = "\(trace.id)"
        return options
    }

    private func describingExport<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as TraceExportError {
            throw StoreError(
                .usage, "The trace cannot be exported: \(error).",
                hint: "To see what is possible: \(.showExportOptions)",
                cause: error)
        }
    }
}

/// A range of a trace that is exported.
private struct ExportedTrace {
    let trace: Trace
    let start, end: Int64
    let stretches: [TraceStretch]
    let layouts: [Layout]
    let mayLack: Bool
    let markers: [TraceExportOptions.Marker]
    private let calibration: Calibration

    init(
        _ trace: Trace, showing values: TraceValues, from start: Int64, to end: Int64, in store: some Reading
    ) throws {
        (self.trace, self.start, self.end) = (trace, start, end)
        markers = try store.markers(of: trace.id).filter { $0.time >= start && $0.time < end }.map {
            TraceExportOptions.Marker(time: $0.time, text: $0.text)
        }
        stretches = try store.stretches(of: trace.id, showing: values, from: start, to: end)
        (layouts, mayLack) = try store.layouts(of: stretches, from: start, to: end)
        calibration = try store.calibration(of: trace.id, showing: values)
    }

    /// Returns the calibration of the channels that are written.
    func calibration(_ options: TraceExportOptions) -> Calibration {
        let channels = Layout.channels(of: layouts)
        return calibration.limited(to: channels.filter { options.channels?.contains($0.name) ?? true })
    }
}
