import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTracePlot

private let voltage = Channel("voltage", .volt, decimals: 3)

/// The line of one trace for `channel`, as a plot of two traces has it.
private func line(
    _ channel: Channel, _ label: String, colour: Int, _ values: [Int64?] = [1, 2, 3]
) -> PlotSeries {
    var series = PlotSeries(channel: channel, columns: values.map { $0.map { Cell($0) } })
    (series.label, series.colour) = (label, colour)
    return series
}

private func plot(_ series: [PlotSeries], end: Int64 = 5_400_000, height: Int = 300) throws -> Plot {
    try Plot(
        title: "A and B", subtitle: "", startMilliseconds: 0, endMilliseconds: end, timeScale: .elapsed, width: 400,
        height: height, series: series)
}

@Suite struct `A picture of two traces` {
    @Test func `has the labels of its lines in the legend, escaped, each with its own colour`() throws {
        let svg = try plot([
            line(voltage, "voltage A, <b>&", colour: 0), line(voltage, "voltage B, x", colour: 1, [3, 2, 1]),
        ]).svg()
        #expect(svg.contains(">voltage A, &lt;b&gt;&amp;</text>") && svg.contains(">voltage B, x</text>"))
        #expect(svg.contains("stroke=\"#0072b2\"") && svg.contains("stroke=\"#d55e00\""))
        // Colours start again, and a negative index is one as well.
        for colour in [7, -7] {
            #expect(try plot([line(voltage, "v", colour: colour)]).svg().contains("stroke=\"#0072b2\""))
        }
    }

    @Test func `never has the lines of one channel in two panels`() throws {
        func panels(_ channels: Int, _ traces: Int) throws -> [[Int]] {
            let series = (0..<channels).flatMap { channel in
                (0..<traces).map { line(Channel("v\(channel)", .volt, decimals: 3), "\(channel) \($0)", colour: $0) }
            }
            let picture = try plot(series, height: 900)
            return PlotLayout.panels(of: picture, PlotLayout.Metrics(width: 400, height: 900)).map(\.members)
        }
        #expect(try panels(2, 2) == [[0, 1, 2, 3]])
        #expect(try panels(3, 2) == [[0, 1, 2, 3], [4, 5]])
        #expect(try panels(4, 2) == [[0, 1, 2, 3], [4, 5, 6, 7]])
        #expect(try panels(2, 3) == [[0, 1, 2], [3, 4, 5]])
        #expect(try panels(2, 5) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
        #expect(try panels(5, 1) == [[0, 1, 2], [3, 4]])
    }

    @Test func `says how long it is since the first row, below the panels and not in UTC`() throws {
        let svg = try plot([line(voltage, "v", colour: 0)]).svg()
        #expect(svg.contains(">since the first row</text>") && !svg.contains(">UTC</text>"))
        #expect(svg.contains(">0:00</text>") && svg.contains(">1:00</text>") && !svg.contains("1970"))
        let clock = try Plot(
            title: "", subtitle: "", startMilliseconds: 0, endMilliseconds: 5_400_000, width: 400, height: 300,
            series: [line(voltage, "v", colour: 0)]
        ).svg()
        #expect(clock.contains(">UTC</text>") && clock.contains(">1970-01-01</text>"))
    }
}

@Suite struct `An axis of time since a start` {
    private func labels(_ start: Int64, _ end: Int64, width: Int = 600) -> [String] {
        let axis = TimeAxis(start: start, end: end, scale: .elapsed, width: width) { $0.count * 7 + 22 }
        #expect(axis.ticks.allSatisfy { $0.date == nil })
        return axis.ticks.map(\.label)
    }

    @Test func `counts hours and minutes, seconds where they matter, and days where there is no more room`() {
        #expect(labels(0, 7_200_000).prefix(4) == ["0:00", "0:10", "0:20", "0:30"])
        #expect(labels(0, 40_000, width: 300) == ["0:00:00", "0:00:10", "0:00:20", "0:00:30", "0:00:40"])
        #expect(
            labels(0, 100) == [
                "0:00:00.000", "0:00:00.020", "0:00:00.040", "0:00:00.060", "0:00:00.080", "0:00:00.100",
            ])
        #expect(
            labels(0, 100 * 3_600_000) == [
                "0:00", "12:00", "24:00", "36:00", "48:00", "60:00", "72:00", "84:00", "96:00",
            ])
        #expect(labels(0, 86_400_000 * 12).last == "12 d")
        #expect(labels(-3_600_000, 3_600_000).first == "-1:00")
        #expect(labels(123_456, 123_457).count >= 1)
    }
}
