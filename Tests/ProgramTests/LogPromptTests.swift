import Foundation
import GroundwaveSeededNumbers
import Testing

@Suite struct `groundwave qso log` {
    private func fields(_ program: Program, _ call: String) throws -> [String: String] {
        try #require(try program.json("qso", "show", call)["fields"] as? [String: String])
    }

    @Test func `logs a line each, with what session and settings say`() throws {
        let program = try Program()
        #expect(try program.run("settings", "set", "defaultMode", "CW").status == 0)
        try program.json("session", "start", "--call", "N0CALL", "--park", "US-0001", "--freq", "14.0325")
        let outcome = try program.run(
            ["qso", "log"], input: "w1aw\n40m\nk1aa 579 599 #US-0002\nnonsense\nw1aw\nw1aw\n")
        #expect(outcome.status == 3 && outcome.errors.contains("“nonsense” is not understood."))
        #expect(outcome.output.contains("Logging as N0CALL on 14.0325 MHz in CW.\nThey belong to the session"))
        #expect(outcome.output.contains("DUPE of") && outcome.output.hasSuffix("4 contacts logged.\n"))
        let first = try fields(program, "K1AA")
        #expect(first["BAND"] == "40m" && first["RST_SENT"] == "579" && first["POTA_REF"] == "US-0002")
        #expect(first["MODE"] == "CW" && first["MY_POTA_REF"] == "US-0001" && first["FREQ"] == nil)
        let bands = try #require(
            try program.json("qso", "count", "--by", "band", "--call", "W1AW")["groups"] as? [[String: Any]])
        #expect(bands.map { $0["key"] as? String } == ["40m", "20m"] && bands.map { $0["count"] as? Int } == [2, 1])
    }

    @Test func `sends serial numbers, corrects by number and takes back`() throws {
        let program = try Program()
        let lines = "20m cw\nw1aw .001\nk1aa .002\nn0ccc .003\nfix 2 CALL=K1AB\ndrop 1\nundo\ndrop 9\nfix 1 CALL=X\n"
        let outcome = try program.run(
            ["qso", "log", "--contest", "arrl-ss-cw", "--serials", "--json"], input: lines)
        #expect(outcome.status == 3)
        #expect((outcome.json["contacts"] as? [Any])?.count == 3)
        let failed = try #require(outcome.json["failed"] as? [[String: Any]])
        #expect(failed.map { $0["line"] as? Int } == [8, 9])
        let contacts = try #require(try program.json("qso", "list")["qsos"] as? [[String: Any]])
        let shown = contacts.compactMap { $0["fields"] as? [String: String] }
        #expect(shown.map { $0["CALL"] } == ["K1AB"] && shown.map { $0["STX"] } == ["002"])
        #expect(shown[0]["SRX"] == "002" && shown[0]["CONTEST_ID"] == "ARRL-SS-CW")
        // The number after the highest one goes on; one that was taken back may be sent again.
        let again = try program.run(
            ["qso", "log", "--contest", "ARRL-SS-CW", "--serials"], input: "40m cw\nn0ddd\n")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try fields(program, "N0DDD")["STX"] == "003")
    }

    @Test func `a contact of another day has its time, and one without a date is made now`() throws {
        let program = try Program()
        let outcome = try program.run(
            ["qso", "log"], input: "20m cw\nw1aw\ndate 2019-05-01\nk1aa\n1205 k1ab\n7 k1ac\nk1ad\n")
        #expect(outcome.status == 3 && outcome.errors.contains("The contact has no time."))
        #expect(try fields(program, "K1AB")["TIME_ON"] == "1205" && fields(program, "K1AC")["TIME_ON"] == "1207")
        #expect(try fields(program, "K1AD")["QSO_DATE"] == "20190501" && fields(program, "K1AD")["TIME_ON"] == "1207")
        let today = try #require(try program.json("qso", "list", "--since", "90m")["qsos"] as? [[String: Any]])
        #expect(today.count == 1)
    }

    @Test func `goes on while other programs write, hide and erase, and after a stop of three seconds`() throws {
        let program = try Program()
        let terminal = try TerminalProgram(program, ["qso", "log"], columns: 100)
        try #require(terminal.shows("Ctrl-D to end"))
        terminal.type("20m cw\nw1aw\nk1aa\nk1ab\n")
        try #require(terminal.shows("K1AB 20m CW"))
        #expect(try program.run("erase", "--call", "W1AW", "--yes").status == 0)
        #expect(try program.run("qso", "remove", "K1AA").status == 0)
        try program.json("qso", "add", "N0CALL", "BAND=40m", "MODE=CW")
        terminal.type("fix 2 NAME=Jim\n")
        try #require(terminal.shows("is hidden"))
        terminal.type("drop 2\n")
        try #require(terminal.shows("Already hidden: "))
        terminal.send(SIGSTOP)
        Thread.sleep(forTimeInterval: 3)
        terminal.send(SIGCONT)
        terminal.type("k1ac\nfix 4 NAME=Ann\n")
        try #require(terminal.shows("Ann"))
        terminal.type("\u{4}")
        let outcome = try terminal.outcome()
        #expect(outcome.status == 0 && outcome.terminal.text.contains("4 contacts logged."), "\(outcome.terminal.text)")
        let contacts = try #require(try program.json("qso", "list")["qsos"] as? [[String: Any]])
        let calls = contacts.compactMap { ($0["fields"] as? [String: String])?["CALL"] }
        #expect(Set(calls) == ["K1AB", "K1AC", "N0CALL"] && calls.count == 3)
        #expect(try program.run("verify", "--deep").status == 0)
    }

    @Test func `says while a call is typed whether it is new, worked or a dupe, and brings back lines`() throws {
        let program = try Program()
        let terminal = try TerminalProgram(program, ["qso", "log"], columns: 100)
        try #require(terminal.shows("Ctrl-D to end", seconds: 20))
        terminal.type("20m cw\rw1aw")
        try #require(terminal.shows("W1AW is new.", seconds: 20))
        terminal.type(" @Jim\r")
        try #require(terminal.shows("Jim", seconds: 20))
        terminal.type("dl/w1aw/p")
        try #require(terminal.shows("Worked before: ", seconds: 20))
        terminal.type("\u{15}w1aw")
        try #require(terminal.shows("DUPE of ", seconds: 20))
        // Another band: worked before, and no dupe.
        terminal.type("\u{1}40m ")
        try #require(terminal.shows("20m CW> 40m w1aw\nWorked before: ", seconds: 20))
        terminal.type("\u{15}")
        // The former line comes back, with its cursor at its end; arrows and backspace change it.
        terminal.type("\u{1B}[A\u{7F}\u{7F}\u{7F}Ann")
        try #require(terminal.shows("20m CW> w1aw @Ann", seconds: 20))
        terminal.type("\u{1B}[H\u{1B}[C\u{1B}[3~2\r")
        try #require(terminal.shows("W2AW 20m CW", seconds: 20))
        #expect(!terminal.echoes)
        terminal.type("\u{4}")
        let outcome = try terminal.outcome()
        #expect(
            outcome.status == 0 && outcome.terminal.text.hasSuffix("2 contacts logged."), "\(outcome.terminal.text)")
        #expect(outcome.terminal.overflowCount == 0)
        #expect(try fields(program, "W2AW")["NAME"] == "Ann")
    }

    @Test func `of two windows sends each number once`() throws {
        let program = try Program()
        let arguments = ["qso", "log", "--contest", "CQ-WPX-CW", "--serials"]
        let windows = try [
            TerminalProgram(program, arguments, columns: 100), TerminalProgram(program, arguments, columns: 100),
        ]
        for window in windows { try #require(window.shows("001>", seconds: 20)) }
        windows[0].type("20m cw\rw1aw\r")
        try #require(windows[0].shows("20m CW 002>", seconds: 20))
        // The number is the next one as soon as a key is pressed, before it is sent.
        windows[1].type("40m cw k")
        try #require(windows[1].shows("002> 40m cw k", seconds: 20))
        windows[1].type("1aa\r")
        try #require(windows[1].shows("40m CW 003>", seconds: 20))
        windows[0].type("n")
        try #require(windows[0].shows("20m CW 003> n", seconds: 20))
        windows[0].type("0bbb\r")
        try #require(windows[0].shows("20m CW 004>", seconds: 20))
        for window in windows {
            window.type("\u{4}")
            #expect(try window.outcome().status == 0)
        }
        let contacts = try #require(try program.json("qso", "list")["qsos"] as? [[String: Any]])
        let numbers = contacts.compactMap { ($0["fields"] as? [String: String])?["STX"] }
        #expect(numbers.sorted() == ["001", "002", "003"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `gives the terminal back when it is ended, and while it is suspended`(signal: Int32) throws {
        let program = try Program()
        let terminal = try TerminalProgram(program, ["qso", "log"], columns: 80)
        try #require(terminal.shows("Ctrl-D to end.\n>"))
        func becomes(_ echoes: Bool) -> Bool {
            let end = Date.now + 30
            while terminal.echoes != echoes {
                if Date.now > end { return false }
                usleep(10_000)
            }
            return true
        }
        #expect(becomes(false))
        terminal.send(SIGTSTP)
        #expect(becomes(true))
        terminal.send(SIGCONT)
        #expect(becomes(false))
        terminal.type("20m cw w1aw\r")
        try #require(terminal.shows("W1AW 20m CW"))
        terminal.send(signal)
        #expect(becomes(true))
        #expect(try terminal.endingSignal() == signal)
        #expect(try fields(program, "W1AW")["BAND"] == "20m")
    }

    @Test func `of a pipe refuses a line that does not end, and reads the next`() throws {
        let program = try Program()
        let outcome = try program.run(
            ["qso", "log"], input: "20m cw w1aw\n" + String(repeating: "x", count: 3_000_000) + "\n40m w1aw\n")
        #expect(outcome.status == 3 && outcome.errors.contains("The line is too long."))
        #expect(outcome.output.hasSuffix("2 contacts logged.\n"))
    }

    /// Sixty lines at a terminal; the program is killed at some moment, and what it had said is logged is there.
    @Test(arguments: 1...20)
    func `an activation that is killed has every line that was entered`(round: Int) throws {
        let program = try Program()
        var numbers = SeededGenerator(seed: UInt64(round))
        let terminal = try TerminalProgram(program, ["qso", "log"], columns: 100)
        try #require(terminal.shows("Ctrl-D to end"))
        let killed = Int.random(in: 1...60, using: &numbers)
        var confirmed = 0
        terminal.type("20m cw\n")
        for number in 1...60 {
            terminal.type("n\(number)aa 599 579 #US-0001\n")
            // The line that is being written when the program is killed may be there or not.
            if number == killed {
                usleep(UInt32.random(in: 0...4_000, using: &numbers))
                break
            }
            try #require(terminal.shows("N\(number)AA 20m CW"))
            confirmed = number
        }
        try terminal.kill()
        let contacts = try #require(try program.json("qso", "list")["qsos"] as? [[String: Any]])
        let calls = contacts.compactMap { ($0["fields"] as? [String: String])?["CALL"] }
        let wanted = (0..<confirmed).map { "N\($0 + 1)AA" }
        #expect(Set(wanted).isSubset(of: calls), "\(wanted.count) were entered, \(calls.count) are there")
        #expect(calls.count <= confirmed + 1)
        #expect(try program.run("verify", "--deep").status == 0)
    }
}
