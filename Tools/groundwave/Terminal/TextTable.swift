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

    /// The lines, without blanks at their ends.
    var lines: [TerminalText] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].width : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = TerminalText()
            // Blanks are written where text follows.
            var blanks = 0
            for (column, cell) in row.enumerated() {
                let isNumber = column >= firstNumber && column <= lastNumber
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

    /// Prints the lines, the headings in bold.
    func print() throws {
        let lines = lines
        try Terminal.print(lines: lines.prefix(1).map { Terminal.styled($0, .bold) } + lines.dropFirst())
    }
}
