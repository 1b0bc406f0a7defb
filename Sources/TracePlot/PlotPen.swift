/// Draws a plot from top to bottom.
struct PlotPen {
    let plot: Plot
    let metrics: PlotLayout.Metrics
    /// The width of each panel in pixels.
    let panelWidth: Int
    private let times: TimeAxis
    /// The current vertical position, in pixels from the top.
    var y: Int
    private(set) var drawing: Drawing

    init(plot: Plot, metrics: PlotLayout.Metrics, panelWidth: Int) {
        self.plot = plot
        self.metrics = metrics
        self.panelWidth = panelWidth
        times = TimeAxis(
            start: plot.startMilliseconds, end: plot.endMilliseconds, scale: plot.timeScale, width: panelWidth
        ) {
            TextWidth.of($0, scale: metrics.scale) + 22 * metrics.scale
        }
        y = metrics.top
        drawing = Drawing(width: plot.width, height: plot.height, scale: metrics.scale, title: plot.title)
        add(0, 0, plot.width, plot.height, .white)
    }

    private var right: Int { metrics.left + panelWidth }

    mutating func drawTitles() {
        let left = 10 * metrics.scale
        for (text, height, isBold) in [
            (plot.title, metrics.titleHeight, true), (plot.subtitle, metrics.subtitleHeight, false),
        ] where !text.isEmpty {
            let room = plot.width - 2 * left
            write(
                TextWidth.cut(text, to: room, isBold: isBold, scale: metrics.scale), left, y + 11 * metrics.scale,
                .start,
                isBold: isBold, isBold ? .ink : .quiet)
            y += height
        }
    }

    mutating func drawMarkerList() {
        for line in MarkerList(plot, metrics).lines {
            for entry in line {
                write(entry.text, 10 * metrics.scale + entry.x, y + 12 * metrics.scale, .start, .ink)
            }
            y += metrics.legendLine
        }
    }

    mutating func drawLegend(_ panel: PlotLayout.Panel) {
        for line in panel.legend {
            for entry in line {
                let x = metrics.left + entry.x
                add(
                    x, y + 7 * metrics.scale, 14 * metrics.scale, 3 * metrics.scale,
                    PlotLayout.colour(of: entry.member, in: plot))
                write(entry.name, x + metrics.swatch, y + 12 * metrics.scale, .start, .ink)
            }
            y += metrics.legendLine
        }
        y += metrics.underLegend
    }

    /// Draws a panel from the current position on, `height` pixels high.
    mutating func drawPanel(_ panel: PlotLayout.Panel, height: Int) {
        let series = panel.members.map { plot.series[$0].shown(in: plot.temperatureUnit) }
        let axis = axis(of: series, height: height)
        if !axis.unit.isEmpty {
            write(axis.unit, metrics.left - 8 * metrics.scale, y - 8 * metrics.scale, .end, .ink)
        }
        drawBands(series, height)
        let path = SeriesPath(
            left: metrics.left * 10, width: panelWidth * 10, bottom: (y + height) * 10, height: height * 10, axis: axis)
        for (member, series) in zip(panel.members, series) { drawRanges(series, of: member, path) }
        for tick in axis.ticks {
            let level = y + height - axis.offset(of: tick.value, in: height)
            add(metrics.left, level, panelWidth, metrics.scale, .grid)
            write(tick.label, metrics.left - 8 * metrics.scale, level + 5 * metrics.scale, .end, .quiet)
        }
        for tick in times.ticks { add(coordinate(of: tick.milliseconds), y, metrics.scale, height, .grid) }
        add(metrics.left, y, metrics.scale, height, .axis)
        add(metrics.left, y + height, panelWidth, metrics.scale, .axis)
        for (member, series) in zip(panel.members, series) {
            let lines = path.lines(of: series)
            // A single row between gaps is drawn as a visible dot.
            for (lines, width) in [(lines.filter { $0.count > 1 }, 15), (lines.filter { $0.count == 1 }, 40)]
            where !lines.isEmpty {
                drawing.elements.append(
                    .stroke(
                        .init(
                            lines: lines, width: width * metrics.scale, colour: PlotLayout.colour(of: member, in: plot))
                    ))
            }
        }
        drawMarkers(height: height)
        if series.allSatisfy({ $0.bands.isEmpty && $0.columns.allSatisfy { $0 == nil } }) {
            write("no rows", metrics.left + panelWidth / 2, y + height / 2 + 4 * metrics.scale, .middle, .quiet)
        }
    }

    /// Draws a dashed line with its number for each marker; a number that would cover the one before is left out.
    private mutating func drawMarkers(height: Int) {
        let (dash, scale) = (4 * metrics.scale, metrics.scale)
        var free = metrics.left
        for (index, marker) in plot.markers.enumerated() {
            let x = coordinate(of: marker.time)
            for top in stride(from: y, to: y + height, by: 2 * dash) {
                add(x, top, scale, min(dash, y + height - top), .quiet)
            }
            let (number, width) = ("\(index + 1)", TextWidth.of("\(index + 1)", scale: scale))
            let start = x + 3 * scale + width > right ? x - 3 * scale - width : x + 3 * scale
            guard start >= free else { continue }
            write(number, start, y + 11 * scale, .start, .ink)
            free = start + width + 2 * scale
        }
    }

