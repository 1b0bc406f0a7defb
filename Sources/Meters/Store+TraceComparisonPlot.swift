import GroundwaveMetering
import GroundwaveStore
import GroundwaveTracePlot

extension Reading {
    /// Returns a plot of `comparison`: a panel for each unit, with a line of each trace for each channel. A's first line in a
    /// panel is blue, and B's is orange.
    ///
    /// Each trace is drawn as ``plot(_:_:showing:from:to:)`` draws it. Its markers are there too.
    ///
    /// - Throws: ``StoreError`` with code `usage` if the plot cannot be drawn with these options, or if the traces have no
    ///   channel in common.
    /// - Complexity: As ``plot(_:_:showing:from:to:)`` for each trace.
    public func plot(
        _ comparison: TraceComparison, _ options: TracePlotOptions = TracePlotOptions()
    ) throws -> Plot {
        let common = comparison.channels.map(\.channel)
        guard !common.isEmpty else {
            throw StoreError(
                .usage, "The traces have no channel in common.",
                hint: "A channel is the same if it has the same name and the same unit in both.")
        }
        let channels = try options.channels(among: common)
        return try describingPlot {
            let (a, b) = (
                try lines(of: comparison.a, channels, comparison, options),
                try lines(of: comparison.b, channels, comparison, options)
            )
            let names = (PlotNames(of: comparison.a.trace, "A"), PlotNames(of: comparison.b.trace, "B"))
            let colours = Self.colours(of: channels)
            let series = channels.indices.flatMap { index in
                [
                    names.0.labelled(a.series[index], colour: colours[index]),
                    names.1.labelled(b.series[index], colour: colours[index] + 1),
                ]
            }
            let absent = a.absent + b.absent
            let counts = [("A", comparison.a, a.absent), ("B", comparison.b, b.absent)].map { letter, side, absent in
                let calibration = side.stretch.calibration.limited(to: channels).text
                let words = absent.words(beside: side.stretch.rows) + [calibration].compactMap { $0 }
                return "\(letter): \(words.joined(separator: ", "))"
            }
            return try Plot(
                title: "\(names.0.title), \(names.1.title)",
                subtitle: counts.joined(separator: "; ") + absent.explanation,
                startMilliseconds: comparison.range.lowerBound, endMilliseconds: comparison.range.upperBound,
                timeScale: comparison.alignment == .start ? .elapsed : .clock, width: options.width,
                height: options.height, series: series,
                markers: try markers(of: comparison.a, "A") + markers(of: comparison.b, "B"),
                withheldCount: absent.withheldCount, unreadableCount: absent.unreadableCount,
                hiddenCount: absent.hiddenCount)
        }
    }

    private func lines(
        of side: TraceComparison.Side, _ channels: [Channel], _ comparison: TraceComparison, _ options: TracePlotOptions
    ) throws -> (series: [PlotSeries], absent: AbsentRows) {
        let range = comparison.range
        var collector = try ColumnCollector(
            channels, startMilliseconds: side.origin &+ range.lowerBound,
            endMilliseconds: side.origin &+ range.upperBound,
            columnCount: Plot.columnCount(width: options.width, height: options.height))
        let absent = try collect(side.trace.id, showing: comparison.values, &collector)
        return (collector.series, absent)
    }

    private func markers(of side: TraceComparison.Side, _ letter: String) throws -> [Plot.Marker] {
        try markers(of: side.trace.id).map { marker in
            .init(time: marker.time &- side.origin, text: "\(letter): \(marker.text)")
        }
    }

    /// Returns the colour of A's line of each channel, such that the lines of a panel differ: a panel has at most two
    /// channels.
    private static func colours(of channels: [Channel]) -> [Int] {
        channels.indices.map { index in
            2 * (channels[..<index].count { $0.unit == channels[index].unit } % 2)
        }
    }
}

/// What a plot of two traces calls one of them.
private struct PlotNames {
    let title: String
    private let letter: String
    private let name: String

    init(of trace: Trace, _ letter: String) {
        self.letter = letter
        // Room for both, also on a narrow picture: the legend has the whole name if there is room.
        name = trace.name.isEmpty ? "trace \(trace.id.short)" : trace.name
        title = "\(letter): \(name.count > 40 ? "\(name.prefix(39))…" : name)"
    }

    func labelled(_ series: PlotSeries, colour: Int) -> PlotSeries {
        var series = series
        series.label = "\(series.channel.name), \(letter): \(name)"
        series.colour = colour
        return series
    }
}
