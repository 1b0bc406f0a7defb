import Events
import Foundation
import Metering
import Projections
import Records

/// What of a trace is drawn, and how large.
public struct TracePlotOptions: Hashable, Sendable {
    /// The names of the channels, in this order; `nil` for the first that is measured in volts, the first in amperes and the
    /// first in watts, or where there is none of these for the first four.
    public var channels: [String]?
    /// Pixels: ``Plot/widths`` and ``Plot/heights``.
    public var width = 1200
    /// Pixels from top to bottom.
    public var height = 600

    /// All that is worth looking at, 1,200 by 600 pixels.
    public init() {}
}

extension Reading {
    /// A plot of `trace`: of each pixel column the first, the last, the least and the greatest value.
    ///
    /// Cells and blocks that lie within one column are drawn by what is said of them, and the others by their rows; so the
    /// picture is that of all rows. Where rows are withheld whose block lies in several columns, it is drawn over these as
    /// the range of its values.
    ///
    /// - Parameters:
    ///   - start: Where it begins: milliseconds since 1970; `nil` for the first row.
    ///   - end: Where it ends; `nil` for the last row.
    /// - Throws: ``StoreError`` with code `notFound` where there are no rows; `usage` where it cannot be drawn so.
    /// - Complexity: O(cells and blocks that lie in one column, and not in a cell that does + rows of the other blocks).
    public func plot(
        _ trace: Trace, _ options: TracePlotOptions = TracePlotOptions(), from start: Int64? = nil, to end: Int64? = nil
    ) throws -> Plot {
        let summary = try summary(of: trace.id)
        guard let first = summary.firstTime, let last = summary.lastTime else {
            throw StoreError(.notFound, "The trace \(trace.id.short) has no rows.")
        }
        let from = start ?? first
        let to = max(end ?? last + 1, from + 1)
        let channels = try channels(of: summary, options)
        do {
            var collector = try ColumnCollector(
                channels, startMilliseconds: from, endMilliseconds: to,
                columnCount: Plot.columnCount(width: options.width, height: options.height))
            try collect(trace.id, &collector)
            return try Plot(
                title: trace.name.isEmpty ? "Trace \(trace.id.short)" : trace.name,
                subtitle: subtitle(trace, summary), startMilliseconds: from, endMilliseconds: to, width: options.width,
                height: options.height, series: collector.series)
        } catch let error as PlotError {
            throw StoreError(.usage, "\(error)", hint: "See groundwave trace plot --help.", cause: error)
        }
    }

    private func collect(_ trace: RecordID, _ collector: inout ColumnCollector) throws {
        let stretches = try stretches(of: trace) { [collector] cell in
            // Two layouts may take turns within it; then only the blocks tell whose value is the last.
            cell.parts.count == 1 && cell.parts.allSatisfy { collector.holdsInOneColumn($0.leastTime, $0.greatestTime) }
        }
        let isWide = { [collector] (block: BlockSummary) in
            !collector.holdsInOneColumn(block.leastTime, block.greatestTime)
        }
        try forEach(stretches, only: collector.channels, wantingRowsWhere: isWide) { stretch, rows in
            switch stretch {
            case .cell(let cell): collector.add(cell)
            case .block(let summary, _):
                if let rows = rows?.items { collector.add(rows) } else { collector.add(summary) }
            case .tail(let rows): collector.add(rows)
            case .unread: break
            }
            return true
        }
    }

    private func channels(of summary: TraceSummary, _ options: TracePlotOptions) throws -> [Channel] {
        let all = summary.parts.flatMap(\.layout.channels)
        if let names = options.channels {
            return try names.map { name in
                guard let channel = all.first(where: { $0.name == name }) else {
                    throw StoreError(
                        .usage, "There is no channel \(name).",
                        hint: "The channels are \(all.map(\.name).joined(separator: ", ")).")
                }
                return channel
            }
        }
        // What is measured: the first of each of these units.
        let units: [Channel.Unit] = [.volt, .ampere, .watt]
        let usual = units.compactMap { unit in all.first { $0.unit == unit } }
        return usual.isEmpty ? Array(all.prefix(4)) : usual
    }

    private func subtitle(_ trace: Trace, _ summary: TraceSummary) -> String {
        var words = [trace.model?.displayName, trace.meter?.description].compactMap { $0 }
        words.append("\(summary.rowCount) rows")
        if summary.missingCount > 0 { words.append("\(summary.missingCount) missing in \(summary.gapCount) gaps") }
        return words.joined(separator: ", ")
    }
}
