import Everything
import Foundation
import Groundwave
import GroundwaveRecords
import Testing

@Suite struct `groundwave trace` {
    /// A program whose store has one trace, of `rows` rows.
    private func program(rows: Int) throws -> Program {
        let program = try Program()
        var text = "time,missing,repeats,voltage_V,current_A\n"
        for row in 0..<rows {
            let time = String(format: "2026-05-01T12:%02d:%02d.000Z", row / 60, row % 60)
            text += "\(time),\(row == 7 ? 2 : 0),0,5.0\(10 + row % 9),0.5\(row % 7)\n"
        }
        try Data(text.utf8).write(to: program.folder.appending(path: "made-up.csv"))
        try program.json(
            "trace", "import", program.folder.appending(path: "made-up.csv").path, "--meter", "02:00:00:00:00:01",
            "--model", "um25c", "--name", "bench")
        return program
    }

    @Test func `verify reads each row, and says that all is well`() throws {
        let program = try program(rows: 90)
        for arguments in [[], ["last"], ["bench"], ["--all"]] {
            let found = try program.json(["trace", "verify"] + arguments)
            #expect(found["ok"] as? Bool == true)
            let trace = try #require((found["traces"] as? [[String: Any]])?.first)
            #expect(trace["rows"] as? Int == 90 && trace["blocks"] as? Int == 1 && trace["cells"] as? Int == 4)
            #expect(trace["withheld"] as? Int == 0 && (trace["damage"] as? [Any])?.isEmpty == true)
        }
        #expect(try program.run("trace", "verify").output.contains("All is well: 90 rows of 1 trace."))
    }

