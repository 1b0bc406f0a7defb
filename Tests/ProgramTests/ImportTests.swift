import Foundation
import Testing

@Suite(.serialized) struct `groundwave import` {
    /// A log of contacts, in two words: each program leaves something out, and calls itself by another name.
    private static func write(_ count: Int, as name: String, to url: URL) throws {
        var text = "generated\n<PROGRAMID:\(name.utf8.count)>\(name)<EOH>\n"
        for number in 0..<count {
            let call = "N0C\(number)"
            text += "<CALL:\(call.utf8.count)>\(call)<QSO_DATE:8>20260501<TIME_ON:6>1200\(10 + number % 50)"
            text += "<BAND:3>20m<MODE:2>CW<EOR>\n"
        }
        try Data(text.utf8).write(to: url)
    }

    private static func events(_ program: Program) throws -> Int {
        try #require(try program.json("info")["events"] as? Int)
    }

    private static func contacts(_ program: Program) throws -> Int {
        try program.run("export").output.split(separator: "<EOR>", omittingEmptySubsequences: false).count - 1
    }

    /// Two programs that begin the same import at once, in more than one batch.
    @Test(arguments: 1...4) func `of one file by two programs at once is one import`(round: Int) throws {
        let program = try Program()
        let file = program.folder.appending(path: "log.adi")
        try Self.write(9_000, as: "Test", to: file)
        let before = try Self.events(program)
        let both = try (0..<2).map { index in
            // The second one begins while the first is at some part of its work.
            if index == 1 { usleep(UInt32(round - 1) * 150_000) }
            return try program.start(["import", file.path, "--json"])
        }
        let outcomes = try both.map { try $0.outcome() }
        #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes.map(\.errors))")
        let counts = outcomes.map { $0.json["imported"] as? Int ?? -1 }
        #expect(counts.reduce(0, +) == 9_000, "\(counts)")
        let ids = Set(outcomes.compactMap { $0.json["import"] as? String })
        #expect(ids.count == 1)
        #expect(try Self.contacts(program) == 9_000)
        // A contact is one event; the rest closes batches.
        #expect(try Self.events(program) - before <= 9_000 + 8)
        let reverted = try program.run("revert", "--import", #require(ids.first), "--yes")
        #expect(reverted.status == 0, "\(reverted.errors)")
        #expect(try Self.contacts(program) == 0)
        #expect(try program.run("verify").status == 0)
    }

    @Test(arguments: 1...3) func `of two programs' files of the same contacts at once finds each contact`(round: Int)
        throws
    {
        let program = try Program()
        let files = ["One", "Two"].map { ($0, program.folder.appending(path: "\($0).adi")) }
        for (name, file) in files { try Self.write(6_000, as: name, to: file) }
        let both = try files.enumerated().map { index, file in
            if index == 1 { usleep(UInt32(round - 1) * 150_000) }
            return try program.start(["import", file.1.path, "--json"])
        }
        let outcomes = try both.map { try $0.outcome() }
        #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes.map(\.errors))")
        #expect(try Self.contacts(program) == 6_000)
    }

    @Test func `is told by its history and by undo as by its receipt`() throws {
        let program = try Program()
        let file = program.folder.appending(path: "log.adi")
        try Self.write(3, as: "Test", to: file)
        let id = try #require(try program.json("import", file.path)["import"] as? String)
        let listed = try program.run("history", "--kind", "import").output
        #expect(listed.contains("import \(id.prefix(8))") && listed.contains("3 new"), "\(listed)")
        // An export of this store is no news at all.
        let own = program.folder.appending(path: "own.adi")
        #expect(try program.run("export", "-o", own.path).status == 0)
        let before = try program.run("history").output
        let again = try program.json("import", own.path)
        #expect(again["unchanged"] as? Int == 3 && again["updated"] as? Int == 0 && again["import"] == nil)
        #expect(try program.run("history").output == before)
        // The file of another program says nothing that is not known; what it says is kept.
        try Self.write(3, as: "Other", to: file)
        let report = try program.json("import", file.path)
        #expect(report["unchanged"] as? Int == 3 && report["updated"] as? Int == 0)
        let history = try program.run("history").output
        #expect(history.contains("3 unchanged") && !history.contains("updated"), "\(history)")
        let undone = try program.run("undo", "--yes")
        #expect(undone.status == 0 && undone.output.contains("no record shows anything of it"), "\(undone.output)")
        #expect(try Self.contacts(program) == 3)
        #expect(try program.run("undo", "--yes").output.contains("Undone: 1 step, 3 records."))
        #expect(try Self.contacts(program) == 0)
    }

    /// Two devices import what two programs have of the same contacts, and are synchronised all the while.
    @Test(arguments: 1...2)
    func `of two programs' files on two devices that sync meanwhile ends with the finest of both`(
        round: Int
    ) throws {
        let program = try Program()
        let (place, other) = (program.folder.appending(path: "place"), program.folder.appending(path: "other").path)
        #expect(try program.run("remote", "add", "stick", place.path).status == 0)
        #expect(try program.run("sync").status == 0)
        #expect(try program.run("join", place.path, "--name", "laptop", "--store", other).status == 0)
        let count = 3_000
        // One program has the seconds, the other one the names.
        for (name, seconds, person) in [("One", "30", ""), ("Two", "", "<NAME:5>Hiram")] {
            var text = "x\n<PROGRAMID:3>\(name)<EOH>\n"
            for number in 0..<count {
                let (call, time) = ("N0C\(number)", "12\(10 + number % 50)\(seconds)")
                text += "<CALL:\(call.utf8.count)>\(call)<QSO_DATE:8>20260501<TIME_ON:\(time.utf8.count)>\(time)"
                text += "<BAND:3>20m<MODE:2>CW\(person)<EOR>\n"
            }
            try Data(text.utf8).write(to: program.folder.appending(path: "\(name).adi"))
        }
        let run = try program.script(
            """
            cd "\(program.folder.path)"
            "$GROUNDWAVE" import One.adi & one=$!
            sleep 0.\(round)
            "$GROUNDWAVE" import Two.adi --store "\(other)" & two=$!
            while kill -0 $one 2> /dev/null || kill -0 $two 2> /dev/null; do
              "$GROUNDWAVE" sync && "$GROUNDWAVE" sync --store "\(other)"
            done
            wait $one && wait $two && "$GROUNDWAVE" sync && "$GROUNDWAVE" sync --store "\(other)" && "$GROUNDWAVE" sync
            """)
        #expect(run.status == 0, "\(run.errors)")
        let exports = try [[], ["--store", other]].map { try program.run(["export"] + $0).output }
        for text in exports {
            let records = text.components(separatedBy: "<EOR>").dropLast()
            #expect(records.count == count, "each contact is there once")
            #expect(records.allSatisfy { $0.contains("<NAME:5>Hiram") && $0.contains("<TIME_ON:6>12") })
        }
        let digests = try [[], ["--store", other]].map { try program.json(["digest"] + $0)["digest"] as? String }
        #expect(digests[0] != nil && digests[0] == digests[1])
        #expect(try program.run("conflicts", "list", "--sources").output.contains("No contradictions."))
    }

    @Test func `says of each field what became of a file's values, and a source that is trusted wins`() throws {
        let program = try Program()
        func file(_ source: String, _ fields: String) throws -> String {
            let url = program.folder.appending(path: "\(source).adi")
            let key = "<CALL:6>N0CALL<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW"
            let text = "x\n<PROGRAMID:\(source.utf8.count)>\(source)<EOH>\n\(key)\(fields)<EOR>\n"
            try Data(text.utf8).write(to: url)
            return url.path
        }
        #expect(try program.run("import", file("One", "<NAME:5>Hiram<GRIDSQUARE:6>FN31pr")).status == 0)
        #expect(try program.run("qso", "edit", "N0CALL", "NAME=Percy").status == 0)
        let second = try file("Two", "<NAME:5>Maxim<GRIDSQUARE:4>FN31<QTH:6>Boston")
        let told = try program.run("import", second, "--report", "--dry-run").output
        #expect(told.contains("FIELD       FILLED  REFINED  CORRECTED  KEPT  CONTRADICTED"), "\(told)")
        #expect(told.contains("NAME                                                     1"), "\(told)")
        #expect(told.contains("conflicts list --sources"))
        let fields = try program.json("import", second)["fields"] as? [String: [String: Int]]
        #expect(fields == ["NAME": ["contradicted": 1], "GRIDSQUARE": ["kept": 1], "QTH": ["filled": 1]])
        let refused = try program.run("import", second, "--trust", "LoTW")
        #expect(refused.status == 64 && refused.errors.contains("--trust \"Two\""), "\(refused.errors)")
        #expect(try program.json("import", second, "--trust", "Two")["updated"] as? Int == 1)
        let shown = try program.json("qso", "show", "N0CALL")["fields"] as? [String: String]
        #expect(shown?["NAME"] == "Maxim" && shown?["GRIDSQUARE"] == "FN31pr")
        try program.json("import", file("Three", "<NAME:5>Lewis"))
        #expect(try program.run("blame", "N0CALL", "--field", "NAME").output.contains("trusted"))
        // A person who was erased stays so, and the day is told.
        #expect(try program.run("erase", "N0CALL", "--yes").status == 0)
        let again = try program.run("import", second).output
        let day = Date().formatted(.iso8601.year().month().day())
        #expect(again.contains("1 of the unchanged contacts was erased here on \(day)"), "\(again)")
        #expect((try program.json("import", second)["erasedAt"] as? String)?.hasPrefix(day) == true)
    }
}
