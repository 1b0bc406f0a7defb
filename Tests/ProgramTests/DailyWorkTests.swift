import Foundation
import Testing

/// What operators met in their daily work.
@Suite struct `The daily work of an operator` {
    @discardableResult
    private func add(_ program: Program, _ call: String, _ fields: String...) throws -> String {
        try #require(try program.json(["qso", "add", call, "BAND=20m", "MODE=CW"] + fields)["id"] as? String)
    }

    /// The calls that a list shows, in its order.
    private func calls(_ program: Program, _ arguments: String...) throws -> [String] {
        try calls(program, arguments)
    }

    private func calls(_ program: Program, _ arguments: [String]) throws -> [String] {
        let contacts = try #require(try program.json(arguments)["qsos"] as? [[String: Any]])
        return contacts.compactMap { ($0["fields"] as? [String: String])?["CALL"] }
    }

    // MARK: - last

    @Test func `last is what this device logged last, whatever time it has`() throws {
        let program = try Program()
        try add(program, "N0LATE", "QSO_DATE=20300101", "TIME_ON=1200")
        let id = try add(program, "N0EARLY", "QSO_DATE=20190101", "TIME_ON=1200")
        // An edit of another one does not make that the last one.
        try program.json("qso", "edit", "N0LATE", "NAME=Jim")
        #expect(try program.json("qso", "show", "last")["id"] as? String == id)
        let removed = try program.run("qso", "remove", "last")
        #expect(removed.status == 0)
        #expect(removed.output == "Hidden: \(id.prefix(8))  N0EARLY 20m CW 2019-01-01 12:00:00Z\n")
        #expect(try calls(program, "qso", "list") == ["N0LATE"])
        // The last hidden one is the one that was hidden last.
        try program.json("qso", "edit", "N0LATE", "NAME=Bob")
        let restored = try program.run("qso", "restore", "last")
        #expect(restored.output == "Shown again: \(id.prefix(8))  N0EARLY 20m CW 2019-01-01 12:00:00Z\n")
        #expect(try program.json("qso", "show", "last")["id"] as? String == id)
    }

    @Test func `where nothing was logged there is no last contact, and an import has one`() throws {
        let program = try Program()
        let none = try program.run("qso", "remove", "last")
        #expect(none.status == 66 && none.errors.contains("No contact was logged on this device."))
        #expect(try program.run("qso", "restore", "last").errors.contains("No contact was hidden on this device."))
        let log = "x<EOH><CALL:2>N1<QSO_DATE:8>20300101<EOR><CALL:2>N2<QSO_DATE:8>20200101<EOR>"
        #expect(try program.run("import", "-", input: log).status == 0)
        #expect(try (program.json("qso", "show", "last")["fields"] as? [String: String])?["CALL"] == "N2")
    }

