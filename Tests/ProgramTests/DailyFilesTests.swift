import Foundation
import Testing

/// What operators met when they took files in, and wrote them.
@Suite struct `The files of an operator` {
    @discardableResult
    private func add(_ program: Program, _ call: String, _ fields: String...) throws -> String {
        try #require(try program.json(["qso", "add", call, "BAND=20m", "MODE=CW"] + fields)["id"] as? String)
    }

    // MARK: - Import

    @Test func `a bad file does not end an import of several, and the sum says so`() throws {
        let program = try Program()
        func write(_ name: String, _ text: String) throws -> String {
            let url = program.folder.appending(path: name)
            try Data(text.utf8).write(to: url)
            return url.path
        }
        let one = try write("one.adi", "x<EOH><CALL:2>N1<QSO_DATE:8>20260501<EOR>")
        let bad = try write("bad.adi", "this is no log at all")
        let two = try write("two.adi", "x<EOH><CALL:2>N2<QSO_DATE:8>20260501<EOR><CALL:2>N1<QSO_DATE:8>20260501<EOR>")
        let missing = program.folder.appending(path: "missing.adi").path
        let outcome = try program.run("import", one, bad, missing, two)
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("4 files: records: 3, imported: 2"))
        #expect(outcome.output.hasSuffix("Files that could not be read: 2.\n"))
        #expect(outcome.errors.contains("bad.adi has no complete record") && outcome.errors.contains("missing.adi"))
        let again = try program.run("import", one, bad, two, "--json")
        #expect(again.status == 3)
        let files = try #require(again.json["files"] as? [[String: Any]])
        #expect(files.map { $0["file"] as? String } == [one, bad, two])
        #expect(files.map { $0["unchanged"] as? Int } == [1, 0, 2])
        #expect(files.map { $0["error"] != nil } == [false, true, false])
        // If no file can be read, the code says why.
        #expect(try program.run("import", bad, bad).status == 65)
    }

    @Test func `the log that Docs types line by line is imported, and bad lines are told by their number`() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../Docs/FastLog.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let example = try #require(text.split(separator: "```\n").dropFirst().first)
        let program = try Program()
        let outcome = try program.run(["import", "-", "--format", "fle", "--json"], input: example + "n0bbb what\n")
        #expect(outcome.status == 3 && outcome.json["imported"] as? Int == 3 && outcome.json["rejected"] as? Int == 1)
        let warnings = try #require(outcome.json["warnings"] as? [[String: Any]])
        #expect(warnings.map { $0["code"] as? String } == ["malformed-line"])
        #expect(warnings.map { $0["record"] as? Int } == [example.count { $0 == "\n" } + 1])
        let fields = try #require(try program.json("qso", "show", "K1AA")["fields"] as? [String: String])
        #expect(fields["TIME_ON"] == "1207" && fields["QSO_DATE"] == "20260501" && fields["NAME"] == "Jim")
        #expect(fields["MY_POTA_REF"] == "US-0001" && fields["STATION_CALLSIGN"] == "N0CALL/P")
        #expect(fields["COMMENT"] == "strong signal" && fields["BAND"] == "20m" && fields["RST_SENT"] == "599")
        let last = try #require(try program.json("qso", "show", "N0AAA")["fields"] as? [String: String])
        #expect(last["STX"] == "012" && last["SRX"] == "034" && last["BAND"] == "40m" && last["RST_RCVD"] == "579")
        let again = try program.run(["import", "-", "--format", "fle", "--json"], input: String(example))
        #expect(again.json["unchanged"] as? Int == 3)
    }

    @Test(arguments: ["gzip", "UTF-16LE", "UTF-16BE", "both"])
    func `a file in gzip or UTF-16 is read as what it is`(how: String) throws {
        let program = try Program()
        var log = "x<EOH>"
        for number in 0..<20_000 {
            log += "<CALL:6>N\(10_000 + number)<QSO_DATE:8>20260501<TIME_ON:4>1200<NAME:7>J\u{F6}\u{1F600}<EOR>\n"
        }
        let path = program.folder.appending(path: "log").path
        try Data(log.utf8).write(to: URL(filePath: path))
        let packed: String =
            switch how {
            case "gzip": "gzip -c '\(path)' > '\(path).gz'"
            case "both": "(printf '\\xff\\xfe'; iconv -f UTF-8 -t UTF-16LE '\(path)') | gzip -c > '\(path).gz'"
            default:
                "(printf '\(how == "UTF-16LE" ? "\\xff\\xfe" : "\\xfe\\xff")'; "
                    + "iconv -f UTF-8 -t \(how) '\(path)') > '\(path).gz'"
            }
        #expect(try program.script(packed).status == 0)
        let taken = try program.json("import", path + ".gz")
        #expect(taken["imported"] as? Int == 20_000 && taken["rejected"] as? Int == 0)
        let fields = try program.json("qso", "show", "N29999")["fields"] as? [String: String]
        #expect(fields?["NAME"] == "J\u{F6}\u{1F600}")
        #expect(try program.json("import", path)["unchanged"] as? Int == 20_000)
    }

    @Test func `a compressed file that is cut says so, and the whole one completes the import`() throws {
        let program = try Program()
        var log = "x<EOH>"
        for number in 0..<50_000 {
            log +=
                "<CALL:6>N\(10_000 + number)<QSO_DATE:8>20260501<TIME_ON:4>1200<COMMENT:8>\(number &* 7_919)  <EOR>\n"
        }
        let path = program.folder.appending(path: "log").path
        try Data(log.utf8).write(to: URL(filePath: path))
        #expect(try program.script("gzip -c '\(path)' | head -c 150000 > '\(path).gz'").status == 0)
        let outcome = try program.run("import", path + ".gz")
        #expect(outcome.status == 65 && outcome.errors.contains("log.gz is compressed, and damaged or not complete."))
        let whole = try program.json("import", path)
        let (new, known) = (whole["imported"] as? Int ?? 0, whole["unchanged"] as? Int ?? 0)
        #expect(new > 0 && new + known == 50_000 && whole["updated"] as? Int == 0)
        #expect(try program.json("qso", "count")["total"] as? Int == 50_000)
    }

    @Test func `a shift of times is understood as help writes it`() throws {
        let program = try Program()
        let log = "x<EOH><CALL:2>N1<QSO_DATE:8>20260501<TIME_ON:4>0430<EOR>"
        for how in [["--shift", "-05:00"], ["--shift=-05:00"]] {
            let outcome = try program.run(["import", "-", "--dry-run"] + how, input: log)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(try program.run(["import", "-", "--shift", "-05:00"], input: log).status == 0)
        let fields = try program.json("qso", "show", "N1")["fields"] as? [String: String]
        #expect(fields?["QSO_DATE"] == "20260430" && fields?["TIME_ON"] == "2330")
    }

    @Test func `what add would refuse is imported with a warning for each record`() throws {
        let program = try Program()
        func record(_ call: String, _ fields: KeyValuePairs<String, String>) -> String {
            var text = "<CALL:\(call.utf8.count)>\(call)"
            for (name, value) in fields { text += "<\(name):\(value.utf8.count)>\(value)" }
            return text + "<EOR>"
        }
        let odd: KeyValuePairs<String, (String, String, String)> = [
            "N1A": ("QSO_DATE", "20200230", "odd-date"), "N1B": ("TIME_ON", "9999", "odd-time"),
            "N1C": ("BAND", "21m", "odd-band"), "N1D": ("FREQ", "14074", "odd-frequency"),
        ]
        var log =
            "x<EOH>" + record("N1OK", ["QSO_DATE": "20200229", "TIME_ON": "2359", "BAND": "20M", "FREQ": "14.074"])
        for (call, (field, value, _)) in odd { log += record(call, [field: value]) }
        log += record("N1E", ["BAND": "40m", "FREQ": "14.074"])
        let outcome = try program.run("import", "-", "--json", input: log)
        #expect(outcome.status == 0 && outcome.json["imported"] as? Int == 6)
        let warnings = try #require(outcome.json["warnings"] as? [[String: Any]])
        #expect(warnings.map { $0["code"] as? String } == odd.map(\.value.2) + ["other-band"])
        #expect(warnings.map { $0["field"] as? String } == odd.map(\.value.0) + ["FREQ"])
        #expect(warnings.map { $0["record"] as? Int } == [2, 3, 4, 5, 6])
        // A person is refused all of it.
        for (call, (field, value, _)) in odd {
            #expect(try program.run("qso", "add", call, "\(field)=\(value)").status == 64, "\(field)")
        }
        #expect(try program.run("qso", "add", "N1E", "BAND=40m", "FREQ=14.074").status == 64)
    }

    // MARK: - Files

    @Test func `a dash is standard output, and a file is replaced by force alone`() throws {
        let program = try Program()
        try add(program, "N0CALL")
        let written = try program.run("export", "-o", "-")
        #expect(written.status == 0 && written.output.contains("<CALL:6>N0CALL"))
        #expect(!FileManager.default.fileExists(atPath: "-"))
        let path = program.folder.appending(path: "log.adi").path
        #expect(try program.run("export", "-o", path).status == 0)
        let before = try Data(contentsOf: URL(filePath: path))
        try add(program, "N0TWO")
        let refused = try program.run("export", "-o", path)
        #expect(refused.status == 73 && refused.errors.contains("--force"))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try program.run("export", "-o", path, "--force").status == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("N0TWO"))
        let folder = program.folder.appending(path: "days").path
        #expect(try program.run("export", "--split", "day", "-o", folder).status == 0)
        #expect(try program.run("export", "--split", "day", "-o", folder).status == 73)
        #expect(try program.run("export", "--split", "day", "-o", folder, "--force").status == 0)
        #expect(try program.run("bundle", "create", "-o", "-").status == 64)
    }

    @Test func `a cell that a spreadsheet would run is guarded, and comes back as it was`() throws {
        let program = try Program()
        let values = [
            "=cmd|' /C calc'!A0", "@SUM(1)", "+1+2", "-2+3", "'=quoted", "-12", "+05", "plain", "a,\"b\"", "'x",
        ]
        for (number, value) in values.enumerated() {
            try add(program, "N0C\(number)", "QSO_DATE=20260501", "TIME_ON=120\(number)", "COMMENT=\(value)")
        }
        let path = program.folder.appending(path: "log.csv").path
        #expect(try program.run("export", "-o", path).status == 0)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let script = "import csv,sys\nfor r in csv.DictReader(open('\(path)', newline='')): print(r['COMMENT'])"
        let cells = try program.script("python3 - <<'END'\n\(script)\nEND\n")
        #expect(
            cells.output.split(separator: "\n").map(String.init) == [
                "'=cmd|' /C calc'!A0", "'@SUM(1)", "'+1+2", "'-2+3", "''=quoted", "-12", "+05", "plain", "a,\"b\"",
                "'x",
            ], "\(text)\(cells.errors)")
        let other = try Program()
        let taken = try other.json("import", path)
        #expect(taken["imported"] as? Int == values.count && taken["rejected"] as? Int == 0)
        for (number, value) in values.enumerated() {
            let fields = try other.json("qso", "show", "N0C\(number)")["fields"] as? [String: String]
            #expect(fields?["COMMENT"] == value)
        }
        #expect(try other.json("digest")["content"] as? String == program.json("digest")["content"] as? String)
    }

    @Test(arguments: [80, 100, 120])
    func `tables fit the terminal, and a pipe gets all of them`(columns: Int) throws {
        let program = try Program()
        for number in 0..<3 {
            try add(
                program, "N0C\(number)", "NAME=\(String(repeating: "long name ", count: number + 2))",
                "MY_POTA_REF=US-0001,US-0002,US-0003,US-0004\(number > 1 ? ",US-0005" : "")", "--note",
                String(repeating: "a long note ", count: 10 + number))
        }
        for arguments in [["qso", "list"], ["history"]] {
            let shown = try TerminalProgram(program, arguments, columns: columns)
            let outcome = try shown.outcome()
            #expect(outcome.status == 0)
            #expect(outcome.terminal.text.contains("N0C2"))
            #expect(outcome.terminal.overflowCount == 0, "\(outcome.terminal.text)")
            #expect(try program.run(arguments).output.contains("US-0004") || arguments == ["history"])
        }
    }

    @Test func `a field name with a quote goes into a database`() throws {
        let program = try Program()
        let log = "x<EOH><CALL:2>N1<QSO_DATE:8>20260501<APP_X_\"Y\":3>one<EOR>"
        #expect(try program.run("import", "-", input: log).status == 0)
        let path = program.folder.appending(path: "log.sqlite").path
        let outcome = try program.run("export", "-o", path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let read = try program.script("sqlite3 '\(path)' 'SELECT \"APP_X_\"\"Y\"\"\" FROM qso'")
        #expect(read.output == "one\n")
    }
}
