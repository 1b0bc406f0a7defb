/// A line of values as braille characters, of which each has two columns of four dots.
enum BrailleChart {
    /// Returns `rows` lines with a dot column for each of `columns`: its dots from the least to the greatest value, none
    /// where there are no values.
    ///
    /// - Parameter range: The values of the lowest and the highest dot. If they are equal, all dots are half-way up.
    static func lines(_ columns: [ClosedRange<Double>?], rows: Int, in range: ClosedRange<Double>) -> [String] {
        let dotCount = 4 * rows
        var cells = Array(repeating: [UInt32](repeating: 0, count: (columns.count + 1) / 2), count: rows)
        for (column, values) in columns.enumerated() {
            guard let values else { continue }
            let (low, high) = (dot(values.lowerBound, dotCount, range), dot(values.upperBound, dotCount, range))
            for dot in low...high {
                let fromTop = dotCount - 1 - dot
                cells[fromTop / 4][column / 2] |= bits[column % 2][fromTop % 4]
            }
        }
        return cells.map { line in String(String.UnicodeScalarView(line.compactMap(character))) }
    }

    // Source: Unicode, Braille Patterns: dots 1, 2, 3, 7 are the left column from the top, 4, 5, 6, 8 the right one.
    private static let bits: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]

    private static func character(_ bits: UInt32) -> Unicode.Scalar? { bits == 0 ? " " : Unicode.Scalar(0x2800 + bits) }

    /// The dot of `value`, counted from the lowest.
    private static func dot(_ value: Double, _ count: Int, _ range: ClosedRange<Double>) -> Int {
        let height = range.upperBound - range.lowerBound
        guard height > 0 else { return count / 2 }
        return Int(((value - range.lowerBound) / height * Double(count - 1)).rounded())
    }
}
