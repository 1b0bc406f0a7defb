import Foundation
import Testing

@Suite struct `groundwave --at, diff, whatif, revert and snapshot` {
    private static let adi = """
        <EOH>
        <CALL:5>N0AAA<QSO_DATE:8>20260502<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>
        <CALL:5>N0BBB<QSO_DATE:8>20260502<TIME_ON:4>1201<BAND:3>20m<MODE:2>CW<EOR>
        """

    /// A store with one contact, an import of two, and an edit of each kind: the positions behind these steps.
    private static func program() throws -> (Program, added: Int, imported: Int, edited: Int) {
        let program = try Program()
        try program.json("qso", "add", "N0OWN", "BAND=40m", "MODE=CW")
        let added = try events(program)
        let log = program.folder.appending(path: "log.adi")
        try Data(adi.utf8).write(to: log)
        try program.json("import", log.path)
        let imported = try events(program)
        try program.json("qso", "edit", "N0AAA", "NAME=Hiram")
        return (program, added, imported, try events(program))
    }

    private static func events(_ program: Program) throws -> Int {
        try #require(try program.json("info")["events"] as? Int)
    }

    private static func calls(_ program: Program, _ arguments: String...) throws -> [String] {
        let answer = try program.json(["qso", "list"] + arguments)
        return (answer["qsos"] as? [[String: Any]] ?? []).compactMap {
            ($0["fields"] as? [String: Any])?["CALL"] as? String
        }
        .sorted()
    }

