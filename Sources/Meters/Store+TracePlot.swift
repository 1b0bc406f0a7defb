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
    /// these are, and by what the values are corrected. Temperatures are drawn in the unit of the meter.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - options: Channels, size and title.
    ///   - values: Whether values are corrected by the calibration.
    ///   - start: The start of the plot: milliseconds since 1970; `nil` for the first row.
    ///   - end: The end of the plot; `nil` for the last row.
    /// - Throws: ``StoreError`` with code `notFound` if there are no rows; `usage` if the plot cannot be drawn with
    ///   these options.
    /// - Complexity: O(cells in one column, and blocks in one column outside of these cells + rows of the other
    ///   blocks).
    public func plot(
        _ trace: Trace, _ options: TracePlotOptions = TracePlotOptions(), showing values: TraceValues = .calibrated,
        from start: Int64? = nil, to end: Int64? = nil
    ) throws -> Plot {
        let summary = try summary(of: trace.id, showing: values)
        guard let first = summary.firstTime, let last = summary.lastTime else {
            throw StoreError(.notFound, "The trace \(trace.id.short) has no rows.")
        }
        let from = start ?? first
        let to = max(end ?? last + 1, from + 1)
        let channels = try options.channels(among: summary.channels.map(\.channel))
        return try describingPlot {
            var collector = try ColumnCollector(
                channels, startMilliseconds: from, endMilliseconds: to,
                columnCount: Plot.columnCount(width: options.width, height: options.height))
            let absent = try collect(trace.id, showing: values, &collector)
            let calibration = summary.calibration.limited(to: channels)
            return try Plot(
                title: trace.name.isEmpty ? "Trace \(trace.id.short)" : trace.name,
                subtitle: subtitle(trace, summary, absent, calibration), startMilliseconds: from, endMilliseconds: to,
                width: options.width, height: options.height, series: collector.series,
                markers: try markers(of: trace.id).map { .init(time: $0.time, text: $0.text) },
                temperatureUnit: try temperatureUnit(of: trace),
                withheldCount: absent.withheldCount, unreadableCount: absent.unreadableCount,
                hiddenCount: absent.hiddenCount)
        }
    }

    func describingPlot<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as PlotError {
            throw StoreError(.usage, "\(error)", hint: "To see what is possible: \(.showPlotOptions)", cause: error)
        }
    }

    /// Adds the rows of `trace` to `collector`, and counts those of which only the range is drawn, or nothing.
    func collect(
        _ trace: RecordID, showing values: TraceValues, _ collector: inout ColumnCollector
    ) throws -> AbsentRows {
        var absent = AbsentRows()
        let stretches = try stretches(of: trace, showing: values) { [collector] cell in
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
            case (.tail(_, let rows), _), (.rest(_, let rows), _): collector.add(rows)
            case (.hidden(let count, _, _), _):
                collector.addUnknown()
                absent.hiddenCount += count
            case (.unread(let block), _):
                collector.addUnknown()
                absent.unreadableCount += block.count
            }
            return true
        }
        return absent
    }

    private func subtitle(
        _ trace: Trace, _ summary: TraceSummary, _ absent: AbsentRows, _ calibration: Calibration
    ) -> String {
        let words = [trace.model?.displayName, trace.meter?.description].compactMap { $0 }
        let counts = (words + absent.words(beside: summary.rows)).joined(separator: ", ") + absent.explanation
        return [counts, calibration.text].compactMap { $0 }.joined(separator: "; ")
    }
}

extension TracePlotOptions {
    /// Returns the channels to draw, of `all`.
    ///
    /// - Throws: ``StoreError`` with code `usage` if one is not among them.
    package func channels(among all: [Channel]) throws -> [Channel] {
        if let channels { return try channels.map { try Self.channel($0, among: all) } }
        // The measured quantities: the first channel of each of these units.
        let units: [Channel.Unit] = [.volt, .ampere, .watt]
        let usual = units.compactMap { unit in all.first { $0.unit == unit } }
        return usual.isEmpty ? Array(all.prefix(4)) : usual
    }

    static func channel(_ name: String, among all: [Channel]) throws -> Channel {
        guard let channel = all.first(where: { $0.name == name }) else {
            throw StoreError(
                .usage, "There is no channel \(name).",
                hint: "The channels are \(all.map(\.name).joined(separator: ", ")).")
        }
        return channel
    }
}

extension AbsentRows {
    /// The number of `rows`, of the missing ones, and of those that are not drawn one by one.
    func words(beside rows: JoinedSummary) -> [String] {
        var words = ["\(rows.rowCount) \(rows.rowCount == 1 ? "row" : "rows")"]
        if rows.missingCount > 0 {
            let gaps = rows.gapCount == 1 ? "1 gap" : "\(rows.gapCount) gaps"
            words.append("\(rows.missingCount) missing in \(gaps)")
        }
        if hiddenCount > 0 { words.append("\(hiddenCount) hidden") }
        if withheldCount > 0 { words.append("\(withheldCount) withheld") }
        if unreadableCount > 0 { words.append("\(unreadableCount) unreadable") }
        return words
    }

    /// How such rows are drawn; empty if there are none.
    var explanation: String {
        withheldCount > 0 || unreadableCount > 0 ? " (pale: from least to greatest)" : ""
    }
}

extension Reading {
    /// Returns the columns of channels of a trace from `start` up to `end`, and the number of rows that only their range, or
    /// nothing, tells of: what ``plot(_:_:showing:from:to:)`` draws.
    ///
    /// - Parameters:
    ///   - channels: The channels.
    ///   - count: The number of columns.
    /// - Throws: As ``plot(_:_:showing:from:to:)``.
    /// - Complexity: As ``plot(_:_:showing:from:to:)``.
    package func columns(
        of trace: RecordID, _ channels: [Channel], from start: Int64, to end: Int64, count: Int
    ) throws -> (series: [PlotSeries], absent: AbsentRows) {
        try describingPlot {
            var collector = try ColumnCollector(
                channels, startMilliseconds: start, endMilliseconds: end, columnCount: count)
            let absent = try collect(trace, showing: .calibrated, &collector)
            return (collector.series, absent)
        }
    }
}
