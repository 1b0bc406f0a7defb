import Foundation
import Testing

@Suite struct `The log of a contest` {
    private static let log = """
        START-OF-LOG: 3.0\r
        CONTEST: ARRL-SS-CW\r
        CALLSIGN: N0CALL\r
        CATEGORY-POWER: LOW\r
        CLUB: Lake Club\r
        CREATED-BY: N1MM Logger+ 1.0.9342.0\r
        SOAPBOX: First line\r
        SOAPBOX: Second line\r
        QSO: 14042 CW 2026-11-07 2103 N0CALL        0001 U 20 ENY W1AW          0004 A 61 CT\r
        QSO: 07042 CW 2026-11-07 2104 N0CALL        0002 U 20 ENY K1AA          0017 B 70 EMA\r
        QSO: 07042 CW 2026-11-07 2104 N0CALL        0003 U 20 ENY K1BB          0018 B 71 EMA\r
        END-OF-LOG:\r

        """

    private func lines(_ log: String) -> [String] {
        log.split(whereSeparator: \.isNewline).map {
            $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
        }
        .filter { !$0.hasPrefix("CREATED-BY:") }
    }

    private func imported(_ log: String = log) throws -> Program {
        let program = try Program()
        let outcome = try program.run(["import", "-"], input: log)
        #expect(outcome.status == 0)
        return program
    }

    private func exported(_ program: Program, _ arguments: String...) throws -> [String] {
        let outcome = try program.run(["export", "--format", "cabrillo"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return lines(outcome.output)
    }

    @Test func `comes out as it went in`() throws {
        let program = try imported()
        #expect(try exported(program) == lines(Self.log))
        let again = try program.run(["import", "-", "--json"], input: Self.log)
        #expect(again.json["unchanged"] as? Int == 3 && again.json["imported"] as? Int == 0)
        let fields = try #require(try program.json("qso", "show", "K1AA")["fields"] as? [String: String])
        #expect(fields["FREQ"] == "7.042" && fields["ARRL_SECT"] == "EMA" && fields["SRX"] == "0017")
    }

    @Test func `of each file of other people comes out as it went in`() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../../shared/adif/cabrillo").standardized
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        guard !files.isEmpty else { return print("skipped: there is no folder ../shared/adif/cabrillo") }
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            let differing = zip(lines(text), try exported(try imported(text))).count { $0 != $1 }
            #expect(differing == 0 && lines(text).count > 10, "\(file.lastPathComponent)")
        }
    }

    @Test func `through ADIF keeps calls, times, reports and what was exchanged`() throws {
        let program = try imported()
        let adif = try program.run("export").output
        let other = try Program()
        #expect(try other.run(["import", "-"], input: adif).status == 0)
        #expect(try exported(other).filter { $0.hasPrefix("QSO:") } == lines(Self.log).filter { $0.hasPrefix("QSO:") })
    }

    @Test func `has a header from its options, the imported one and the settings`() throws {
        let program = try imported()
        for (key, value) in [
            ("cabrillo.EMAIL", "n0call@example.org"), ("cabrillo.CLUB", "Shore Club"), ("operatorName", "Jim"),
        ] {
            #expect(try program.run("settings", "set", key, value).status == 0)
        }
        let header = try exported(
            program, "--header", "category-power=qrp", "--header", "SOAPBOX=One", "--header", "soapbox=Two")
        #expect(header.contains("CATEGORY-POWER: QRP") && header.contains("CLUB: Lake Club"))
        #expect(header.contains("EMAIL: n0call@example.org") && header.contains("NAME: Jim"))
        #expect(header.filter { $0.hasPrefix("SOAPBOX") } == ["SOAPBOX: One", "SOAPBOX: Two"])
    }

