import Foundation
import Testing

/// `groundwave trace import` with files of other programs.
@Suite struct `groundwave trace import` {
    static let joulescope = """
        #time,current,voltage,power,charge,energy
        0.0,0.5,5.01,2.505,0,0
        0.5,0.5,5.02,2.51,0.25,1.2525
        1.0,half,5.03,,,
        note: unplugged,,,,,
        1.5,0.5,5.00,2.5,0.75,3.75

        """

    private func file(_ text: String, in program: Program, changed: Date? = nil) throws -> String {
        let path = program.folder.appending(path: "foreign.csv").path
        try Data(text.utf8).write(to: URL(filePath: path))
        if let changed { try FileManager.default.setAttributes([.modificationDate: changed], ofItemAtPath: path) }
        return path
    }

    @Test func `reads a file of a known program, and says what it leaves out`() throws {
        let program = try Program()
        let path = try file(Self.joulescope, in: program)
        let start = ["--start", "2026-05-01T12:00:00"]
        let words = try program.run(["trace", "import", path, "--name", "idle"] + start)
        #expect(words.status == 0 && words.output.contains("Read as joulescope: "))
        #expect(words.output.contains("4 rows, from 2026-05-01T12:00:00.000Z: trace "))
        #expect(words.errors.contains("Left out: 1 line without a time."))
        #expect(words.errors.contains("Left out: 1 value of current that could not be read."))
        let exported = try program.run("trace", "export", "idle").output.split(whereSeparator: \.isNewline)
        #expect(exported[0] == "time,missing,repeats,current_A,voltage_V,power_W,charge_Ah,energy_Wh")
        // 0.25 C and 1.2525 J, in Ah and Wh with nine decimals.
        #expect(exported[2] == "2026-05-01T12:00:00.500Z,0,0,0.5,5.02,2.510,0.000069444,0.000347917")
        #expect(exported[3] == "2026-05-01T12:00:01.000Z,0,0,,5.03,,,")
        let shown = try program.json("trace", "show", "idle")
        #expect(shown["mac"] == nil && shown["model"] == nil && shown["state"] as? String == "finished")
        #expect(try program.json("trace", "verify")["ok"] as? Bool == true)
    }

    @Test func `shows what it would do with --dry-run, and writes nothing`() throws {
        let program = try Program()
        let path = try file(Self.joulescope, in: program, changed: Date(timeIntervalSince1970: 1_777_636_801.5))
        let report = try program.json("trace", "import", path, "--dry-run")
        #expect(report["trace"] == nil && report["rows"] as? Int == 4 && report["recipe"] as? String == "joulescope")
        // The last row, at 1.5 s, is of when the file was last changed.
        #expect(report["isStartGuessed"] as? Bool == true)
        #expect(report["started"] as? String == "2026-05-01T12:00:00.000Z")
        let channels = try #require(report["channels"] as? [[String: Any]])
        #expect(channels.map { $0["name"] as? String } == ["current", "voltage", "power", "charge", "energy"])
        #expect(channels[0]["wrong"] as? Int == 1 && channels[1]["decimals"] as? Int == 2)
        #expect((report["leftOut"] as? [String: Any])?["withoutTime"] as? Int == 1)
        let words = try program.run("trace", "import", path, "--dry-run")
        #expect(words.output.contains("would be imported. Nothing was written.") && words.errors.contains("--start"))
        #expect((try program.json("trace", "list")["traces"] as? [Any])?.isEmpty == true)
    }

    @Test func `reads named columns of any file, for a meter that has an address`() throws {
        let program = try Program()
        let path = try file("Zeit;U;I\n0,0;5,1;120\n1,0;5,2;130\n", in: program)
        let report = try program.json(
            "trace", "import", path, "--time", "Zeit", "--channel", "voltage=U", "--channel", "current=3:mA",
            "--meter", "02:00:00:00:00:01", "--model", "um25c", "--start", "2026-05-01T12:00")
        #expect(report["rows"] as? Int == 2 && report["recipe"] == nil)
        let shown = try program.json("trace", "show")
        #expect(shown["mac"] as? String == "02:00:00:00:00:01" && shown["model"] as? String == "um25c")
        // A second from 120 to 130 mA.
        #expect(abs((shown["charge"] as? Double ?? 0) - 0.125 / 3600) < 1e-12)
    }

    @Test func `names the columns of a file that it does not know, and refuses options that contradict it`() throws {
        let program = try Program()
        let path = try file("when,U\n0,5\n", in: program)
        let unknown = try program.run("trace", "import", path)
        #expect(unknown.status == 65 && unknown.errors.contains("no recipe fits its columns"))
        #expect(unknown.errors.contains("“when”, “U”") && unknown.errors.contains("--time COLUMN"))
        let refused: [([String], Int32, String)] = [
            (["--recipe", "joulescope"], 65, "its columns are “when”, “U”"),
            (["--recipe", "nobody"], 64, "There is no recipe “nobody”"),
            (["--recipe", "tc66c", "--time", "when"], 64, "leave out --time"),
            (["--time", "when"], 64, "--channel voltage=COLUMN"),
            (["--channel", "voltage=U"], 64, "--time COLUMN, or --rate"),
            (["--time", "when", "--rate", "2", "--channel", "voltage=U"], 64, "--time COLUMN, or --rate"),
            (["--time", "when", "--channel", "voltage"], 64, "does not say which column"),
            (["--time", "when:unix", "--channel", "voltage=U", "--start", "2026-05-01"], 64, "Leave out --start"),
        ]
        for (arguments, status, words) in refused {
            let outcome = try program.run(["trace", "import", path] + arguments)
            #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
        }
        #expect((try program.json("trace", "list")["traces"] as? [Any])?.isEmpty == true, "nothing is left behind")
    }
}
