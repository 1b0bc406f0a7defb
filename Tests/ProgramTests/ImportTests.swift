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
}