    @Test func `is refused if its contest, its station or a line of its header is not known`() throws {
        let program = try Program()
        let add = ["qso", "add", "W1AW", "BAND=20m", "MODE=CW"]
        #expect(try program.run("export", "--format", "cabrillo").status == 66)
        #expect(try program.run(add).status == 0)
        let unnamed = try program.run("export", "--format", "cabrillo")
        #expect(unnamed.status == 64 && unnamed.errors.contains("no CONTEST_ID"))
        #expect(try program.run(add + ["CONTEST_ID=CQ-WW-CW", "CQZ=5"]).status == 0)
        let several = try program.run("export", "--format", "cabrillo")
        #expect(several.status == 64 && several.errors.contains("none, CQ-WW-CW"))
        let contest = ["export", "--contest", "cq-ww-cw", "--format", "cabrillo"]
        let nobody = try program.run(contest)
        #expect(nobody.status == 64 && nobody.errors.contains("call of the station"))
        #expect(try program.run(contest + ["--header", "CALLSIGN=N0CALL", "--sent", "14"]).status == 0)
        for (line, reason) in [
            ("CATEGORY-POWER=KW", "HIGH, LOW, QRP"), ("COLOUR=red", "no line"), ("CLUB", "not a line of a header"),
        ] {
            let outcome = try program.run(contest + ["--header", line])
            #expect(outcome.status == 64 && outcome.errors.contains(reason))
        }
        #expect(try program.run("export", "--contest", "CQ-WW-CW").status == 64)
        #expect(
            try program.run(contest + ["--split", "day", "-o", program.folder.appending(path: "out").path]).status == 64
        )
    }

    @Test func `is logged with numbers, dupes and all that is exchanged`() throws {
        let program = try Program()
        let input = """
            20m cw
            2026-11-07
            1200 w1aw .0004 .A .61 .CT
            1201 k1aa .17 .B .70 .EMA
            2026-11-08
            0900 40m w1aw .44 .A .61 .CT

            """
        let outcome = try program.run(
            ["qso", "log", "--contest", "ARRL-SS-CW", "--serials", "--sent", "u 20 eny", "--json"], input: input)
        let contacts = try #require(outcome.json["contacts"] as? [[String: Any]])
        // In Sweepstakes a station counts once, also on another band and day.
        #expect(contacts.count == 3 && contacts.map { $0["dupe"] is String } == [false, false, true])
        #expect(try program.run("settings", "set", "myCallsign", "N0CALL").status == 0)
        #expect(
            try exported(program, "--contest", "ARRL-SS-CW").filter { $0.hasPrefix("QSO:") } == [
                "QSO: 14000 CW 2026-11-07 1200 N0CALL 0001 U 20 ENY W1AW 0004 A 61 CT",
                "QSO: 14000 CW 2026-11-07 1201 N0CALL 0002 U 20 ENY K1AA 0017 B 70 EMA",
                "QSO: 7000 CW 2026-11-08 0900 N0CALL 0003 U 20 ENY W1AW 0044 A 61 CT",
            ])
    }

    @Test func `lists contacts in order of their times`() throws {
        let program = try imported()
        let add = ["qso", "add", "N0AAA", "QSO_DATE=20261107", "TIME_ON=210330", "FREQ=14.05", "MODE=CW"]
        let exchange = ["CONTEST_ID=ARRL-SS-CW", "STX=9", "STX_STRING=U 20 ENY", "SRX=1", "SRX_STRING=B 55 CT"]
        #expect(try program.run(add + exchange).status == 0)
        let calls = try exported(program).filter { $0.hasPrefix("QSO:") }.map { $0.split(separator: " ")[10] }
        #expect(calls == ["W1AW", "N0AAA", "K1AA", "K1BB"])
    }

    @Test func `tells by number the lines that are no contacts`() throws {
        let program = try Program()
        let log =
            "START-OF-LOG: 3.0\nCONTEST: CQ-WW-CW\nQSO: 14000 CW 2026-11-07 1200 N0CALL 599 5 W1AW 599 5\n"
            + "QSO: 14000 CW 2026-11-07 1200 N0CALL 599\nQTC: 14000 CW\nEND-OF-LOG:\nno part of the log\n"
        let outcome = try program.run(["import", "-", "--json"], input: log)
        #expect(outcome.status == 3 && outcome.json["imported"] as? Int == 1)
        let warnings = try #require(outcome.json["warnings"] as? [[String: Any]])
        #expect(warnings.map { $0["record"] as? Int } == [4, 5])
        #expect(warnings.allSatisfy { $0["code"] as? String == "malformed-qso" })
    }
}
