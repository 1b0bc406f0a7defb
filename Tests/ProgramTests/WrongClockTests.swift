#if os(Linux)
import Foundation
import Testing

/// Programs whose clock is wrong.
@Suite struct `A program whose clock was wrong` {
    private static let day = 86_400

    /// Two devices that have one contact and a folder to meet in.
    private struct Pair {
        let one: Program
        let two: Program
        let library: URL

        init() throws {
            one = try Program()
            two = try Program()
            try FileManager.default.removeItem(at: two.store)
            library = try ClockAhead.library(for: one)
            let place = "file://\(one.folder.appending(path: "place").path)"
            for words in [
                ["qso", "add", "W1AW", "BAND=20m", "MODE=CW", "COMMENT=first"], ["remote", "add", "place", place],
                ["sync"],
            ] { try done(one, words) }
            try done(two, ["join", place, "--name", "portable"])
        }

        /// Runs the program, and expects that it does what it is told.
        @discardableResult
        func done(_ program: Program, _ words: [String], ahead seconds: Int? = nil) throws -> Program.Outcome {
            let environment = seconds.map { ClockAhead.environment(library, seconds: $0) } ?? [:]
            let outcome = try program.run(words, environment: environment)
            try #require(outcome.status == 0, "\(words): \(outcome.output) \(outcome.errors)")
            return outcome
        }

        /// Both look at the folder until they agree.
        func meet() throws {
            // What is still missing after the first looks is no error.
            for program in [one, two, one, two, one] { _ = try program.run("sync") }
        }

        func comment(_ program: Program) throws -> String? {
            (try done(program, ["qso", "show", "W1AW", "--json"]).json["fields"] as? [String: Any])?["COMMENT"]
                as? String
        }

        func digest(_ program: Program) throws -> String? {
            try done(program, ["digest", "--json"]).json["digest"] as? String
        }

        func replicas(_ program: Program) throws -> [[String: Any]] {
            try done(program, ["replicas", "list", "--json"]).json["replicas"] as? [[String: Any]] ?? []
        }
    }


    @Test func `goes on as a new device, and the edit that was made later wins everywhere`() throws {
        let pair = try Pair()
        try pair.done(pair.one, ["qso", "edit", "W1AW", "COMMENT=wrong"], ahead: 3600 * Self.day)
        try pair.meet()
        try pair.done(pair.one, ["qso", "edit", "W1AW", "COMMENT=right"])
        try pair.done(pair.two, ["qso", "edit", "W1AW", "COMMENT=later"])
        try pair.meet()
        #expect(try pair.comment(pair.one) == "later")
        #expect(try pair.comment(pair.two) == "later")
        #expect(try pair.digest(pair.one) == pair.digest(pair.two))
        for program in [pair.one, pair.two] {
            let events = try pair.done(program, ["history", "W1AW", "--json"]).json["events"] as? [[String: Any]] ?? []
            let wrong = events.filter { $0["countsAs"] != nil }
            #expect(wrong.count == 1)
            let change = (wrong.first?["changes"] as? [[String: Any]])?.first
            #expect(change?["after"] as? String == "wrong")
            let text = try pair.done(program, ["history", "W1AW"]).output
            #expect(text.contains("COMMENT: first → wrong") && text.contains("clock was wrong: 20"), "\(text)")
            let devices = try pair.done(program, ["replicas"]).output
            #expect(devices.contains("because its clock was ahead by 9 years"), "\(devices)")
            #expect(try pair.replicas(program).filter { $0["clockWasAheadSeconds"] != nil }.count == 1)
        }
        #expect(try pair.done(pair.one, ["verify", "--deep", "--json"]).json["ok"] as? Bool == true)
    }

    @Test func `is the same device as before if the clock was ahead by less than a day`() throws {
        let pair = try Pair()
        try pair.done(pair.one, ["qso", "edit", "W1AW", "COMMENT=early"], ahead: Self.day - 60)
        try pair.done(pair.one, ["qso", "edit", "W1AW", "COMMENT=now"])
        #expect(try pair.replicas(pair.one).count == 1)
        try pair.done(pair.one, ["qso", "edit", "W1AW", "COMMENT=early"], ahead: Self.day + 60)
        try pair.done(pair.one, ["qso", "edit", "W1AW", "COMMENT=now"])
        #expect(try pair.replicas(pair.one).count == 2)
    }

    @Test func `can be declared by somebody else if it is gone, which can be taken back`() throws {
        let pair = try Pair()
        try pair.done(pair.one, ["qso", "edit", "W1AW", "COMMENT=wrong"], ahead: 3600 * Self.day)
        try pair.done(pair.two, ["qso", "edit", "W1AW", "COMMENT=other"])
        _ = try pair.one.run(["sync"], environment: ["LD_PRELOAD": pair.library.path, "AHEAD": "\(3600 * Self.day)"])
        _ = try pair.two.run("sync")
        #expect(try pair.comment(pair.two) == "wrong")
        #expect(try pair.done(pair.two, ["replicas"]).output.contains("its clock seems to be ahead by 9 years"))
        let preview = try pair.done(pair.two, ["replicas", "clock", "shack", "--dry-run", "--json"]).json
        #expect(preview["changed"] as? Bool == false && preview["events"] as? Int == 1)
        #expect(try pair.comment(pair.two) == "wrong")
        // Written before the other one, as far as anybody remembers.
        let said = try pair.done(
            pair.two, ["replicas", "clock", "shack", "--from", "2030-01-01", "--written-by", "now"])
        #expect(said.output.contains("count as written at") || said.output.contains("counts as written at"))
        #expect(try pair.replicas(pair.two).contains { $0["clockWasAheadSeconds"] != nil })
        let refused = try pair.two.run("replicas", "clock", "shack", "--from", "2060-01-01", "--json")
        #expect(refused.status == 64 && refused.error["hint"] != nil)
        #expect(try pair.two.run("replicas", "clock", "portable").status != 0)
        let back = try pair.done(pair.two, ["replicas", "clock", "shack", "--right", "--json"])
        #expect(back.json["changed"] as? Bool == true)
        #expect(try pair.replicas(pair.two).allSatisfy { $0["clockWasAheadSeconds"] == nil })
        #expect(try pair.comment(pair.two) == "wrong")
    }
}
#endif
