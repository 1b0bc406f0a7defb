import GroundwaveMetering
import Testing

@testable import GroundwaveTracePlot

@Suite struct `A plot in degrees Fahrenheit` {
    private let celsius = Channel("temperature", .celsius, decimals: 1)
    private let voltage = Channel("voltage", .volt, decimals: 3)

    private func drawing(_ series: [PlotSeries], in unit: TemperatureUnit = .celsius) throws -> Drawing {
        let plot = try Plot(
            title: "", subtitle: "", startMilliseconds: 0, endMilliseconds: 60_000, width: 400, height: 300,
            series: series, temperatureUnit: unit)
        return PlotLayout.drawing(of: plot)
    }

    private func texts(_ drawing: Drawing) -> [String] {
        drawing.elements.compactMap { if case .text(let text) = $0 { text.string } else { nil } }
    }

    private func lines(_ drawing: Drawing) -> [Drawing.Element] {
        drawing.elements.filter { if case .text = $0 { false } else { true } }
    }

    @Test func `has the line of these numbers, at ticks that are round in them`() throws {
        func series(_ channel: Channel, _ values: [Int64?], band: (Int64, Int64)) -> PlotSeries {
            PlotSeries(
                channel: channel, columns: values.map { $0.map { Cell($0) } }, gapAfter: [0],
                bands: [.init(columns: 3...4, least: band.0, greatest: band.1)])
        }
        // 20, 25.5 and 30 degrees, between -40 and 100.
        let shown = try drawing(
            [series(celsius, [200, nil, 255, nil, nil, 300], band: (-400, 1_000))], in: .fahrenheit)
        let byHand = try drawing([
            series(
                Channel("temperature", .none, decimals: 2), [68_00, nil, 77_90, nil, nil, 86_00],
                band: (-40_00, 212_00))
        ])
        #expect(lines(shown) == lines(byHand) && lines(shown).count > 10)
        #expect(texts(shown).filter { $0 != "°F" } == texts(byHand))
        #expect(texts(shown).contains("°F") && texts(shown).contains("200"))
        let measured = try drawing([series(celsius, [200, nil, 255, nil, nil, 300], band: (-400, 1_000))])
        #expect(texts(measured).contains("°C") && texts(measured).contains("100") && !texts(measured).contains("200"))
    }

    @Test func `has everything else as it is`() throws {
        let other = PlotSeries(channel: voltage, columns: [Cell(5_000), Cell(5_100), nil])
        #expect(try drawing([other], in: .fahrenheit) == drawing([other]))
    }

    @Test func `takes temperatures of any size and decimals`() throws {
        for decimals in [0, 8, 9] {
            let extreme = PlotSeries(
                channel: Channel("t", .celsius, decimals: decimals),
                columns: [Int64.min, 0, .max].map { Cell($0) })
            #expect(try texts(drawing([extreme], in: .fahrenheit)).contains { $0.hasSuffix("°F") })
        }
    }
}
