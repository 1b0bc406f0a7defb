import GroundwaveGeography
import GroundwaveSeededNumbers
import Testing

@Suite struct `A locator` {
    private func locator(_ text: String) -> Locator? { Locator(text.utf8) }

    // The published examples for conversions, which several programs test with, and the poles and edges by hand.
    @Test(
        arguments: [
            ("JN58td", 48.14666, 11.60833), ("GF15vc", -34.91, -56.21166), ("FM18lw", 38.92, -77.065),
            ("RE78ir", -41.28333, 174.745), ("FN31pr", 41.714775, -72.727260), ("CM87wj", 37.413708, -122.1073236),
            ("AA00aa", -90, -180), ("AR09ax", 90, -180), ("AA00aa", -90, 180), ("JJ00aa", 0, 0),
            ("II99xx", -0.001, -0.001),
        ] as [(String, Double, Double)])
    func `of a known point is the published one`(text: String, latitude: Double, longitude: Double) throws {
        let point = try #require(Coordinates(latitude: latitude, longitude: longitude))
        for length in [2, 4, 6] { #expect("\(Locator(containing: point, length: length))" == text.prefix(length)) }
        #expect(locator(text)?.contains(point) == true)
    }

    // FN31pr: 5 × 20° + 3 × 2° + 15 × 5′ from 180° W, 13 × 10° + 1 × 1° + 17 × 2.5′ from the South Pole.
    @Test(
        arguments: [
            ("FN", -80, 40, 20, 10), ("fn31", -74, 41, 2, 1),
            ("Fn31PR", -72.75, 41.7083333333, 0.0833333333, 0.0416666667),
            ("FN31pr45", -72.7166666667, 41.7291666667, 0.0083333333, 0.0041666667), ("RR99", 178, 89, 2, 1),
            ("AA00", -180, -90, 2, 1),
        ] as [(String, Double, Double, Double, Double)])
    func `is a cell of degrees`(text: String, west: Double, south: Double, width: Double, height: Double) throws {
        let cell = try #require(locator(text))
        #expect(abs(cell.west - west) < 1e-9 && abs(cell.south - south) < 1e-9)
        #expect(abs(cell.width - width) < 1e-9 && abs(cell.height - height) < 1e-9)
        #expect(abs(cell.centre.longitude - west - width / 2) < 1e-9)
        #expect(abs(cell.centre.latitude - south - height / 2) < 1e-9)
        #expect(cell.length == text.count)
    }

    @Test(arguments: [
        "", "F", "FN3", "FN31p", "FN31pr4", "FN31pr45xx", "SN31", "FS31", "FNAB", "F131", "FN31yr", "FN31pz",
        "FN31pr4x",
        "FN 1", " FN3", "FN31 ", "ＦＮ31", "FN\u{0}1", "[N31", "@N31", "fn31`r",
    ])
    func `is refused in any other form`(text: String) { #expect(locator(text) == nil) }

    @Test func `has a square of four characters, but a field has none`() {
        #expect(locator("fn31PR45")?.square.map { "\($0)" } == "FN31")
        #expect(locator("FN31")?.square == locator("FN31"))
        #expect(locator("FN")?.square == nil)
    }

    @Test(arguments: UInt64(1)...200)
    func `of its own middle is the same, and so is its text`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for length in [2, 4, 6, 8] {
            let letters = [("A", 18), ("0", 10), ("a", 24), ("0", 10)]
            var text = ""
            for (first, count) in letters.prefix(length / 2) {
                for _ in 0..<2 {
                    let scalar = Unicode.Scalar(first)!.value + UInt32.random(in: 0..<UInt32(count), using: &numbers)
                    text.unicodeScalars.append(Unicode.Scalar(scalar)!)
                }
            }
            let cell = try #require(locator(text))
            #expect("\(cell)" == text)
            #expect(Locator(containing: cell.centre, length: length) == cell)
            #expect(locator(text.uppercased()) == cell && locator(text.lowercased()) == cell)
        }
    }

    @Test(arguments: UInt64(1)...200)
    func `of any point has the point between its edges, and lies in the locators with fewer characters`(seed: UInt64)
        throws
    {
        var numbers = SeededGenerator(seed: seed)
        let point = try #require(
            Coordinates(
                latitude: .random(in: -90...90, using: &numbers), longitude: .random(in: -180...180, using: &numbers)))
        for length in [2, 4, 6, 8] {
            let cell = Locator(containing: point, length: length)
            #expect(cell.contains(point))
            #expect((cell.west - 1e-9...cell.west + cell.width + 1e-9).contains(point.longitude))
            #expect((cell.south - 1e-9...cell.south + cell.height + 1e-9).contains(point.latitude))
            #expect("\(Locator(containing: point, length: 8))".hasPrefix("\(cell)"))
        }
    }
}
