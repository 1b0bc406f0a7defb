import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import Synchronization

/// Prints text for people or JSON for scripts on standard output; errors, remarks and status lines on standard error.
enum Terminal {
    /// How to print. Set from the options once the arguments are parsed; until then, `--json` alone counts.
    static let manner = Mutex(Manner(isJSON: CommandLine.arguments.contains("--json")))

    struct Manner {
        /// Whether errors are printed as JSON too.
        var isJSON: Bool
        /// Whether only errors are printed on standard error.
        var isQuiet = false
        /// When colours are used.
        var color = ColorChoice.auto
    }

    /// Whether standard output is a terminal, so that a person reads it.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// How many columns a line may take, if a person reads it on a terminal.
    static var columns: Int? { isTerminal ? Screen.Size.of(STDOUT_FILENO).columns : nil }

    /// Whether a question can be asked: a person reads and types, and `--json` does not hide what the question is about.
    static var canAsk: Bool { isTerminal && isatty(STDIN_FILENO) == 1 && !manner.withLock(\.isJSON) }

    /// Returns `text` in `style` if colours are wanted on the stream with this descriptor, else unchanged.
    static func styled(_ text: TerminalText, _ style: Style, on descriptor: Int32 = STDOUT_FILENO) -> TerminalText {
        manner.withLock { $0.color }.isWanted(on: descriptor) ? text.between(style) : text
    }

    /// The styles of text; the raw value is the parameter of the escape sequence (ECMA-48, SGR).
    enum Style: Int {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Prints a line.
    ///
    /// - Throws: As ``Output/write(_:)``.
    static func print(_ line: TerminalText) throws { try Output.write(Array((line.content + "\n").utf8)) }

    /// Prints lines together.
    ///
    /// - Throws: As ``Output/write(_:)``.
    static func print(lines: some Sequence<TerminalText>) throws {
        var bytes: [UInt8] = []
        for line in lines {
            bytes += line.content.utf8
            bytes.append(0x0A)
        }
        try Output.write(bytes)
    }

    /// Prints a question on standard error without a line break, so that the answer is typed behind it.
    static func ask(_ question: TerminalText) { send(question) }

    /// Prints a line on standard error; status lines move down below it.
    static func remark(_ line: TerminalText) {
        status.withLock { status in
            let lines = status.screen.lines
            send(status.screen.clear(on: .of(status.descriptor)), to: status.descriptor)
            send(line + "\n")
            if lines.isEmpty { return }
            send(status.screen.draw(lines, on: .of(status.descriptor)), to: status.descriptor)
        }
    }

    /// The status lines, and the descriptor of the terminal that they are on.
    private static let status = Mutex((screen: Screen(), descriptor: STDERR_FILENO))

    /// Whether the stream with this descriptor is a terminal on which lines can be replaced.
    static func canReplaceLines(on descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Shows a status line on standard error, in place of what is shown.
    static func showStatus(_ line: TerminalText) { showStatus([line], on: STDERR_FILENO) }

    /// Shows status lines on a terminal in place of those before, by one write.
    static func showStatus(_ lines: [TerminalText], on descriptor: Int32) {
        status.withLock { status in
            status.descriptor = descriptor
            send(status.screen.draw(lines, on: .of(descriptor)), to: descriptor)
        }
    }

    /// Clears the status lines, if there are any.
    static func clearStatus() {
        status.withLock { status in
            send(status.screen.clear(on: .of(status.descriptor)), to: status.descriptor)
        }
    }

    /// Leaves the status lines where they are; what is printed next comes below them.
    static func leaveStatus() {
        status.withLock { status in send(status.screen.leave(), to: status.descriptor) }
    }

    /// Writes to standard error. A failure is ignored: there is no other place to report it.
    private static func send(_ text: TerminalText) { send(text.content, to: STDERR_FILENO) }

    private static func send(_ text: String, to descriptor: Int32) {
        if !text.isEmpty { _ = Output.send(Array(text.utf8), to: descriptor) }
    }

    /// Prints one JSON object with the version of the contract: see ``Envelope``.
    ///
    /// - Throws: As ``Output/write(_:)``.
    static func print(json: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let object = try encoder.encode(Envelope(content: json))
        try Self.print("\(escaped(String(decoding: object, as: UTF8.self)))")
    }

    /// Returns `json` with its control characters written as `\u…`: the encoder escapes only those below U+0020.
    private static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: ControlCharacters.contain) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            if ControlCharacters.contain(scalar) {
                text += "\\u" + String(format: "%04x", scalar.value)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Prints an error and its hint on standard error. Prints nothing if the reader of standard output has closed it.
    static func report(_ error: StoreError) {
        if error.cause is Output.ClosedByReader { return }
        if manner.withLock({ $0.isJSON }) {
            let ambiguous = error.cause as? AmbiguousName
            let body = ErrorBody(
                code: error.code.rawValue, message: error.message, hint: error.hintOfProgram,
                candidates: ambiguous?.candidates.map { "\($0.id)" })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let bytes = (try? encoder.encode(Envelope(content: ["error": body]))) ?? Data()
            remark("\(escaped(String(decoding: bytes, as: UTF8.self)))")
        } else {
            remark("\(styled("groundwave:", .red, on: STDERR_FILENO)) \(error.message)")
            if let hint = error.hintOfProgram { remark("            \(hint)") }
            if let ambiguous = error.cause as? AmbiguousName { Candidates.lines(ambiguous).forEach(remark) }
        }
    }

    /// Prints an error of the argument parser. For a mistyped verb, the hint is the verb that may have been meant. With
    /// `--json`, it is printed as JSON, like every other error.
    static func reportUsage(_ error: any Error) {
        if let error = VerbSuggestion.error(for: LeadingOptions.behindCommand(Array(CommandLine.arguments.dropFirst())))
        {
            report(error)
        } else if manner.withLock({ $0.isJSON }) {
            report(StoreError(.usage, Program.message(for: error), hint: "groundwave --help"))
        } else {
            // Line by line: the message repeats the arguments, so its control characters are replaced, and a line
            // break would be replaced too.
            let lines = Program.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { remark("\(line)") }
        }
    }

    private struct ErrorBody: Encodable {
        var code: String
        var message: String
        var hint: String?
        var candidates: [String]?
    }
}

/// A JSON object with `"v": 1`, the version of the contract, beside its own keys; and with `joining`, if it shows a store
/// that is still being joined.
struct Envelope<Content: Encodable>: Encodable {
    let content: Content

    private enum Key: String, CodingKey {
        case v, joining
    }

    func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .v)
        try container.encodeIfPresent(JoiningRemark.body, forKey: .joining)
    }
}

/// A JSON object with the keys of two others.
struct Joined<First: Encodable, Second: Encodable>: Encodable {
    let first: First
    let second: Second

    func encode(to encoder: any Encoder) throws {
        try first.encode(to: encoder)
        try second.encode(to: encoder)
    }
}
