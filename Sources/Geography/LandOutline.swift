/// The outline of the land, for maps of the whole world: good to a quarter of a degree.
///
/// Source: Natural Earth, 1:110 million, in the public domain.
package enum LandOutline {
    /// A point in tenths of a degree: longitude -1800 to 1800, latitude -900 to 900.
    package struct Point: Hashable, Sendable {
        package var longitude: Int
        package var latitude: Int
    }

    /// Rings around the land and, within them, around lakes: each ends where it begins, without repeating the point. None
    /// crosses 180° E.
    package static let rings: [[Point]] = LandOutlineSource.rings.split(separator: "\n").map { line in
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        var point = Point(longitude: 0, latitude: 0)
        return stride(from: 0, to: numbers.count - 1, by: 2).map { index in
            point.longitude += numbers[index]
            point.latitude += numbers[index + 1]
            return point
        }
    }
}
