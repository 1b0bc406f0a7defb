/// The samples of a picture that a stroke covers: 16 for each pixel, four rows of four.
///
/// Lengths are in fortieths of a pixel: samples are ten apart, and the first is five from the edge of its pixel. Sample
/// rows and columns are numbered through the picture, four for each pixel.
struct StrokeSamples {
    private let width: Int
    private let height: Int
    /// The samples of each pixel, row by row: the lowest bit is the upper left sample, and the next one is right of it.
    private var bits: [UInt16]
    /// The rows and columns of pixels that may have samples.
    private var rows: Range<Int>?
    private var columns: Range<Int> = 0..<0

    /// Creates an empty set for a picture of this size.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        bits = Array(repeating: 0, count: width * height)
    }

    /// Adds the samples that `stroke` covers, clipped to the picture.
    mutating func cover(_ stroke: Drawing.Stroke) {
        let radius = stroke.width * 2
        for line in stroke.lines {
            var before: Drawing.Point?
            for point in line {
                let end = Drawing.Point(x: point.x * 4, y: point.y * 4)
                coverDisc(end, radius)
                if let before { coverSegment(before, end, radius) }
                before = end
            }
        }
    }

    /// Passes each row that may have samples to `body`, with the index of its first pixel, and clears the samples.
    mutating func takeRows(_ body: (_ row: Int, _ left: Int, _ bits: ArraySlice<UInt16>) -> Void) {
        guard let rows else { return }
        for row in rows {
            let range = (row * width + columns.lowerBound)..<(row * width + columns.upperBound)
            body(row, columns.lowerBound, bits[range])
            for index in range { bits[index] = 0 }
        }
        self.rows = nil
        columns = 0..<0
    }

    /// Covers a disc: a round end or corner of a line.
    private mutating func coverDisc(_ centre: Drawing.Point, _ radius: Int) {
        for row in Self.samples(centre.y - radius, centre.y + radius) {
            let distance = row * 10 + 5 - centre.y
            let half = Self.squareRoot(radius * radius - distance * distance)
            cover(row, centre.x - half, centre.x + half)
        }
    }

    /// Covers the area within `radius` of a line on both sides. The ends are straight: discs make them round.
    private mutating func coverSegment(_ one: Drawing.Point, _ other: Drawing.Point, _ radius: Int) {
        let (start, end) = one.y <= other.y ? (one, other) : (other, one)
        if start.x == end.x {
            coverBox(start.x - radius, start.x + radius, start.y, end.y)
            return
        }
        if start.y == end.y {
            coverBox(min(start.x, end.x), max(start.x, end.x), start.y - radius, start.y + radius)
            return
        }
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let lengthSquared = dx * dx + dy * dy
        // A point is in the area if it is at most `radius` away from the line, and between its ends. In each sample
        // row, both conditions hold from `least` through `most`.
        let aside = Self.squareRoot(radius * radius * lengthSquared)
        for row in Self.samples(start.y - radius, end.y + radius) {
            let down = row * 10 + 5 - start.y
            var least = -Self.floor(aside - dx * down, dy)
            var most = Self.floor(aside + dx * down, dy)
            if dx > 0 {
                least = max(least, -Self.floor(dy * down, dx))
                most = min(most, Self.floor(lengthSquared - dy * down, dx))
            } else {
                least = max(least, -Self.floor(lengthSquared - dy * down, -dx))
                most = min(most, Self.floor(dy * down, -dx))
            }
            if least <= most { cover(row, start.x + least, start.x + most) }
        }
    }

    /// Covers a rectangle. Most of a plot is tall rectangles, so they are filled a pixel at a time, not a sample row.
    private mutating func coverBox(_ left: Int, _ right: Int, _ top: Int, _ bottom: Int) {
        let samples = Self.samples(left, right).clamped(to: 0..<(width * 4))
        let sampleRows = Self.samples(top, bottom).clamped(to: 0..<(height * 4))
        guard !samples.isEmpty, !sampleRows.isEmpty else { return }
        let (firstRow, lastRow) = (sampleRows.lowerBound / 4, (sampleRows.upperBound - 1) / 4)
        let (first, last) = (samples.lowerBound / 4, (samples.upperBound - 1) / 4)
        include(firstRow, first, last)
        include(lastRow, first, last)
        for row in firstRow...lastRow {
            var inRow = UInt16.max
            if row == firstRow { inRow &= .max << UInt16(sampleRows.lowerBound % 4 * 4) }
            if row == lastRow { inRow &= .max >> UInt16(12 - (sampleRows.upperBound - 1) % 4 * 4) }
            for pixel in first...last {
                bits[row * width + pixel] |= Self.mask(samples, of: pixel, first, last) * 0x1111 & inRow
            }
        }
    }

    /// Covers the samples of sample row `row` from `left` through `right`.
    private mutating func cover(_ row: Int, _ left: Int, _ right: Int) {
        let samples = Self.samples(left, right).clamped(to: 0..<(width * 4))
        guard !samples.isEmpty, row >= 0, row < height * 4 else { return }
        let (first, last) = (samples.lowerBound / 4, (samples.upperBound - 1) / 4)
        include(row / 4, first, last)
        for pixel in first...last {
            bits[row / 4 * width + pixel] |= Self.mask(samples, of: pixel, first, last) << UInt16(row % 4 * 4)
        }
    }

    /// Returns which of the four samples of `pixel` in a sample row are in `samples`, as a mask. `samples` begin in
    /// pixel `first` and end in pixel `last`.
    private static func mask(_ samples: Range<Int>, of pixel: Int, _ first: Int, _ last: Int) -> UInt16 {
        var mask: UInt16 = 0xF
        if pixel == first { mask &= 0xF << UInt16(samples.lowerBound % 4) }
        if pixel == last { mask &= 0xF >> UInt16(3 - (samples.upperBound - 1) % 4) }
        return mask
    }

    /// Marks the pixels `first` through `last` of a row of pixels as ones that may have samples.
    private mutating func include(_ row: Int, _ first: Int, _ last: Int) {
        guard let rows else {
            (rows, columns) = (row..<(row + 1), first..<(last + 1))
            return
        }
        if !rows.contains(row) { self.rows = min(rows.lowerBound, row)..<max(rows.upperBound, row + 1) }
        if first < columns.lowerBound || last >= columns.upperBound {
            columns = min(columns.lowerBound, first)..<max(columns.upperBound, last + 1)
        }
    }

    /// Returns the numbers of the samples, across or down, at positions from `start` through `end`.
    private static func samples(_ start: Int, _ end: Int) -> Range<Int> {
        let first = -floor(5 - start, 10)
        return first..<max(first, floor(end - 5, 10) + 1)
    }

    /// Returns the quotient rounded down; `divisor` is positive.
    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// Returns the greatest integer whose square is at most `value`; 0 for negative values.
    private static func squareRoot(_ value: Int) -> Int {
        guard value > 0 else { return 0 }
        // IEEE 754 square roots are correctly rounded on every machine; at most a step or two remains.
        var root = Int(Double(value).squareRoot())
        while root * root > value { root -= 1 }
        while (root + 1) * (root + 1) <= value { root += 1 }
        return root
    }
}
