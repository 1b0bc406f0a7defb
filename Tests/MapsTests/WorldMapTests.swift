import Foundation
import GroundwaveGeography
import Testing

@testable import GroundwaveMaps

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The elements of a picture, as another parser reads them.
final class PictureParser: NSObject, XMLParserDelegate {
    struct Element {
        var name: String
        var attributes: [String: String]
        /// The class of the group that it is in.
        var group: String
        var text = ""
    }

    private(set) var elements: [Element] = []
    private var groups: [String] = []

    /// Parses `svg`; `nil` if it is not well-formed.
    init?(_ svg: String) {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        guard parser.parse() else { return nil }
        for index in elements.indices {
            elements[index].text = elements[index].text.trimmingCharacters(in: .newlines)
        }
    }

    func parser(
        _: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        elements.append(Element(name: name, attributes: attributes, group: groups.last ?? ""))
        if name == "g" { groups.append(attributes["class"] ?? "") }
    }

    func parser(_: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if name == "g" { groups.removeLast() }
    }

    func parser(_: XMLParser, foundCharacters text: String) {
        if !elements.isEmpty { elements[elements.count - 1].text += text }
    }

    func all(_ name: String, in group: String? = nil) -> [Element] {
        elements.filter { $0.name == name && (group == nil || $0.group == group) }
    }

    func path(_ id: String) -> String? { elements.first { $0.attributes["id"] == id }?.attributes["d"] }
}

