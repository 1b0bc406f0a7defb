import GroundwaveWording

/// A piece of a page: what this program says is in it as it was written here, and everything else escaped.
///
/// A literal of the program's own is believed. Whatever is interpolated, be it from a log, a file or an address, comes out as
/// text: with the characters that have a meaning in HTML as references (HTML Standard, 13.1.4), and with a symbol in place of
/// each control character and of those that turn the direction of writing round. There is no way to make one from a `String`
/// that skips this: literals are `StaticString`s, which only the compiler makes. Attributes are always in double quotes.
///
/// ```swift
/// let row: HTML = "<td>\(callsign)</td>"
/// ```
struct HTML: Sendable, Equatable {
    /// The text of the page.
    private(set) var content: String

    /// Nothing.
    init() { content = "" }

    /// The text of a value, escaped.
    init(_ value: some CustomStringConvertible) { content = Self.escaped(VisibleText.of(value.description)) }

    /// A text of several lines, each on a line of its own.
    init(lines text: String) {
        content = ""
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if index > 0 { self += "<br>" }
            self += HTML(String(line))
        }
    }

    /// Whether there is nothing in it.
    var isEmpty: Bool { content.isEmpty }

    static func += (first: inout HTML, second: HTML) { first.content += second.content }

    static func + (first: HTML, second: HTML) -> HTML {
        var both = first
        both += second
        return both
    }

    private static func escaped(_ text: String) -> String {
        let special: [UInt8] = [UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), 0x22, 0x27]
        guard text.utf8.contains(where: special.contains) else { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + 32)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension HTML: ExpressibleByStringInterpolation {
    init(stringLiteral literal: StaticString) { content = literal.description }

    init(stringInterpolation: Interpolation) { self = stringInterpolation.html }

    /// Collects the parts of a literal.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var html = HTML()

        init(literalCapacity: Int, interpolationCount: Int) {
            html.content.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) { html.content += literal.description }

        /// Takes in a piece of a page.
        mutating func appendInterpolation(_ other: HTML) { html += other }

        /// Takes in pieces of a page, one behind the other.
        mutating func appendInterpolation(_ others: [HTML]) { for other in others { html += other } }

        /// Takes in an address, as the value of an attribute.
        mutating func appendInterpolation(_ address: Address) { html += HTML(address.description) }

        /// Takes in the text of a value, escaped.
        mutating func appendInterpolation(_ value: some CustomStringConvertible) { html += HTML(value) }
    }
}

extension DefaultStringInterpolation {
    /// A piece of a page stays one: within a `String` it would be escaped a second time.
    @available(*, unavailable, message: "Write the literal where HTML is expected.")
    mutating func appendInterpolation(_ html: HTML) {}
}

extension Sequence<HTML> {
    /// The pieces one behind the other.
    func joined(separator: HTML = "") -> HTML {
        var all = HTML()
        for (index, piece) in enumerated() {
            if index > 0 { all += separator }
            all += piece
        }
        return all
    }
}
