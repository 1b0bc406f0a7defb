import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import Testing

@Suite struct `groundwave conflicts` {
    @Test func `a conflict is listed with both authors, and decided`() async throws {
        let program = try Program()
        let id = try await contest(program)
        let listed = try program.run("conflicts", "list", "--json", "--exit-code")
        #expect(listed.status == 1)
        let conflict = try #require((listed.json["conflicts"] as? [[String: Any]])?.first)
        #expect(conflict["record"] as? String == id)
        #expect(conflict["field"] as? String == "FREQ+BAND")
        let candidates = try #require(conflict["candidates"] as? [[String: Any]])
        #expect(candidates.map { $0["value"] as? String } == ["14.035 20m", "7.035 40m"])
        #expect(candidates.map { $0["author"] as? String } == ["N0CALL", "K0XYZ"])
        #expect(candidates.allSatisfy { $0["stamp"] is String })
        let event = try #require(candidates[0]["event"] as? String)
        #expect(try program.run("conflicts", "choose", "W1AW", "FREQ", "NOSUCH").status == 66)
        #expect(try program.run("conflicts", "choose", "W1AW", "NAME", event).status == 66)
        #expect(try program.json("conflicts", "choose", "W1AW", "FREQ", event)["event"] is String)
        #expect((try program.json("conflicts")["conflicts"] as? [Any])?.count == 0)
        #expect((try program.json("qso", "show", "W1AW")["fields"] as? [String: String])?["BAND"] == "20m")
        #expect(try program.run("conflicts", "choose", "W1AW", "FREQ", event).status == 66)
    }

    @Test func `show is about one record`() async throws {
        let program = try Program()
        let id = try await contest(program)
        #expect((try program.json("conflicts", "show", String(id.prefix(10)))["conflicts"] as? [Any])?.count == 1)
        #expect(try program.run("conflicts", "show", "W1AW").output.contains("K0XYZ"))
        #expect(try program.run("conflicts", "show", "NOCALL").status == 66)
    }

    @Test func `files that contradict each other are no conflict, are listed with --sources, and can be decided`()
        throws
    {
        let program = try Program()
        for (source, name) in [("first", "Hiram"), ("second", "Percy")] {
            let file = program.folder.appending(path: "\(source).adi")
            let text =
                "x\n<PROGRAMID:\(source.utf8.count)>\(source)<EOH>\n<CALL:6>N0CALL<QSO_DATE:8>20240501<TIME_ON:4>1200"
            try Data((text + "<BAND:3>20m<MODE:2>CW<NAME:5>\(name)<EOR>\n").utf8).write(to: file)
            #expect(try program.run("import", file.path).status == 0)
        }
        func shown() throws -> String? {
            (try program.json("qso", "show", "N0CALL")["fields"] as? [String: String])?["NAME"]
        }
        #expect(try shown() == "Hiram")
        #expect((try program.json("conflicts")["conflicts"] as? [Any])?.isEmpty == true)
        #expect(try program.run("conflicts", "list", "--exit-code").status == 0)
        #expect(try program.run("conflicts", "list", "--sources", "--exit-code").status == 1)
        let table = try program.run("conflicts", "list", "--sources").output
        #expect(table.contains("Percy") && table.contains("Import second.adi") && table.contains("NAME"))
        #expect(try program.run("blame", "N0CALL", "--field", "NAME").output.contains("first"))
        let listed = try program.json("conflicts", "show", "N0CALL", "--sources")["conflicts"] as? [[String: Any]]
        let candidates = try #require(listed?.first?["candidates"] as? [[String: Any]])
        #expect(candidates.map { $0["value"] as? String } == ["Percy", "Hiram"])
        let event = try #require(candidates[0]["event"] as? String)
        #expect(try program.run("conflicts", "choose", "N0CALL", "NAME", event).status == 0)
        #expect(try shown() == "Percy")
        #expect(try program.run("conflicts", "list", "--sources").output.contains("No contradictions."))
    }

    /// Has two people correct one frequency without seeing each other's correction.
    private func contest(_ program: Program) async throws -> String {
        let store = try await Store.open(at: program.store, .full()).whole
        @Sendable func fields(_ frequency: String, _ band: String) -> [Assignment] {
            [Assignment("FREQ", text: frequency), Assignment("BAND", text: band)]
        }
        let call = [Assignment("CALL", text: "W1AW")]
        let id = try await store.write { try $0.add("qso", call + fields("14.030", "20m")) }.value
        let basis = try store.read { try $0.record("qso", id) }
        _ = try await store.write(author: "N0CALL") { try $0.set("qso", id, fields("14.035", "20m")) }
        _ = try await store.write(author: "K0XYZ") { try $0.set("qso", id, fields("7.035", "40m"), basis: basis) }
        try store.close()
        return "\(id)"
    }
}
