import GroundwaveADIF
import GroundwaveRadio
import GroundwaveRecords
import Testing

@Suite struct `A log that is typed line by line` {
    private func read(_ lines: String...) throws -> [[String: String]] {
        var log = FastLog()
        return try lines.compactMap { line in
            guard case .contact(let assignments) = try log.read(line) else { return nil }
            return Dictionary(
                uniqueKeysWithValues: assignments.map { ($0.name, String(decoding: $0.value ?? [], as: UTF8.self)) })
        }
    }

    @Test func `carries on day, band, mode and time`() throws {
        let contacts = try read(
            "# an activation", "mycall n0call/p", "mypark us-0001 US-0002", "date 2026-05-01", "20m cw",
            "1205 w1aw 599 579 #us-0003", "7 k1aa @Jim <strong <signal>", "", "14.285 ssb", "n0bbb",
            "40m 2359 n0ccc 5 7",
            "0003 n0ddd")
        #expect(
            contacts[0] == [
                "CALL": "W1AW", "QSO_DATE": "20260501", "TIME_ON": "1205", "BAND": "20m", "MODE": "CW",
                "RST_SENT": "599", "RST_RCVD": "579", "POTA_REF": "US-0003", "STATION_CALLSIGN": "N0CALL/P",
                "MY_POTA_REF": "US-0001,US-0002",
            ])
        #expect(contacts[1]["TIME_ON"] == "1207" && contacts[1]["RST_SENT"] == "599")
        #expect(contacts[1]["NAME"] == "Jim" && contacts[1]["COMMENT"] == "strong <signal")
        #expect(contacts[2]["FREQ"] == "14.285" && contacts[2]["BAND"] == "20m" && contacts[2]["MODE"] == "SSB")
        #expect(contacts[2]["TIME_ON"] == "1207" && contacts[2]["RST_SENT"] == "59")
        #expect(contacts[3]["BAND"] == "40m" && contacts[3]["FREQ"] == nil)
        #expect(contacts[3]["RST_SENT"] == "55" && contacts[3]["RST_RCVD"] == "57")
        #expect(contacts[4]["QSO_DATE"] == "20260502" && contacts[4]["TIME_ON"] == "0003")
    }

    @Test func `made while they are typed have a time only if their line gives one`() throws {
        var log = FastLog(isLive: true)
        func names(_ line: String) throws -> [String] {
            guard case .contact(let assignments) = try log.read(line) else { return [] }
            return assignments.map(\.name).filter { ["QSO_DATE", "TIME_ON"].contains($0) }
        }
        #expect(try names("20m cw w1aw") == [])
        #expect(try names("1205 w1aw") == ["TIME_ON"])
        #expect(try names("7 w1aw") == ["TIME_ON"])
        #expect(try names("w1aw") == [])
        #expect(try names("date 2026-05-01") == [])
        #expect(try names("w1aw") == ["QSO_DATE"])
        #expect(try names("1205 w1aw") == ["QSO_DATE", "TIME_ON"])
        #expect(try names("w1aw") == ["QSO_DATE", "TIME_ON"])
    }

    @Test func `has numbers of a contest, references of all kinds and any field`() throws {
        let contacts = try read(
            "2026-05-01 20m ft8 1200 n0aaa -12 +05 ,012 .ma",
            "n0bbb #FN31pr #W1/HA-001 #USFF-0001 #EU-005 #US-0001 #US-0002",
            "n0ccc [pse qsl] MY_RIG=KX2")
        #expect(contacts[0]["RST_SENT"] == "-12" && contacts[0]["RST_RCVD"] == "+05")
        #expect(contacts[0]["STX"] == "012" && contacts[0]["SRX_STRING"] == "MA")
        #expect(contacts[1]["GRIDSQUARE"] == "FN31PR" && contacts[1]["SOTA_REF"] == "W1/HA-001")
        #expect(contacts[1]["WWFF_REF"] == "USFF-0001" && contacts[1]["IOTA"] == "EU-005")
        #expect(contacts[1]["POTA_REF"] == "US-0001,US-0002" && contacts[1]["RST_SENT"] == nil)
        #expect(contacts[2]["QSLMSG"] == "pse qsl" && contacts[2]["MY_RIG"] == "KX2")
    }

    @Test(arguments: [
        "1205 w1aw 599 579 589", "w1aw hello", "1260 w1aw", "7 w1aw", "12055 w1aw", "date 2026-02-30", "w1aw #nowhere",
        "w1aw <open", "w1aw GRIDSQUAER=FN31", "xyz", "2400 w1aw",
    ])
    func `has no words that nobody understands, and such a line sets nothing`(line: String) throws {
        var log = FastLog()
        _ = try log.read("date 2026-05-01")
        _ = try log.read("20m cw")
        #expect(throws: EntryProblem.self) { try log.read("40m \(line)") }
        guard case .contact(let assignments) = try log.read("1200 n0call") else {
            Issue.record("no contact")
            return
        }
        #expect(assignments.contains(Assignment("BAND", text: "20m")))
    }

    @Test func `is read from a file, whose bad lines are told by their number`() {
        var reader = FastLogReader()
        reader.append(
            Array("20m cw\r\n1200 n0aaa\r\ndate 2026-05-01\r\n1201 n0bbb what\r\n02 n0ccc\r\n1203 n0ddd".utf8))
        reader.finish()
        var items: [String] = []
        while let item = reader.next() {
            switch item {
            case .record(let record): items.append("\(record.number) \(record.fields.text(.call) ?? "")")
            case .rejected(let rejection): items.append("\(rejection.recordNumber) \(rejection.code.rawValue)")
            case .header: items.append("header")
            }
        }
        #expect(items == ["2 no-date", "4 malformed-line", "5 malformed-line", "6 N0DDD"])
    }
}
