import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook

struct CheckProof: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a proof that a contact is in somebody's log. Needs no store.",
        discussion: """
            Everything shown is computed from the bytes that the proof covers; Docs/Proofs.md describes how, so that \
            you can check it without this program. A proof alone is not anchored (exit status 3): its maker could have \
            made up the whole log. With --head, a signed head that you got from the owner through another channel, the \
            answer is anchored. A proof that was edited fails with exit status 65. No proof can show that no later \
            change was left out.

              groundwave check-proof w1aw.proof --head head.json
            """)

    @Argument(help: ArgumentHelp("The proof.", valueName: "file"))
    var file: String

    @OptionGroup var options: FileOptions

    @Option(
        help: ArgumentHelp(
            "A signed head from somebody you trust; repeat it for each device that changed the contact.",
            valueName: "file"))
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
            if options.json { try Terminal.print(json: answer) } else { try answer.describe(contact, anchors) }
        } catch let error as StoreError where error.code == .damaged {
            if options.json {
                try Terminal.print(json: ProofAnswer(reason: error.description))
            } else {
                try Terminal.print(Terminal.styled("Not proven:", .red) + " " + "\(error.description)")
            }
            throw ExitCode(StoreError.Code.damaged.exitCode)
        }
        if !answer.anchored { throw Answer.inPart }
    }
}
