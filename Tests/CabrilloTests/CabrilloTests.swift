import Foundation
import GroundwaveADIF
import GroundwaveCabrillo
import GroundwaveSeededNumbers
import Testing

@Suite struct `A contact in Cabrillo` {
    private func words(_ line: String) -> [String] {
        guard case .contact(let words, _) = CabrilloLine(line) else { return [] }
        return words
    }

    private func fields(_ line: String, _ contest: String) throws -> [String: String] {
        let fields = try #require(CabrilloContact.fields(of: words(line), in: contest, isIgnored: false))
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.name.name, $0.text.string) })
    }

    private func line(
        _ contest: String, station: String? = nil, sent: String? = nil, _ values: [String: String]
    ) -> (line: String, missing: [String]) {
        CabrilloContactLine(contest: contest, station: station, sent: sent).line { values[$0.name] }
    }

    // MARK: - Reading

    @Test func `of Sweepstakes has number, precedence, check and section`() throws {
        let read = try fields(
            "QSO: 14329 PH 2021-11-20 2103 N0CALL 0001 U 20 ENY W1AW 0004 A 61 CT", "ARRL-SS-SSB")
        #expect(
            read == [
                "CALL": "W1AW", "QSO_DATE": "20211120", "TIME_ON": "2103", "BAND": "20m", "FREQ": "14.329",
                "MODE": "SSB", "STATION_CALLSIGN": "N0CALL", "CONTEST_ID": "ARRL-SS-SSB", "STX": "0001",
                "STX_STRING": "0001 U 20 ENY", "MY_ARRL_SECT": "ENY", "SRX": "0004", "SRX_STRING": "0004 A 61 CT",
                "PRECEDENCE": "A", "CHECK": "61", "ARRL_SECT": "CT",
            ])
    }

    @Test func `of CQ WW has a report and zones, of ARRL DX states and powers`() throws {
        let zone = try fields("qso: 7029 cw 2021-11-27 0122 n0call 599 5 k1aa 599 04", "CQ-WW-CW")
        #expect(zone["CQZ"] == "4" && zone["MY_CQ_ZONE"] == "5" && zone["SRX_STRING"] == "04")
        #expect(zone["RST_SENT"] == "599" && zone["RST_RCVD"] == "599" && zone["SRX"] == nil)
        let power = try fields("QSO: 14091 CW 2022-02-19 1307 N0CALL 599 NY K1AA 599 KW", "ARRL-DX-CW")
        #expect(power["MY_STATE"] == "NY" && power["RX_PWR"] == "1000" && power["SRX_STRING"] == "KW")
        let hundred = try fields("QSO: 14091 CW 2022-02-19 1307 N0CALL 599 100 K1AA 599 MA", "ARRL-DX-CW")
        #expect(hundred["TX_PWR"] == "100" && hundred["STATE"] == "MA")
        let far = try fields("QSO: 14091 RY 2022-02-19 1307 N0CALL 599 14 DX K1AA 599 05 MA", "CQ-WW-RTTY")
        #expect(far["MODE"] == "RTTY" && far["MY_STATE"] == nil && far["STATE"] == "MA" && far["CQZ"] == "5")
    }

    @Test func `of a contest that is not known keeps what was exchanged`() throws {
        let read = try fields("QSO: 3525 CW 2026-05-01 0001 N0CALL 599 LAKE 12 W1AW 579 SHORE 7", "ANY-PARTY")
        #expect(read["RST_SENT"] == "599" && read["RST_RCVD"] == "579")
        #expect(read["STX_STRING"] == "LAKE 12" && read["SRX_STRING"] == "SHORE 7")
        #expect(read["STX"] == nil && read["NAME"] == nil)
        // 120 is no report of telephony, and 012 none at all.
        let serial = try fields("QSO: 3725 PH 2026-05-01 0001 N0CALL 120 W1AW 121", "")
        #expect(serial["RST_SENT"] == nil && serial["STX_STRING"] == "120" && serial["CONTEST_ID"] == nil)
    }

    @Test(
        arguments: [
            ("50", "6m", nil), ("144", "2m", nil), ("1.2G", "23cm", nil), ("LIGHT", "submm", nil),
            ("1800", "160m", nil),
            ("14000", "20m", nil), ("1825", "160m", "1.825"), ("50125", "6m", "50.125"), ("12000", nil, "12"),
        ] as [(String, String?, String?)])
    func `has a frequency or a band`(word: String, band: String?, megahertz: String?) throws {
        let read = try fields("QSO: \(word) CW 2026-05-01 0001 N0CALL FN31 W1AW FN31", "ARRL-VHF-JUN")
        #expect(read["BAND"] == band && read["FREQ"] == megahertz)
        var values = read
        values["APP_GROUNDWAVE_KHZ"] = read["APP_GROUNDWAVE_KHZ"]
        #expect(words(line("ARRL-VHF-JUN", values).line)[0] == word)
    }

    @Test(arguments: [
        "14000 CW 2026-05-01 0001 N0CALL 599 5 W1AW 599", "14000 CW 2026-02-30 0001 N0CALL 599 5 W1AW 599 5",
        "14000 CW 2026-05-01 2460 N0CALL 599 5 W1AW 599 5", "14000 XX 2026-05-01 0001 N0CALL 599 5 W1AW 599 5",
        "14M CW 2026-05-01 0001 N0CALL 599 5 W1AW 599 5", "14000 CW 20260501 0001 N0CALL 599 5 W1AW 599 5",
        "14000 CW 2026-05-01 0001 599 5 N0CALL 599 5 W1AW", "14000 CW 2026-05-01 0001 N0CALL W1AW",
        "99999999999999999999 CW 2026-05-01 0001 N0CALL 599 5 W1AW 599 5", "", "14000",
    ])
    func `that is not whole is refused`(line: String) {
        #expect(CabrilloContact.fields(of: words("QSO: \(line)"), in: "CQ-WW-CW", isIgnored: false) == nil)
    }

    @Test func `may name a transmitter, and may not count`() throws {
        let text = "X-QSO: 14025 CW 2026-05-01 0001 N0CALL        599 05 W1AW          599 04 1"
        guard case .contact(let words, true) = CabrilloLine(text) else { return #expect(Bool(false)) }
        let fields = try #require(CabrilloContact.fields(of: words, in: "CQ-WW-CW", isIgnored: true))
        let written = CabrilloContactLine(contest: "CQ-WW-CW", station: nil, sent: nil).line { fields.text($0) }
        #expect(written.line == text && written.missing.isEmpty)
        let third = "QSO: 14025 CW 2026-05-01 0001 N0CALL 599 05 W1AW 599 04 2"
        #expect(CabrilloContact.fields(of: self.words(third), in: "CQ-WW-CW", isIgnored: false) == nil)
    }

    // MARK: - Writing

    @Test func `is made of the fields of ADIF where no exchange is kept as text`() {
        let contact = [
            "CALL": "w1aw", "QSO_DATE": "20260501", "TIME_ON": "120530", "BAND": "20m", "MODE": "CW",
            "STATION_CALLSIGN": "N0CALL", "CQZ": "5", "MY_CQ_ZONE": "14",
        ]
        #expect(
            line("CQ-WW-CW", contact).line == "QSO: 14000 CW 2026-05-01 1205 N0CALL        599 14 W1AW          599 05")
        var serials = contact
        (serials["FREQ"], serials["MODE"], serials["SUBMODE"]) = ("14.2504", "SSB", "USB")
        (serials["STX"], serials["SRX"]) = ("7", "1204")
        #expect(
            line("CQ-WPX-SSB", serials).line
                == "QSO: 14250 PH 2026-05-01 1205 N0CALL        59  0007 W1AW          59  1204")
    }

    @Test func `takes a corrected field of the contest, and not what another log knows of the station`() throws {
        var values = try fields(
            "QSO: 14329 PH 2021-11-20 2103 N0CALL 0001 U 20 ENY W1AW 0004 A 61 CT", "ARRL-SS-SSB")
        values["SRX"] = "14"
        values["ARRL_SECT"] = "ENY"
        #expect(words(line("ARRL-SS-SSB", values).line).suffix(4) == ["0014", "A", "61", "ENY"])
        values = try fields("QSO: 07029 CW 2021-11-27 0122 N0CALL 599 5 K1AA 599 15", "CQ-WW-CW")
        #expect(words(line("CQ-WW-CW", values).line)[0] == "07029")
        values["FREQ"] = "7.031"
        #expect(words(line("CQ-WW-CW", values).line)[0] == "7031")
        // What was sent as 15 may be 14 on a card.
        values = try fields("QSO: 7029 CW 2021-11-27 0122 N0CALL 599 5 K1AA 599 15", "CQ-WW-CW")
        values["CQZ"] = "14"
        #expect(words(line("CQ-WW-CW", values).line).last == "15")
    }

    @Test func `gets its own call and what is sent from the log`() {
        let contact = [
            "CALL": "W1AW", "QSO_DATE": "20260501", "TIME_ON": "1205", "BAND": "20m", "MODE": "CW", "STX": "12",
            "SRX": "34", "SRX_STRING": "A 61 CT",
        ]
        let written = line("ARRL-SS-CW", station: "N0CALL", sent: "B 61 EMA", contact)
        #expect(
            words(written.line).dropFirst(4) == ["N0CALL", "0012", "B", "61", "EMA", "W1AW", "0034", "A", "61", "CT"])
        #expect(written.missing.isEmpty)
    }

    @Test func `stays one line of words, whatever its values hold`() {
        let written = line(
            "CQ-WW-CW",
            [
                "CALL": "W1AW\nQSO: 14000", "QSO_DATE": " 20260501 ", "TIME_ON": "1205 ", "BAND": "20m", "MODE": "CW",
                "STATION_CALLSIGN": "N0 CALL\r", "SRX_STRING": "0\u{1B}4", "STX_STRING": "\u{E4}", "RST_RCVD": " \t",
            ])
        #expect(
            written.line == "QSO: 14000 CW 2026-05-01 1205 N0CALL        599 ?  W1AWQSO:14000 -   0?4")
        #expect(written.missing == ["report received"])
        var header = CabrilloHeader()
        header.set("OPERATORS", ["N0CALL\nQSO: 14000"])
        #expect(header.text == "OPERATORS: N0CALL QSO: 14000\n")
    }

    @Test func `says what it lacks`() {
        let written = line("CQ-WW-CW", ["CALL": "W1AW", "QSO_DATE": "20260501", "MODE": "CW"])
        #expect(words(written.line) == ["-", "CW", "2026-05-01", "-", "-", "599", "-", "W1AW", "599", "-"])
        #expect(
            written.missing == ["frequency or band", "time", "your call", "CQ zone sent", "CQ zone received"])
    }

    @Test func `comes out as it went in, whatever the contest`() throws {
        var numbers = SeededGenerator(seed: 20_260_501)
        func pick<Element>(_ list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &numbers)] }
        func number(_ range: ClosedRange<Int>, _ width: Int) -> String {
            let text = "\(Int.random(in: range, using: &numbers))"
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let exchanges: [(String, () -> [String])] = [
            (
                "ARRL-SS-CW",
                { [number(1...2000, 4), pick(["A", "B", "Q", "U"]), number(0...99, 2), pick(["CT", "ENY"])] }
            ),
            ("CQ-WW-CW", { ["599", number(1...40, pick([1, 2]))] }),
            ("CQ-WPX-CW", { ["599", number(1...9999, pick([1, 3, 4]))] }),
            ("ARRL-DX-CW", { ["599", pick(["K", "KW", "100", "5", "NY", "QC"])] }),
            ("IARU-HF", { ["599", pick(["ARRL", "7", "08", "90"])] }),
            ("NAQP-CW", { [pick(["JIM", "ANN"]), pick(["CT", "ON", "DX"])] }),
            ("ARRL-FIELD-DAY", { [pick(["2A", "11F"]), pick(["CT", "DX"])] }),
            ("ARRL-VHF-SEP", { [pick(["FN31", "JO22"])] }),
            ("RSGB-IOTA", { ["599", number(1...999, 3), pick(["EU005", "EU-005", "------"])] }),
            ("LAKE-PARTY", { ["559", pick(["LAK", "SHO", "12"])] }),
        ]
        for _ in 0..<2000 {
            let (contest, exchange) = pick(exchanges)
            let (sent, received) = (exchange(), exchange())
            let kilohertz = pick(["1825", "03525", "7000", "14074", "21000", "28400", "50", "144", "432", "10G"])
            let day = number(1...28, 2), hour = number(0...23, 2), minute = number(0...59, 2)
            let all =
                [kilohertz, pick(["CW", "RY", "DG"]), "2026-05-\(day)", hour + minute, "N0CALL/\(pick(["P", "7"]))"]
                + sent
                + [pick(["W1AW", "DL/K1AA", "3DA0XX"])] + received + pick([[], ["0"], ["1"]])
            let fields = try #require(CabrilloContact.fields(of: all, in: contest, isIgnored: false))
            let written = CabrilloContactLine(contest: contest, station: nil, sent: nil).line { fields.text($0) }
            #expect(words(written.line) == all && written.missing.isEmpty)
        }
    }

    @Test func `of any bytes is read or refused`() {
        var numbers = SeededGenerator(seed: 7)
        let sample = Array("QSO: 14329 PH 2021-11-20 2103 N0CALL 0001 U 20 ENY W1AW 0004 A 61 CT".utf8)
        for _ in 0..<20_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            guard case .contact(let words, _) = CabrilloLine(String(decoding: bytes, as: UTF8.self)) else { continue }
            guard let fields = CabrilloContact.fields(of: words, in: "ARRL-SS-SSB", isIgnored: false) else { continue }
            #expect(fields.text(.call) != nil && ADIFDate(Array((fields.text(.qsoDate) ?? "").utf8)[...]) != nil)
        }
    }
}