@Suite struct `A map of the world` {
    private func locator(_ text: String) throws -> Locator { try #require(Locator(text.utf8)) }

    private func worked(_ squares: [(String, Int)], from own: String? = "FN31pr") throws -> WorkedSquares {
        let station = try own.map { try locator($0) }
        let origin = try station.map { (square: try #require($0.square), point: $0.centre) }
        var worked = WorkedSquares()
        for (square, count) in squares {
            for _ in 0..<count { worked.add([try locator(square)], band: "20m", from: origin) }
        }
        return worked
    }

    private func picture(_ worked: WorkedSquares, title: String = "N0CALL") throws -> PictureParser {
        try #require(PictureParser(WorldMap(title: title, subtitle: "", worked: worked).svg()))
    }

    @Test func `has each worked square once, in its place and in the colour of its count`() throws {
        let counts = [("JO65", 1), ("AA00", 2), ("RR99", 4), ("FN31", 5), ("JN58", 19), ("EM10", 20), ("QF56", 100)]
        let picture = try picture(try worked(counts))
        let squares = picture.all("rect", in: "squares")
        #expect(squares.count == counts.count)
        // Three pixels a degree from 180° W, at 60, and from the North Pole, at 57.
        #expect(squares.map { "\($0.attributes["x"] ?? "") \($0.attributes["y"] ?? "")" }.contains("60 594"))
        let titles = picture.all("title", in: "squares").map(\.text)
        #expect(Set(titles) == Set(counts.map { "\($0): \($1) contact\($1 == 1 ? "" : "s")" }))
        // JO65 is from 12° E and 55° N, so its upper left corner is at 60 + 192 × 3, 57 + 34 × 3.
        let only = try #require(squares.first)
        #expect(only.attributes == ["x": "636", "y": "159", "width": "6", "height": "3"])
        let groups = picture.all("g").filter { $0.attributes["class"] == "squares" }
        #expect(groups.map { $0.attributes["fill"] } == ["#fdae6b", "#f16913", "#d62f1f", "#99000d", "#4a0010"])
    }

    @Test func `has a dot for the own station, and at most one way to each square`() throws {
        let picture = try picture(try worked([("FN31", 3), ("FN32", 50), ("EM10", 7)]))
        let stations = picture.all("circle").filter { $0.attributes["class"] == "station" }
        #expect(stations.count == 1)
        // FN31pr: 72.7083° W, 41.7292° N.
        #expect(stations.first?.attributes["cx"] == "381.9" && stations.first?.attributes["cy"] == "201.8")
        #expect(picture.path("ways")?.count { $0 == "M" } == 2)
        let without = try self.picture(try worked([("FN31", 3)], from: nil))
        #expect(without.path("ways") == nil && without.all("circle").count == 1)
    }

    @Test func `splits a way across 180° E at both edges`() throws {
        let points = try [(0.0, 170.0), (10, -170), (20, -160)].map {
            try #require(Coordinates(latitude: $0, longitude: $1))
        }
        // 180° E is at 1140 pixels, 180° W at 60; the crossing is at 5° N, 57 + 85 × 3.
        let lines = MapProjection.lines(points)
        #expect(lines.map { $0.map(\.x) } == [[11_100, 11_400], [600, 900, 1200]])
        #expect(lines.map { $0.map(\.y) } == [[3270, 3120], [3120, 2970, 2670]])
        #expect(MapProjection.lines(points.reversed()).map { $0.map(\.x) } == [[1200, 900, 600], [11_400, 11_100]])
        let picture = try picture(try worked([("QF56", 1)], from: "CM87"))
        #expect(picture.path("ways")?.count { $0 == "M" } == 2)
    }

    @Test func `draws a way with few points, none of which is missed by more than half a pixel`() throws {
        for (latitude, longitude) in [(50.0, 10.0), (-33, 151), (64, -21), (1, 103), (48.5, 9)] {
            let end = try #require(Coordinates(latitude: latitude, longitude: longitude))
            let start = try #require(Coordinates(latitude: 48, longitude: 8.5))
            for line in MapProjection.lines(GreatCircle(from: start, to: end).points(stepDegrees: 3)) {
                let drawn = LineSimplification.simplified(line)
                #expect(drawn.count <= 24 && drawn.first! == line.first! && drawn.last! == line.last!)
                // What is drawn, in four hundred steps for each piece.
                let dots = zip(drawn, drawn.dropFirst()).flatMap { from, to in
                    (0...400).map { (from.x + (to.x - from.x) * $0 / 400, from.y + (to.y - from.y) * $0 / 400) }
                }
                for point in line where line.count > 1 {
                    let nearest = dots.map { hypot(Double($0.0 - point.x), Double($0.1 - point.y)) }.min() ?? .infinity
                    #expect(nearest < 6, "\(point) is \(nearest) tenths of a pixel away")
                }
            }
        }
        let bend = [(0, 0), (10, 0), (20, 0), (30, 90), (0, 0)]
        #expect(LineSimplification.simplified(bend.map { (x: $0.0, y: $0.1) }).map(\.y) == [0, 0, 90, 0])
    }

    @Test func `escapes its texts and has neither scripts nor anything from elsewhere`() throws {
        let title = "<script>&\"\u{0}"
        let svg = WorldMap(title: title, subtitle: "]]>", worked: try worked([("FN31", 1)])).svg()
        let picture = try #require(PictureParser(svg))
        #expect(picture.all("script").isEmpty && !svg.contains("href") && !svg.contains("url("))
        #expect(picture.all("text").first?.text == "<script>&\"\u{FFFD}")
        let root = try #require(picture.elements.first)
        #expect(root.attributes["width"] == "1200" && root.attributes["height"] == "640")
    }

    @Test func `names all fields`() throws {
        let texts = Set(try picture(try worked([])).all("text").map(\.text))
        for first in "ABCDEFGHIJKLMNOPQR" {
            for second in "ABCDEFGHIJKLMNOPQR" { #expect(texts.contains("\(first)\(second)")) }
        }
    }
}

@Suite struct `The outline of the land` {
    /// Whether a point is inside an odd number of rings, by the edges that a line from it to the east crosses.
    private func isLand(_ latitude: Double, _ longitude: Double) -> Bool {
        let (x, y) = (longitude * 10, latitude * 10)
        var isInside = false
        for ring in LandOutline.rings {
            for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
                let (ax, ay, bx, by) = (
                    Double(a.longitude), Double(a.latitude), Double(b.longitude), Double(b.latitude)
                )
                if (ay > y) != (by > y), x < ax + (y - ay) / (by - ay) * (bx - ax) { isInside.toggle() }
            }
        }
        return isInside
    }

    @Test func `has cities on land and the middles of seas off it`() {
        let cities: [(Double, Double)] = [
            (41.7, -72.8), (48.1, 11.6), (52.5, 13.4), (-35.3, 149.1), (-15.8, -47.9), (-1.3, 36.8), (28.6, 77.2),
            (55.8, 37.6), (39.9, 116.4), (-80, 0), (72, -40), (65, -18), (66, 179),
        ]
        for (latitude, longitude) in cities { #expect(isLand(latitude, longitude), "\(latitude) \(longitude)") }
        let seas: [(Double, Double)] = [
            (0.0, 0.0), (30, -45), (-30, -120), (0, 180), (42, 51), (35, 18), (-40, 80), (88, 0), (58, 20), (43.3, 34),
        ]
        for (latitude, longitude) in seas { #expect(!isLand(latitude, longitude), "\(latitude) \(longitude)") }
    }

    @Test func `stays on the map`() {
        #expect(LandOutline.rings.count > 100)
        for point in LandOutline.rings.joined() {
            #expect((-1800...1800).contains(point.longitude) && (-900...900).contains(point.latitude))
        }
    }
}
