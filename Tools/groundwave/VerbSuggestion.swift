import ArgumentParser
import Groundwave
import GroundwaveRadio

/// Suggestions for mistyped commands.
enum VerbSuggestion {
    /// The error to report instead of the parser's where a word of `arguments` stands in the place of a verb and is
    /// none, or `nil`.
    static func error(for arguments: [String]) -> StoreError? {
        var command: any ParsableCommand.Type = Program.self
        var path = ["groundwave"]
        for word in arguments {
            if word.hasPrefix("-") { continue }
            let verbs = subcommands(of: command)
            if verbs.isEmpty { return nil }
            if let verb = verbs.first(where: { $0._commandName == word }) {
                command = verb
                path.append(word)
            } else if let meant = Spelling.nearest(to: word.lowercased(), among: verbs.map { $0._commandName }) {
                return StoreError(
                    .usage, "There is no command “\(word)” in \(path.joined(separator: " ")).",
                    hint: "Did you mean \((path + [meant]).joined(separator: " "))?")
            } else if command.configuration.defaultSubcommand == nil, !isOptionValue(word, in: arguments) {
                return StoreError(
                    .usage, "There is no command “\(word)” in \(path.joined(separator: " ")).",
                    hint: "The commands are \(verbs.map { $0._commandName }.joined(separator: ", ")).")
            }
        }
        return nil
    }

    /// The commands in a command, those in groups included.
    static func subcommands(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands + command.configuration.groupedSubcommands.flatMap { $0.subcommands }
    }

    /// Whether `word` follows an option, whose value it may be.
    private static func isOptionValue(_ word: String, in arguments: [String]) -> Bool {
        guard let index = arguments.firstIndex(of: word), index > 0 else { return false }
        return arguments[index - 1].hasPrefix("-")
    }
}
