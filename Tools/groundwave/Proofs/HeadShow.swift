import ArgumentParser
import Foundation
import Groundwave

struct HeadShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Write the signed head of this device's log, as a small JSON file.",
        discussion: """
            With --words, the root is printed in sixteen words, so that two operators can compare it over the air: you \
            read your words aloud, and the other operator runs groundwave head check FILE --words on the file that you \
            sent.

              groundwave head show -o head.json
              groundwave head --words
            """)

    @OptionGroup var options: StoreOptions

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The output file; default and -: standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var overwriting: Overwriting

    @Flag(help: "Print the root in words, to be read aloud.")
    var words = false

    struct Result: Encodable {
        var log: String
        var replica: String
        var events: UInt64
        var root: String
        var words: String?
        var bytes: Int?
    }

    func run() async throws {
        let output = try overwriting.file(output)
        let store = try await options.openForReading()
        let head = try store.signedHead()
        let bytes = try head.json()
        if let output {
            var file = try AtomicFile(output)
            try file.write(bytes)
            try file.finish()
        } else if !words {
            return try Output.write(file: bytes)
        }
        let digestWords = words ? DigestWords.words(of: head.root) : nil
        if options.json {
            return try Terminal.print(
                json: Result(
                    log: "\(head.log)", replica: "\(head.replica)", events: head.sequence, root: "\(head.root)",
                    words: digestWords?.joined(separator: " "), bytes: output == nil ? nil : bytes.count))
        }
        var table = TextTable(["Device", "\(head.replica)"])
        table.append(["Events", "\(head.sequence)"])
        table.append(["Root", "\(head.root)"])
        for line in DigestText.lines(of: head.root) where words { table.append(["", line]) }
        try table.print()
    }
}

/// A hash in words, as it is printed.
enum DigestText {
    /// Four words a line: what can be said in one breath.
    static func lines(of hash: Hash256) -> [String] {
        let words = DigestWords.words(of: hash)
        return stride(from: 0, to: words.count, by: 4).map { start in
            words[start..<min(start + 4, words.count)].joined(separator: " ")
        }
    }
}
