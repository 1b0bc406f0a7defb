/// The line of one channel through its columns: within a column from its least to its greatest value, then from its
/// last value to the first value of the next column that has any.
struct SeriesPath {
    /// The left edge of the columns and their total width, in tenths of a pixel.
    let left: Int
    let width: Int
    /// The position of the lowest value of the axis, and the height of the axis, in tenths of a pixel.
    let bottom: Int
    let height: Int
    let axis: ValueAxis

    private typealias Point = Drawing.Point

    /// Returns the lines of `series`, broken where rows are missing or only their range is known.
    func lines(of series: PlotSeries) -> [[Drawing.Point]] {
        let count = series.columns.count
        let brokenBehind = series.brokenBehind
        let factor = axis.factor(of: series.channel)
        var lines: [[Point]] = []
        var line: [Point] = []
        var before: ClosedRange<Int>?
        for (index, cell) in series.columns.enumerated() {
            if let cell {
                let x = Self.centre(of: index, count: count, left: left, width: width)
                let (first, last) = (y(cell.first, factor), y(cell.last, factor))
                let (top, foot) = (y(cell.greatest, factor), y(cell.least, factor))
                let range = min(top, foot)...max(top, foot)
                // Between two adjacent columns, a connection inside the filled part of both is invisible.
                if let end = line.last, let before, x - end.x <= 10,
                    range.overlaps(before), hides(range.clamped(to: before), end.y, first)
                {
                    lines.append(line)
                    line = []
                }
                let isTopFirst = abs(first - top) <= abs(first - foot)
                append(Point(x: x, y: first), to: &line)
                append(Point(x: x, y: isTopFirst ? top : foot), to: &line)
                append(Point(x: x, y: isTopFirst ? foot : top), to: &line)
                append(Point(x: x, y: last), to: &line)
                before = range
            }
            if brokenBehind.contains(index), !line.isEmpty {
                lines.append(line)
                line = []
                before = nil
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    /// Returns the rectangle of `band`, at least `leastHeight` pixels high; `nil` if it is in no column of `series`.
    func rectangle(
        of band: PlotSeries.Band, in series: PlotSeries, leastHeight: Int, _ colour: Drawing.Colour
    ) -> Drawing.Rectangle? {
        let count = series.columns.count
        guard band.columns.overlaps(0...count - 1), band.least <= band.greatest else { return nil }
        let columns = band.columns.clamped(to: 0...count - 1)
        let factor = axis.factor(of: series.channel)
        func edge(_ column: Int) -> Int { (left + column * width / count) / 10 }
        let (top, foot) = (y(band.greatest, factor) / 10, y(band.least, factor) / 10)
        let room = max(0, leastHeight - (foot - top))
        let start = edge(columns.lowerBound)
        return Drawing.Rectangle(
            x: start, y: top - room / 2, width: max(edge(columns.upperBound + 1) - start, 1), height: foot - top + room,
            colour: colour)
    }

    /// Returns the middle of column `index` of `count`, in tenths of a pixel.
    static func centre(of index: Int, count: Int, left: Int, width: Int) -> Int {
        left + (2 * index + 1) * width / (2 * count)
    }

    /// Whether both ends of a line are far enough inside `range` to hide its width and its round ends.
    private func hides(_ range: ClosedRange<Int>, _ one: Int, _ other: Int) -> Bool {
        range.lowerBound + 10 <= min(one, other) && max(one, other) <= range.upperBound - 10
    }

    private func y(_ value: Int64, _ factor: Int128) -> Int {
        bottom - axis.offset(of: Int128(value) * factor, in: height)
    }

    /// Appends a point, unless it repeats the last one; a point that only extends the last segment replaces its end.
    private func append(_ point: Point, to line: inout [Point]) {
        guard let end = line.last else {
            line.append(point)
            return
        }
        guard end != point else { return }
        if line.count >= 2 {
            let before = line[line.count - 2]
            let isLevel = before.y == end.y && end.y == point.y && (end.x > before.x) == (point.x > end.x)
            let isUpright = before.x == end.x && end.x == point.x && (end.y > before.y) == (point.y > end.y)
            if isLevel || isUpright { line.removeLast() }
        }
        line.append(point)
    }
}
