import ArgumentParser
import Foundation
import Groundwave

struct Digest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show hashes for comparing two stores.",
        discussion: """
            The digest is the same on every store that has the same events, no matter how they arrived. The content is \
            the same wherever the same contacts are visible, no matter who wrote them, such as after export and \
            import.
            """)

    @OptionGroup var options: ReadOptions

    @Flag(help: "Also print the digest in words, to be read aloud.")
    var words = false

    struct Result: Encodable {
        var digest: String
        var content: String
        var words: String?
        var contentWords: String?
        var contacts: Int
        var events: UInt64
        var vector: [String: UInt64]
    }

    func run() async throws {
        let store = try await options.open(needsHistory: true)
        let digest = try store.digest()
        let digestWords = words ? DigestWords.words(of: digest.views) : nil
        let contentDigestWords = words ? DigestWords.words(of: digest.content) : nil
        let vector = digest.vector.entries.map { ("\($0.replica)", $0.sequence) }
        if options.json {
            return try Terminal.print(
                json: Result(
                    digest: "\(digest.views)", content: "\(digest.content)", words: digestWords?.joined(separator: " "),
                    contentWords: contentDigestWords?.joined(separator: " "), contacts: digest.contentCount,
                    events: digest.events, vector: Dictionary(uniqueKeysWithValues: vector)))
        }
        var table = TextTable(["Digest", "\(digest.views)"])
        if let digestWords { for row in Self.rows(digestWords) { table.append(["", row]) } }
        table.append(["Content", "\(digest.content)"])
        if let contentDigestWords { for row in Self.rows(contentDigestWords) { table.append(["", row]) } }
        table.append(["Contacts", "\(digest.contentCount)"])
        table.append(["Events", "\(digest.events)"])
        for (replica, sequence) in vector { table.append(["", "\(replica): \(sequence)"]) }
        try table.print()
    }

    /// Four words a line: what can be said in one breath.
    private static func rows(_ words: [String]) -> [String] {
        stride(from: 0, to: words.count, by: 4).map { words[$0..<min($0 + 4, words.count)].joined(separator: " ") }
    }
}
