import Foundation
import Testing

/// The numbers of a channel, or of the whole trace, as the last frame of a terminal says them.
private struct ShownTrace {
    private let lines: [Substring]

    init(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix("bench  ") }, "\(text)")
        self.lines = Array(lines[first...])
    }

    /// `finished`, `recording`.
    var state: String { lines[0].split(separator: " ").last.map(String.init) ?? "" }

    /// The last, least, mean and greatest value of a channel.
    func values(of channel: String) -> [String]? {
        lines.first { $0.hasPrefix(channel + " ") }?.split(separator: " ").dropFirst().prefix(4).map(String.init)
    }

    /// What is behind the word `name`, up to the next fact.
    func fact(_ name: String) -> String? {
        for line in lines {
            for fact in line.split(separator: "   ") where fact.hasPrefix(name + " ") {
                return String(fact.dropFirst(name.count + 1)).trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }
}

/// Compares what a terminal showed last with what `trace show` says of the same trace.
private func expectSame(_ terminal: VirtualTerminal, as program: Program) throws {
    let shown = try ShownTrace(terminal.text)
    let trace = try program.json("trace", "show", "bench")
    #expect(shown.state == trace["state"] as? String)
    #expect(shown.fact("rows").flatMap { Int($0) } == trace["rows"] as? Int)
    #expect(shown.fact("repeated").flatMap { Int($0) } == trace["repeats"] as? Int)
    let gaps = try #require(trace["gaps"] as? [[String: Any]])
    let missing = try #require(trace["missing"] as? Int)
    let how = missing == 0 ? "" : " (unanswered \(missing))"
    #expect(shown.fact("missing") == "\(missing) in \(gaps.count) gap\(gaps.count == 1 ? "" : "s")\(how)")
    for (name, unit) in [("charge", "Ah"), ("energy", "Wh")] {
        let exact = try #require(trace[name] as? Double)
        let scale = exact < 1e-3 ? (prefix: "µ", factor: 1e6) : (prefix: "m", factor: 1e3)
        let text = try #require(shown.fact(name))
        let number = try #require(Double(text.dropLast(" \(scale.prefix)\(unit)".count)))
        // Three decimals. A value that lies between two of them, such as 185.4765, may be rounded to either.
        #expect(text == String(format: "%.3f \(scale.prefix)\(unit)", number))
        #expect(abs(number - exact * scale.factor) < 0.000_501, "\(text), and \(exact)")
    }
    let channels = try #require(trace["channels"] as? [[String: Any]])
    for name in ["voltage", "current", "group0.charge"] {
        let channel = try #require(channels.first { $0["name"] as? String == name })
        #expect(shown.values(of: name) == ["last", "min", "mean", "max"].map { channel[$0] as? String ?? "" })
    }
}

@Suite struct `A recording on a terminal` {
    private static let arguments = [
        "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--name", "bench", "--device",
    ]

    @Test(arguments: [80, 200])
    func `shows what it records, and at its end what the trace has`(columns: Int) throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        meter.withhold(4..<6)
        let recording = try TerminalProgram(program, Self.arguments + [meter.path], columns: columns)
        #expect(recording.shows("(unanswered 2)"), "\(recording.terminal.text)")
        #expect(recording.shows("current in A, the last 5 minutes:"))
        let running = try ShownTrace(recording.terminal.text)
        #expect(running.state == "recording" && recording.terminal.text.hasSuffix("Ctrl-C ends it."))
        recording.send(SIGINT)
        let (status, terminal) = try recording.outcome()
        #expect(status == 0, "\(terminal.text)")
        // Text that goes beyond the last column would be on the next line.
        #expect(terminal.overflowCount == 0 && terminal.hasCursor && terminal.frames.count > 3)
        #expect(terminal.frames.allSatisfy { $0.components(separatedBy: "CHANNEL ").count <= 2 }, "no frame remains")
        try expectSame(terminal, as: program)
        #expect(terminal.text.contains(/\n\d+ rows in .*, 2 missing in 1 gap, 0 repeated: trace [0-9A-Z]{8}\.$/))
        meter.unplug()
    }

    @Test(arguments: [false, true])
    func `fits when the terminal gets another size`(isReflowing: Bool) throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        let recording = try TerminalProgram(
            program, Self.arguments + [meter.path], columns: 120, rows: 30, isReflowing: isReflowing)
        #expect(recording.shows("current in A, the last 5 minutes:"))
        for (columns, rows) in [(44, 30), (150, 40), (61, 14)] {
            recording.resize(columns: columns, rows: rows)
            // A frame that was under way is of the old size, and the next one replaces it.
            waitForFrames(2, of: recording)
            let count = recording.terminal.overflowCount
            waitForFrames(2, of: recording)
            #expect(recording.terminal.overflowCount == count)
            let text = recording.terminal.text
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= rows && lines.allSatisfy { $0.count < columns }, "\(text)")
            #expect(lines.count { $0.hasPrefix("CHANNEL ") } == 1 && text.hasSuffix("Ctrl-C ends it."), "\(text)")
        }
        recording.send(SIGTERM)
        let (status, terminal) = try recording.outcome()
        #expect(status == 0 && terminal.hasCursor)
        try expectSame(terminal, as: program)
        meter.unplug()
    }

    private func waitForFrames(_ count: Int, of recording: TerminalProgram) {
        let (last, end) = (recording.terminal.frames.count + count, Date.now + 30)
        while recording.terminal.frames.count < last, Date.now < end { usleep(20_000) }
    }

    @Test func `says above what it shows that no rows come, and goes on showing it`() throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        meter.withhold(5..<200)
        let recording = try TerminalProgram(program, Self.arguments + [meter.path], columns: 80)
        let remark = "\nNo rows for 3 s: nothing comes from \(meter.path).\nbench  RDTech UM25C "
        #expect(recording.shows(remark), "\(recording.terminal.text)")
        #expect(recording.shows("   no rows for 4 s\n"), "\(recording.terminal.text)")
        let text = recording.terminal.text
        #expect(text.hasPrefix("Recording ") && text.components(separatedBy: "bench  ").count == 2, "\(text)")
        recording.send(SIGINT)
        let (status, terminal) = try recording.outcome()
        #expect(status == 0)
        // What was asked for last has no answer either.
        #expect(terminal.text.contains(/\nrows 5   missing \d+ in 1 gap \(unanswered \d+\)   repeated 0\n/))
        #expect(!terminal.text.contains("no rows for") && terminal.text.contains("No rows for 3 s"))
        meter.unplug()
    }

    @Test func `shows nothing with --quiet and --json, or where there is no terminal to draw on`() throws {
        let program = try Program()
        let input = program.folder.appending(path: "capture.bin")
        try Data((0..<300).flatMap { SimulatedMeter.frame($0) }).write(to: input)
        let arguments = Self.arguments.dropLast() + ["--input", input.path, "--rate", "10"]
        let quiet = try TerminalProgram(program, arguments + ["--quiet"], columns: 80).outcome()
        #expect(quiet.status == 0 && quiet.terminal.frames.isEmpty && !quiet.terminal.text.contains("CHANNEL"))
        let json = try TerminalProgram(program, arguments + ["--json"], columns: 2_000).outcome()
        #expect(json.terminal.text.hasPrefix("{") && json.terminal.text.hasSuffix("}") && json.terminal.frames.isEmpty)
        let dumb = try TerminalProgram(program, Array(arguments), columns: 80, kind: "dumb").outcome()
        #expect(dumb.status == 0 && dumb.terminal.frames.isEmpty && dumb.terminal.text.contains("\n300 rows in "))
        let plain = try program.run(Array(arguments))
        #expect(plain.status == 0 && !(plain.output + plain.errors).contains("\u{1B}"))
        #expect(plain.errors.split(separator: "\n").count == 1, "\(plain.errors)")
    }
}