    /// Draws the ranges of rows whose samples are not here, in a pale colour of the channel.
    private mutating func drawRanges(_ series: PlotSeries, of member: Int, _ path: SeriesPath) {
        let colour = PlotLayout.colour(of: member, in: plot).pale
        for band in series.bands {
            guard let box = path.rectangle(of: band, in: series, leastHeight: 3 * metrics.scale, colour) else {
                continue
            }
            drawing.elements.append(.rectangle(box))
        }
    }

    /// Returns the axis for all values of `series`, which have one unit.
    private func axis(of series: [PlotSeries], height: Int) -> ValueAxis {
        let decimals = series.map(\.channel.decimals).max() ?? 0
        var values: ClosedRange<Int128>?
        for series in series {
            let factor = (series.channel.decimals..<decimals).reduce(Int128(1)) { factor, _ in factor * 10 }
            let ranges = series.columns.lazy.compactMap { $0.map { ($0.least, $0.greatest) } }
            for range in Array(ranges) + series.bands.map({ ($0.least, $0.greatest) }) {
                let (least, greatest) = (Int128(range.0) * factor, Int128(range.1) * factor)
                values = min(values?.lowerBound ?? least, least)...max(values?.upperBound ?? greatest, greatest)
            }
        }
        // Low panels have ticks closer together, so that there are not too few.
        let stepLimit = max(1, min(height / (20 * metrics.scale), 4), min(height / (45 * metrics.scale), 10))
        return ValueAxis(
            values, decimals: decimals, unit: series[0].channel.unit, temperatureUnit: plot.temperatureUnit,
            stepLimit: stepLimit)
    }

    /// Draws grey bands over missing rows: from the column before to the next column that has rows.
    private mutating func drawBands(_ series: [PlotSeries], _ height: Int) {
        var bands: Set<Range<Int>> = []
        for series in series {
            let count = series.columns.count
            for gap in series.gapAfter where gap >= -1 && gap < count {
                // Rows whose range is drawn are not missing.
                let next = [
                    series.columns[(gap + 1)...].firstIndex { $0 != nil },
                    series.bands.map(\.columns.lowerBound).filter { $0 > gap && $0 < count }.min(),
                ].compactMap(\.self).min()
                let start = gap < 0 ? metrics.left : centre(of: gap, count)
                let end = next.map { centre(of: $0, count) } ?? right
                // A gap within two columns is widened, so that it differs from a grid line.
                let room = max(0, 3 * metrics.scale - (end - start))
                bands.insert(max(start - room / 2, metrics.left)..<min(end + room - room / 2, right))
            }
        }
        for band in bands.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            add(band.lowerBound, y, band.count, height, .band)
        }
    }

    private func centre(of column: Int, _ count: Int) -> Int {
        SeriesPath.centre(of: column, count: count, left: metrics.left * 10, width: panelWidth * 10) / 10
    }

    private func coordinate(of milliseconds: Int64) -> Int {
        let span = Int128(plot.endMilliseconds) - Int128(plot.startMilliseconds)
        let offset = Int128(milliseconds) - Int128(plot.startMilliseconds)
        return metrics.left + Int(offset * Int128(panelWidth) / span)
    }

    /// Draws the times below the panel that ends at `bottom`, and the dates below them.
    mutating func drawTimes(under bottom: Int) {
        let scale = metrics.scale
        let margin = 4 * scale
        var dates: [(range: Range<Int>, text: String)] = []
        for tick in times.ticks {
            let x = coordinate(of: tick.milliseconds)
            add(x, bottom, scale, 4 * scale, .axis)
            writeWithin(tick.label, x, bottom + 17 * scale, .quiet)
            guard let date = tick.date else { continue }
            let width = TextWidth.of(date, scale: scale)
            let start = min(max(x - width / 2, margin), plot.width - margin - width)
            let range = start..<(start + width + 10 * scale)
            // Of two overlapping dates keep the later one: the day that begins there.
            if let last = dates.last, last.range.overlaps(range) { dates.removeLast() }
            dates.append((range, date))
        }
        for date in dates {
            let middle = (date.range.lowerBound + date.range.upperBound - 10 * scale) / 2
            writeWithin(date.text, middle, bottom + 31 * scale, .ink)
        }
        switch plot.timeScale {
        case .clock: write("UTC", 10 * scale, bottom + 17 * scale, .start, .quiet)
        // The line of the dates is free.
        case .elapsed: write("since the first row", 10 * scale, bottom + 31 * scale, .start, .quiet)
        }
    }

    /// Writes `text` centred on `x`, or as near to it as the edges of the picture allow.
    private mutating func writeWithin(_ text: String, _ x: Int, _ baseline: Int, _ colour: Drawing.Colour) {
        let half = (TextWidth.of(text, scale: metrics.scale) + 1) / 2 + 2 * metrics.scale
        write(text, min(max(x, half), plot.width - half), baseline, .middle, colour)
    }

    private mutating func write(
        _ string: String, _ x: Int, _ baseline: Int, _ anchor: Drawing.Text.Anchor, isBold: Bool = false,
        _ colour: Drawing.Colour
    ) {
        drawing.elements.append(
            .text(.init(string: string, x: x, baseline: baseline, anchor: anchor, isBold: isBold, colour: colour)))
    }

    private mutating func add(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ colour: Drawing.Colour) {
        drawing.elements.append(.rectangle(.init(x: x, y: y, width: width, height: height, colour: colour)))
    }
}
