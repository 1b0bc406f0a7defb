import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import Synchronization

/// What is printed, and where: text for people, JSON for scripts, errors to standard error.
enum Terminal {
    /// How to print. Before the arguments are parsed, only whether `--json` is among them.
    static let manner = Mutex(Manner(isJSON: CommandLine.arguments.contains("--json")))

    struct Manner {
        /// Whether errors are printed as JSON too.
        var isJSON: Bool
        /// Whether only errors are printed on standard error.
        var isQuiet = false
        /// When colours are used.
        var color = ColorChoice.auto
    }

    /// Whether people read what is printed.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// `text` in `style`, where colours are wanted on the stream with this descriptor.
    static func styled(_ text: TerminalText, _ style: Style, on descriptor: Int32 = STDOUT_FILENO) -> TerminalText {
        manner.withLock { $0.color }.isWanted(on: descriptor) ? text.between(style) : text
    }

    /// The few ways in which words stand out.
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

    /// Prints lines, all at once.
    static func print(lines: some Sequence<TerminalText>) throws {
        try Output.write(Array(lines.map { $0.content + "\n" }.joined().utf8))
    }

    /// Asks on standard error, so that the answer is typed behind it.
    static func ask(_ question: TerminalText) { send(question) }

    /// Prints a line on standard error; a status line gives way to it.
    static func remark(_ line: TerminalText) {
        clearStatus()
        send(line + "\n")
    }

    /// Whether a status line stands on standard error.
    private static let hasStatus = Mutex(false)

    /// Shows a status line on standard error, in place of the one before.
    static func showStatus(_ line: TerminalText) {
        hasStatus.withLock { isShown in
            isShown = true
            send("\r\(line)\u{1B}[K")
        }
    }

    /// Clears the status line, if there is one.
    static func clearStatus() {
        hasStatus.withLock { isShown in
            if isShown { send("\r\u{1B}[K") }
            isShown = false
        }
    }

    /// Writes on standard error. Where that is not possible, there is nobody left to tell.
    private static func send(_ text: TerminalText) { _ = Output.send(Array(text.content.utf8), to: STDERR_FILENO) }

    /// Prints one JSON object with the version of the contract.
    static func print(json: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let object = try encoder.encode(Envelope(content: json))
        try Self.print("\(escaped(String(decoding: object, as: UTF8.self)))")
    }

    /// JSON whose control characters are written as `\u…`: the encoder does so for those below U+0020 alone.
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

    /// Prints an error and its hint.
    static func report(_ error: StoreError) {
        if error.cause is Output.Unheard { return }
        if manner.withLock({ $0.isJSON }) {
            let ambiguous = error.cause as? AmbiguousName
            let body = ErrorBody(
                code: error.code.name, message: error.message, hint: error.hint,
                candidates: ambiguous?.candidates.map { "\($0.id)" })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let bytes = (try? encoder.encode(Envelope(content: ["error": body]))) ?? Data()
            remark("\(escaped(String(decoding: bytes, as: UTF8.self)))")
        } else {
            remark("\(styled("groundwave:", .red, on: STDERR_FILENO)) \(error.message)")
            if let hint = error.hint { remark("            \(hint)") }
            if let ambiguous = error.cause as? AmbiguousName { Candidates.lines(ambiguous).forEach(remark) }
        }
    }

    /// Says what the parser of the arguments found wrong, where there is more to say than it does: what a mistyped verb
    /// may have meant; and under `--json` as every other error.
    static func reportUsage(_ error: any Error) {
        if let error = VerbSuggestion.error(for: Array(CommandLine.arguments.dropFirst())) {
            report(error)
        } else if manner.withLock({ $0.isJSON }) {
            report(StoreError(.usage, Program.message(for: error), hint: "groundwave --help"))
        } else {
            // Line by line, since what was typed comes back in it.
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

/// A JSON object beside whose keys stands `"v": 1`.
struct Envelope<Content: Encodable>: Encodable {
    let content: Content

    private enum Key: String, CodingKey {
        case v
    }

    func encode(to encoder: any Encoder) throws {
        try content.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .v)
    }
}

/// A JSON object that has the keys of two.
struct Joined<First: Encodable, Second: Encodable>: Encodable {
    let first: First
    let second: Second

    func encode(to encoder: any Encoder) throws {
        try first.encode(to: encoder)
        try second.encode(to: encoder)
    }
}

/// Moments as they are shown: UTC.
enum TimeText {
    /// `2026-05-01 12:00:00Z`.
    static func seconds(_ seconds: Int64) -> String { UTCText.seconds(seconds).replacing("T", with: " ") }

    /// A stamp's moment, to the second.
    static func milliseconds(_ milliseconds: Int64) -> String { seconds(milliseconds / 1000) }

    /// `2026-05-01 12:00:00Z`.
    static func date(_ date: Date) -> String { seconds(Int64(date.timeIntervalSince1970)) }

    /// `2026-05-01T12:00:00Z`, for scripts.
    static func iso(_ date: Date) -> String { UTCText.seconds(Int64(date.timeIntervalSince1970)) }
}