    @Test func `an edit names the contact and what it set`() throws {
        let program = try Program()
        let id = try add(program, "N0CALL", "QSO_DATE=20260501", "TIME_ON=1200")
        let line = "\(id.prefix(8))  N0CALL 20m CW 2026-05-01 12:00:00Z"
        #expect(
            try program.run("qso", "edit", "last", "NAME=Jim", "--dry-run").output.hasSuffix(
                "Would be changed: \(line): NAME=Jim\n"))
        #expect(try program.run("qso", "edit", "last", "NAME=Jim").output == "Changed: \(line): NAME=Jim\n")
        #expect(
            try program.run("qso", "edit", "last", "NAME=Jim").output
                == "No change: these values are already set: \(line).\n")
    }

    // MARK: - Parks

    @Test func `a park in SIG_INFO is a park wherever parks are asked for`() throws {
        let program = try Program()
        try add(program, "N0A", "MY_SIG=POTA", "MY_SIG_INFO=us-0001")
        try add(program, "N0B", "SIG=POTA", "SIG_INFO=US-0002")
        try add(program, "N0C", "MY_SIG=WWFF", "MY_SIG_INFO=US-0001")
        try add(program, "N0D", "MY_POTA_REF=US-0003", "MY_SIG=POTA", "MY_SIG_INFO=US-0001")
        #expect(try calls(program, "qso", "list", "--park", "US-0001") == ["N0A"])
        #expect(try calls(program, "qso", "list", "--park", "US-0002") == ["N0B"])
        let groups = try #require(try program.json("qso", "count", "--by", "park")["groups"] as? [[String: Any]])
        let counts = Dictionary(uniqueKeysWithValues: groups.map { ($0["key"] as? String, $0["count"] as? Int) })
        #expect(counts == ["": 2, "US-0001": 1, "US-0003": 1])
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

    @Test func `a compressed file that is cut says so, and what could be read is kept`() throws {
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

    // MARK: - Options

    @Test func `options stand before the command, within it or behind it`() throws {
        let program = try Program()
        try add(program, "N0CALL")
        let path = program.store.path
        let orders = [
            ["--store", path, "--json", "qso", "count"], ["qso", "--json", "--store", path, "count"],
            ["--store=\(path)", "qso", "count", "--json"],
        ]
        for order in orders {
            let outcome = try program.run(order, environment: ["GROUNDWAVE_STORE": "/nowhere"])
            #expect(outcome.status == 0 && outcome.json["total"] as? Int == 1, "\(order): \(outcome.errors)")
        }
        let mistyped = try program.run("--store", path, "inof")
        #expect(mistyped.status == 64 && mistyped.errors.contains("Did you mean groundwave info?"))
        #expect(try program.run("--wait", "1").status == 64)
    }

    @Test func `the log level of replication is set by its name`() throws {
        let program = try Program()
        let place = program.folder.appending(path: "place")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        #expect(try program.run("remote", "add", "place", place.absoluteString).status == 0)
        let outcome = try program.run(["sync"], environment: ["GROUNDWAVE_LOG": "replication=debug"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("replication: synchronised") && !outcome.errors.contains("not understood"))
    }

    // MARK: - Worked

    @Test func `worked sees a station wherever it is, and says dupe only of the same call, band and mode`() throws {
        let program = try Program()
        try add(program, "W1AW")
        try add(program, "DL/W1AW/P")
        for call in ["W1AW", "w1aw/p", "HB/W1AW"] {
            let worked = try program.json("qso", "worked", call)
            #expect((worked["worked"] as? [Any])?.count == 2, "\(call)")
            #expect(worked["dupe"] as? Bool == false, "the band is not known")
        }
        let dupes = try #require(try program.json("qso", "worked", "W1AW")["dupes"] as? [[String: String]])
        #expect(dupes == [["band": "20m", "mode": "CW"]])
        #expect(try program.run("qso", "worked", "W1AW").output.hasSuffix("would be a dupe on 20m CW.\n"))
        func isDupe(_ call: String, _ band: String, _ mode: String) throws -> Bool? {
            try program.run("qso", "worked", call, "--band", band, "--mode", mode, "--json").json["dupe"] as? Bool
        }
        #expect(try isDupe("W1AW", "20m", "CW") == true)
        #expect(try isDupe("W1AW", "20m", "SSB") == false)
        #expect(try isDupe("W1AW/P", "20m", "CW") == false)
        #expect(try program.run("qso", "worked", "W1A").status == 1)
    }

    // MARK: - Questions

    @Test func `calls are found by a pattern, in order of time`() throws {
        let program = try Program()
        for (call, time) in [("W1XYZ", "1203"), ("N0CALL", "1202"), ("W1AW", "1204"), ("DL/W1AW", "1201")] {
            try add(program, call, "QSO_DATE=20260501", "TIME_ON=\(time)")
        }
        #expect(try calls(program, "qso", "list", "--call", "W1*") == ["W1XYZ", "W1AW"])
        #expect(try calls(program, "qso", "list", "--call", "*w1*") == ["DL/W1AW", "W1XYZ", "W1AW"])
        #expect(try calls(program, "qso", "list", "--call", "W1A?") == ["W1AW"])
        #expect(try calls(program, "qso", "list", "--call", "W1*", "--limit", "1") == ["W1AW"])
        #expect(try calls(program, "qso", "list", "--call", "w1aw") == ["W1AW"])
        #expect(try program.json("qso", "count", "--call", "*")["total"] as? Int == 4)
        // What cannot be undone takes a call in full.
        let erased = try program.run("erase", "--call", "*", "--yes")
        #expect(erased.status == 66 && erased.errors.contains("There is no contact with *"))
        #expect(try program.json("qso", "count")["total"] as? Int == 4)
    }

    @Test func `a year or a month is a time`() throws {
        let program = try Program()
        for (call, date) in [("N1", "20181231"), ("N2", "20190101"), ("N3", "20190531"), ("N4", "20200101")] {
            try add(program, call, "QSO_DATE=\(date)", "TIME_ON=1200")
        }
        #expect(try calls(program, "qso", "list", "--since", "2019") == ["N2", "N3", "N4"])
        #expect(try calls(program, "qso", "list", "--since", "2019", "--until", "2019") == ["N2", "N3"])
        #expect(try calls(program, "qso", "list", "--since", "2019-05", "--until", "2019-05") == ["N3"])
        #expect(try program.run("qso", "list", "--since", "2019-13").status == 64)
    }

    @Test func `contacts are found by the value of any field`() throws {
        let program = try Program()
        func log(_ call: String, _ minute: Int, _ fields: String...) throws {
            try program.json(
                ["qso", "add", call, "BAND=20m", "MODE=CW", "QSO_DATE=20260501", "TIME_ON=120\(minute)"] + fields)
        }
        try log("N1", 1, "GRIDSQUARE=FN31", "NAME=Jim Smith", "FREQ=14.06", "COUNTRY=Canada")
        try log("N2", 2, "GRIDSQUARE=FN42", "NAME=Ann", "COUNTRY=canada")
        try log("N3", 3, "GRIDSQUARE=JO31", "FREQ=14.2", "QSLMSG=greetings to jim")
        func found(_ conditions: String...) throws -> [String] {
            try calls(program, ["qso", "list"] + conditions.flatMap { ["--where", $0] })
        }
        #expect(try found("gridsquare=fn*") == ["N1", "N2"])
        #expect(try found("GRIDSQUARE=FN*", "NAME~JIM") == ["N1"])
        #expect(try found("NAME=") == ["N3"])
        #expect(try found("FREQ>14.1") == ["N3"] && found("FREQ<14.1") == ["N1"])
        #expect(try found("FREQ>9.5") == ["N1", "N3"], "numbers are compared as numbers")
        #expect(try found("QSO_DATE>19991231").count == 3)
        #expect(try found("BAND=20m").count == 3)
        #expect(try program.run("qso", "list", "--where", "NAME").status == 64)
        #expect(try program.run("qso", "list", "--where", "GRIDSQUAER=FN").errors.contains("GRIDSQUARE"))
        #expect(try calls(program, "qso", "find", "jim") == ["N1", "N3"])
        #expect(try calls(program, "qso", "find", "jim", "canada") == ["N1"])
        #expect(try calls(program, "qso", "find", "jim smith") == ["N1"])
        #expect(try program.run("qso", "find", "greetings").output.contains("QSLMSG"))
        #expect(try program.run("qso", "find", "nobody").output == "No contact has that word.\n")
        let pairs = try #require(try program.json("qso", "count", "--by", "COUNTRY,band")["groups"] as? [[String: Any]])
        #expect(pairs.map { $0["keys"] as? [String] } == [["CANADA", "20m"], ["", "20m"]])
        #expect(pairs.map { $0["count"] as? Int } == [2, 1])
        #expect(
            try program.run("qso", "count", "--by", "COUNTRY").output == "2  CANADA\n1  (no COUNTRY)\n3  in total\n")
        // What was replaced is shown no more, so it is not found; nor is what another source says and is not shown.
        try program.json("qso", "edit", "N1", "NAME=Bob")
        #expect(try calls(program, "qso", "find", "jim") == ["N3"])
        for name in ["Karl", "Emil"] {
            let log = "x<PROGRAMID:4>\(name)<EOH><CALL:2>N7<QSO_DATE:8>20260501<TIME_ON:4>1200<NAME:4>\(name)<EOR>"
            #expect(try program.run("import", "-", input: log).status == 0)
        }
        #expect(try calls(program, "qso", "find", "karl") == ["N7"])
        #expect(try calls(program, "qso", "find", "emil").isEmpty)
    }

    // MARK: - Defaults

    @Test func `defaults and the station's call fill in what nobody says, and are shown`() throws {
        let program = try Program()
        for (key, value) in [("myCallsign", "n0call"), ("defaultMode", "CW"), ("defaultBand", "40m")] {
            #expect(try program.run("settings", "set", key, value).status == 0)
        }
        let dry = try program.run("qso", "add", "W1AW", "--dry-run")
        #expect(dry.output.contains("W1AW 40m CW"))
        #expect(dry.errors.contains("From your settings: STATION_CALLSIGN=N0CALL BAND=40m MODE=CW."))
        let added = try #require(
            try program.json("qso", "add", "W1AW", "FREQ=14.2", "MODE=USB")["fields"] as? [String: String])
        #expect(added["STATION_CALLSIGN"] == "N0CALL" && added["BAND"] == "20m" && added["SUBMODE"] == "USB")
        try program.json("session", "start", "--call", "N0SES", "--freq", "7.03", "--mode", "SSB")
        let inSession = try #require(try program.json("qso", "add", "K1AA")["fields"] as? [String: String])
        #expect(inSession["STATION_CALLSIGN"] == "N0SES" && inSession["FREQ"] == "7.03" && inSession["MODE"] == "SSB")
    }

    @Test(arguments: [
        ("defaultBand", "21m"), ("defaultMode", "MORSE"), ("syncEngine", "fast"), ("defaultGrid", "nowhere"),
        ("activityLogBands", "20m,21m"), ("activityLogModes", "CW,MORSE"),
    ])
    func `a setting that has a list takes nothing else`(key: String, value: String) throws {
        let program = try Program()
        #expect(try program.run("settings", "set", key, value).status == 64)
        #expect(try program.run("settings", "get", key).status != 0)
    }

    // MARK: - Sessions of the past

    @Test func `start and end of a session are set by hand`() throws {
        let program = try Program()
        let open = try #require(try program.json("session", "start", "--park", "US-0001")["id"] as? String)
        let past = try program.run(
            "session", "start", "--park", "US-0002", "STARTED=2019-06-01T08:00", "ENDED=2019-06-01T10:30")
        #expect(past.status == 0 && past.output.contains("was recorded"))
        #expect(try program.json("session", "show", "open")["id"] as? String == open)
        #expect(
            try program.run("session", "edit", "open", "STARTED=2019-06-02T08:00", "ENDED=2019-06-02T07:00").status
                == 64)
        #expect(try program.run("session", "edit", "open", "STARTED=").status == 64)
        #expect(try program.run("session", "edit", "open", "STARTED=2019-06-02", "ENDED=2019-06-02T07:00").status == 0)
        #expect(try program.run("session", "show", "open").status == 66, "it has ended")
        let shown = try program.run("session", "show", open).output
        #expect(shown.contains("2019-06-02 00:00") || shown.contains("2019-06-02T00:00"), "\(shown)")
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
