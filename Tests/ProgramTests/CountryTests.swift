import Foundation
import GroundwaveSeededNumbers
import Testing

@Suite struct `Countries and zones` {
    private static let table = """
        DL,Lakeland,230,EU,14,28,49.00,-9.00,-1.0,DA DL;
        K,Hill Country,291,NA,5,8,37.00,91.00,5.0,K N W K5(4)[7] W5(4)[7];

        """

    private func program(_ table: String = table) throws -> Program {
        let program = try Program()
        let path = program.folder.appending(path: "cty.csv")
        try Data(table.utf8).write(to: path)
        #expect(try program.run("settings", "set", "countryFile", path.path).status == 0)
        return program
    }

    private func fields(_ program: Program, _ call: String) throws -> [String: String] {
        try #require(try program.json("qso", "show", call)["fields"] as? [String: String])
    }

    private func add(_ program: Program, _ call: String, _ fields: String...) throws -> String {
        let outcome = try program.run(["qso", "add", call, "BAND=20m", "MODE=CW"] + fields)
        #expect(outcome.status == 0)
        return outcome.errors
    }

    @Test func `are filled in as a contact is logged, typed or edited, and said`() throws {
        let program = try program()
        let said = try add(program, "W5AA", "ITUZ=9")
        #expect(
            said.contains("From your country file: CONT=NA COUNTRY=UNITED STATES OF AMERICA CQZ=4 DXCC=291."))
        #expect(try fields(program, "W5AA")["ITUZ"] == "9" && fields(program, "W5AA")["DXCC"] == "291")
        #expect(try program.run("qso", "edit", "W5AA", "CALL=DL1AA").status == 0)
        let edited = try fields(program, "DL1AA")
        #expect(edited["DXCC"] == "230" && edited["CONT"] == "EU" && edited["CQZ"] == "14" && edited["ITUZ"] == "9")
        let typed = try program.run(["qso", "log"], input: "20m cw w1aw\nfix 1 CALL=W5BB\n")
        #expect(typed.status == 0)
        #expect(try fields(program, "W5BB")["CQZ"] == "4")
        // A call that the file does not know has no country.
        #expect(try program.run("qso", "edit", "W5BB", "CALL=XX1A").status == 0)
        #expect(try fields(program, "XX1A")["DXCC"] == nil)
        #expect(try program.run("verify", "--deep").status == 0)
        let history = try program.run("history").output
        #expect(history.contains("DXCC: 291 → ") && !history.contains("import"))
    }

    @Test func `yield to what a log says later, and to what a person wrote`() throws {
        let program = try program()
        _ = try add(program, "W5AA", "QSO_DATE=20260501", "TIME_ON=1200")
        let log =
            "x<EOH><PROGRAMID:4>Prog<EOH><CALL:4>W5AA<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW"
            + "<CQZ:1>3<DXCC:3>110<EOR>"
        #expect(try program.run(["import", "-"], input: log).json.isEmpty)
        #expect(try fields(program, "W5AA")["CQZ"] == "3" && fields(program, "W5AA")["DXCC"] == "110")
        #expect(try program.run("qso", "edit", "W5AA", "CQZ=7").status == 0)
        #expect(try program.json("qso", "fill")["filled"] as? Int == 0)
        #expect(try fields(program, "W5AA")["CQZ"] == "7" && fields(program, "W5AA")["CONT"] == "NA")
        // What a person cleared stays cleared.
        #expect(try program.run("qso", "edit", "W5AA", "CONT=").status == 0)
        #expect(try program.json("qso", "fill")["filled"] as? Int == 0)
        #expect(try fields(program, "W5AA")["CONT"] == nil)
    }

    @Test func `of contacts from files are filled in at once, corrected by a newer file, and taken back at once`()
        throws
    {
        let program = try program()
        let log =
            "x<EOH>"
            + (0..<4500).map { number in
                "<CALL:6>W1\(1000 + number)<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>"
            }.joined() + "<CALL:4>XX1A<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<DXCC:1>1<EOR>"
        #expect(try program.run(["import", "-"], input: log).status == 0)
        #expect(try program.json("qso", "fill", "--dry-run")["filled"] as? Int == 4500)
        #expect(try program.json("qso", "count", "--where", "DXCC=291")["total"] as? Int == 0)
        let filled = try program.json("qso", "fill")
        #expect(filled["contacts"] as? Int == 4501 && filled["filled"] as? Int == 4500)
        #expect(filled["unknown"] as? Int == 1)
        #expect(try program.json("qso", "count", "--where", "DXCC=291")["total"] as? Int == 4500)
        #expect(try program.json("qso", "fill")["filled"] as? Int == 0)
        let newer = Self.table.replacing("NA,5,8", with: "NA,6,8")
        try Data(newer.utf8).write(to: program.folder.appending(path: "cty.csv"))
        #expect(try program.json("qso", "fill", "--call", "W11*")["filled"] as? Int == 1000)
        #expect(try program.json("qso", "count", "--where", "CQZ=6")["total"] as? Int == 1000)
        let id = try #require(filled["import"] as? String)
        #expect(try program.run("revert", "--import", id, "--yes").status == 0)
        #expect(try program.json("qso", "count", "--where", "DXCC=291")["total"] as? Int == 0)
        #expect(try program.json("qso", "count", "--where", "DXCC=1")["total"] as? Int == 1)
        #expect(try program.run("verify").status == 0)
    }

    @Test func `need a country file, and a contact needs none`() throws {
        let none = try Program()
        let refused = try none.run("qso", "fill")
        #expect(refused.status == 64 && refused.errors.contains("settings set countryFile"))
        let bad = none.folder.appending(path: "bad.csv")
        try Data("<CALL:4>W1AW<EOR>".utf8).write(to: bad)
        #expect(try none.run("settings", "set", "countryFile", bad.path).status == 65)
        #expect(try none.run("settings", "set", "countryFile", bad.path + "x").status == 66)
        let program = try program()
        try FileManager.default.removeItem(at: program.folder.appending(path: "cty.csv"))
        #expect(try add(program, "W1AW").contains("Country and zones are not filled in"))
        #expect(try fields(program, "W1AW")["DXCC"] == nil)
        #expect(try program.run("qso", "fill").status == 66)
    }

    /// Another program edits, hides and erases contacts while they are filled in, and the filling in is killed.
    @Test(arguments: UInt64(1)...3)
    func `that were filled in when the program was killed are completed by the next run, as one import`(
        seed: UInt64
    ) throws {
        var numbers = SeededGenerator(seed: seed)
        let program = try program()
        let log =
            "x<EOH>"
            + (0..<9000).map { number in
                "<CALL:6>W1\(1000 + number)<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>"
            }.joined()
        #expect(try program.run(["import", "-"], input: log).status == 0)
        let pause = Double.random(in: 0.05...0.35, using: &numbers)
        let script = """
            "$GROUNDWAVE" qso fill -q & filling=$!
            ("$GROUNDWAVE" qso edit W11500 DXCC=1 && "$GROUNDWAVE" qso remove W12500 \
                && "$GROUNDWAVE" erase --call W13500 --yes) >&2 & others=$!
            sleep \(pause)
            kill -9 $filling 2>/dev/null
            wait $filling
            echo "filling in ended with $?" >&2
            wait $others || exit 1
            "$GROUNDWAVE" qso fill --json
            """
        let outcome = try program.script(script)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try program.json("qso", "fill")["filled"] as? Int == 0)
        #expect(try program.json("qso", "count", "--where", "DXCC=291")["total"] as? Int == 8997)
        #expect(try fields(program, "W11500")["DXCC"] == "1")
        #expect(try program.run("verify", "--deep").status == 0)
        // It counts as one, however often it was begun, unless it was complete before another one began.
        let history = try program.run("history", "--limit", "100").output
        let fills = Set(history.matches(of: /import ([0-9A-Z]{8}) .*Fill in from/).map { String($0.1) })
        #expect((1...2).contains(fills.count), "\(history)")
    }

    // MARK: - Worked and confirmed

    @Test func `are counted as Docs show it`() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../Docs/Countries.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let shown = try #require(text.split(separator: "--by dxcc --confirmed\n").last?.split(separator: "```").first)
        let program = try confirmed()
        #expect(try program.run("qso", "count", "--by", "dxcc", "--confirmed").output == String(shown))
    }

    /// A log of five contacts, of which three are confirmed.
    private func confirmed() throws -> Program {
        let program = try Program()
        let contacts: [(dxcc: String, band: String, grid: String, marks: String)] = [
            ("291", "20m", "FN31pr", "<LOTW_QSL_RCVD:1>Y"), ("291", "20m", "FN31", "<EQSL_QSL_RCVD:1>y<QSL_RCVD:1>N"),
            ("291", "40m", "FN42", "<QSL_RCVD:1>V"), ("230", "40m", "JO62", "<LOTW_QSL_RCVD:1>R"), ("", "40m", "", ""),
        ]
        let log =
            "x<EOH>"
            + contacts.enumerated().map { number, contact in
                "<CALL:4>W\(number)AA<QSO_DATE:8>20260501<TIME_ON:4>1200<BAND:3>\(contact.band)<MODE:2>CW"
                    + "<DXCC:\(contact.dxcc.count)>\(contact.dxcc)<GRIDSQUARE:\(contact.grid.count)>\(contact.grid)\(contact.marks)<EOR>"
            }.joined()
        #expect(try program.run(["import", "-"], input: log).status == 0)
        return program
    }

    @Test func `are counted as worked and confirmed, as CSV and JSON`() throws {
        let program = try confirmed()
        let csv = try program.run("qso", "count", "--by", "grid,band", "--confirmed", "--csv").output
        #expect(
            Set(csv.split(separator: "\r\n").map(String.init)) == [
                "grid,band,contacts,confirmed,lotw,eqsl,paper", "FN31,20m,2,2,1,1,0", "FN42,40m,1,1,0,0,1",
                "JO62,40m,1,0,0,0,0", ",40m,1,0,0,0,0",
            ])
        let json = try program.json("qso", "count", "--by", "band", "--confirmed")
        let groups = try #require(json["groups"] as? [[String: Any]])
        #expect(
            groups.map { $0["key"] as? String } == ["40m", "20m"]
                || groups.map { $0["key"] as? String } == ["20m", "40m"])
        #expect((json["confirmed"] as? [String: Int]) == ["any": 3, "lotw": 1, "eqsl": 1, "paper": 1])
        #expect(try program.run("qso", "count", "--csv").status == 64)
    }
}
