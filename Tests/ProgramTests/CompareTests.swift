import Foundation
import GroundwaveTesting
import Testing

@Suite struct `groundwave compare` {
    /// A store with some contacts, and a copy of its folder, key included.
    private static func stores() throws -> (program: Program, copy: String) {
        let program = try Program()
        for call in ["N0ONE", "N0TWO", "N0SIX"] { try program.json("qso", "add", call, "BAND=20m", "MODE=CW") }
        let copy = program.folder.appending(path: "copy")
        try TemporaryStore.copy(program.store, stateFolder: program.state, to: copy, stateFolder: program.state)
        return (program, copy.path)
    }

    @Test func `says that a copy is the same, after one exchange`() throws {
        let (program, copy) = try Self.stores()
        let answer = try program.json("compare", copy)
        #expect(answer["same"] as? Bool == true && answer["exchanges"] as? Int == 1)
        #expect(
            (answer["views"] as? [String: Any])?["digest"] as? String == (try program.json("digest"))["digest"]
                as? String)
        #expect((answer["replicas"] as? [[String: Any]])?.map { $0["eventsHere"] as? Int } == [4])
        let text = try program.run("compare", copy)
        #expect(text.status == 0 && text.output.hasPrefix("The same: 4 events; 1 exchange, "), "\(text.output)")
    }

    @Test func `names the contacts that differ, with exit code 1`() throws {
        let (program, copy) = try Self.stores()
        try program.json("qso", "add", "N0HERE", "BAND=20m", "MODE=CW")
        try program.json("qso", "add", "N0MORE", "BAND=20m", "MODE=CW")
        #expect(try program.run("qso", "add", "N0THERE", "BAND=20m", "MODE=CW", "--store", copy).status == 0)
        let text = try program.run("compare", copy)
        #expect(text.status == 1 && text.errors.isEmpty)
        #expect(text.output.contains("1 event with two contents, 1 event only here"), "\(text.output)")
        for call in ["N0HERE", "N0MORE", "N0THERE"] { #expect(text.output.contains(call)) }
        #expect(!text.output.contains("N0ONE"))
        let json = try program.run("compare", copy, "--json")
        #expect(json.status == 1 && json.json["same"] as? Bool == false && json.json["views"] == nil)
        let events = try #require(json.json["events"] as? [[String: Any]])
        #expect(events.map { ($0["here"] as? [String: Any])?["call"] as? String } == ["N0HERE", "N0MORE"])
        #expect(events.map { ($0["there"] as? [String: Any])?["call"] as? String } == ["N0THERE", nil])
        let replica = try #require((json.json["replicas"] as? [[String: Any]])?.first)
        #expect(replica["differing"] as? [[String: Int]] == [["first": 5, "last": 5]])
        #expect(replica["onlyHere"] as? [[String: Int]] == [["first": 6, "last": 6]])
        #expect(replica["onlyThere"] as? [[String: Int]] == [] && replica["device"] as? String == "shack")
        let one = try program.run("compare", copy, "--limit", "1")
        #expect(one.status == 1 && !one.output.contains("N0MORE") && one.errors.contains("--limit 2"))
    }

    @Test func `goes on without views, and not without a log`() throws {
        let (program, copy) = try Self.stores()
        try FileManager.default.removeItem(at: URL(filePath: copy).appending(path: "views.mdb"))
        #expect(try program.run("compare", copy).status == 0)
        try FileManager.default.removeItem(at: URL(filePath: copy).appending(path: "log.mdb"))
        #expect(try program.run("compare", copy).status == 78, "the other store waits in recovery")
    }

    @Test func `refuses what cannot be compared`() throws {
        let (program, copy) = try Self.stores()
        let same = try program.run("compare", program.store.path, "--json")
        #expect(same.status == 64 && same.error["code"] as? String == "usage")
        #expect(try program.run("compare", "/nowhere/at/all").status == 66)
        #expect(try program.run("compare", copy, "--store", "/nowhere/at/all").status == 66)
        #expect(try program.run("compare").status == 64)
        #expect(try program.run("compare", copy, "--limit", "-1").status == 64)
        let other = try Program()
        let refused = try program.run("compare", other.store.path)
        #expect(refused.status == 64 && refused.errors.contains("two different logs"))
    }

    @Test func `changes no byte of either store`() throws {
        let (program, copy) = try Self.stores()
        func files() throws -> [Data] {
            try [program.store.path, copy].flatMap { folder in
                try ["log.mdb", "views.mdb", "identity"].map { try Data(contentsOf: URL(filePath: "\(folder)/\($0)")) }
            }
        }
        let before = try files()
        #expect(try program.run("compare", copy).status == 0)
        #expect(try files() == before)
    }
}