@Suite struct `The header of a Cabrillo log` {
    @Test func `keeps its lines in order, and puts others in their place`() {
        var header = CabrilloHeader(
            text: "CALLSIGN: N0CALL\nADDRESS: Lake Road 1\nADDRESS: Lakeville\nX-NOTE:  a: b \n")
        #expect(header.lines.map(\.tag) == ["CALLSIGN", "ADDRESS", "ADDRESS", "X-NOTE"] && header["X-NOTE"] == "a: b")
        header.set("ADDRESS", ["Shore Road 2"])
        header.set("CLUB", ["Lake Club"])
        #expect(header.text == "CALLSIGN: N0CALL\nADDRESS: Shore Road 2\nX-NOTE: a: b\nCLUB: Lake Club\n")
    }

    @Test func `is told from other lines`() {
        #expect(CabrilloLine("START-OF-LOG: 3.0\r") == .start(version: "3.0"))
        #expect(CabrilloLine(" \t") == .blank && CabrilloLine("END-OF-LOG:") == .end)
        #expect(CabrilloLine("QTC: 14000 CW") == nil && CabrilloLine("no tag") == nil && CabrilloLine("ÄÖ: x") == nil)
    }
}

@Suite struct `A contest` {
    @Test func `is known by its name, the longest one that fits`() {
        #expect(Contest.named("arrl-10")?.exchange == [.report, .text])
        #expect(Contest.named("ARRL-10-GHZ")?.exchange == [.grid])
        #expect(Contest.named("CQ-WW-SSB")?.isOnce == false && Contest.named("ARRL-SS-CW")?.isOnce == true)
        #expect(Contest.named("LAKE-PARTY") == nil && Contest.named("") == nil)
    }

    @Test func `exchanges what Docs say`() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../Docs/Contests.md").standardized
        let table = try #require(String(contentsOf: page, encoding: .utf8).split(separator: "| exchange |").last)
        var count = 0
        for row in table.split(separator: "\n").map({ $0.split(separator: "|") }) where row.count == 2 {
            let names = row[0].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            for name in names where !name.hasPrefix("any") && !name.hasPrefix("-") {
                let contest = try #require(Contest.named(name + "-CW"), "\(name)")
                #expect(contest.exchange.count == row[1].split(separator: ",").count, "\(name)")
                count += 1
            }
        }
        #expect(count == 31)
    }
}
