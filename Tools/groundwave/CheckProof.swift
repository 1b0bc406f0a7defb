import ArgumentParser
import Foundation
import Groundwave

struct CheckProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a proof that a contact is in somebody's log. Needs no store.",
        discussion: """
            All that is shown is computed from the bytes that the proof is about; Docs/Proofs.md says how, for who does not \
            want to believe this program. A proof alone is not anchored (exit code 3): its maker could have made up the \
            whole log. With --head, a signed head that you got from the owner another way, the answer is anchored. A proof \
            that was edited ends with 65. No proof can show that no later change was left out.

              groundwave check-proof w1aw.proof --head head.json
            """)

    @Argument(help: ArgumentHelp("The proof.", valueName: "file"))
    var file: String

    @OptionGroup var options: FileOptions

    @Option(
        help: ArgumentHelp(
            "A signed head from somebody you trust; again for each device that wrote.", valueName: "file"))
    var head: [String] = []

    func run() async throws {
        let heads = try head.map { try SignedHead(json: ProofFile.read($0)) }
        let bytes = try ProofFile.read(file)
        let answer: ProofAnswer
        do {
            let proof = try ContactProof(json: bytes)
            let contact = try proof.check()
            let anchors = try contact.trees.map { try proof.anchor(of: $0, in: heads) }
            answer = ProofAnswer(contact, anchors)
            if options.json { try Terminal.print(json: answer) } else { answer.describe(contact, anchors) }
        } catch let error as StoreError where error.code == .damaged {
            if options.json {
                try Terminal.print(json: ProofAnswer(reason: error.description))
            } else {
                Terminal.print(Terminal.styled("Not proven:", .red) + " " + Terminal.visible(error.description))
            }
            throw ExitCode(StoreError.Code.damaged.rawValue)
        }
        if !answer.anchored { throw Answer.inPart }
    }
}

/// What is said of a proof.
struct ProofAnswer: Encodable {
    struct Event: Encodable {
        var event: String
        var stamp: String
        var author: String?
        var note: String?
        var imported: Bool
        var withheld: Bool
    }

    struct Tree: Encodable {
        var replica: String
        var root: String
        var events: UInt64?
        var log: String?
        var anchored: Bool
        var headEvents: UInt64?
    }

    var ok: Bool
    var anchored = false
    var reason: String?
    var root: String?
    var id: String?
    var hidden: Bool?
    var fields: [String: String]?
    var withheld: [String]?
    var events: [Event]?
    var trees: [Tree]?

    /// A proof that does not hold.
    init(reason: String) {
        ok = false
        self.reason = reason
    }

    /// A proof that holds, as far as `anchors` say.
    init(_ contact: ProvenContact, _ anchors: [ProofAnchor]) {
        ok = true
        anchored = anchors.allSatisfy(\.holds)
        root = contact.trees.first.map { "\($0.root)" }
        id = "\(contact.record.id)"
        hidden = !contact.record.isVisible
        fields = contact.record.contactFields
        withheld = contact.withheldFields
        events = contact.events.map { event in
            Event(
                event: "\(event.id)", stamp: UTCText.milliseconds(event.stamp.milliseconds),
                author: event.note.author.isEmpty ? nil : event.note.author,
                note: event.note.text.isEmpty ? nil : event.note.text, imported: event.isImported,
                withheld: event.isWithheld)
        }
        trees = zip(contact.trees, anchors).map { tree, anchor in
            // Without a signature or a head a number of events is only a claim.
            let isSure = tree.head != nil || anchor == .sameTree
            return Tree(
                replica: "\(tree.replica)", root: "\(tree.root)", events: isSure ? tree.events : nil,
                log: tree.head.map { "\($0.log)" }, anchored: anchor.holds, headEvents: anchor.headEvents)
        }
    }
}

extension ProofAnchor {
    /// How many events the head has that was compared.
    var headEvents: UInt64? {
        switch self {
        case .none, .sameTree: nil
        case .grownFrom(let events), .otherSize(let events): events
        }
    }
}

extension ProofAnswer {
    /// Prints it for people.
    func describe(_ contact: ProvenContact, _ anchors: [ProofAnchor]) {
        Terminal.print("\(contact.record.id)\(contact.record.isVisible ? "" : "  hidden")")
        var table = TextTable(["FIELD", "VALUE"])
        for (name, value) in contact.record.adifFields {
            table.append([name.name, RecordText.short(RecordText.text(value), 60)])
        }
        for name in contact.withheldFields { table.append([name, "(withheld)"]) }
        table.print()
        Terminal.print("")
        var events = TextTable(["EVENT", "AT", "BY", "NOTE"])
        for event in contact.events {
            events.append([
                event.id.short, TimeText.milliseconds(event.stamp.milliseconds), event.note.author,
                RecordText.short(event.note.text, 40),
            ])
        }
        events.print()
        Terminal.print("")
        Terminal.print(
            "\(NumberText.count(contact.events.count, "event")) of this contact \(contact.events.count == 1 ? "is" : "are") "
                + "in the log with this root:")
        for (tree, anchor) in zip(contact.trees, anchors) {
            Terminal.print("\(tree.replica.short)  \(tree.root)  \(Self.words(tree, anchor))")
        }
        Terminal.print(
            anchored
                ? Terminal.styled("Proven and anchored.", .green)
                : Terminal.styled("Proven, but not anchored:", .yellow)
                    + " whoever made this file may have made up the log.")
        if let advice = Self.advice(anchors) { Terminal.remark(advice) }
    }

    private static func words(_ tree: ContactProof.Tree, _ anchor: ProofAnchor) -> String {
        switch anchor {
        case .sameTree: "that of the head"
        case .grownFrom(let events): "goes on from the head's \(NumberText.count(events, "event"))"
        case .none: tree.head == nil ? "nobody has signed it" : "signed by that device, which anybody can be"
        case .otherSize(let events):
            "the head is of \(NumberText.count(events, "event")), the proof of \(tree.events)"
        }
    }

    private static func advice(_ anchors: [ProofAnchor]) -> String? {
        let isOtherSize = anchors.contains { if case .otherSize = $0 { true } else { false } }
        if isOtherSize {
            return "Send your head to the owner and ask for: groundwave prove ID --head FILE"
        }
        guard anchors.contains(.none) else { return nil }
        return "Get the signed head of the owner another way (groundwave head) and name it with --head."
    }
}
