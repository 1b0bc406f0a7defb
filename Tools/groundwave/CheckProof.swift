import ArgumentParser
import Foundation
import Groundwave
import GroundwaveLogbook

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
            if options.json { try Terminal.print(json: answer) } else { try answer.describe(contact, anchors) }
        } catch let error as StoreError where error.code == .damaged {
            if options.json {
                try Terminal.print(json: ProofAnswer(reason: error.description))
            } else {
                try Terminal.print(Terminal.styled("Not proven:", .red) + " " + "\(error.description)")
            }
            throw ExitCode(StoreError.Code.damaged.rawValue)
        }
        if !answer.anchored { throw Answer.inPart }
    }
}
