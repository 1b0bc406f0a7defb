import GroundwaveGeography
import Testing

@Suite struct `A point` {
    private func point(_ latitude: String, _ longitude: String) -> Coordinates? {
        Coordinates(adifLatitude: latitude.utf8, longitude: longitude.utf8)
    }

    // 42.895′ are 42.895 / 60 degrees.
    @Test(
        arguments: [
            ("N041 42.895", "W072 43.639", 41.714916667, -72.727316667),
            ("s000 30.000", "e179 59.999", -0.5, 179.999983333),
            ("N090 00.000", "E180 00.000", 90, -180), ("S090 00.000", "W180 00.000", -90, -180),
            ("N000 00.000", "W000 00.000", 0, 0),
        ] as [(String, String, Double, Double)])
    func `is read as ADIF writes it`(latitude: String, longitude: String, north: Double, east: Double) throws {
        let point = try #require(self.point(latitude, longitude))
        #expect(abs(point.latitude - north) < 1e-8 && abs(point.longitude - east) < 1e-8)
    }

    @Test(arguments: [
        ("", ""), ("N041 42.895", ""), ("41.7149", "-72.7273"), ("W072 43.639", "N041 42.895"),
        ("N091 00.000", "W072 43.639"), ("N090 00.001", "W072 43.639"), ("N041 60.000", "W072 43.639"),
        ("N041 42.895", "W180 00.001"), ("N041 42.895", "W999 00.000"), ("N41 42.8950", "W072 43.639"),
        ("N041-42.895", "W072 43.639"), ("N041 42,895", "W072 43.639"), ("N041 42.89", "W072 43.639"),
        ("N041 42.8950", "W072 43.639"), ("N0-1 42.895", "W072 43.639"), (".041 42.895", "W072 43.639"),
    ])
    func `is refused in any other form, and out of range`(latitude: String, longitude: String) {
        #expect(point(latitude, longitude) == nil)
    }

    @Test func `has a latitude up to the poles and a longitude up to half a turn`() {
        #expect(Coordinates(latitude: 90.1, longitude: 0) == nil && Coordinates(latitude: -90.1, longitude: 0) == nil)
        #expect(Coordinates(latitude: 0, longitude: 180.1) == nil && Coordinates(latitude: 0, longitude: -180.1) == nil)
        #expect(Coordinates(latitude: .nan, longitude: 0) == nil && Coordinates(latitude: 0, longitude: .nan) == nil)
        #expect(Coordinates(latitude: .infinity, longitude: 0) == nil)
        #expect(Coordinates(latitude: 0, longitude: 180) == Coordinates(latitude: 0, longitude: -180))
    }
}
