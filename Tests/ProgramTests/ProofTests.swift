import Foundation
import GroundwaveTesting
import Testing

@Suite struct `Proofs and signed heads` {
    /// The paths of a proof of a made-up contact and of the head it was made under.
    private func proof(in program: Program) throws -> (proof: String, head: String) {
        try #require(try program.run("qso", "add", "N0ONE", "BAND=20m", "MODE=CW", "NAME=Jo").status == 0)
        try #require(try program.run("qso", "add", "N0TWO", "BAND=40m", "MODE=CW").status == 0)
        let paths = ["proof.json", "head.json"].map { program.folder.appending(path: $0).path }
        let made = try program.json("prove", "N0ONE", "-o", paths[0])
        #expect(made["ok"] as? Bool == true && made["events"] as? Int == 1)
        let head = try program.json("head", "-o", paths[1])
        #expect(made["root"] as? String == head["root"] as? String && head["events"] as? Int == 3)
        return (paths[0], paths[1])
    }

    @Test func `are checked without a store: 0 with a head, 3 without`() throws {
        let program = try Program()
        let (proof, head) = try proof(in: program)
        try FileManager.default.removeItem(at: program.store)
        let alone = try program.run("check-proof", proof, "--json")
        #expect(alone.status == 3)
        #expect(alone.json["ok"] as? Bool == true && alone.json["anchored"] as? Bool == false)
        let anchored = try program.run("check-proof", proof, "--head", head, "--json")
        #expect(anchored.status == 0 && anchored.errors.isEmpty)
        #expect(anchored.json["v"] as? Int == 1 && anchored.json["ok"] as? Bool == true)
        #expect(anchored.json["anchored"] as? Bool == true)
        #expect(anchored.json["root"] as? String == alone.json["root"] as? String)
        let fields = try #require(anchored.json["fields"] as? [String: String])
        #expect(fields["CALL"] == "N0ONE" && fields["NAME"] == "Jo")
        let text = try program.run("check-proof", proof)
        #expect(text.status == 3)
        #expect(text.output.contains("N0ONE") && text.output.contains("not anchored"))
        #expect(try program.run("check-proof", proof, "--head", head).output.contains("Proven and anchored."))
    }

    @Test func `that were edited end with 65 and a reason, and so does what is none; a missing file with 66`() throws {
        let program = try Program()
        let (proof, head) = try proof(in: program)
        let edited = program.folder.appending(path: "edited.json")
        // The name among the values, in hexadecimal: Jo to Jp.
        try Data(try program.text("proof.json").replacing("024a6f", with: "024a70").utf8).write(to: edited)
        try #require(try Data(contentsOf: edited) != Data(contentsOf: URL(filePath: proof)))
        let refused = try program.run("check-proof", edited.path, "--head", head, "--json")
        #expect(refused.status == 65 && refused.errors.isEmpty)
        #expect(refused.json["ok"] as? Bool == false && refused.json["fields"] == nil)
        #expect((refused.json["reason"] as? String)?.contains("another root") == true)
        let text = try program.run("check-proof", edited.path)
        #expect(text.status == 65)
        #expect(text.output.hasPrefix("Not proven:") && !text.output.contains("N0ONE"))
        #expect(try program.run("check-proof", head).status == 65)
        #expect(try program.run("check-proof", program.store.appending(path: "log.mdb").path).status == 65)
        #expect(try program.run("check-proof", proof, "--head", proof).status == 65)
        #expect(try program.run("check-proof", "/nowhere/at/all").status == 66)
        #expect(try program.run("check-proof", proof, "--head", "/nowhere/at/all").status == 66)
        #expect(try program.run("prove", "N0NOBODY").status == 66)
    }

    @Test func `for an older head are anchored to it; made without it in view they are not`() throws {
        let program = try Program()
        let (proof, head) = try proof(in: program)
        try program.json("qso", "edit", "N0ONE", "NAME=Joe")
        let path = program.folder.appending(path: "new.json").path
        try program.json("prove", "N0ONE", "-o", path)
        let plain = try program.run("check-proof", path, "--head", head)
        #expect(plain.status == 3)
        #expect(plain.errors.contains("prove ID --head FILE"))
        try program.json("prove", "N0ONE", "--head", head, "-o", path, "--force")
        let anchored = try program.json("check-proof", path, "--head", head)
        #expect((anchored["fields"] as? [String: String])?["NAME"] == "Joe")
        // What was proven then still is.
        #expect(try program.run("check-proof", proof, "--head", head).status == 0)
    }

    @Test func `keep the store as it is: heads hold while it grows, and not where it was rewritten`() throws {
        let program = try Program()
        let (_, head) = try proof(in: program)
        // A copy that nothing tells from the original.
        let copy = program.folder.appending(path: "copy")
        try TemporaryStore.copy(program.store, stateFolder: program.state, to: copy, stateFolder: program.state)
        try program.json("qso", "add", "N0SIX", "BAND=20m", "MODE=CW")
        let late = program.folder.appending(path: "late.json").path
        try program.json("head", "-o", late)
        let kept = try program.json("head", "check", head, late, "--words")
        let heads = try #require(kept["heads"] as? [[String: Any]])
        #expect(kept["ok"] as? Bool == true)
        #expect(heads.map { $0["later"] as? Int } == [1, 0])
        #expect((heads[1]["words"] as? String)?.split(separator: " ").count == 16)
        #expect(try program.json("head", "--words")["words"] as? String == heads[1]["words"] as? String)
        // The copy lost an event that was signed, then says another one in its place.
        #expect(try program.run("head", "check", late, "--store", copy.path).status == 1)
        #expect(try program.run("qso", "add", "N0SEV", "BAND=20m", "--store", copy.path).status == 0)
        let rewritten = try program.run("head", "check", late, "--store", copy.path, "--json")
        #expect(rewritten.status == 1 && rewritten.errors.isEmpty)
        let answer = try #require((rewritten.json["heads"] as? [[String: Any]])?.first)
        #expect(answer["standing"] as? String == "rewritten")
        #expect(answer["rootHere"] as? String != answer["root"] as? String && answer["rootHere"] != nil)
        let text = try program.run("head", "check", late, "--store", copy.path)
        #expect(text.output.contains("Rewritten:") && text.output.contains(answer["rootHere"] as? String ?? "?"))
        #expect(try program.run("head", "check", head, "--store", copy.path).status == 0)
        let other = try Program()
        #expect(try other.run("head", "check", head).status == 66)
    }

    @Test func `are made without changing a byte of the store`() throws {
        let program = try Program()
        _ = try proof(in: program)
        func files() throws -> [Data] {
            try ["log.mdb", "views.mdb", "identity"].map {
                try Data(contentsOf: program.store.appending(path: $0))
            }
        }
        let before = try files()
        #expect(try program.run("prove", "last").status == 0)
        #expect(try program.run("head").status == 0)
        #expect(try files() == before)
    }
}
