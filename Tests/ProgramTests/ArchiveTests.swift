import Foundation
import Testing

@Suite struct `groundwave archive` {
    /// A store with an old contact that was edited twice, the point between, and a file to archive to.
    private static func store() throws -> (program: Program, point: String, file: String) {
        let program = try Program()
        try program.json("qso", "add", "N0OLD", "BAND=20m", "MODE=CW", "NAME=Hiram")
        try program.json("qso", "edit", "N0OLD", "NAME=Percy", "--note", "He told me")
        let point = "@\(try #require(try program.json("info")["events"] as? Int))"
        try program.json("qso", "edit", "N0OLD", "NAME=Maxim")
        try program.json("qso", "add", "N0NEW", "BAND=40m", "MODE=CW")
        return (program, point, program.folder.appending(path: "old.gwa").path)
    }

    @Test func `moves values away and says archived where they are asked for`() throws {
        let (program, point, file) = try Self.store()
        let content = try program.json("digest")["content"] as? String
        let dry = try program.run("archive", "--before", point, "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("Nothing was written."))
        #expect(try program.run("archive", "--before", point, "-o", file).status == 64, "it asks, and nobody answers")
        #expect(!FileManager.default.fileExists(atPath: file))
        let answer = try program.json("archive", "--before", point, "-o", file, "--yes")
        #expect(answer["events"] as? Int == 2 && answer["bytes"] as? Int ?? 0 > 100)
        #expect(try program.json("digest")["content"] as? String == content)
        #expect(try program.run("verify", "--deep").status == 0)
        #expect(try program.json("info")["archived"] as? Int == 3)

        let history = try program.run("history", "N0OLD")
        #expect(history.status == 0 && history.output.contains("archived → Maxim"), "\(history.output)")
        #expect(!history.output.contains("Percy") && !history.output.contains("He told me"))
        #expect(history.output.contains("→ archived  archived\n"), "the note is archived too: \(history.output)")
        let events = try #require(try program.json("history", "N0OLD")["events"] as? [[String: Any]])
        #expect(events.map { $0["noteWithheld"] as? String } == [nil, "archived", "archived"])
        let said = try program.run("history", "--kind", "archive").output
        #expect(said.contains("archives 2 events") && !said.contains("FILE"), "\(said)")
        let raw = try program.run("history", "--kind", "archive", "--json").output
        #expect(raw.contains("FILE") && raw.contains("SNAPSHOT"))
        let blame = try program.run("blame", "last", "--kind", "archive").output
        #expect(blame.contains("3 events"), "\(blame)")
        let earlier = try program.run("qso", "show", "N0OLD", "--at", "@2")
        #expect(earlier.status == 66, "\(earlier.output)\(earlier.errors)")
        #expect(earlier.errors.contains("--archive FILE") && earlier.errors.contains("archive --restore FILE"))
        let json = try program.run("qso", "list", "--at", "@2", "--json")
        #expect(json.status == 66 && json.error["code"] as? String == "archived")
        #expect(try program.run("qso", "list", "--at", point).output.contains("Percy"))

        let whole = try program.run("history", "N0OLD", "--archive", file)
        #expect(whole.output.contains("Percy → Maxim") && whole.output.contains("He told me"), "\(whole.output)")
        #expect(try program.run("qso", "show", "N0OLD", "--at", "@2", "--archive", file).output.contains("Hiram"))
        let verified = try program.run("verify", "--deep", "--archive", file)
        #expect(verified.status == 0 && verified.output.contains("The archive is intact: 2 events in 1 file."))
        #expect(try program.json("verify", "--archive", file)["archivedEvents"] as? Int == 2)
        let erase = try program.run("erase", "N0OLD", "--yes")
        #expect(erase.status == 66 && erase.errors.contains("--restore"))
    }

    @Test func `is taken back by --restore`() throws {
        let (program, point, file) = try Self.store()
        let before = try program.run("history", "N0OLD").output
        try program.json("archive", "--before", point, "-o", file, "--yes")
        let restored = try program.run("archive", "--restore", file)
        #expect(restored.status == 0 && restored.output.contains("the log has every value again. It now takes"))
        #expect(try program.run("history", "N0OLD").output == before)
        #expect(try program.run("verify", "--deep").status == 0)
        #expect(try program.run("archive", "--restore", file).status == 64, "nothing is archived any more")
        let erased = try program.run("erase", "N0OLD", "--yes")
        #expect(
            erased.status == 0 && erased.output.contains("Also in these archives of this log"), "\(erased.output)")
        #expect(try !program.run("erase", "N0NEW", "--yes").output.contains("Also in these archives"))
    }

    @Test func `is passed over by undo, and refused by revert with the way that there is`() throws {
        let (program, point, file) = try Self.store()
        try program.json("archive", "--before", point, "-o", file, "--yes")
        let refused = try program.run("revert", "last", "--yes")
        #expect(refused.status == 64 && refused.errors.contains("archive --restore FILE"), "\(refused.errors)")
        let undone = try program.run("undo", "--yes")
        #expect(undone.status == 0 && undone.output.contains("Undone: 1 step, 1 record."), "\(undone.output)")
        #expect(!undone.output.contains("Archive"))
        #expect(try !program.run("qso", "list").output.contains("N0NEW"))
    }

    @Test func `a file that is damaged, of another log, or none is refused`() throws {
        let (program, point, file) = try Self.store()
        try program.json("archive", "--before", point, "-o", file, "--yes")
        #expect(try program.run("archive", "--before", "now", "-o", file, "--yes").status == 73)
        #expect(try program.run("history", "--archive", file + "x").status == 66)
        #expect(try program.run("history", "--archive", program.store.appending(path: "log.mdb").path).status == 65)
        var bytes = try Data(contentsOf: URL(filePath: file))
        bytes[bytes.count / 2] ^= 1
        let changed = program.folder.appending(path: "changed.gwa")
        try bytes.write(to: changed)
        let damaged = try program.run("verify", "--archive", changed.path)
        #expect(damaged.status == 65 && !damaged.output.contains("intact: "))
        #expect(try program.run("archive", "--restore", changed.path).status == 65)
        let (other, _, _) = try Self.store()
        #expect(try other.run("history", "--archive", file).status == 65)
        #expect(try program.run("archive").status == 64)
        #expect(try program.run("qso", "add", "N0CALL", "--archive", file).status == 64)
    }
}
