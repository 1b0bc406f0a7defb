import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTracePlot

private let voltage = Channel("voltage", .volt, decimals: 3)

private func plot(
    _ series: [PlotSeries], title: String = "Power bank", subtitle: String = "9 rows, 3 missing", start: Int64 = 0,
    end: Int64 = 60_000, width: Int = 300, height: Int = 200
) throws -> Plot {
    try Plot(
        title: title, subtitle: subtitle, startMilliseconds: start, endMilliseconds: end, width: width, height: height,
        series: series)
}

private func series(of channel: Channel = voltage, _ values: [Int64?], gapAfter: Set<Int> = []) -> PlotSeries {
    PlotSeries(channel: channel, columns: values.map { $0.map { Cell($0) } }, gapAfter: gapAfter)
}

/// Red, green and blue.
private func bytes(of pixel: UInt32) -> [UInt8] {
    [UInt8(truncatingIfNeeded: pixel >> 16), UInt8(truncatingIfNeeded: pixel >> 8), UInt8(truncatingIfNeeded: pixel)]
}

@Suite struct `A picture of a trace` {
    @Test func `is refused where it would be too small, too large, empty or of columns that do not fit`() throws {
        let good = series([1, 2, 3])
        #expect(throws: PlotError.width(199)) { try plot([good], width: 199) }
        #expect(throws: PlotError.width(8001)) { try plot([good], width: 8001) }
        #expect(throws: PlotError.height(149)) { try plot([good], height: 149) }
        #expect(throws: PlotError.height(4001)) { try plot([good], height: 4001) }
        #expect(throws: PlotError.noTime) { try plot([good], start: 5, end: 5) }
        #expect(throws: PlotError.noSeries) { try plot([]) }
        #expect(throws: PlotError.columns(0)) { try plot([series([])]) }
        #expect(throws: PlotError.columns(2)) { try plot([good, series([1, 2])]) }
        #expect(throws: PlotError.decimals(10)) { try plot([series(of: Channel("x", .none, decimals: 10), [1, 2])]) }
        let many = Channel.Unit.allCases.map { series(of: Channel("x", $0, decimals: 0), [1, 2, 3]) }
        let refusal = #expect(throws: PlotError.self) { try plot(many) }
        guard case .tooLow(let needed)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(throws: refusal!) { try plot(many, height: needed - 1) }
        #expect(try plot(many, height: needed).png().count > 0)
        #expect("\(PlotError.width(9))" == "A picture 9 pixels wide is invalid; use 200 to 8000.")
    }

    @Test func `has a panel for each unit, and two where a unit has more than four channels`() throws {
        let names = ["a", "b", "c", "d", "e"]
        let channels = names.map { Channel($0, .volt, decimals: 2) } + [Channel("f", .ampere, decimals: 2)]
        let picture = try plot(channels.map { series(of: $0, [1, 5]) }, height: 400)
        let panels = PlotLayout.panels(of: picture, PlotLayout.Metrics(width: 300, height: 400))
        #expect(panels.map(\.members) == [[0, 1, 2], [3, 4], [5]])
    }

