import ArgumentParser
import Foundation
import Groundwave

/// Where a passphrase or a recovery phrase comes from: a file, the standard input, or the keyboard. Never an argument, which
/// other users of the machine can see.
struct PassphraseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file whose first line is the passphrase; - for the standard input. Default: it is asked for.",
            valueName: "file"))
    var passphraseFile: String?

    /// The passphrase of a log that is sealed.
    func passphrase() throws -> String {
        if let passphraseFile { return try Secret.line(of: passphraseFile) }
        return try Secret.typed("Passphrase of the log")
    }

    /// The passphrase of a log that is being sealed: asked for twice.
    func newPassphrase() throws -> String {
        if let passphraseFile { return try Secret.line(of: passphraseFile) }
        let passphrase = try Secret.typed("New passphrase")
        guard try Secret.typed("The same again") == passphrase else {
            throw StoreError(.usage, "The two passphrases differ.", hint: "Nothing was written. Try again.")
        }
        return passphrase
    }
}

/// Where a recovery phrase comes from.
struct PhraseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file with the 12 words of the recovery phrase; - for the standard input.", valueName: "file"))
    var phraseFile: String?

    /// The words, if a file was given.
    func words() throws -> String? { try phraseFile.map { try Secret.text(of: $0) } }
}

/// Secrets as they are read.
enum Secret {
    /// The most bytes that are read of a file with a secret.
    private static let limit = 4096

    /// Returns the first line of a file, without its end.
    static func line(of path: String) throws -> String {
        let text = try text(of: path)
        return String(text.prefix { !$0.isNewline })
    }

    /// Returns the text of a file; of the standard input if `path` is `-`.
    static func text(of path: String) throws -> String {
        let handle: FileHandle
        if path == "-" {
            handle = .standardInput
        } else {
            guard let file = FileHandle(forReadingAtPath: path) else {
                throw StoreError(.notFound, "There is no file \(path) that can be read.", hint: "Check the name.")
            }
            handle = file
        }
        let bytes = try handle.read(upToCount: limit) ?? Data()
        guard let text = String(data: bytes, encoding: .utf8), !text.isEmpty else {
            throw StoreError(
                .usage, "\(path == "-" ? "The standard input" : path) has no text.", hint: "Nothing was written.")
        }
        return text
    }

    /// Asks for a secret at the terminal, which does not show it.
    static func typed(_ prompt: String) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            throw StoreError(
                .usage, "A passphrase is needed, and there is no terminal to ask for it.",
                hint: "Name a file: `--passphrase-file FILE`, or `--passphrase-file -` for the standard input.")
        }
        var state = termios()
        guard tcgetattr(STDIN_FILENO, &state) == 0 else {
            throw StoreError(.usage, "The terminal cannot be asked.", hint: "Use `--passphrase-file FILE`.")
        }
        let former = state
        state.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &state)
        defer {
            var former = former
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
            Terminal.ask("\n")
        }
        Terminal.ask("\(prompt): ")
        guard let line = readLine(), !line.isEmpty else {
            throw StoreError(.usage, "No passphrase was given.", hint: "Nothing was written.")
        }
        return line
    }
}
