import Foundation
import Testing

@Suite struct `groundwave record` {
    @Test func `kinds are listed with their fields and counts`() throws {
        let program = try Program()
        try program.json("record", "add", "equipment", "NAME=Portable")
        let kinds = try #require(try program.json("record", "kinds")["kinds"] as? [[String: Any]])
        let equipment = try #require(kinds.first { $0["name"] as? String == "equipment" })
        #expect(equipment["records"] as? Int == 1)
        let fields = try #require(equipment["fields"] as? [[String: Any]])
        #expect(fields.contains { $0["name"] as? String == "RIG" && $0["policy"] as? String == "latest" })
    }

    @Test func `a record is added, edited by its name, hidden and restored`() throws {
        let program = try Program()
        try program.json("record", "add", "equipment", "NAME=Portable", "RIG=KX2", "POWER=5")
        #expect(try program.json("record", "edit", "equipment", "portable", "POWER=10")["event"] is String)
        let shown = try program.json("record", "show", "equipment", "Portable")
        #expect((shown["fields"] as? [String: String])?["POWER"] == "10")
        #expect(shown["provenance"] is [String: Any])
        try program.json("record", "remove", "equipment", "Portable")
        #expect((try program.json("record", "list", "equipment")["records"] as? [Any])?.count == 0)
        #expect((try program.json("record", "list", "equipment", "--hidden")["records"] as? [Any])?.count == 1)
        try program.json("record", "restore", "equipment", "Portable")
        #expect((try program.json("record", "list", "equipment")["records"] as? [Any])?.count == 1)
    }

    @Test func `two devices that note one activation meet in one record`() throws {
        let first = try Program()
        let second = try Program()
        let a = try first.json("record", "add", "activation", "PARK=us-1234", "DATE=2026-05-01")
        let b = try second.json("record", "add", "activation", "PARK=US-1234", "DATE=20260501", "TITLE=Lake")
        #expect(a["id"] as? String == b["id"] as? String)
        let again = try first.json("record", "add", "activation", "PARK=US-1234", "DATE=20260501")
        #expect(again["wasThere"] as? Bool == true)
        #expect(again["event"] == nil, "nothing is new")
    }

    @Test func `presence is of a contact by its call, kept by its id`() throws {
        let program = try Program()
        let contact = try program.json("qso", "add", "W1AW", "BAND=20m")["id"] as? String
        try program.json("record", "add", "servicePresence", "QSO=W1AW", "SERVICE=qrz", "PRESENT=true")
        let shown = try program.json("record", "show", "servicePresence", "last")
        #expect((shown["fields"] as? [String: String])?["QSO"] == contact)
    }

    static let refusals: [([String], Int32)] = [
        (["record", "add", "equipment", "RIGG=KX2"], 64), (["record", "add", "equipment"], 64),
        (["record", "add", "activation", "PARK=US-1234"], 64),
        (["record", "add", "activation", "PARK=US-1234", "DATE=20260231"], 64),
        (["record", "add", "equipmnt", "NAME=x"], 64), (["record", "add", "qso", "CALL=W1AW"], 64),
        (["record", "add", "setting", "KEY=apiToken", "VALUE=x"], 64), (["record", "add", "replica", "DEVICE=x"], 77),
        (["record", "remove", "replica", "last"], 77), (["record", "edit", "equipment", "none", "RIG=x"], 66),
        (["record", "list", "nothing"], 66), (["record", "show", "equipment", "none"], 66),
        (["record", "add", "servicePresence", "QSO=W1AW", "SERVICE=qrz"], 66),
    ]

    @Test(arguments: refusals)
    func `what cannot be is refused`(arguments: [String], code: Int32) throws {
        let refused = try Program().run(arguments + ["--json"])
        #expect(refused.status == code)
        #expect((refused.error["message"] as? String)?.hasSuffix(".") == true, "\(refused.errors)")
    }
}