    @Test func `is the SVG that it was`() throws {
        let svg = try plot([series([1000, 4000, 2000, nil, 2000, 2000], gapAfter: [2])], subtitle: "").svg()
        let path = try #require(svg.split(separator: "\n").first { $0.hasPrefix("<path") })
        #expect(
            path == """
                <path fill="none" stroke="#0072b2" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" \
                d="M96.3 155.8l32.7-104.6l32.6 69.7M227 120.9h32.6"/>
                """)
        #expect(svg.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns="))
        #expect(svg.contains("viewBox=\"0 0 300 200\""))
        #expect(svg.contains("<rect x=\"161\" y=\"46\" width=\"66\" height=\"115\" fill=\"#e9e9e9\"/>"))
        #expect(svg.hasSuffix("</svg>\n"))
        #expect(svg.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func `has a pale rectangle for rows of which only the range is known, within its axis`() throws {
        var values = series([1000, 2000, nil, nil, nil, 2000], gapAfter: [1])
        values.bands = [
            .init(columns: 3...4, least: 0, greatest: 9000), .init(columns: 9...9, least: 0, greatest: 1),
        ]
        let svg = try plot([values], subtitle: "").svg()
        // A quarter of the blue of its line. Missing rows are grey up to the rectangle, and no further.
        #expect(svg.contains("<rect x=\"178\" y=\"51\" width=\"65\" height=\"110\" fill=\"#bfdbeb\"/>"))
        #expect(svg.contains("<rect x=\"129\" y=\"46\" width=\"65\" height=\"115\" fill=\"#e9e9e9\"/>"))
        #expect(svg.split(separator: "\n").filter { $0.contains("#bfdbeb") }.count == 1)
        let alone = PlotSeries(
            channel: voltage, columns: [nil, nil], bands: [.init(columns: 0...1, least: 5, greatest: 5)])
        let pictured = try plot([alone], subtitle: "").svg()
        #expect(pictured.contains("#bfdbeb") && !pictured.contains("no rows"))
    }

    @Test func `escapes names in SVG, and leaves out what no XML may have`() throws {
        let channel = Channel("<a & \"b\">", .volt, decimals: 0)
        let svg = try plot([series(of: channel, [1, 2])], title: "]]>\u{0}\u{1F}\u{FFFE}\u{7F}\r\n\tµ", subtitle: "")
            .svg()
        #expect(svg.contains(">&lt;a &amp; &quot;b&quot;&gt;</text>"))
        #expect(svg.contains("<title>]]&gt;\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}   µ</title>"))
        for scalar in svg.unicodeScalars { #expect(scalar == "\n" || scalar.value >= 32) }
    }

    @Test func `is a PNG whose chunks are right and whose pixels are those that were drawn`() throws {
        let picture = try plot([series([1000, 4000, 2000, nil, 2000, 2000], gapAfter: [2])])
        let png = picture.png()
        #expect(Array(png.prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        var chunks: [(type: String, bytes: [UInt8])] = []
        var place = 8
        func number(_ place: Int) -> Int { png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        while place < png.count {
            let count = number(place)
            let body = Array(png[place + 4..<place + 8 + count])
            #expect(number(place + 8 + count) == Int(Self.checksum(body)))
            chunks.append((String(decoding: body.prefix(4), as: UTF8.self), Array(body.dropFirst(4))))
            place += 12 + count
        }
        #expect(chunks.map(\.type) == ["IHDR", "IDAT", "IEND"])
        #expect(chunks[0].bytes == [0, 0, 1, 44, 0, 0, 0, 200, 8, 2, 0, 0, 0])
        let rows = try chunks[1].bytes.withSpan { try Zlib.decompress($0, count: 901 * 200) }
        let canvas = Canvas(PlotLayout.drawing(of: picture))
        var above = [UInt8](repeating: 0, count: 900)
        for row in 0..<200 {
            #expect(rows[row * 901] == 2)
            for index in 0..<900 { above[index] &+= rows[row * 901 + 1 + index] }
            let drawn = canvas.pixels[(row * 300)..<(row * 300 + 300)].flatMap { bytes(of: $0) }
            #expect(above == drawn)
        }
    }

    /// The checksum of PNG bit by bit, as its standard describes it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { register, byte in
            (0..<8).reduce(register ^ UInt32(byte)) { register, _ in register >> 1 ^ (register & 1) * 0xEDB8_8320 }
        }
    }

    @Test func `has the pixels that it had`() throws {
        var numbers = SeededGenerator(seed: 7)
        let channels = [voltage, Channel("d+", .volt, decimals: 2), Channel("current", .ampere, decimals: 5)]
        let drawn = try plot(
            channels.map { channel in
                series(of: channel, (0..<196).map { _ in Int64.random(in: 0...9000, using: &numbers) }, gapAfter: [50])
            }, subtitle: "9 rows · Ω µ ° ț 測", end: 7_200_000)
        let colours = Canvas(PlotLayout.drawing(of: drawn)).pixels.flatMap { bytes(of: $0) }
        #expect(colours.withSpan { Zlib.checksum($0) } == 0x95F3_9F9E)
    }

    @Test(arguments: UInt64(1)...40)
    func `is drawn whatever the values, times, names and sizes are, the same each time, and stays in its frame`(
        seed: UInt64
    ) throws {
        var numbers = SeededGenerator(seed: seed)
        func any() -> Int64 {
            numbers.chance(0.2)
                ? [.min, .max, 0].randomElement(using: &numbers)!
                : Int64(bitPattern: numbers.next()) >> Int.random(in: 0...63, using: &numbers)
        }
        let (width, height) = (Int.random(in: 200...420, using: &numbers), Int.random(in: 150...500, using: &numbers))
        let letters = Array("abcWM.µ<&測é\u{301}\u{200D}😀\n ")
        func text() -> String {
            String((0..<Int.random(in: 0...200, using: &numbers)).map { _ in letters.randomElement(using: &numbers)! })
        }
        let count = Int.random(in: 1...500, using: &numbers)
        let all = (0..<Int.random(in: 1...9, using: &numbers)).map { _ in
            let channel = Channel(
                text(), Channel.Unit.allCases.randomElement(using: &numbers)!,
                decimals: Int.random(in: 0...9, using: &numbers))
            let share = [0, 0.1, 0.9, 1].randomElement(using: &numbers)!
            let columns = (0..<count).map { _ in
                numbers.chance(share) ? Cell((0..<3).map { _ in any() }) : nil
            }
            return PlotSeries(
                channel: channel, columns: columns,
                gapAfter: Set((0..<3).map { _ in Int.random(in: -3...(count + 3), using: &numbers) }))
        }
        let (one, second) = (any(), any())
        // Two times that are one are no room to draw in.
        let other = one == second ? one ^ 1 : second
        do {
            let picture = try plot(
                all, title: text(), subtitle: text(), start: min(one, other), end: max(one, other), width: width,
                height: height)
            #expect(picture.svg() == picture.svg())
            #expect(picture.png() == picture.png())
            for element in PlotLayout.drawing(of: picture).elements {
                guard case .text(let text) = element else { continue }
                let room = TextWidth.of(text.string, isBold: text.isBold, scale: 1)
                let left =
                    switch text.anchor {
                    case .start: text.x
                    case .middle: text.x - room / 2
                    case .end: text.x - room
                    }
                #expect(left >= 0 && left + room <= width && text.baseline <= height - 3, "\(text)")
            }
        } catch {
            guard case .tooLow(let needed) = error as? PlotError else { throw error }
            #expect(needed > height)
        }
    }
}
