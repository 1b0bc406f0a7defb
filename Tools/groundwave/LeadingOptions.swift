import ArgumentParser

/// The options that every command has, which may also stand before it: `groundwave --store PATH info`, `groundwave qso
/// --json list`.
enum LeadingOptions {
    private static let flags: Set = ["--json", "--quiet", "-q", "--verbose", "-v", "-vv"]
    private static let withValue: Set = ["--store", "--wait", "--color"]

    /// Returns `arguments` with those before the command behind it, where the parser looks for them.
    static func behindCommand(_ arguments: [String]) -> [String] {
        var (rest, words, options) = (arguments[...], [String](), [String]())
        var command: any ParsableCommand.Type = Program.self
        while let word = rest.first {
            if let verb = VerbSuggestion.subcommands(of: command).first(where: { $0._commandName == word }) {
                command = verb
                words.append(word)
                rest.removeFirst()
            } else if flags.contains(word) || withValue.contains(where: { word.hasPrefix("\($0)=") }) {
                options.append(word)
                rest.removeFirst()
            } else if withValue.contains(word) {
                options += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        // Without a command nothing is moved, so that the parser's message is about what was typed.
        return words.isEmpty ? arguments : words + options + rest
    }
}
