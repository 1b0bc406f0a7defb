import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio

struct Prove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prove to somebody that a contact is in this log, in a small file.",
        discussion: """
            The file holds every change of the contact, earlier values included, and what it takes to compute from them \
            the root of this device's log, which it is signed with. Whoever gets it needs no store and none of your other \
            contacts: groundwave check-proof reads it. Give them your signed head (groundwave head) another way. Who holds \
            an older head of yours sends it to you, and you prove it to that with --head.

              groundwave prove W1AW -o w1aw.proof
              groundwave prove last --head head.json -o last.proof
            """)

    @Argument(help: ArgumentHelp("The contact: its id, call or last.", valueName: "id"))
    var name: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var archives: ArchiveOptions

    @Option(name: .short, help: ArgumentHelp("The file; else standard output.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("The signed head that the reader of the proof holds.", valueName: "file"))
    var head: String?

    struct Result: Encodable {
        var ok = true
        var id: String
        var root: String
        var events: Int
        var bytes: Int
    }

    func run() async throws {
        let head = try head.map { try SignedHead(json: ProofFile.read($0)) }
        let store = try await options.openForReading(archives)
        let id = try store.resolve(name, kind: QSOKind.name)
        let proof = try store.proof(ofContact: id, for: head)
        let bytes = try proof.json()
        guard let output else { return try Output.write(file: bytes) }
        var file = try AtomicFile(output)
        try file.write(bytes)
        try file.finish()
        let root = "\(proof.trees[0].root)"
        if options.json {
            return try Terminal.print(
                json: Result(id: "\(id)", root: root, events: proof.items.count, bytes: bytes.count))
        }
        try Terminal.print(
            "\(NumberText.count(proof.items.count, "event")) of \(id), \(NumberText.count(bytes.count, "byte")).")
        for tree in proof.trees {
            try Terminal.print(
                "Root over \(NumberText.count(tree.events, "event")) of \(tree.replica.short): \(tree.root)"
                    + (tree.head == nil ? ", not signed" : ""))
        }
    }
}