@Suite struct `A trace that is watched` {
    private func record(_ program: Program, _ meter: SimulatedMeter) throws -> Program.Running {
        try program.start([
            "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--name", "bench", "--device",
            meter.path, "--json",
        ])
    }

    private func wait(until isDone: () throws -> Bool) rethrows -> Bool {
        let end = Date.now + 60
        while try !isDone() {
            if Date.now > end { return false }
            usleep(50_000)
        }
        return true
    }

    private func isRecorded(_ program: Program) throws -> Bool {
        let shown = try program.run("trace", "show", "bench", "--json")
        return (shown.json["rows"] as? Int ?? 0) > 2
    }

    @Test func `is shown on a terminal as it is recorded, and the watching ends with it`() throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        meter.withhold(4..<6)
        let recording = try record(program, meter)
        #expect(try wait { try isRecorded(program) })
        let watchers = try [80, 200].map {
            try TerminalProgram(program, ["trace", "watch", "bench"], columns: $0)
        }
        let interrupted = try TerminalProgram(program, ["trace", "watch"], columns: 80)
        let killed = try program.start(["trace", "watch", "bench"])
        for watcher in watchers + [interrupted] { #expect(watcher.shows("(unanswered 2)"), "\(watcher.terminal.text)") }
        #expect(interrupted.terminal.text.hasSuffix("Ctrl-C ends watching; the recording goes on."))
        interrupted.send(SIGINT)
        let (status, terminal) = try interrupted.outcome()
        #expect(status == 0 && terminal.hasCursor)
        kill(killed.process.processIdentifier, SIGKILL)
        let before = meter.answeredCount
        #expect(wait { meter.answeredCount > before + 3 }, "the recording goes on")

        kill(recording.process.processIdentifier, SIGINT)
        let outcome = try recording.outcome()
        #expect(outcome.status == 0 && outcome.json["missing"] as? Int == 2, "\(outcome)")
        // The last answer may have been on its way.
        #expect((meter.answeredCount - 1...meter.answeredCount).contains(outcome.json["rows"] as? Int ?? 0))
        for watcher in watchers {
            let (status, terminal) = try watcher.outcome()
            #expect(status == 0 && terminal.overflowCount == 0 && terminal.hasCursor, "\(terminal.text)")
            #expect(terminal.frames.count > 3)
            try expectSame(terminal, as: program)
        }
        meter.unplug()
    }

