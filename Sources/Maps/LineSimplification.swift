/// A line on the map without the points that nobody would miss.
enum LineSimplification {
    /// How far a line may lie beside one of its points, in tenths of a pixel: less than half the width of a pixel.
    static let tolerance = 4.0

    /// Returns the line without points that lie at most ``tolerance`` beside what is left; both ends stay (Ramer 1972; Douglas
    /// and Peucker 1973).
    ///
    /// - Complexity: The number of points times the number of those that stay, at most.
    static func simplified(_ line: [(x: Int, y: Int)]) -> [(x: Int, y: Int)] {
        guard line.count > 2 else { return line }
        var stays = Array(repeating: false, count: line.count)
        (stays[0], stays[line.count - 1]) = (true, true)
        var open = [0..<line.count - 1]
        while let part = open.popLast() {
            let (start, end) = (part.lowerBound, part.upperBound)
            var farthest = (index: start, distance: Self.tolerance)
            for index in (start + 1)..<end {
                let distance = distance(of: line[index], from: line[start], to: line[end])
                if distance > farthest.distance { farthest = (index, distance) }
            }
            if farthest.index > start {
                stays[farthest.index] = true
                open += [start..<farthest.index, farthest.index..<end]
            }
        }
        return zip(line, stays).filter(\.1).map(\.0)
    }

    /// The distance of a point from the line through two others, or from both if they are one.
    private static func distance(of point: (x: Int, y: Int), from start: (x: Int, y: Int), to end: (x: Int, y: Int))
        -> Double
    {
        let (width, height) = (Double(end.x - start.x), Double(end.y - start.y))
        let (x, y) = (Double(point.x - start.x), Double(point.y - start.y))
        let length = (width * width + height * height).squareRoot()
        return length == 0 ? (x * x + y * y).squareRoot() : abs(width * y - height * x) / length
    }
}
