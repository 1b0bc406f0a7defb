import Foundation
import GroundwaveGeography
import GroundwaveSeededNumbers
import Testing

@Suite struct `A great circle` {
    private func point(_ latitude: Double, _ longitude: Double) throws -> Coordinates {
        try #require(Coordinates(latitude: latitude, longitude: longitude))
    }

    // The expected values are those of another formula, in another language: haversines, and the angle between planes.
    @Test(
        arguments: [
            ([51.4700, -0.4543, 40.6413, -73.7781], 5540.0113, 287.9432),
            ([41.714775, -72.72726, 48.14666, 11.60833], 6336.8636, 52.3533),
            ([-41.28333, 174.745, 38.92, -77.065], 14083.4989, 67.1250),
            ([37.413708, -122.1073236, 35.5494, 139.7798], 8318.3430, 303.4219),
            ([-34.91, -56.21166, -33.9399, 151.1753], 11845.8832, 203.4584), ([0, 179.5, 0, -179.5], 111.1949, 90),
            ([89.9, 0, 89.9, 180], 22.2390, 0), ([10, 20, 10.00001, 20], 0.0011, 0),
        ] as [([Double], Double, Double)])
    func `has length and bearing of known pairs`(places: [Double], kilometres: Double, bearing: Double) throws {
        let way = GreatCircle(from: try point(places[0], places[1]), to: try point(places[2], places[3]))
        #expect(abs(way.kilometres - kilometres) < 0.0001)
        let turn = abs(try #require(way.bearing) - bearing)
        #expect(min(turn, 360 - turn) < 0.0001)
    }

    @Test func `from London to New York is as long as published, within half a percent`() throws {
        // 3451 miles, the distance between the airports LHR and JFK.
        let way = GreatCircle(from: try point(51.4700, -0.4543), to: try point(40.6413, -73.7781))
        #expect(abs(way.kilometres / (3451 * 1.609344) - 1) < 0.005)
    }

    @Test func `between equal points and between antipodes has no direction and no points`() throws {
        let here = try point(41.7, -72.7)
        let none = GreatCircle(from: here, to: here)
        #expect(none.kilometres == 0 && none.bearing == nil && none.points(stepDegrees: 1).isEmpty)
        let half = GreatCircle(from: here, to: try point(-41.7, 107.3))
        #expect(abs(half.kilometres - .pi * 6371) < 0.001)
        #expect(half.bearing == nil && half.points(stepDegrees: 1).isEmpty)
    }

    @Test(arguments: UInt64(1)...300)
    func `has one length both ways, and points between its ends`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        func random() throws -> Coordinates {
            try point(.random(in: -90...90, using: &numbers), .random(in: -180...180, using: &numbers))
        }
        let (start, end) = (try random(), try random())
        let way = GreatCircle(from: start, to: end)
        #expect(abs(way.kilometres - GreatCircle(from: end, to: start).kilometres) < 1e-6)
        #expect((0...(.pi * 6371)).contains(way.kilometres))
        #expect((0..<360).contains(try #require(way.bearing)))
        let opposite = try point(-start.latitude, start.longitude > 0 ? start.longitude - 180 : start.longitude + 180)
        #expect(abs(GreatCircle(from: opposite, to: end).kilometres + way.kilometres - .pi * 6371) < 1e-6)
        let points = way.points(stepDegrees: 3)
        #expect(points.count == max(1, Int((way.kilometres / 6371 * 180 / .pi / 3).rounded(.up))) + 1)
        for (before, after) in zip(points, points.dropFirst()) {
            let step = GreatCircle(from: before, to: after).kilometres
            #expect(step * Double(points.count - 1) - way.kilometres < 1e-3 * way.kilometres)
        }
        for middle in points {
            let parts = GreatCircle(from: start, to: middle).kilometres + GreatCircle(from: middle, to: end).kilometres
            #expect(abs(parts - way.kilometres) < 0.01)
        }
        let first = try #require(points.first)
        let last = try #require(points.last)
        #expect(GreatCircle(from: first, to: start).kilometres < 0.001)
        #expect(GreatCircle(from: last, to: end).kilometres < 0.001)
    }
}
