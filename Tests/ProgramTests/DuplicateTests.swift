import Foundation
import Testing

@Suite struct `groundwave duplicates` {
    /// Logs contacts that are one but for what `more` says of each, and returns their ids.
    private func log(_ program: Program, _ more: [String]...) throws -> [String] {
        try more.map { words in
            let call = words.first { !$0.contains("=") } ?? "N0CALL"
            let time = words.first { $0.hasPrefix("TIME_ON=") } ?? "TIME_ON=1234"
            let said = words.filter { $0 != call && $0 != time }
            let outcome = try program.run(
                ["qso", "add", call, "QSO_DATE=20260501", time, "BAND=20m", "MODE=CW"] + said + ["--json"])
            return try #require(outcome.json["id"] as? String, "\(outcome.errors)")
        }
    }

    private func events(_ program: Program) throws -> Int? { try program.json("info")["events"] as? Int }

    @Test func `an empty list is done, and one that is not can be asked for by its exit code`() throws {
        let program = try Program()
        let empty = try program.run("duplicates", "--exit-code")
        #expect(empty.status == 0 && empty.output == "No duplicates.\n")
        #expect((try program.json("duplicates", "list")["pairs"] as? [Any])?.isEmpty == true)
        _ = try log(program, [], [])
        #expect(try program.run("duplicates").status == 0)
        #expect(try program.run("duplicates", "list", "--exit-code").status == 1)
    }

    @Test func `--at lists those of that moment`() throws {
        let program = try Program()
        let ids = try log(program, ["NAME=Joe"], ["NAME=Jim", "TIME_ON=123510"])
        let before = "@\(try #require(try events(program)))"
        try program.json("duplicates", "merge", ids[0], ids[1])
        #expect(try program.run("duplicates", "list").output == "No duplicates.\n")
        let listed = try #require(try program.json("duplicates", "--at", before)["pairs"] as? [[String: Any]])
        #expect(listed.map { $0["a"] as? String } == [ids[0]] && listed.map { $0["b"] as? String } == [ids[1]])
        #expect(try program.run("duplicates", "list", "--at", before, "--exit-code").status == 1)
        #expect(try program.run("duplicates", "list", "--at", "@1", "--exit-code").status == 0)
    }

    @Test func `a pair is listed with what differs`() throws {
        let program = try Program()
        let ids = try log(program, ["NAME=Joe"], ["NAME=Jim", "QTH=Here", "TIME_ON=123510"])
        let listed = try #require(try program.json("duplicates")["pairs"] as? [[String: Any]])
        #expect(listed.map { $0["a"] as? String } == [ids[0]])
        #expect(listed.map { $0["b"] as? String } == [ids[1]])
        #expect(listed.map { $0["seconds"] as? Int } == [11])
        let differing = try #require(listed[0]["differing"] as? [[String: String]])
        #expect(differing.contains(["field": "NAME", "a": "Joe", "b": "Jim"]))
        #expect(differing.contains(["field": "QTH", "b": "Here"]))
        let text = try program.run("duplicates").output.split(separator: "\n")
        #expect(text.count == 3)
        #expect(text[0].hasPrefix("PAIR  ID"))
        #expect(text[1].contains("2026-05-01 12:34Z ") && text[2].contains("2026-05-01 12:35:10Z"))
        #expect(text[2].hasSuffix("at least 11 s later; different NAME; only here: QTH"))
        let line = try program.run("duplicates", "list", "--ndjson")
        #expect(line.json["a"] as? String == ids[0])
        #expect((try program.json("duplicates", "--window", "10")["pairs"] as? [Any])?.isEmpty == true)
    }

    @Test func `merge keeps the first, tells what was not taken over, and undo takes it back`() throws {
        let program = try Program()
        let ids = try log(program, ["NAME=Joe"], ["NAME=Jim", "QTH=Here"])
        let before = try program.json("digest")["content"] as? String
        let count = try events(program)
        let dry = try program.json("duplicates", "merge", ids[1], ids[0], "--dry-run")
        #expect(dry["events"] as? Int == 0 && dry["batches"] as? Int == 0)
        #expect(try events(program) == count, "a dry run writes nothing")
        let merged = try program.json("duplicates", "merge", ids[0], ids[1], "--note", "Two computers")
        #expect(merged["events"] as? Int == 2 && merged["batches"] as? Int == 1)
        let pair = try #require((merged["pairs"] as? [[String: Any]])?.first)
        #expect(pair["keep"] as? String == ids[0] && pair["drop"] as? String == ids[1])
        #expect(pair["taken"] as? [String] == ["QTH"])
        #expect(pair["differing"] as? [[String: String]] == [["field": "NAME", "keep": "Joe", "drop": "Jim"]])
        let shown = try program.json("qso", "show", ids[0])
        #expect((shown["provenance"] as? [String: [String: String]])?["QTH"]?["note"] == "Two computers")
        #expect(try program.json("qso", "show", ids[1])["hidden"] as? Bool == true)
        try program.json("undo", "--yes")
        #expect(try program.json("digest")["content"] as? String == before)
    }

