/// The layout of the picture of a plot.
enum PlotLayout {
    /// Widths and heights in pixels, which depend only on the size of the picture.
    struct Metrics {
        /// The magnification: large pictures have everything larger.
        let scale: Int
        /// The margin left of the panels: room for labels of ten characters.
        var left: Int { 80 * scale }
        /// The margin right of the panels: room for half a time label.
        var right: Int { 24 * scale }
        var top: Int { 8 * scale }
        var titleHeight: Int { 18 * scale }
        var subtitleHeight: Int { 16 * scale }
        var legendLine: Int { 15 * scale }
        /// The space between legend and panel: room for the label of the highest tick.
        var underLegend: Int { 5 * scale }
        /// The distance from the start of the coloured line in the legend to the name.
        var swatch: Int { 20 * scale }
        var betweenPanels: Int { 9 * scale }
        var bottom: Int { 39 * scale }
        /// The least height of a panel: three labels below one another.
        var leastPanel: Int { 30 * scale }

        init(width: Int, height: Int) { scale = max(1, min(width / 1600, height / 800)) }
    }

    /// The channels of one panel.
    struct Panel {
        /// The indices of the channels in the plot.
        let members: [Int]
        /// The lines of the legend.
        let legend: [[Entry]]
    }

    /// A channel in a legend.
    struct Entry {
        /// The index of the channel in the plot.
        let member: Int
        /// The distance from the left edge of the panel in pixels.
        let x: Int
        /// The name of the channel, or its label, cut to fit.
        let name: String
    }

    /// Returns the least height of a picture in which the panels of `plot` fit, at the scale of the present size.
    static func neededHeight(of plot: Plot) -> Int {
        let metrics = Metrics(width: plot.width, height: plot.height)
        let panels = panels(of: plot, metrics)
        return heightBeside(panels, of: plot, metrics) + panels.count * metrics.leastPanel
    }

    /// Returns the height of everything but the panels.
    private static func heightBeside(_ panels: [Panel], of plot: Plot, _ metrics: Metrics) -> Int {
        let titles =
            (plot.title.isEmpty ? 0 : metrics.titleHeight) + (plot.subtitle.isEmpty ? 0 : metrics.subtitleHeight)
        let legends = panels.reduce(0) { $0 + $1.legend.count * metrics.legendLine + metrics.underLegend }
        let markers = MarkerList(plot, metrics).lines.count * metrics.legendLine
        return metrics.top + titles + markers + legends + (panels.count - 1) * metrics.betweenPanels + metrics.bottom
    }

    /// Returns the panels: channels grouped by unit, in the order in which the units first appear. Large groups are
    /// split evenly, but not between series of one channel.
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
            let channels = channels(of: group, plot)
            let most = max(1, Plot.panelLimit / (channels.map(\.count).max() ?? 1))
            let parts = (channels.count + most - 1) / most
            let size = (channels.count + parts - 1) / parts
            return stride(from: 0, to: channels.count, by: size).map { start in
                let members = channels[start..<min(start + size, channels.count)].flatMap(\.self)
                return Panel(members: members, legend: legend(of: members, plot, metrics))
            }
        }
    }

    /// Returns the series of `group` by channel, where those of one channel follow one another.
    private static func channels(of group: [Int], _ plot: Plot) -> [[Int]] {
        group.reduce(into: []) { channels, member in
            if let last = channels.last?.last, plot.series[last].channel == plot.series[member].channel {
                channels[channels.count - 1].append(member)
            } else {
                channels.append([member])
            }
        }
    }

    /// Returns the lines of a legend, broken at the width of the panel.
    private static func legend(of members: [Int], _ plot: Plot, _ metrics: Metrics) -> [[Entry]] {
        let room = plot.width - metrics.left - metrics.right
        var lines: [[Entry]] = [[]]
        var x = 0
        for member in members {
            let series = plot.series[member]
            let name = TextWidth.cut(
                series.label ?? series.channel.name, to: room - metrics.swatch, scale: metrics.scale)
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

    /// Returns the picture of `plot`.
    static func drawing(of plot: Plot) -> Drawing {
        let metrics = Metrics(width: plot.width, height: plot.height)
        let panels = panels(of: plot, metrics)
        let width = plot.width - metrics.left - metrics.right
        var pen = PlotPen(plot: plot, metrics: metrics, panelWidth: width)
        pen.drawTitles()
        pen.drawMarkerList()
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

    /// Returns the colour of the series at index `member` of `plot`.
    static func colour(of member: Int, in plot: Plot) -> Drawing.Colour {
        let index = (plot.series[member].colour ?? member) % Drawing.Colour.lines.count
        return Drawing.Colour.lines[index < 0 ? index + Drawing.Colour.lines.count : index]
    }
}
