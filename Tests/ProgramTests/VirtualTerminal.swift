import Testing

/// What a terminal shows of the bytes that a program has written, as far as this program uses one: text, CR, LF, the cursor
/// up, erasing, and the cursor hidden. Anything else is an issue.
struct VirtualTerminal {
    private(set) var (columns, rows): (Int, Int)
    /// Whether a line that is too long for a new size is broken in two; else it is cut.
    let isReflowing: Bool
    /// Whether the cursor shows.
    private(set) var hasCursor = true
    /// How often text went beyond the last column.
    private(set) var overflowCount = 0
    /// The lines that have left the screen at its top.
    private(set) var scrolled: [String] = []
    /// The texts that were shown whenever the cursor was shown again.
    private(set) var frames: [String] = []
    private var lines: [[Character]] = [[]]
    private var (column, row) = (0, 0)
    private var rest = ""

    init(columns: Int, rows: Int, isReflowing: Bool = false) {
        (self.columns, self.rows, self.isReflowing) = (columns, rows, isReflowing)
    }

    /// The lines of the screen, without blanks at their ends and empty lines at its end.
    var text: String {
        let shown = lines.map { String($0[..<(($0.lastIndex { $0 != " " } ?? -1) + 1)]) }
        return shown[..<((shown.lastIndex { !$0.isEmpty } ?? -1) + 1)].joined(separator: "\n")
    }

    /// Takes what a program has written, which may end within a code.
    mutating func take(_ text: String) {
        var rest = Substring(rest + text).unicodeScalars
        while let next = rest.first {
            if next == "\u{1B}" {
                guard let code = Substring(rest).prefixMatch(of: /\u{1B}\[(\??)(\d*)([A-Za-z])/) else { break }
                take(code: String(code.3), isPrivate: !code.1.isEmpty, Int(code.2) ?? 0)
                rest = rest.dropFirst(code.0.unicodeScalars.count)
                continue
            }
            rest = rest.dropFirst()
            switch next {
            case "\r": column = 0
            case "\n": newLine()
            default: put(Character(next))
            }
        }
        self.rest = String(rest)
    }

    private mutating func take(code: String, isPrivate: Bool, _ number: Int) {
        switch (code, isPrivate, number) {
        case ("h", true, 25):
            hasCursor = true
            frames.append(self.text)
        case ("l", true, 25): hasCursor = false
        case ("A", false, 1...): row = max(0, row - number)
        case ("K", false, 0): lines[row] = Array(lines[row].prefix(column))
        case ("J", false, 0):
            lines[row] = Array(lines[row].prefix(column))
            lines.removeSubrange((row + 1)...)
        default: Issue.record("the code \(code) \(number) is not known")
        }
    }

    private mutating func put(_ character: Character) {
        if column >= columns {
            overflowCount += 1
            column = 0
            newLine()
        }
        while lines[row].count <= column { lines[row].append(" ") }
        lines[row][column] = character
        column += 1
    }

    private mutating func newLine() {
        row += 1
        if row == lines.count { lines.append([]) }
        scroll()
    }

    private mutating func scroll() {
        while lines.count > rows {
            scrolled.append(String(lines.removeFirst()))
            row -= 1
        }
    }

    /// Gives the terminal another size.
    mutating func resize(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        var (resized, cursor) = ([[Character]](), (column: 0, row: 0))
        for (index, line) in lines.enumerated() {
            let parts = isReflowing ? stride(from: columns, to: line.count, by: columns).map { $0 } : []
            if index == row {
                let broken = min(parts.count, column / columns)
                cursor = (min(column - broken * columns, columns), resized.count + broken)
            }
            for start in [0] + parts { resized.append(Array(line.dropFirst(start).prefix(columns))) }
        }
        (lines, column, row) = (resized, cursor.column, cursor.row)
        scroll()
        row = max(0, row)
    }
}
