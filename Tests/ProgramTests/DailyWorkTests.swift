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
        // Whoever names a contact, or erases, gives the call in full.
        let erased = try program.run("erase", "--call", "W1*", "--yes")
        #expect(try program.run("qso", "show", "W1*").status == 66)
        #expect(erased.status == 66 && erased.errors.contains("There is no contact with W1*"))
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
}