    @Test func `verify ends with 65 where rows are missing, and names them`() async throws {
        let program = try program(rows: 90)
        let configuration = Configuration.full(stateFolder: program.state)
        guard case .ready(let store) = try await Store.open(at: program.store, configuration) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let trace = try #require(try store.traces().first).id
        try await store.write {
            try $0.append(
                Change(
                    kind: "trace", record: trace,
                    block: SeriesBlock(first: 100, count: 5, summary: [99], content: [1])))
        }
        try store.close()
        let outcome = try program.run("trace", "verify", "bench", "--json")
        #expect(outcome.status == 65 && outcome.json["ok"] as? Bool == false && outcome.errors.isEmpty)
        let damage = try #require(
            (outcome.json["traces"] as? [[String: Any]])?.first?["damage"] as? [[String: Any]])
        #expect(damage.map { $0["what"] as? String } == ["hole", "unknown"])
        #expect(damage[0]["first"] as? Int == 90 && damage[0]["last"] as? Int == 99 && damage[0]["event"] == nil)
        #expect(damage[1]["event"] is String)
        let words = try program.run("trace", "verify")
        #expect(words.status == 65 && words.output.contains(", rows 90 to 99: no block has these rows"))
        #expect(!words.output.contains("hole"), "codes are for scripts")
        #expect(words.output.contains("Problems found: 2 findings, 90 rows of 1 trace read."))
        // What can be read goes out, and nobody takes it for the whole.
        let exported = try program.run("trace", "export", "bench")
        #expect(exported.status == 3 && exported.output.split(whereSeparator: \.isNewline).count == 91)
        #expect(exported.errors.contains("5 rows unreadable and not in the file"))
        let shown = try program.run("trace", "show", "bench")
        #expect(shown.output.contains("unreadable") && shown.output.contains("5 rows: see groundwave trace verify"))
    }

    @Test func `verify of a trace that is not there ends with 66, and of one beside all with 64`() throws {
        let program = try Program()
        #expect(try program.run("trace", "verify").status == 66)
        #expect(try program.run("trace", "verify", "--all").output == "No traces.\n")
        #expect(try program.run("trace", "verify", "last", "--all").status == 64)
    }

    @Test func `export as SQLite goes to a file, whose name says so too, and not to standard output`() throws {
        let program = try program(rows: 90)
        for (name, arguments) in [("a.sqlite", []), ("b.db", []), ("c", ["--format", "sqlite"])] {
            let path = program.folder.appending(path: name)
            let report = try program.json(["trace", "export", "last", "-o", path.path] + arguments)
            #expect(report["rows"] as? Int == 90 && report["missing"] as? Int == 2)
            let bytes = try Data(contentsOf: path)
            #expect(bytes.starts(with: Data("SQLite format 3".utf8)) && report["bytes"] as? Int == bytes.count)
        }
        let refused = try program.run("trace", "export", "last", "--format", "sqlite")
        #expect(refused.status == 64 && refused.output.isEmpty && refused.errors.contains("Name a file with -o."))
    }

    static let ranges: [(from: String, to: String, count: Int)] = [
        ("2026-05-01T12:00:00.5", "2026-05-01T12:00:02.001", 2),
        ("2026-05-01T12:00:01.000", "2026-05-01T12:00:02.000", 1),
        ("2026-05-01T14:00:10+02:00", "2026-05-01T06:30:12.5-05:30", 3),
    ]

    @Test(arguments: ranges)
    func `a range has fractions of a second and offsets from UTC`(from: String, to: String, count: Int) throws {
        let program = try program(rows: 90)
        let exported = try program.run("trace", "export", "bench", "--from", from, "--to", to)
        let lines = exported.output.split(whereSeparator: \.isNewline).count
        #expect(exported.status == 0 && lines == count + 1, "\(exported.errors)")
    }

    @Test func `a name of two traces names both, and neither is taken`() throws {
        let program = try program(rows: 90)
        let file = program.folder.appending(path: "made-up.csv").path
        try program.json(
            "trace", "import", file, "--meter", "02:00:00:00:00:02", "--model", "um25c", "--name", "Bench")
        let words = try program.run("trace", "show", "bench")
        #expect(words.status == 66 && words.output.isEmpty)
        #expect(
            words.errors.contains("bench matches 2 records of the kind trace.") && words.errors.contains("by its id"))
        #expect(words.errors.contains("02:00:00:00:00:01") && words.errors.contains("02:00:00:00:00:02"))
        let error = try program.run("trace", "export", "bench", "--json", "-o", file + ".out").error
        let ids = try #require(error["candidates"] as? [String])
        #expect(ids.count == 2 && error["code"] as? String == "notFound")
        for id in ids { #expect(try program.json("trace", "show", id)["rows"] as? Int == 90) }
    }

    @Test func `list and show say the same of a trace`() throws {
        let program = try program(rows: 90)
        let listed = try #require((try program.json("trace", "list")["traces"] as? [[String: Any]])?.first)
        let shown = try program.json("trace", "show")
        for (key, value) in listed { #expect("\(shown[key] ?? "none")" == "\(value)", "\(key)") }
        #expect(shown["rows"] as? Int == 90 && shown["missing"] as? Int == 2 && shown["state"] as? String == "finished")
        #expect(shown["blocks"] as? Int == 1 && (shown["channels"] as? [Any])?.count == 2)
    }

    @Test func `show sums a stretch, from one moment up to another`() throws {
        let program = try program(rows: 90)
        // The rows 10 to 19: 5.010 V + 1 mV for each row modulo 9, 0.50 A and 10 mA for each modulo 7.
        let range = ["--from", "2026-05-01T12:00:10", "--to", "2026-05-01T12:00:20.000"]
        let shown = try program.json(["trace", "show", "bench"] + range)
        #expect(shown["rows"] as? Int == 10 && shown["missing"] as? Int == 0 && shown["coveredSeconds"] as? Double == 9)
        #expect(shown["first"] as? String == "2026-05-01T12:00:10.000Z")
        let current = try #require(
            (shown["channels"] as? [[String: Any]])?.first { $0["name"] as? String == "current" })
        #expect(current["min"] as? String == "0.50" && current["max"] as? String == "0.56")
        let amperes = (10..<20).map { 0.5 + Double($0 % 7) / 100 }
        let charge = zip(amperes, amperes.dropFirst()).map { ($0 + $1) / 2 / 3600 }.reduce(0, +)
        #expect(abs((shown["charge"] as? Double ?? 0) - charge) < 1e-9)
        #expect(try program.json("trace", "show", "bench", "--to", "2026-05-01T12:00:09")["missing"] as? Int == 2)
        let words = try program.run(["trace", "show", "bench"] + range).output
        #expect(words.contains("00:00:09 of 00:00:09, gaps left out") && words.contains("0 in 0 gaps"))
        #expect(try program.run("trace", "show", "bench", "--from", "tomorrowish").status == 64)
    }

    @Test func `mark describes a moment, which show lists and a plot draws`() throws {
        let program = try program(rows: 90)
        #expect(try program.run("trace", "mark", "bench", "now").status == 64, "it has ended")
        #expect(try program.run("trace", "mark", "bench", "", "--at", "2026-05-01T12:00:30").status == 64)
        #expect(try program.run("trace", "mark", "nothing", "x", "--at", "2026-05-01T12:00:30").status == 66)
        let marked = try program.json("trace", "mark", "bench", "unplugged <here>", "--at", "2026-05-01T12:00:30.5")
        #expect(
            marked["at"] as? String == "2026-05-01T12:00:30.500Z" && marked["text"] as? String == "unplugged <here>")
        try program.json("trace", "mark", "bench", "begin", "--at", "2026-05-01T12:00:10")
        func texts(_ arguments: String...) throws -> [String?] {
            let markers = try program.json(["trace", "show", "bench"] + arguments)["markers"] as? [[String: Any]]
            return try #require(markers).map { $0["text"] as? String }
        }
        #expect(try texts() == ["begin", "unplugged <here>"])
        #expect(try texts("--from", "2026-05-01T12:00:10.001") == ["unplugged <here>"])
        #expect(try program.run("trace", "show", "bench").output.contains("2026-05-01T12:00:30.500Z"))
        let picture = program.folder.appending(path: "bench.svg")
        try program.json("trace", "plot", "bench", "-o", picture.path)
        let svg = try String(contentsOf: picture, encoding: .utf8)
        #expect(svg.contains(">1 begin</text>") && svg.contains(">2 unplugged &lt;here&gt;</text>"))
        // Each format that has a place for them.
        for (format, expected) in [
            ("csv", "2026-05-01T12:00:30.500Z,0,0,,,\"unplugged <here>\""),
            ("ndjson", "{\"time\":\"2026-05-01T12:00:30.500Z\",\"marker_text\":\"unplugged <here>\"}"),
            ("influx", " text=\"unplugged <here>\" 1777636830500000000"),
        ] {
            let lines = try program.run("trace", "export", "bench", "--format", format).output.components(
                separatedBy: .newlines)
            let found = lines.filter { $0.hasSuffix(expected) }
            #expect(found.count == 1, "\(format)")
        }
        let copy = program.folder.appending(path: "copy.csv").path
        try program.json("trace", "export", "bench", "-o", copy)
        try program.json("trace", "import", copy, "--name", "copy")
        let copied = try program.json("trace", "show", "copy")["markers"] as? [[String: Any]]
        #expect(copied?.map { $0["text"] as? String } == ["begin", "unplugged <here>"])
        try program.json("record", "remove", "marker", try #require(marked["id"] as? String))
        #expect(try texts() == ["begin"])
    }

    @Test func `temperatures are shown in the unit of the meter, and files and JSON have degrees Celsius`() throws {
        let program = try Program()
        let rows = ["20.0", "25.5", "20.0", "21.0"].enumerated().map { "2026-05-01T12:00:0\($0).000Z,0,0,\($1)\n" }
        let file = program.folder.appending(path: "made-up.csv")
        try Data("time,missing,repeats,temperature_C\n\(rows.joined())".utf8).write(to: file)
        try program.json(
            "trace", "import", file.path, "--meter", "02:00:00:00:00:01", "--model", "um25c", "--name", "bench")
        let picture = program.folder.appending(path: "bench.svg")
        /// The temperatures in text: of the whole trace, of two seconds of it, and of who watches; and the plot.
        func shown() throws -> [String] {
            let stretch = ["--from", "2026-05-01T12:00:01", "--to", "2026-05-01T12:00:03"]
            let texts = try [["show", "bench"], ["show", "bench"] + stretch, ["watch", "bench"]].map {
                try program.run(["trace"] + $0).output
            }
            try program.json("trace", "plot", "bench", "-o", picture.path, "--channels", "temperature", "--force")
            return try texts.map { text in
                let line = try #require(text.split(separator: "\n").first { $0.contains("temperature") }, "\(text)")
                return line.split(separator: " ").suffix(5).joined(separator: " ")
            } + [String(contentsOf: picture, encoding: .utf8)]
        }
        /// What programs read.
        func read() throws -> [String] {
            try [["export", "bench"], ["show", "bench", "--json"], ["watch", "bench", "--json"]].map {
                try program.run(["trace"] + $0).output
            }
        }
        let (celsius, before) = (try shown(), try read())
        #expect(celsius[0] == "20.0 21.6 25.5 21.0 °C" && celsius[1] == "20.0 22.8 25.5 20.0 °C")
        #expect(celsius[2].hasSuffix("temperature 21.0 °C") && celsius[3].contains(">°C</text>"))
        #expect(before[0].contains("temperature_C") && before[1].contains("\"25.5\""))
        try program.json("meter", "set", "020000000001", "--temperature-unit", "F")
        let fahrenheit = try shown()
        #expect(fahrenheit[0] == "68.0 70.9 77.9 69.8 °F" && fahrenheit[1] == "68.0 73.0 77.9 68.0 °F", "\(fahrenheit)")
        #expect(fahrenheit[2].hasSuffix("temperature 69.8 °F") && fahrenheit[3].contains(">°F</text>"))
        #expect(try read() == before)
        try program.json("meter", "set", "020000000001", "--temperature-unit", "C")
        #expect(try shown() == celsius)
    }

    @Test func `remove hides a trace, restore shows it, and erase removes it for ever`() throws {
        let program = try program(rows: 90)
        #expect(try program.run("trace", "remove", "bench").output.contains("is now hidden."))
        #expect(try program.run("trace", "list").output == "No traces.\n")
        #expect(try program.run("trace", "list", "--hidden").output.contains("bench"))
        #expect(try program.run("trace", "show", "last").status == 66)
        #expect(try program.json("trace", "restore", "last")["changed"] as? Bool == true)
        #expect(try program.run("trace", "list", "--hidden").output == "No hidden traces.\n")
        let kept = try program.run("erase", "--trace", "bench", "--dry-run")
        #expect(kept.status == 0 && kept.output.contains("90 rows.") && kept.output.contains("Nothing was written."))
        #expect(try program.run("erase", "--trace", "bench").status != 0, "nobody confirms it")
        #expect(try program.json("trace", "show", "bench")["rows"] as? Int == 90)
        #expect(try program.run("erase", "--trace", "bench", "--call", "N0CALL").status == 64)
        let erased = try program.json("erase", "--trace", "bench", "--yes")
        #expect(erased["rows"] as? Int == 90 && (erased["withheld"] as? Int ?? 0) > 1)
        #expect(try program.run("trace", "show", "bench").status == 66)
        #expect(try program.run("trace", "list").output == "No traces.\n")
        #expect(try program.json("verify")["ok"] as? Bool == true)
    }
}