    @Test func `is told in lines of JSON, of which the last is as the trace is shown, or in lines of text`() throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        let recording = try record(program, meter)
        #expect(try wait { try isRecorded(program) })
        let json = try program.start(["trace", "watch", "bench", "--json"])
        let text = try program.start(["trace", "watch", "bench"])
        let quiet = try program.start(["trace", "watch", "bench", "--quiet"])
        let before = meter.answeredCount
        #expect(wait { meter.answeredCount > before + 8 })
        kill(recording.process.processIdentifier, SIGINT)
        #expect(try recording.outcome().status == 0)

        let told = try json.outcome()
        let lines = try told.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(told.status == 0 && told.errors == "" && lines.count > 2)
        let counts = lines.compactMap { $0["rows"] as? Int }
        #expect(counts.count == lines.count && counts == counts.sorted() && counts[0] < counts[counts.count - 1])
        #expect(lines[0]["state"] as? String == "recording" && lines.allSatisfy { $0["v"] as? Int == 1 })
        let (last, shown) = (lines[lines.count - 1], try program.json("trace", "show", "bench"))
        for key in ["id", "name", "mac", "model", "state", "first", "last", "rows", "missing", "repeats"] {
            #expect("\(last[key] ?? "-")" == "\(shown[key] ?? "+")", "\(key)")
        }
        for key in ["charge", "energy", "coveredSeconds"] { #expect(last[key] as? Double == shown[key] as? Double) }
        #expect(last["channels"] as? NSArray == shown["channels"] as? NSArray)
        #expect(last["gaps"] as? Int == (shown["gaps"] as? [Any])?.count && last["silentSeconds"] == nil)

        let printed = try text.outcome()
        let rows = printed.output.split(separator: "\n")
        let moment = try #require(shown["last"] as? String)
        #expect(printed.status == 0 && rows.count > 2 && !printed.output.contains("\u{1B}"))
        #expect(rows.last?.hasPrefix("\(moment)  \(counts[counts.count - 1]) rows  voltage 5.00") == true, "\(printed)")
        let silent = try quiet.outcome()
        #expect(silent.status == 0 && silent.output == "" && silent.errors == "")
        meter.unplug()
    }

