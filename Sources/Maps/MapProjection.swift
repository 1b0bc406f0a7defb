import GroundwaveGeography

/// Where points of the Earth are on the map: three pixels to a degree, both ways. Coordinates are in tenths of a pixel.
enum MapProjection {
    /// The size of the picture in pixels.
    static let (width, height) = (1200, 640)
    static let (left, top) = (600, 570)
    static let (mapWidth, mapHeight) = (10_800, 5400)
    static var right: Int { left + mapWidth }
    static var bottom: Int { top + mapHeight }
    /// The number of tenths of a pixel in a degree.
    static let scale = 30

    static func x(_ longitude: Double) -> Int { left + Int(((longitude + 180) * Double(scale)).rounded()) }
    static func y(_ latitude: Double) -> Int { top + Int(((90 - latitude) * Double(scale)).rounded()) }

    /// Returns the lines of `points`: a step across 180° E ends one at an edge of the map and begins another at the other.
    static func lines(_ points: [Coordinates]) -> [[(x: Int, y: Int)]] {
        guard var before = points.first else { return [] }
        var lines = [[(x(before.longitude), y(before.latitude))]]
        for point in points.dropFirst() {
            let step = point.longitude - before.longitude
            if abs(step) > 180 {
                // Seen from `before`, the point lies beyond the edge.
                let edge = step > 0 ? -180.0 : 180.0
                let turned = step > 0 ? step - 360 : step + 360
                let share = turned == 0 ? 0 : (edge - before.longitude) / turned
                let crossing = y(before.latitude + share * (point.latitude - before.latitude))
                lines[lines.count - 1].append((x(edge), crossing))
                lines.append([(x(-edge), crossing)])
            }
            lines[lines.count - 1].append((x(point.longitude), y(point.latitude)))
            before = point
        }
        return lines
    }
}