@Suite struct `A stretch that groundwave trace hides or erases` {
    static let range = ["--from", "2026-05-01T12:00:30", "--to", "2026-05-01T12:00:40"]

    private func program() throws -> Program {
        let program = try Program()
        var text = "time,missing,repeats,voltage_V,current_A\n"
        for row in 0..<60 { text += "2026-05-01T12:00:\(row < 10 ? "0" : "")\(row).000Z,0,0,5.00,0.\(10 + row)\n" }
        try Data(text.utf8).write(to: program.folder.appending(path: "made-up.csv"))
        try program.json("trace", "import", program.folder.appending(path: "made-up.csv").path, "--name", "bench")
        return program
    }

    /// The seconds of the rows of an export.
    private func seconds(_ program: Program) throws -> [Int] {
        try program.run("trace", "export", "bench").output.split(whereSeparator: \.isNewline).dropFirst().compactMap {
            Int($0.dropFirst("2026-05-01T12:00:".count).prefix(2))
        }
    }

    @Test func `is in no sum, export or plot, and each says how many rows that are`() throws {
        let program = try program()
        #expect(try program.json(["trace", "remove", "bench"] + Self.range)["erased"] as? Bool == false)
        let rest = Array(0..<30) + Array(40..<60)
        #expect(try seconds(program) == rest)
        let shown = try program.json("trace", "show", "bench")
        #expect(shown["rows"] as? Int == 50 && shown["hidden"] as? Int == 10)
        let stretch = try #require((shown["stretches"] as? [[String: Any]])?.first)
        #expect(stretch["from"] as? String == "2026-05-01T12:00:30.000Z" && stretch["erased"] as? Bool == false)
        // Trapezoids of a second each, in the two parts.
        let amperes = { (row: Int) in Double(10 + row) / 100 }
        let charge = zip(rest, rest.dropFirst()).filter { $0.0 + 1 == $0.1 }.map { (amperes($0.0) + amperes($0.1)) / 2 }
        #expect(abs((shown["charge"] as? Double ?? 0) - charge.reduce(0, +) / 3600) < 1e-12)
        #expect(shown["coveredSeconds"] as? Double == 48)
        #expect(try program.run("trace", "show", "bench").output.contains("10 rows of 1 stretch (1 hidden)"))
        #expect(try program.run("trace", "export", "bench").errors.contains("10 rows hidden and not in the file."))
        let picture = program.folder.appending(path: "bench.svg")
        #expect(try program.json("trace", "plot", "bench", "-o", picture.path, "--force")["hidden"] as? Int == 10)
        #expect(try String(contentsOf: picture, encoding: .utf8).contains("50 rows, 10 hidden"))
        #expect(try program.json("trace", "verify", "bench")["ok"] as? Bool == true)
        #expect(
            try program.run("trace", "restore", "bench", "--to", "2026-05-01T12:00:30").output.hasPrefix("No stretch"))
        #expect(try program.run(["trace", "restore", "bench"] + Self.range).output.contains("1 stretch visible again"))
        #expect(try seconds(program) == Array(0..<60))
    }

    @Test func `is erased from the files of the store, and the rest of the trace stays`() throws {
        let program = try program()
        let dry = try program.run(["erase", "--trace", "bench", "--dry-run"] + Self.range)
        #expect(dry.output.contains("10 rows of that time.") && dry.output.contains("Nothing was written."))
        #expect(try program.run(["erase", "--call", "N0CALL"] + Self.range).status == 64)
        let erased = try program.json(["erase", "--trace", "bench", "--yes"] + Self.range)
        #expect(erased["rows"] as? Int == 10 && erased["withheld"] as? Int == 1)
        #expect(try seconds(program) == Array(0..<30) + Array(40..<60))
        #expect(try program.run(["trace", "restore", "bench"] + Self.range).output.hasPrefix("No stretch"))
        let shown = try program.json("trace", "show", "bench")
        #expect(shown["rows"] as? Int == 50 && shown["hidden"] as? Int == 10 && shown["withheld"] as? Int == 0)
        #expect(try program.run("trace", "show", "bench").output.contains("10 rows of 1 stretch (1 erased)"))
        #expect(try program.json("trace", "verify", "bench")["ok"] as? Bool == true)
        #expect(try program.json("verify")["ok"] as? Bool == true)
        let nothing = try program.json(["erase", "--trace", "bench", "--yes"] + Self.range)
        #expect(nothing["rows"] as? Int == 0 && nothing["withheld"] as? Int == 0)
    }
}

