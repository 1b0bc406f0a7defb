import Groundwave
import GroundwaveWording

/// Text that may reach a terminal: what this program says is in it as it was written here, and everything else with its
/// control characters made visible.
///
/// A literal of the program's own is believed. Whatever is interpolated, be it from a log, a file, a remote or an argument,
/// comes out with a symbol in place of each character that a terminal or a reader's eye would act on: C0 with line breaks,
/// DEL, C1, line and paragraph separators, and those that turn the direction of writing round. There is no way to make one
/// from a `String` that skips this: literals are `StaticString`s, which only the compiler makes.
///
/// ```swift
/// Terminal.print("\(device) has \(NumberText.count(3, "event")).")
/// ```
struct TerminalText: Sendable, Equatable {
    /// The text, with the codes of styles.
    private(set) var content: String
    /// How many columns it takes on a terminal.
    private(set) var width: Int

    private init(content: String, width: Int) {
        self.content = content
        self.width = width
    }

    /// No text.
    init() { self.init(content: "", width: 0) }

    /// The words of a value, made visible.
    init(_ value: some CustomStringConvertible) {
        let visible = VisibleText.of(value.description)
        self.init(content: visible, width: TextWidth.columns(of: visible))
    }

    /// So many blanks.
    static func blanks(_ count: Int) -> TerminalText {
        TerminalText(content: String(repeating: " ", count: max(0, count)), width: max(0, count))
    }

    /// Whether there is nothing to see.
    var isEmpty: Bool { content.isEmpty }

    static func + (first: TerminalText, second: TerminalText) -> TerminalText {
        TerminalText(content: first.content + second.content, width: first.width + second.width)
    }

    static func += (first: inout TerminalText, second: TerminalText) {
        first.content += second.content
        first.width += second.width
    }

    /// The text without blanks at its end.
    var withoutTrailingBlanks: TerminalText {
        var text = self
        while text.content.utf8.last == 0x20 {
            text.content.removeLast()
            text.width -= 1
        }
        return text
    }

    /// The text up to the column `columns`, for text without the codes of styles; the last column shows if more is left
    /// out.
    func cut(to columns: Int) -> TerminalText {
        if width <= columns { return self }
        var (cut, used) = ("", 0)
        for character in content {
            let next = used + TextWidth.columns(of: String(character))
            if next > columns - 1 { break }
            (cut, used) = (cut + String(character), next)
        }
        return columns > 0 ? TerminalText(content: cut + "…", width: used + 1) : TerminalText()
    }

    /// The text between the codes of `style` (ECMA-48, SGR), which take no column.
    func between(_ style: Terminal.Style) -> TerminalText {
        TerminalText(content: "\u{1B}[\(style.rawValue)m\(content)\u{1B}[0m", width: width)
    }
}

extension TerminalText: ExpressibleByStringInterpolation {
    init(stringLiteral literal: StaticString) {
        let text = literal.description
        self.init(content: text, width: TextWidth.columns(of: text))
    }

    init(stringInterpolation: Interpolation) { self = stringInterpolation.text }

    /// Collects the parts of a literal.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = TerminalText()

        init(literalCapacity: Int, interpolationCount: Int) {
            text.content.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) { text += TerminalText(stringLiteral: literal) }

        /// Takes in what has been made visible before.
        mutating func appendInterpolation(_ other: TerminalText) { text += other }

        /// Takes in the words of a value, made visible.
        mutating func appendInterpolation(_ value: some CustomStringConvertible) { text += TerminalText(value) }
    }
}

extension DefaultStringInterpolation {
    /// Text for a terminal stays one: within a `String` its styles would be made visible later.
    @available(*, unavailable, message: "Write the literal where TerminalText is expected.")
    mutating func appendInterpolation(_ text: TerminalText) {}
}

extension Sequence<TerminalText> {
    /// The texts one behind the other.
    func joined(separator: TerminalText) -> TerminalText {
        var all = TerminalText()
        for (index, text) in enumerated() { all += index == 0 ? text : separator + text }
        return all
    }
}

/// How many columns text takes on a terminal.
enum TextWidth {
    /// The columns of `text`: two for a wide character, one for any other, with all that combines with it.
    static func columns(of text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
    }

    /// Source: Unicode Standard Annex 11: the blocks that are wide or full-width, and pictures shown as emoji.
    private static func isWide(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return true }
        return switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
