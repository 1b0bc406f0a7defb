import Foundation

/// The shorter way between two points along a great circle.
///
/// The Earth is taken as a sphere with its mean radius. Distances on the ellipsoid differ by up to 0.5 %, less than what a
/// locator of four characters leaves open. ADIF's DISTANCE does not say which model it is of.
package struct GreatCircle: Sendable {
    /// The mean radius of the Earth in kilometres. Source: IUGG, 6371.0088 km, as rounded for a sphere.
    package static let earthRadius = 6_371.0

    private let start: Vector
    private let end: Vector
    /// The angle between the points, seen from the centre of the Earth, in radians.
    private let angle: Double
    /// The angle between the plane of the meridian of the start and that of the way, in radians.
    private let azimuth: Double

    /// The way from `start` to `end`.
    package init(from start: Coordinates, to end: Coordinates) {
        (self.start, self.end) = (Vector(start), Vector(end))
        let (south, north) = (start.latitude.radians, end.latitude.radians)
        let turn = (end.longitude - start.longitude).radians
        let east = cos(north) * sin(turn)
        let ahead = cos(south) * sin(north) - sin(south) * cos(north) * cos(turn)
        azimuth = atan2(east, ahead)
        // Exact for points that are near each other and for antipodes, unlike an arc cosine.
        angle = atan2(hypot(east, ahead), sin(south) * sin(north) + cos(south) * cos(north) * cos(turn))
    }

    /// The length in kilometres: 0 to 20,015.
    package var kilometres: Double { angle * Self.earthRadius }

    /// Whether every direction is as good as any other: the points are the same, or antipodes, as far as a metre.
    private var isWithoutDirection: Bool { sin(angle) < 1e-7 }

    /// The direction at the start in degrees from north, clockwise: 0 up to, but not including, 360; `nil` if the points
    /// are the same or antipodes.
    package var bearing: Double? {
        if isWithoutDirection { return nil }
        let degrees = azimuth * 180 / .pi
        let turned = degrees < 0 ? degrees + 360 : degrees
        // The sum may be rounded up to a whole turn.
        return turned < 360 ? turned : 0
    }

    /// Returns the points of the way from start to end in equal steps of at most `degrees`; none between points that are the
    /// same or antipodes.
    package func points(stepDegrees degrees: Double) -> [Coordinates] {
        if isWithoutDirection { return [] }
        let count = max(1, Int((angle * 180 / .pi / degrees).rounded(.up)))
        return (0...count).map { index in
            let part = Double(index) / Double(count)
            let (left, right) = (sin((1 - part) * angle) / sin(angle), sin(part * angle) / sin(angle))
            return Vector(
                x: left * start.x + right * end.x, y: left * start.y + right * end.y,
                z: left * start.z + right * end.z
            ).coordinates
        }
    }
}

/// A direction from the centre of the Earth: x to 0° E and y to 90° E at the equator, z to the North Pole.
private struct Vector {
    var x: Double
    var y: Double
    var z: Double

    init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    init(_ point: Coordinates) {
        let (latitude, longitude) = (point.latitude.radians, point.longitude.radians)
        self.init(x: cos(latitude) * cos(longitude), y: cos(latitude) * sin(longitude), z: sin(latitude))
    }

    var coordinates: Coordinates {
        Coordinates(
            checkedLatitude: atan2(z, hypot(x, y)) * 180 / .pi, longitude: atan2(y, x) * 180 / .pi)
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
}
