import Foundation

/// The part of a terminal on which lines are shown that are replaced by the next ones: the last lines that were written.
///
/// Draws without an alternate screen and without a handler for its size, so that the last lines stay. Pure: returns what is
/// to be written, all of a frame at once.
struct Screen {
    /// The size of a terminal, in characters.
    struct Size: Equatable {
        var columns: Int
        var rows: Int

        /// What is assumed of a terminal that does not say its size.
        static let usual = Size(columns: 80, rows: 24)

        /// The size of the terminal with this descriptor at this moment.
        static func of(_ descriptor: Int32) -> Size {
            var size = winsize()
            let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
            if !isKnown { return .usual }
            return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
        }
    }

    /// The lines that are shown; the cursor is behind the last one.
    private(set) var lines: [TerminalText] = []
    /// Whether the cursor is in the first line instead.
    private var isInFirstLine = false
    private let showCursor = "\u{1B}[?25h"

    /// Replaces what is shown by `lines`, as many and as much of each as fit on a terminal of `size`. One column stays
    /// free, so that the cursor is never beyond the last one.
    ///
    /// The cursor is hidden while they are drawn only: it is there however the program ends.
    mutating func draw(_ lines: [TerminalText], on size: Size) -> String {
        let start = beginning(on: size)
        isInFirstLine = false
        self.lines = lines.prefix(size.rows).map { $0.cut(to: size.columns - 1) }
        let text = self.lines.map { "\($0.content)\u{1B}[K" }.joined(separator: "\r\n")
        return "\u{1B}[?25l\(start)\(text)\u{1B}[J\(showCursor)"
    }

    /// As ``draw(_:on:)``, with the cursor in the first line, behind `before`, which that line begins with.
    mutating func draw(_ lines: [TerminalText], before: TerminalText, on size: Size) -> String {
        let text = draw(lines, on: size)
        let up = max(0, self.lines.count - 1)
        isInFirstLine = true
        let cursor = (up > 0 ? "\u{1B}[\(up)A\r" : "\r") + before.cut(to: size.columns - 1).content
        return text.dropLast(showCursor.count) + cursor + showCursor
    }

    /// Removes what is shown.
    mutating func clear(on size: Size) -> String {
        if lines.isEmpty { return "" }
        defer { lines = [] }
        return "\(beginning(on: size))\u{1B}[J"
    }

    /// Leaves what is shown where it is: what follows is below it.
    mutating func leave() -> String {
        if lines.isEmpty { return "" }
        lines = []
        return "\r\n"
    }

    /// The codes that move the cursor to the first character of what is shown.
    ///
    /// A terminal that has become narrower has broken the lines that are longer than it is now, or has cut them. It is
    /// taken to have broken them: too far up is better than what remains of an old frame.
    private func beginning(on size: Size) -> String {
        if isInFirstLine { return "\r" }
        let above = lines.reduce(-1) { $0 + max(1, ($1.width + size.columns - 1) / size.columns) }
        return above > 0 ? "\r\u{1B}[\(above)A" : "\r"
    }
}
