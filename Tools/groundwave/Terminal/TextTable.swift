/// Rows in aligned columns, separated by two blanks.
struct TextTable {
    private var rows: [[TerminalText]] = []
    private let firstNumber: Int
    private let lastNumber: Int

    /// A table with these headings.
    ///
    /// - Parameters:
    ///   - firstNumber: From this column on, cells are numbers and stand at the right.
    ///   - lastNumber: The last of these columns.
    init(_ headings: [String], numbersFrom firstNumber: Int = .max, to lastNumber: Int = .max) {
        self.firstNumber = firstNumber
        self.lastNumber = lastNumber
        append(headings)
    }

    /// Adds a row.
    mutating func append(_ row: [TerminalText]) { rows.append(row) }

    /// Adds a row; control characters in it show as symbols.
    mutating func append(_ row: [String]) { rows.append(row.map { TerminalText($0) }) }

    /// The lines, without blanks at their ends; on a terminal as wide as it is, where columns of eight allow that.
    var lines: [TerminalText] { lines(within: Terminal.columns) }

    /// The lines, without blanks at their ends.
    ///
    /// - Parameter limit: How many columns of the terminal a line may take; `nil` for any number. Texts are cut, those of the
    ///   widest column first, but numbers never, nor ids and times, which are of one width.
    func lines(within limit: Int?) -> [TerminalText] {
        let widths = widths(within: limit ?? .max)
        return rows.map { row in
            var line = TerminalText()
            // Blanks are written where text follows.
            var blanks = 0
            for (column, cell) in row.enumerated() {
                let cell = cell.width > widths[column] ? cell.cut(to: widths[column]) : cell
                let isNumber = isNumber(column)
                if isNumber { blanks += widths[column] - cell.width }
                if !cell.isEmpty {
                    line += .blanks(blanks)
                    line += cell
                    blanks = 0
                }
                if !isNumber { blanks += widths[column] - cell.width }
                blanks += 2
            }
            return line.withoutTrailingBlanks
        }
    }

    private func isNumber(_ column: Int) -> Bool { column >= firstNumber && column <= lastNumber }

    private func widths(within limit: Int) -> [Int] {
        let columns = rows.map(\.count).max() ?? 0
        var widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].width : 0 }.max() ?? 0 }
        var total = widths.reduce(0, +) + 2 * (columns - 1)
        if total <= limit { return widths }
        let texts = (0..<columns).filter { column in
            let found = Set(rows.dropFirst().map { column < $0.count ? $0[column].width : 0 })
            return !isNumber(column) && found.count > 1
        }
        while total > limit, let widest = texts.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.leastWidth {
            widths[widest] -= 1
            total -= 1
        }
        return widths
    }

    /// A column of texts is not made narrower than this.
    private static let leastWidth = 8

    /// Prints the lines, the headings in bold.
    func print() throws {
        let lines = lines
        try Terminal.print(lines: lines.prefix(1).map { Terminal.styled($0, .bold) } + lines.dropFirst())
    }
}
