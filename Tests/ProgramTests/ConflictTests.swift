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
