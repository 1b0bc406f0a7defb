import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveWording

struct HeadCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check that all events that signed heads cover are still here and unaltered.",
        discussion: """
            Each head must have a valid signature, and be from this log and from a device whose events this store has. \
            Exits with status 1 if the store has different events under the same numbers, or if this device has lost \
            events that it signed: then the log was rewritten. Exits with status 3 if the store does not have all the \
            events of another device yet. Two heads that both pass belong to the same history.

              groundwave head check march.json april.json
            """)

    @Argument(help: ArgumentHelp("Files that groundwave head wrote.", valueName: "file"))
    var files: [String]

    @OptionGroup var options: StoreOptions

    @Flag(help: "Also print the roots in words, to compare them with words that are read aloud.")
    var words = false

    struct Result: Encodable {
        struct Head: Encodable {
            var file: String
            var replica: String
            var events: UInt64
            var root: String
            var words: String?
            var standing: String
            var rootHere: String?
            var later: UInt64?
            var eventsHere: UInt64?
        }

        var ok: Bool
        var heads: [Head]
    }

    func run() async throws {
        let heads = try files.map { ($0, try SignedHead(json: ProofFile.read($0))) }
        let store = try await options.openForReading()
        let checked = try heads.map { file, head in (file, head, try store.standing(of: head)) }
        // Missing events of another device may still be received. What this device signed was here, so it is lost.
        let isRewritten = checked.contains { _, head, standing in
            switch standing {
            case .rewritten: true
            case .missing: head.replica == store.replica
            case .kept: false
            }
        }
        let isKept = checked.allSatisfy { if case .kept = $0.2 { true } else { false } }
        if options.json {
            try Terminal.print(json: Result(ok: isKept, heads: checked.map { result($0, $1, $2) }))
        } else {
            for (file, head, standing) in checked { try describe(file, head, standing, store) }
        }
        if isRewritten { throw Answer.no }
        if !isKept { throw Answer.inPart }
    }

    private func result(_ file: String, _ head: SignedHead, _ standing: HeadStanding) -> Result.Head {
        var result = Result.Head(
            file: file, replica: "\(head.replica)", events: head.sequence, root: "\(head.root)",
            words: words ? DigestWords.words(of: head.root).joined(separator: " ") : nil, standing: "kept")
        switch standing {
        case .kept(let later): result.later = later
        case .rewritten(let root):
            result.standing = "rewritten"
            result.rootHere = "\(root)"
        case .missing(let events):
            result.standing = "missing"
            result.eventsHere = events
        }
        return result
    }

    private func describe(_ file: String, _ head: SignedHead, _ standing: HeadStanding, _ store: Store) throws {
        var table = TextTable(["File", file])
        table.append(["Device", "\(head.replica)"])
        table.append(["Events", "\(head.sequence)"])
        table.append(["Root", "\(head.root)"])
        for line in DigestText.lines(of: head.root) where words { table.append(["", line]) }
        if case .rewritten(let root) = standing { table.append(["Here", "\(root)"]) }
        try table.print()
        switch standing {
        case .kept(let later):
            try Terminal.print(
                Terminal.styled("All of it is here, unaltered;", .green) + " \(NumberText.count(later, "event")) since."
            )
        case .rewritten:
            try Terminal.print(
                Terminal.styled("Rewritten:", .red) + " the same number of events has a different root here.")
        case .missing(let events):
            let isOwn = head.replica == store.replica
            try Terminal.print(
                Terminal.styled(isOwn ? "Lost:" : "Not here yet:", isOwn ? .red : .yellow)
                    + " this store has only \(NumberText.count(events, "event")) of that device.")
        }
    }
}