    @Test func `reading verbs show what was there`() throws {
        let (program, added, imported, edited) = try Self.program()
        #expect(try Self.calls(program) == ["N0AAA", "N0BBB", "N0OWN"])
        #expect(try Self.calls(program, "--at", "@\(added)") == ["N0OWN"])
        #expect(try Self.calls(program, "--at", "@\(added + 1)") == ["N0AAA", "N0OWN"], "inside the import")
        #expect(try Self.calls(program, "--at", "before:@\(imported)") == ["N0OWN"])
        #expect(try Self.calls(program, "--at", "after:@\(imported)") == ["N0AAA", "N0BBB", "N0OWN"])
        #expect(try Self.calls(program, "--at", "2026-01-01") == [])
        let shown = try program.run("qso", "show", "N0AAA", "--at", "@\(imported)")
        #expect(shown.status == 0 && !shown.output.contains("Hiram"))
        #expect(try program.run("qso", "show", "N0AAA", "--at", "@\(edited)").output.contains("Hiram"))
        #expect(
            try program.json("digest", "--at", "@\(edited)")["digest"] as? String == program.json("digest")["digest"]
                as? String)
    }

    @Test func `a point that is none, and --at on a verb that writes, are refused with 64`() throws {
        let (program, _, _, edited) = try Self.program()
        // No replica has a U in its name: the alphabet is Crockford's.
        for point in ["soon", "@", "before:", "known:u@1", "snapshot"] {
            let outcome = try program.run("qso", "list", "--at", point)
            #expect([64, 66].contains(outcome.status) && !outcome.errors.isEmpty, "\(point): \(outcome.status)")
        }
        #expect(try program.run("qso", "list", "--at", "@\(edited + 1)").status == 66)
        #expect(try program.run("qso", "list", "--at", "snapshot:last").status == 66)
        #expect(try program.run("qso", "add", "N0CALL", "--at", "@1").status == 64)
    }

    @Test func `diff names what was added, removed and changed, with exit code 1`() throws {
        let (program, added, imported, edited) = try Self.program()
        try program.json("qso", "remove", "N0BBB", "--yes")
        let whole = try program.run("diff", "@\(added)", "@\(imported)", "--kind", "qso", "--json")
        #expect(whole.status == 1)
        #expect((whole.json["added"] as? [Any])?.count == 2 && (whole.json["changed"] as? [Any])?.isEmpty == true)
        let inside = try program.run("diff", "@\(added + 1)", "@\(added + 2)", "--kind", "qso", "--json")
        #expect(inside.status == 1 && (inside.json["added"] as? [Any])?.count == 1)
        let since = try program.run("diff", "@\(imported)", "now", "--kind", "qso", "--json")
        #expect(since.status == 1 && (since.json["removed"] as? [Any])?.count == 1)
        let changed = try #require((since.json["changed"] as? [[String: Any]])?.first)
        let name = ((changed["fields"] as? [String: Any])?["NAME"]) as? [String: Any]
        #expect(name?["before"] == nil && name?["after"] as? String == "Hiram")
        let text = try program.run("diff", "@\(imported)", "@\(edited)", "N0AAA")
        #expect(text.status == 1 && text.output.contains("NAME") && text.output.contains("Hiram"))
        let same = try program.run("diff", "@\(edited)", "@\(edited)")
        #expect(same.status == 0 && same.output.hasPrefix("No difference."))
        #expect(try program.run("diff", "@1", "@99999").status == 66)
    }

    @Test func `whatif shows and writes nothing, and --keep makes it so`() throws {
        let (program, _, _, edited) = try Self.program()
        let shown = try program.run("whatif", "--without-import", "last", "--json")
        #expect(shown.status == 0 && (shown.json["removed"] as? [Any])?.count == 1, "\(shown.output)")
        #expect(try Self.events(program) == edited)
        #expect(
            try program.run("whatif", "--without-import", "last", "--keep").status == 64, "it asks, and nobody answers")
        #expect(try Self.events(program) == edited)
        #expect(try program.run("whatif", "--without-import", "last", "--keep", "--yes").status == 0)
        #expect(try Self.calls(program) == ["N0AAA", "N0OWN"], "what was edited since stays")
        #expect(try program.run("whatif").status == 64)
        #expect(try program.run("whatif", "--without-import", "nothing").status == 66)
    }

    @Test func `revert of an import lists what stays, and the revert of the revert gives it back`() throws {
        let (program, _, _, edited) = try Self.program()
        let dry = try program.run("revert", "--import", "last", "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("N0BBB"), "\(dry.output)\(dry.errors)")
        #expect(try Self.events(program) == edited)
        let reverted = try program.run("revert", "--import", "last", "--yes")
        #expect(reverted.status == 0, "\(reverted.errors)")
        #expect(try Self.calls(program) == ["N0AAA", "N0OWN"])
        #expect(try program.run("undo", "--yes").status == 0)
        #expect(try Self.calls(program) == ["N0AAA", "N0BBB", "N0OWN"])
        #expect(try program.run("revert", "@\(edited)", "--yes", "--note", "Wrong name").status == 0)
        #expect(try !program.run("qso", "show", "N0AAA").output.contains("Hiram"))
        #expect(try program.run("revert", "@99999", "--yes").status == 66)
        #expect(try program.run("revert").status == 64)
    }

    @Test func `snapshots are made, listed, a point, checked and pruned`() throws {
        let (program, added, _, edited) = try Self.program()
        #expect(try program.run("snapshot", "list").output.hasPrefix("No snapshots yet."))
        let made = try program.json("snapshot", "create")
        #expect(made["events"] as? Int == edited && (made["bytes"] as? Int ?? 0) > 100)
        let id = try #require(made["id"] as? String)
        try program.json("qso", "add", "N0NEW", "BAND=40m", "MODE=CW")
        #expect(try Self.calls(program, "--at", "snapshot:last") == ["N0AAA", "N0BBB", "N0OWN"])
        #expect(try Self.calls(program, "--at", "snapshot:\(id.prefix(8))") == ["N0AAA", "N0BBB", "N0OWN"])
        #expect(try Self.calls(program, "--at", "@\(added)") == ["N0OWN"])
        #expect(try program.run("snapshot", "verify").status == 0)
        let file = program.store.appending(path: "snapshots/\(try #require(made["file"] as? String))")
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        let verified = try program.run("snapshot", "verify")
        #expect(verified.status == 65 && verified.output.contains(file.lastPathComponent))
        #expect(
            try Self.calls(program, "--at", "@\(edited)") == ["N0AAA", "N0BBB", "N0OWN"], "it replays from the start")
        #expect(try program.run("snapshot", "prune", "--dry-run").status == 0)
    }
}
