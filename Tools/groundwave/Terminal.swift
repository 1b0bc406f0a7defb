import ArgumentParser
import Foundation
import Groundwave
import Synchronization

/// What is printed, and where: text for people, JSON for scripts, errors to standard error.
enum Terminal {
    /// How a verb was asked to print. Before its arguments are read, only what they say at first sight.
    static let manner = Mutex(Manner(isJSON: CommandLine.arguments.contains("--json")))

    struct Manner {
        /// Whether errors are printed as JSON too.
        var isJSON: Bool
        /// Whether only errors are told on standard error.
        var isQuiet = false
        /// When colours are used.
        var color = ColorChoice.auto
    }

    /// Whether people read what is printed.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// `text` in `style`, where colours are wanted on the stream with this descriptor.
    ///
    /// `text` has been made visible already; the codes are put around it (ECMA-48, SGR).
    static func styled(_ text: String, _ style: Style, on descriptor: Int32 = STDOUT_FILENO) -> String {
        guard manner.withLock({ $0.color }).isWanted(on: descriptor) else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }

    /// The few ways in which words stand out.
    enum Style: Int {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Prints a line.
    static func print(_ line: String) { write(line + "\n", to: FileHandle.standardOutput) }

    /// Asks on standard error, so that the answer is typed behind it.
    static func ask(_ question: String) { write(question, to: FileHandle.standardError) }

    /// Writes bytes on standard output as they are.
    static func write(_ bytes: [UInt8]) throws {
        do { try FileHandle.standardOutput.write(contentsOf: bytes) } catch {
            throw StoreError(.inputOutput, "Standard output cannot be written.", cause: error)
        }
    }

    /// Prints a line on standard error.
    static func remark(_ line: String) { write(line + "\n", to: FileHandle.standardError) }

    /// Writes on standard error as it is, for a line that is written over.
    static func sketch(_ text: String) { write(text, to: FileHandle.standardError) }

    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }

    /// Prints one JSON object with the version of the contract.
    static func print(json: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let object = try encoder.encode(Envelope(content: json))
        print(escaped(String(decoding: object, as: UTF8.self)))
    }

    /// JSON whose control characters are written as `\u…`: the encoder does so for those below U+0020 alone.
    private static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: isControl) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            if isControl(scalar) {
                text += "\\u" + String(format: "%04x", scalar.value)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Says what went wrong and what helps.
    static func report(_ error: StoreError) {
        if manner.withLock({ $0.isJSON }) {
            let ambiguous = error.cause as? AmbiguousName
            let body = ErrorBody(
                code: error.code.name, message: error.message, hint: error.hint,
                candidates: ambiguous?.candidates.map { "\($0.id)" })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let bytes = (try? encoder.encode(Envelope(content: ["error": body]))) ?? Data()
            remark(escaped(String(decoding: bytes, as: UTF8.self)))
        } else {
            remark("\(styled("groundwave:", .red, on: STDERR_FILENO)) \(visible(error.message))")
            if let hint = error.hint { remark("            \(visible(hint))") }
            if let ambiguous = error.cause as? AmbiguousName { Candidates.lines(ambiguous).forEach(remark) }
        }
    }

    /// Says what the parser of the arguments found wrong, where there is more to say than it does: what a mistyped verb
    /// may have meant; and under `--json` as every other error. Then ends the program. A call for help is not an error.
    static func reportUsage(_ error: any Error) {
        let code = Program.exitCode(for: error)
        // A bare exit code comes from a verb that has said everything.
        if code == .success || error is ExitCode { return }
        if let error = VerbSuggestion.error(for: Array(CommandLine.arguments.dropFirst())) {
            report(error)
        } else if manner.withLock({ $0.isJSON }) {
            report(StoreError(.usage, Program.message(for: error), hint: "groundwave --help"))
        } else {
            // Line by line, since what was typed comes back in it.
            let lines = Program.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { remark(visible(String(line))) }
        }
        exit(code.rawValue)
    }

    private struct ErrorBody: Encodable {
        var code: String
        var message: String
        var hint: String?
        var candidates: [String]?
    }

    /// Text as it may reach a terminal: control characters, among them those that move the cursor, stand as symbols.
    static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !isControl(scalar) {
                result.append(scalar)
            } else if scalar.value < 0x20, let symbol = Unicode.Scalar(0x2400 + scalar.value) {
                result.append(symbol)
            } else {
                result.append("\u{FFFD}")
            }
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // C0, DEL, C1, and the characters that turn the direction of writing round.
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
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

/// Rows in aligned columns, separated by two blanks.
struct TextTable {
    private var rows: [[String]] = []
    private let firstNumber: Int

    /// A table with these headings.
    ///
    /// - Parameter firstNumber: From this column on, cells are numbers and stand at the right.
    init(_ headings: [String], numbersFrom firstNumber: Int = .max) {
        self.firstNumber = firstNumber
        rows.append(headings)
    }

    /// Adds a row; control characters are made visible.
    mutating func append(_ row: [String]) { rows.append(row.map(Terminal.visible)) }

    /// The lines, without blanks at their ends.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                line += column >= firstNumber ? blanks + cell : cell + blanks
                if column < row.count - 1 { line += "  " }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
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
