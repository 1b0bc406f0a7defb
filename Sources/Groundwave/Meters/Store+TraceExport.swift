import Foundation
import Metering
import Records

/// What came of exporting a trace.
public struct TraceExportReport: Hashable, Sendable {
    /// How many rows were written, and what is missing between them.
    public let counts: TraceWriter.Counts
    /// Bytes of the file.
    public let byteCount: Int
    /// How many rows are withheld, so that the file does not have them.
    public let withheldCount: UInt64
}

extension Store {
    /// Writes rows of `trace` as a file of `format`, whose bytes `sink` takes piece by piece; also while it is recorded.
    ///
    /// The same range gives the same bytes. Rows that are withheld are left out and counted.
    ///
    /// - Parameters:
    ///   - start: Rows before this time are left out: milliseconds since 1970.
    ///   - end: Rows from this time on are left out.
    /// - Throws: ``StoreError`` with code `notFound` where the trace has no rows there, `usage` where the options or the
    ///   trace do not go with the format; what `sink` throws.
    /// - Complexity: O(rows); memory for a block, and what the format needs.
    public func export(
        _ trace: Trace, as format: TraceExportFormat, _ options: TraceExportOptions = TraceExportOptions(),
        from start: Int64 = .min, to end: Int64 = .max, sink: @escaping ([UInt8]) throws -> Void
    ) throws -> TraceExportReport {
        var (byteCount, withheldCount) = (0, UInt64(0))
        var options = options
        options.series.meter = trace.meter?.description ?? ""
        options.series.model = trace.model?.rawValue ?? ""
        options.series.trace = "\(trace.id)"
        let counting: TraceWriter.Sink = { bytes in
            byteCount += bytes.count
            try sink(bytes)
        }
        do {
            var writer = try TraceWriter(format, options: options)
            var hasBegun = false
            try forEachPiece(of: trace.id, from: start, to: end) { piece in
                switch piece {
                case .rows(let rows):
                    if !hasBegun { try writer.begin(rows.layout, to: counting) }
                    hasBegun = true
                    try writer.append(rows, to: counting)
                case .withheld(let summary): withheldCount += summary.count
                }
                return true
            }
            guard hasBegun else {
                throw StoreError(
                    .notFound, "The trace \(trace.id.short) has no rows there.",
                    hint: withheldCount > 0
                        ? "Its samples are withheld: only what is said of them is here." : "See groundwave trace show.")
            }
            let counts = try writer.finish(to: counting)
            return TraceExportReport(counts: counts, byteCount: byteCount, withheldCount: withheldCount)
        } catch let error as TraceExportError {
            throw StoreError(
                .usage, "The trace cannot be written so: \(error).", hint: "See groundwave trace export --help.",
                cause: error)
        }
    }

    /// As ``export(_:as:_:from:to:sink:)``, to a file that takes its name when it is whole.
    public func export(
        _ trace: Trace, as format: TraceExportFormat, _ options: TraceExportOptions = TraceExportOptions(),
        from start: Int64 = .min, to end: Int64 = .max, toFile path: String
    ) throws -> TraceExportReport {
        let file = GrowingFile(try AtomicFile(path))
        let report = try export(trace, as: format, options, from: start, to: end) { try file.write($0) }
        try file.finish()
        return report
    }
}
