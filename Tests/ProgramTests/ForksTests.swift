import Foundation
import GroundwaveTesting
import Testing

// Scenario C2: two stores with one name, and nothing that tells them apart.
@Suite struct `groundwave forks` {
    /// A device that went on twice under one name, and a laptop that has met both.
    private func parted() throws -> (shack: Program, laptop: String) {
        let shack = try Program()
        let (place, twin) = (shack.folder.appending(path: "place").path, shack.folder.appending(path: "twin"))
        let laptop = shack.folder.appending(path: "laptop").path
        try shack.json("qso", "add", "N0CALL", "BAND=20m", "MODE=CW")
        try shack.json("remote", "add", "stick", place)
        try TemporaryStore.copy(shack.store, stateFolder: shack.state, to: twin, stateFolder: shack.state)
        try shack.json("qso", "add", "N0ONE", "BAND=20m", "MODE=CW")
        try shack.json("sync")
        try shack.json("qso", "add", "N0TWO", "BAND=40m", "MODE=CW", "--store", twin.path)
        try shack.json("qso", "add", "N0TEN", "BAND=40m", "MODE=CW", "--store", twin.path)
        let bundle = shack.folder.appending(path: "twin.gwb").path
        try shack.json("bundle", "create", "-o", bundle, "--store", twin.path)
        try shack.json("join", place, "--store", laptop, "--name", "laptop")
        let applied = try shack.json("bundle", "apply", bundle, "--store", laptop)
        #expect(applied["events"] as? Int == 2 && (applied["apart"] as? [Any])?.count == 1)
        return (shack, laptop)
    }

    @Test func `lists both histories with where they part, and both count`() throws {
        let (shack, laptop) = try parted()
        let fork = try #require((try shack.json("forks", "--store", laptop)["forks"] as? [[String: Any]])?.first)
        let branches = try #require(fork["branches"] as? [[String: Any]])
        #expect(Set(branches.compactMap { $0["events"] as? Int }) == [1, 2])
        #expect(Set(branches.compactMap { $0["first"] as? String }).count == 2)
        #expect(fork["split"] as? Int == 3 && fork["resolved"] as? Bool == false)
        #expect(try shack.json("qso", "count", "--store", laptop)["total"] as? Int == 4)
        let text = try shack.run("forks", "--store", laptop).output
        #expect(text.contains("FROM EVENT") && text.contains("REVERTED"))
        #expect(try shack.run("forks", "list", "--exit-code", "--store", laptop).status == 1)
        #expect(try shack.run("verify", "--deep", "--store", laptop).status == 0)
        // What one history alone has is proven by what its key has signed, and a store that knows less says so.
        for call in ["N0ONE", "N0TWO"] {
            let proof = shack.folder.appending(path: "\(call).json").path
            try shack.json("prove", call, "-o", proof, "--store", laptop)
            #expect(try shack.run("check-proof", proof).output.contains(call))
        }
        let compared = try shack.run("compare", laptop)
        #expect(compared.status == 1 && compared.output.contains("does not know of a fork"))
        #expect(try shack.json("replicas", "--store", laptop)["replicas"] as? [Any] != nil)
        #expect(try shack.run("sync", "status", "--store", laptop).output.contains("Forked histories: "))
    }

    @Test func `resolve lets one count alone, and undo gives the other back`() throws {
        let (shack, laptop) = try parted()
        let fork = try #require((try shack.json("forks", "--store", laptop)["forks"] as? [[String: Any]])?.first)
        let branches = try #require(fork["branches"] as? [[String: Any]])
        let longer = try #require(branches.first { $0["events"] as? Int == 2 }?["stream"] as? String)
        let start = String(longer.prefix(8))
        let preview = try shack.run("forks", "resolve", "--adopt", start, "--dry-run", "--store", laptop)
        #expect(preview.output.contains("changes 1 record") && preview.output.contains("N0ONE"))
        #expect(try shack.run("forks", "resolve", "--adopt", start, "--store", laptop).status == 64, "it asks")
        let resolved = try shack.json("forks", "resolve", "--adopt", start, "--yes", "--store", laptop)
        #expect((resolved["changed"] as? [Any])?.count == 1)
        #expect(try shack.json("qso", "count", "--store", laptop)["total"] as? Int == 3)
        #expect(try shack.run("forks", "--exit-code", "--store", laptop).status == 0)
        try shack.json("undo", "--yes", "--store", laptop)
        #expect(try shack.json("qso", "count", "--store", laptop)["total"] as? Int == 4)
        #expect(try shack.run("forks", "--exit-code", "--store", laptop).status == 1)
    }

    @Test func `resolve refuses what is no history, and there may be none at all`() throws {
        let shack = try Program()
        #expect(try shack.run("forks").output == "No device has more than one history.\n")
        let refused = try shack.run("forks", "resolve", "--adopt", "ABCD", "--yes")
        #expect(refused.status == 66 && refused.errors.contains("There is no history ABCD."))
        #expect(try shack.run("forks", "resolve").status == 64)
    }
}
