import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveWording

struct Prove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a small file that proves to somebody that a contact is in this log.",
        discussion: """
            The file holds every change of the contact, including earlier values, and the hashes that lead from them \
            to the root of this device's log, with its signature. To check it with groundwave check-proof, the reader \
            needs no store and none of your other contacts. Give the reader your signed head (groundwave head) through \
            another channel. If the reader has an older head of yours, get that file from them and make the proof for \
            it with --head.

              groundwave prove W1AW -o w1aw.proof
              groundwave prove last --head head.json -o last.proof
            """)

    @Argument(help: ArgumentHelp("The contact: its id, call or last.", valueName: "id"))
    var name: String

    @OptionGroup var options: StoreOptions
    @OptionGroup var archives: ArchiveOptions

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The output file; default and -: standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var overwriting: Overwriting

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
        let output = try overwriting.file(output)
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
