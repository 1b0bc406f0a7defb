import Foundation
import Testing

@Suite struct `groundwave session` {
    @Test func `a day in the field`() throws {
        let program = try Program()
        let started = try program.json(
            "session", "start", "--call", "N0CALL", "--operator", "N0ABC", "--park", "US-1234,US-5678", "--grid",
            "FN31",
            "--rig", "KX2", "--power", "5", "--freq", "7.032", "--mode", "CW", "NOTES=At the lake")
        let id = try #require(started["id"] as? String)
        #expect(started["event"] is String)
        try program.json("qso", "add", "W1AW", "RST_SENT=599")
        try program.json("session", "pause")
        try program.json("qso", "add", "W1AW", "BAND=20m", "MODE=SSB")
        try program.json("session", "resume")
        try program.json("session", "edit", "--freq", "14.0325")
        try program.json("qso", "add", "K0XYZ")
        let shown = try program.json("session", "show")
        #expect(shown["id"] as? String == id)
        #expect(shown["total"] as? Int == 2)
        let counts = try #require(shown["counts"] as? [String: [[String: Any]]])
        #expect(Set(counts.keys) == ["band", "mode", "park", "day"])
        #expect(counts["band"]?.map { $0["key"] as? String } == ["40m", "20m"])
        #expect(counts["park"]?.map { $0["count"] as? Int } == [2, 2])
        #expect((try program.json("qso", "list", "--session", "open")["qsos"] as? [Any])?.count == 2)
        let provenance = try program.json("qso", "show", "K0XYZ")["provenance"] as? [String: [String: String]]
        #expect(provenance?["CALL"]?["author"] == "N0ABC")
        try program.json("session", "end")
        let listed = try #require(try program.json("session", "list")["sessions"] as? [[String: Any]])
        #expect(listed.count == 1)
        #expect((listed[0]["fields"] as? [String: String])?["STATUS"] == "ended")
        #expect(try program.run("session", "end", "last").output.hasSuffix("has ended already.\n"))
    }

    @Test func `a second session asks to end the first`() throws {
        let program = try Program()
        try program.json("session", "start")
        let refused = try program.run("session", "start", "--json")
        #expect(refused.status == 64)
        #expect((refused.error["hint"] as? String)?.contains("--replace") == true)
        let replaced = try program.json("session", "start", "--replace")
        #expect(replaced["replaced"] is String)
    }

    static let refusals: [([String], Int32)] = [
        (["session", "end"], 66), (["session", "pause"], 66), (["session", "show"], 66), (["session", "resume"], 66),
        (["session", "edit", "--rig", "KX2"], 66), (["session", "start", "--freq", "7032"], 64),
        (["session", "start", "RIGG=KX2"], 64), (["session", "start", "STATUS=ended"], 64), (["session", "edit"], 64),
    ]

    @Test(arguments: refusals)
    func `without a session, or without sense, it is refused`(arguments: [String], code: Int32) throws {
        #expect(try Program().run(arguments).status == code)
    }
}
