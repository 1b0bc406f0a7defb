import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTracePlot

@Suite struct `The line of a plot` {
    private let channel = Channel("current", .ampere, decimals: 0)

    private func path(_ series: PlotSeries, width: Int, height: Int) -> SeriesPath {
        let values = series.columns.compactMap(\.self)
        let range = values.map(\.least).min().map { Int128($0)...Int128(values.map(\.greatest).max()!) }
        let axis = ValueAxis(range, decimals: 0, unit: .ampere, stepLimit: 4)
        return SeriesPath(left: 30, width: width * 10, bottom: (height + 3) * 10, height: height * 10, axis: axis)
    }

    private func pixels(_ lines: [[Drawing.Point]], width: Int, height: Int) -> [UInt32] {
        var drawing = Drawing(width: width + 6, height: height + 6, scale: 1, title: "")
        drawing.elements = [.stroke(.init(lines: lines, width: 15, colour: .ink))]
        return Canvas(drawing).pixels
    }

    @Test(arguments: UInt64(1)...150)
    func `covers the pixels that a line through all rows covers`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let width = Int.random(in: 1...40, using: &numbers)
        let height = Int.random(in: 30...90, using: &numbers)
        let most = [1, 3, 30].randomElement(using: &numbers)!
        let spread = [Int64(2), 200, 100_000].randomElement(using: &numbers)!
        let rows: [[Int64]] = (0..<width).map { _ in
            (0..<Int.random(in: 0...most, using: &numbers)).map { _ in
                Int64.random(in: -spread...spread, using: &numbers)
            }
        }
        var gaps: Set<Int> = []
        for column in rows.indices where !rows[column].isEmpty && numbers.chance(0.1) { gaps.insert(column) }
        let series = PlotSeries(channel: channel, columns: rows.map { Cell($0) }, gapAfter: gaps)
        let path = path(series, width: width, height: height)

        var all: [[Drawing.Point]] = []
        var line: [Drawing.Point] = []
        for (column, values) in rows.enumerated() {
            for value in values {
                line.append(
                    Drawing.Point(
                        x: 30 + column * 10 + 5,
                        y: path.bottom - path.axis.offset(of: Int128(value) * 100, in: path.height)))
            }
            if gaps.contains(column) {
                all.append(line)
                line = []
            }
        }
        all.append(line)
        #expect(
            pixels(path.lines(of: series), width: width, height: height)
                == pixels(all.filter { !$0.isEmpty }, width: width, height: height))
    }

    @Test func `goes on over columns without rows, and is broken where rows are missing`() {
        let columns = [Cell(5), nil, nil, Cell(5), nil, Cell(5)]
        let whole = PlotSeries(channel: channel, columns: columns)
        #expect(path(whole, width: 6, height: 40).lines(of: whole).map { $0.map(\.x) } == [[35, 85]])
        let broken = PlotSeries(channel: channel, columns: columns, gapAfter: [3, 700, -1])
        #expect(path(broken, width: 6, height: 40).lines(of: broken).map { $0.map(\.x) } == [[35, 65], [85]])
    }

    @Test func `is broken where only the range of rows is known`() {
        let columns = [Cell(5), Cell(6), nil, nil, Cell(5), Cell(7)]
        var series = PlotSeries(channel: channel, columns: columns)
        series.bands = [.init(columns: 1...4, least: 0, greatest: 9)]
        #expect(path(series, width: 6, height: 40).lines(of: series).map { $0.map(\.x) } == [[35, 45], [75, 85]])
        // Bands beside the columns break nothing.
        series.bands = [.init(columns: -9 ... -3, least: 0, greatest: 9), .init(columns: 6...8, least: 0, greatest: 9)]
        #expect(path(series, width: 6, height: 40).lines(of: series).map { $0.map(\.x) } == [[35, 45, 75, 85]])
    }

    @Test func `is as wide as it is said to be, smooth at its edges, and the same in each direction`() {
        let down = pixels([[.init(x: 100, y: 100), .init(x: 160, y: 220)]], width: 30, height: 30)
        let up = pixels([[.init(x: 160, y: 220), .init(x: 100, y: 100)]], width: 30, height: 30)
        #expect(down == up)
        // Of an upright line 1.5 pixels wide around the middle of a pixel, that one is full and a quarter of each beside it.
        let upright = pixels([[.init(x: 105, y: 50), .init(x: 105, y: 250)]], width: 30, height: 30)
        #expect(upright[36 * 15 + 9...36 * 15 + 11].map { $0 & 0xFF } == [0xC8, 0x22, 0xC8])
    }

    @Test func `outside of the picture is left out`() {
        let far = pixels(
            [[.init(x: -900, y: -900), .init(x: 4000, y: 5000), .init(x: 100, y: -77), .init(x: 100, y: 9000)]],
            width: 30, height: 30)
        #expect(far.contains { $0 != 0xFFFFFF })
    }
}