@Suite struct `groundwave meter` {
    private let address = "00:15:A5:00:11:22"

    @Test func `a meter is taken, named, set and let go, and each verb says what it is then`() throws {
        let program = try Program()
        #expect(try program.json("meter", "connect", address, "--model", "um25c")["lease"] is [String: Any])
        #expect(try program.json("meter", "rename", "0015a5001122", "bench")["name"] as? String == "bench")
        #expect(
            try program.json("meter", "set", address, "--temperature-unit", "f")["temperatureUnit"] as? String == "F")
        let shown = try program.json("meter", "show", address)
        #expect(shown["mac"] as? String == address && shown["model"] as? String == "um25c")
        let lease = try #require(shown["lease"] as? [String: Any])
        let (connected, updated) = (lease["connectedAt"] as? String ?? "", shown["updatedAt"] as? String ?? "")
        #expect(connected.hasPrefix("20") && connected < updated)
        let words = try program.run("meter", "show", address).output
        #expect(words.contains("Connected") && words.contains("by shack") && words.contains("Updated"))
        #expect((try program.json("meter", "list")["meters"] as? [Any])?.count == 1)
        let position = try #require(try program.json("info")["position"] as? Int)
        #expect(try program.json("meter", "disconnect", address)["lease"] == nil)
        #expect(try program.run("meter", "list").output.contains("free"))
        #expect(try program.run("meter", "list", "--at", "@\(position)").output.contains("reserved by shack until"))
        #expect(try program.run("meter", "rename", address, "").output.hasPrefix("\(address): free."))
        let history = try program.run("meter", "set", address, "--temperature-unit", "C", "--note", "moved").status
        #expect(history == 0)
        #expect(try program.run("history", "--limit", "1").output.contains("moved"))
    }

    static let refusals: [([String], Int32)] = [
        (["show", "00:15:A5:00:11:22"], 66), (["rename", "00:15:A5:00:11:22", "bench"], 66),
        (["disconnect", "00:15:A5:00:11:22"], 66), (["connect", "00:15:A5:00:11:22"], 64), (["show", "bench"], 64),
        (["set", "00:15:A5:00:11:22", "--temperature-unit", "K"], 64),
    ]

    @Test(arguments: refusals) func `what cannot be done is refused`(arguments: [String], status: Int32) throws {
        let program = try Program()
        let outcome = try program.run(["meter"] + arguments + ["--json"])
        #expect(outcome.status == status && outcome.error["message"] is String)
    }
}
