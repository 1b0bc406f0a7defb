/// Where things are in the picture of a plot.
enum PlotLayout {
    /// Widths and heights that depend on the size of the picture alone, in pixels.
    struct Metrics {
        /// Large pictures have everything larger.
        let scale: Int
        /// From the left edge to the panels: room for labels of ten characters.
        var left: Int { 80 * scale }
        /// From the panels to the right edge: half a label of the time.
        var right: Int { 24 * scale }
        var top: Int { 8 * scale }
        var titleHeight: Int { 18 * scale }
        var subtitleHeight: Int { 16 * scale }
        var legendLine: Int { 15 * scale }
        /// Between the legend and the panel, so that the label of the highest tick has room.
        var underLegend: Int { 5 * scale }
        /// From the left of the line beside a name in the legend to the name.
        var swatch: Int { 20 * scale }
        var betweenPanels: Int { 9 * scale }
        var bottom: Int { 39 * scale }
        /// Three labels below one another.
        var leastPanel: Int { 30 * scale }

        init(width: Int, height: Int) { scale = max(1, min(width / 1600, height / 800)) }
    }

    /// Channels that are drawn together.
    struct Panel {
        /// Their places in the plot.
        let members: [Int]
        /// The lines of the legend: which channels, how far from the left, and their names as far as there is room.
        let legend: [[Entry]]
    }

    struct Entry {
        let member: Int
        let x: Int
        let name: String
    }

    /// The height without which the panels of `plot` do not fit.
    static func neededHeight(of plot: Plot) -> Int {
        let metrics = Metrics(width: plot.width, height: plot.height)
        let panels = panels(of: plot, metrics)
        return heightBeside(panels, of: plot, metrics) + panels.count * metrics.leastPanel
    }

    /// What of the height the panels do not have.
    private static func heightBeside(_ panels: [Panel], of plot: Plot, _ metrics: Metrics) -> Int {
        let titles =
            (plot.title.isEmpty ? 0 : metrics.titleHeight) + (plot.subtitle.isEmpty ? 0 : metrics.subtitleHeight)
        let legends = panels.reduce(0) { $0 + $1.legend.count * metrics.legendLine + metrics.underLegend }
        return metrics.top + titles + legends + (panels.count - 1) * metrics.betweenPanels + metrics.bottom
    }

    /// The channels of each unit together, in the order in which the units come; too many of one unit in several panels.
    static func panels(of plot: Plot, _ metrics: Metrics) -> [Panel] {
        var groups: [[Int]] = []
        for (index, series) in plot.series.enumerated() {
            if let group = groups.firstIndex(where: { plot.series[$0[0]].channel.unit == series.channel.unit }) {
                groups[group].append(index)
            } else {
                groups.append([index])
            }
        }
        return groups.flatMap { group -> [Panel] in
            let parts = (group.count + Plot.panelLimit - 1) / Plot.panelLimit
            let size = (group.count + parts - 1) / parts
            return stride(from: 0, to: group.count, by: size).map { start in
                let members = Array(group[start..<min(start + size, group.count)])
                return Panel(members: members, legend: legend(of: members, plot, metrics))
            }
        }
    }

    private static func legend(of members: [Int], _ plot: Plot, _ metrics: Metrics) -> [[Entry]] {
        let room = plot.width - metrics.left - metrics.right
        var lines: [[Entry]] = [[]]
        var x = 0
        for member in members {
            let name = TextWidth.cut(
                plot.series[member].channel.name, to: room - metrics.swatch, scale: metrics.scale)
            let width = metrics.swatch + TextWidth.of(name, scale: metrics.scale)
            if x > 0, x + width > room {
                lines.append([])
                x = 0
            }
            lines[lines.count - 1].append(Entry(member: member, x: x, name: name))
            x += width + 16 * metrics.scale
        }
        return lines
    }

    /// The picture of `plot`.
    static func drawing(of plot: Plot) -> Drawing {
        let metrics = Metrics(width: plot.width, height: plot.height)
        let panels = panels(of: plot, metrics)
        let width = plot.width - metrics.left - metrics.right
        var pen = PlotPen(plot: plot, metrics: metrics, panelWidth: width)
        pen.drawTitles()
        let rest = plot.height - heightBeside(panels, of: plot, metrics)
        let height = rest / panels.count
        for panel in panels {
            pen.drawLegend(panel)
            pen.drawPanel(panel, height: height)
            pen.y += height + metrics.betweenPanels
        }
        pen.drawTimes(under: pen.y - metrics.betweenPanels)
        return pen.drawing
    }

    /// The colour of the channel at `member`.
    static func colour(of member: Int) -> Drawing.Colour {
        Drawing.Colour.lines[member % Drawing.Colour.lines.count]
    }
}