    @Test func `merge all asks for yes, and ends with one contact a group`() throws {
        let program = try Program()
        _ = try log(program, [], ["NAME=Joe"], ["QTH=Here"], ["N0B"], ["N0B"])
        let before = try program.json("digest")["content"] as? String
        let count = try events(program)
        let asked = try program.run("duplicates", "merge", "--all")
        #expect(asked.status == 64)
        #expect(asked.output.split(separator: "\n").count == 4, "the table comes first")
        #expect(asked.errors.contains("This would hide 3 contacts, merged into 2."))
        let dry = try program.run("duplicates", "merge", "--all", "--dry-run")
        #expect(dry.status == 0 && dry.output.hasSuffix("3 contacts would be hidden, merged into 2.\n"))
        #expect(try events(program) == count, "neither writes anything")
        let merged = try program.json("duplicates", "merge", "--all", "--prefer", "more", "--yes")
        #expect((merged["pairs"] as? [Any])?.count == 3)
        #expect(merged["batches"] as? Int == 1)
        #expect((try program.json("qso", "list")["qsos"] as? [Any])?.count == 2)
        let again = try program.run("duplicates", "merge", "--all", "--yes")
        #expect(again.status == 0 && again.output == "No duplicates to merge.\n")
        try program.json("undo", "--yes")
        #expect(try program.json("digest")["content"] as? String == before)
    }

    @Test func `dismiss takes the pair from the list, and undo brings it back`() throws {
        let program = try Program()
        let ids = try log(program, [], [])
        let dismissed = try program.json("duplicates", "dismiss", ids[1], ids[0], "--note", "Two")
        let id = try #require(dismissed["id"] as? String)
        #expect(dismissed["event"] is String)
        #expect((try program.json("duplicates")["pairs"] as? [Any])?.isEmpty == true)
        #expect(try program.json("duplicates", "dismiss", ids[0], ids[1])["event"] == nil)
        let kinds = try #require(try program.json("record", "kinds")["kinds"] as? [[String: Any]])
        #expect(kinds.first { $0["name"] as? String == "dismissal" }?["records"] as? Int == 1)
        #expect(try program.run("record", "add", "dismissal", "A=\(ids[0])", "B=\(ids[1])").status == 64)
        try program.json("record", "remove", "dismissal", id)
        #expect((try program.json("duplicates")["pairs"] as? [Any])?.count == 1)
    }

    static let refusals: [([String], Int32)] = [
        (["merge"], 64), (["merge", "last"], 64), (["merge", "last", "last"], 64), (["merge", "a", "b", "c"], 64),
        (["merge", "last", "--all"], 64), (["merge", "last", "N0CALL"], 66), (["merge", "last", "none"], 66),
        (["merge", "last", "last", "--prefer", "more"], 64), (["merge", "last", "last", "--window", "5"], 64),
        (["merge", "--all", "--prefer", "none.adi", "--yes"], 66), (["merge", "--all", "--window", "-1"], 64),
        (["list", "--window", "soon"], 64), (["list", "--window", "86401"], 64), (["dismiss", "last"], 64),
        (["dismiss", "last", "last"], 64), (["dismiss", "last", "none"], 66),
    ]

    @Test(arguments: refusals)
    func `what cannot be is refused, and nothing is written`(arguments: [String], code: Int32) throws {
        let program = try Program()
        _ = try log(program, [], [])
        let count = try events(program)
        let refused = try program.run(["duplicates"] + arguments + ["--json"])
        #expect(refused.status == code, "\(refused.errors)")
        #expect((refused.error["message"] as? String)?.isEmpty == false)
        #expect(try events(program) == count)
    }
}
