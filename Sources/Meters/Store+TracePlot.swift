import Foundation
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTracePlot

/// The channels and the size of a plot.
public struct TracePlotOptions: Hashable, Sendable {
    /// The names of the channels, in this order; `nil` for the first that is measured in volts, the first in amperes
    /// and the first in watts or, if there are none of these, the first four.
    public var channels: [String]?
    /// The width in pixels: see ``Plot/widths``.
    public var width = 1200
    /// The height in pixels: see ``Plot/heights``.
    public var height = 600

    /// Creates the default options: the usual channels, 1,200 by 600 pixels.
    public init() {}
}

extension Reading {
    /// Returns a plot of `trace`: for each pixel column the first, the last, the least and the greatest value.
    ///
    /// Cells and blocks within one column are drawn from their summaries, and the others from their rows, so the
    /// picture is that of all rows. Where the rows of a block in several columns are withheld or cannot be read, the
    /// line is broken, and their range of values is drawn: see ``PlotSeries/bands``. The subtitle tells how many rows
    /// these are.
    ///
    /// - Parameters:
    ///   - start: The start of the plot: milliseconds since 1970; `nil` for the first row.
    ///   - end: The end of the plot; `nil` for the last row.
    /// - Throws: ``StoreError`` with code `notFound` if there are no rows; `usage` if the plot cannot be drawn with
    ///   these options.
    /// - Complexity: O(cells in one column, and blocks in one column outside of these cells + rows of the other
    ///   blocks).
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
            let absent = try collect(trace.id, &collector)
            return try Plot(
                title: trace.name.isEmpty ? "Trace \(trace.id.short)" : trace.name,
                subtitle: subtitle(trace, summary, absent), startMilliseconds: from, endMilliseconds: to,
                width: options.width, height: options.height, series: collector.series,
                markers: try markers(of: trace.id).map { .init(time: $0.time, text: $0.text) },
                withheldCount: absent.withheldCount, unreadableCount: absent.unreadableCount)
        } catch let error as PlotError {
            throw StoreError(.usage, "\(error)", hint: "See groundwave trace plot --help.", cause: error)
        }
    }

    /// Adds the rows of `trace` to `collector`, and counts those of which only the range is drawn, or nothing.
    private func collect(_ trace: RecordID, _ collector: inout ColumnCollector) throws -> AbsentRows {
        var absent = AbsentRows()
        let stretches = try stretches(of: trace) { [collector] cell in
            // If two layouts alternate within the cell, only its blocks show which value is the last.
            cell.parts.count == 1 && cell.parts.allSatisfy { collector.holdsInOneColumn($0.leastTime, $0.greatestTime) }
        }
        let isWide = { [collector] (block: BlockSummary) in
            !collector.holdsInOneColumn(block.leastTime, block.greatestTime)
        }
        // A block may have a channel with fewer decimals than are drawn.
        let drawn = stretches.reduce(into: Set<Channel>()) { [collector] all, stretch in
            guard case .block(let summary, _) = stretch, isWide(summary) else { return }
            all.formUnion(summary.layout.channels.filter { collector.takes($0) })
        }
        try forEach(stretches, only: Array(drawn), wantingRowsWhere: isWide) { stretch, rows in
            switch (stretch, rows) {
            case (.cell(let cell), _): collector.add(cell)
            case (.block(let summary, _), nil): collector.add(summary)
            case (.block, .here(let rows)?): collector.add(rows)
            case (.block(let summary, _), .withheld?):
                if collector.add(absent: summary) { absent.withheldCount += summary.count }
            case (.block(let summary, _), _):
                _ = collector.add(absent: summary)
                absent.unreadableCount += summary.count
            case (.tail(let rows), _): collector.add(rows)
            case (.unread(let block), _):
                collector.addUnknown()
                absent.unreadableCount += block.count
            }
            return true
        }
        return absent
    }

    private func channels(of summary: TraceSummary, _ options: TracePlotOptions) throws -> [Channel] {
        let all = Layout.channels(of: summary.parts.map(\.layout))
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
        // The measured quantities: the first channel of each of these units.
        let units: [Channel.Unit] = [.volt, .ampere, .watt]
        let usual = units.compactMap { unit in all.first { $0.unit == unit } }
        return usual.isEmpty ? Array(all.prefix(4)) : usual
    }

    private func subtitle(_ trace: Trace, _ summary: TraceSummary, _ absent: AbsentRows) -> String {
        var words = [trace.model?.displayName, trace.meter?.description].compactMap { $0 }
        words.append("\(summary.rowCount) \(summary.rowCount == 1 ? "row" : "rows")")
        if summary.missingCount > 0 {
            let gaps = summary.gapCount == 1 ? "1 gap" : "\(summary.gapCount) gaps"
            words.append("\(summary.missingCount) missing in \(gaps)")
        }
        if absent.withheldCount > 0 { words.append("\(absent.withheldCount) withheld") }
        if absent.unreadableCount > 0 { words.append("\(absent.unreadableCount) unreadable") }
        let isPale = absent.withheldCount > 0 || absent.unreadableCount > 0
        return words.joined(separator: ", ") + (isPale ? " (pale: from least to greatest)" : "")
    }
}
