import GroundwaveTesting
import Testing

@testable import groundwave_cli

@Suite struct `Lines of a terminal that are replaced` {
    private let wide = Screen.Size(columns: 80, rows: 24)

    @Test func `stand where those before stood, and nothing remains of these`() {
        var (screen, terminal) = (Screen(), VirtualTerminal(columns: 80, rows: 24))
        terminal.take("$ groundwave\r\n")
        terminal.take(screen.draw(["a line that is long", "second", "third"], on: wide))
        #expect(terminal.text == "$ groundwave\na line that is long\nsecond\nthird")
        terminal.take(screen.draw(["short", "2"], on: wide))
        #expect(terminal.text == "$ groundwave\nshort\n2")
        terminal.take(screen.draw(["1", "2", "3", "4"], on: wide))
        #expect(terminal.text == "$ groundwave\n1\n2\n3\n4")
        terminal.take(screen.clear(on: wide))
        #expect(terminal.text == "$ groundwave" && screen.lines.isEmpty)
        terminal.take("No rows for 3 s.\n".replacing("\n", with: "\r\n"))
        terminal.take(screen.draw(["again", "and"], on: wide))
        terminal.take(screen.leave() + "done\r\n")
        #expect(terminal.text == "$ groundwave\nNo rows for 3 s.\nagain\nand\ndone")
        #expect(screen.clear(on: wide) == "" && screen.leave() == "")
    }

    @Test func `hide the cursor only while they are drawn, and are erased only as they are written over`() {
        var screen = Screen()
        for frame in [screen.draw(["one"], on: wide), screen.draw(["two", "three"], on: wide)] {
            #expect(frame.hasPrefix("\u{1B}[?25l\r") && frame.hasSuffix("\u{1B}[J\u{1B}[?25h"))
            #expect(frame.components(separatedBy: "\u{1B}[J").count == 2)
        }
    }

    @Test func `are cut where they are too long, and left out where they are too many`() {
        var (screen, terminal) = (Screen(), VirtualTerminal(columns: 10, rows: 3))
        let small = Screen.Size(columns: 10, rows: 3)
        for _ in 1...3 {
            terminal.take(screen.draw(["123456789", "1234567890", "ééééé日本語", "four"], on: small))
            #expect(terminal.text == "123456789\n12345678…\nééééé日…" && terminal.scrolled.isEmpty)
        }
        #expect(terminal.overflowCount == 0)
    }

    @Test(arguments: [false, true])
    func `leave nothing behind when the terminal becomes narrower or wider`(isReflowing: Bool) {
        var screen = Screen()
        var terminal = VirtualTerminal(columns: 80, rows: 40, isReflowing: isReflowing)
        let lines: [TerminalText] = (0..<5).map { "\(String(repeating: "\($0)", count: 70))" }
        // What is above the lines may be erased by a terminal that cuts them, but nothing of the lines may remain.
        for (columns, rows) in [(80, 40), (30, 40), (120, 40), (200, 20), (25, 12), (80, 24)] {
            terminal.resize(columns: columns, rows: rows)
            terminal.take(screen.draw(lines, on: Screen.Size(columns: columns, rows: rows)))
            let expected = lines.map { $0.cut(to: columns - 1).content }.joined(separator: "\n")
            #expect(terminal.text == expected, "\(columns) columns")
        }
        #expect(terminal.overflowCount == 0)
    }

    @Test(arguments: UInt64(1)...50)
    func `are all that is shown below what was there, whatever their number and the size`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let size = Screen.Size(
            columns: Int.random(in: 2...90, using: &generator), rows: Int.random(in: 2...30, using: &generator))
        var (screen, terminal) = (Screen(), VirtualTerminal(columns: size.columns, rows: size.rows))
        for _ in 0..<20 {
            let count = Int.random(in: 1...40, using: &generator)
            let lines: [TerminalText] = (0..<count).map { _ in
                "\(String(repeating: "x", count: Int.random(in: 1...120, using: &generator)))"
            }
            terminal.take(screen.draw(lines, on: size))
            let expected = lines.prefix(size.rows).map { $0.cut(to: size.columns - 1).content }
            #expect(terminal.text == expected.joined(separator: "\n"))
            #expect(expected.allSatisfy { $0.count < size.columns })
        }
        #expect(terminal.overflowCount == 0 && terminal.scrolled.allSatisfy { $0.isEmpty } && terminal.hasCursor)
    }
}