    @Test func `whose recorder is killed is told to be interrupted, and the watching ends`() throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        let recording = try record(program, meter)
        #expect(try wait { try isRecorded(program) })
        let watcher = try TerminalProgram(program, ["trace", "watch", "bench"], columns: 80)
        #expect(watcher.shows("  recording\n"))
        kill(recording.process.processIdentifier, SIGKILL)
        let (status, terminal) = try watcher.outcome()
        #expect(try status == 0 && ShownTrace(terminal.text).state == "interrupted", "\(terminal.text)")
        meter.unplug()
    }

    @Test func `and is hidden meanwhile ends the watching with an error`() throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        let recording = try record(program, meter)
        #expect(try wait { try isRecorded(program) })
        let watcher = try TerminalProgram(program, ["trace", "watch", "bench"], columns: 80)
        #expect(watcher.shows("  recording\n"))
        let id = try #require(try program.json("trace", "show", "bench")["id"] as? String)
        try program.json("record", "remove", "trace", id)
        let (status, terminal) = try watcher.outcome()
        #expect(status == 66 && terminal.hasCursor, "\(terminal.text)")
        #expect(terminal.text.contains("There is no trace \(id.prefix(8)) any more."), "\(terminal.text)")
        kill(recording.process.processIdentifier, SIGINT)
        _ = try recording.outcome()
        meter.unplug()
    }

    @Test func `or that has ended long ago is told once, and one that is not there is an error`() throws {
        let program = try Program()
        #expect(try program.run("trace", "watch").status == 66)
        let input = program.folder.appending(path: "capture.bin")
        try Data((0..<300).flatMap { SimulatedMeter.frame($0) }).write(to: input)
        try program.json(
            "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--input", input.path, "--name",
            "bench", "--rate", "10")
        let told = try program.run("trace", "watch")
        #expect(told.status == 0 && told.output.split(separator: "\n").count == 1, "\(told)")
        #expect(told.output.contains("  300 rows  voltage 5.00"))
        let watcher = try TerminalProgram(program, ["trace", "watch", "--channel", "voltage"], columns: 80).outcome()
        #expect(watcher.terminal.text.contains("voltage in V, the last 5 minutes:"), "\(watcher.terminal.text)")
        try expectSame(watcher.terminal, as: program)
        #expect(try program.run("trace", "watch", "nothing").status == 66)
        #expect(try program.run("trace", "watch", "--minutes", "0").status == 64)
    }
}

@Suite struct `A recording with a condition` {
    private func record(_ program: Program, _ options: String...) throws -> Program.Outcome {
        let input = program.folder.appending(path: "capture.bin")
        try Data((0..<3_000).flatMap { SimulatedMeter.frame($0) }).write(to: input)
        let arguments = ["trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--rate", "10"]
        return try program.run(arguments + ["--input", input.path] + options)
    }

    @Test func `ends with the row that meets it, and says which it was`() throws {
        let program = try Program()
        let timed = try record(program, "--for", "1m30s", "--until", "voltage>5.5", "--json")
        #expect(timed.json["rows"] as? Int == 901 && timed.json["stoppedBy"] as? String == "for 1m30s", "\(timed)")
        let shown = try program.json("trace", "show", "last")
        #expect(shown["stoppedBy"] as? String == "for 1m30s" && shown["state"] as? String == "finished")
        #expect(try program.json("trace", "verify", "last")["ok"] as? Bool == true)
        #expect(try program.run("trace", "show").output.contains("\nended by   for 1m30s\n"))

        // The first group counts 1 mAh a row.
        let valued = try record(program, "--until", "group0.charge>=0.123", "--for", "1h")
        #expect(valued.output.contains("\nEnded by the condition “group0.charge>=0.123”.\n"), "\(valued)")
        #expect(valued.output.hasPrefix("124 rows "))
        let lasting = try record(program, "--until", "group0.charge>=0.123 for 1s", "--json")
        #expect(lasting.json["rows"] as? Int == 134)
    }

    @Test func `that is not met goes on to the end of the input`() throws {
        let program = try Program()
        let whole = try record(program, "--for", "1h", "--until", "curent<0.05", "--until-charge", "2Ah", "--json")
        #expect(whole.json["rows"] as? Int == 3_000 && whole.json["stoppedBy"] == nil)
        let remark = "The first rows have no channel curent, which --until compares; they have voltage, "
        #expect(whole.errors.contains(remark), "\(whole.errors)")
        #expect(try program.json("trace", "show")["stoppedBy"] == nil)
    }

    @Test(arguments: [["--for", "2"], ["--until", "current"], ["--until-charge", "0Ah"], ["--until-energy", "2Ah"]])
    func `that nobody understands begins no trace`(options: [String]) throws {
        let program = try Program()
        let refused = try program.run(
            ["trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--input", "/dev/null", "--json"]
                + options)
        #expect(refused.status == 64 && refused.error["hint"] as? String != nil, "\(refused)")
        #expect((try program.json("trace", "list")["traces"] as? [Any])?.isEmpty == true)
    }
}
