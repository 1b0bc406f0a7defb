import Foundation
import Testing

@Suite struct `groundwave trace calibrate` {
    /// A program whose store has a trace called `bench`, of 60 rows of 5 V and 1 A.
    private func program() throws -> Program {
        let program = try Program()
        var text = "time,missing,repeats,voltage_V,current_A\n"
        for row in 0..<60 { text += String(format: "2026-05-01T12:00:%02d.000Z,0,0,5.000,1.0000\n", row) }
        try Data(text.utf8).write(to: program.folder.appending(path: "made-up.csv"))
        try program.json(
            "trace", "import", program.folder.appending(path: "made-up.csv").path, "--meter", "02:00:00:00:00:01",
            "--model", "um25c", "--name", "bench")
        return program
    }

    private func current(_ shown: [String: Any]) throws -> [String: Any] {
        try #require((shown["channels"] as? [[String: Any]])?.first { $0["name"] as? String == "current" })
    }

    @Test func `changes what every verb shows, and each says so; --measured shows what was measured`() throws {
        let program = try program()
        let path = program.folder.appending(path: "made-up.csv").path
        let before = try program.run("trace", "export", "bench")
        let said = try program.run(
            "trace", "calibrate", "bench", "--channel", "current", "--factor", "1.003", "--offset", "-0.0012")
        #expect(said.status == 0 && said.output.hasPrefix("Calibrated: current × 1.003 − 0.0012 A, the trace "))
        let formula = "current × 1.003 − 0.0012 A"

        let shown = try program.json("trace", "show", "bench")
        #expect(try current(shown)["mean"] as? String == "1.0018" && current(shown)["min"] as? String == "1.0018")
        let (charge, energy) = (shown["charge"] as? Double ?? 0, shown["energy"] as? Double ?? 0)
        let expected = 1.0018 * 59 / 3600
        #expect(abs(charge - expected) < 1e-12 && abs(energy - 5 * expected) < 1e-9)
        let corrections = try #require(shown["calibrated"] as? [[String: String]])
        #expect(corrections == [["name": "current", "unit": "A", "factor": "1.003", "offset": "-0.0012"]])
        let words = try program.run("trace", "show", "bench").output
        #expect(words.contains("calibrated") && words.contains(formula))
        let stretch = try program.run("trace", "show", "bench", "--from", "2026-05-01T12:00:10").output
        #expect(stretch.contains(formula) && stretch.contains("1.0018"))

        let exported = try program.run("trace", "export", "bench")
        #expect(exported.output.contains(",5.000,1.0018") && exported.errors.contains("calibrated: \(formula)"))
        let file = program.folder.appending(path: "bench.csv").path
        let report = try program.json("trace", "export", "bench", "-o", file)
        #expect((report["calibrated"] as? [Any])?.count == 1)
        let picture = program.folder.appending(path: "bench.svg").path
        #expect((try program.json("trace", "plot", "bench", "-o", picture)["calibrated"] as? [Any])?.count == 1)
        #expect(try program.text("bench.svg").contains("; calibrated: \(formula)</text>"))
        let watched = try program.run("trace", "watch", "bench")
        #expect(watched.output.contains("current 1.0018 A") && watched.output.contains("calibrated: \(formula)"))
        #expect((try program.json("trace", "watch", "bench")["calibrated"] as? [Any])?.count == 1)
        try program.json("trace", "import", path, "--meter", "02:00:00:00:00:01", "--model", "um25c", "--name", "raw")
        let compared = try program.json("trace", "compare", "raw", "bench")
        #expect((compared["b"] as? [String: Any])?["calibrated"] is [Any])
        #expect((compared["a"] as? [String: Any])?["calibrated"] == nil)
        #expect(try current(compared)["difference"] as? String == "0.00180")
        #expect(try program.run("trace", "compare", "raw", "bench").output.contains(formula))

        #expect(try program.json("trace", "verify", "bench")["ok"] as? Bool == true)
        #expect(try program.run("trace", "export", "bench", "--measured").output == before.output)
        let measured = try program.json("trace", "show", "bench", "--measured")
        #expect(try current(measured)["mean"] as? String == "1.0000" && measured["calibrated"] == nil)
        #expect(!(try program.run("trace", "watch", "bench", "--measured").output.contains("calibrated")))
        #expect(
            try current(program.json("trace", "compare", "raw", "bench", "--measured"))["difference"] as? String
                == "0.00000")
        _ = try program.json("trace", "plot", "bench", "-o", picture, "--measured", "--force")
        #expect(!(try program.text("bench.svg").contains("calibrated")))
    }

    @Test func `of a meter holds for its traces from a moment on, is listed, removed and undone`() throws {
        let program = try program()
        func mean() throws -> String? { try current(try program.json("trace", "show", "bench"))["mean"] as? String }
        let meter = ["trace", "calibrate", "--meter", "02:00:00:00:00:01", "--channel", "current"]
        let late = try program.json(meter + ["--factor", "3", "--from", "2126-05-01"])
        #expect(late["from"] as? String == "2126-05-01T00:00:00.000Z" && late["mac"] as? String == "02:00:00:00:00:01")
        #expect(try mean() == "1.0000")
        // The first row is at 12:00, whenever it was imported.
        for (from, expected) in [("2026-05-01T12:00:00.001", "1.0000"), ("2026-05-01T14:00+02:00", "2.0000")] {
            try program.json(meter + ["--factor", "2", "--from", from])
            #expect(try mean() == expected)
            try program.json(meter + ["--remove", "--from", from])
        }
        #expect(try program.json(meter + ["--offset", "0.5"])["offset"] as? String == "0.5")
        #expect(try mean() == "1.5000")
        let listed = try #require(try program.json("trace", "calibrate")["calibrations"] as? [[String: Any]])
        #expect(listed.count == 2 && listed.allSatisfy { $0["name"] as? String == "current" })
        #expect((try program.json("trace", "calibrate", "bench")["calibrations"] as? [Any])?.isEmpty == true)
        let words = try program.run("trace", "calibrate", "--meter", "02:00:00:00:00:01").output
        #expect(words.contains("all traces of 02:00:00:00:00:01") && words.contains("from 2126-05-01T00:00:00.000Z on"))
        #expect(
            try program.run(meter + ["--remove"]).output
                == "Removed: current + 0.5 A, all traces of 02:00:00:00:00:01.\n")
        #expect(try mean() == "1.0000")
        #expect(try program.run("undo", "--yes").status == 0)
        #expect(try mean() == "1.5000")
        #expect(try program.run(meter + ["--remove", "--from", "2026-05-01"]).status == 66)
    }

    static let refusals: [([String], Int32, String)] = [
        (["bench", "--channel", "curent", "--factor", "2"], 64, "The channels are voltage, current."),
        (["bench", "--channel", "current"], 64, "--factor, --offset or both"),
        (["bench", "--factor", "2"], 64, "--channel"),
        (["--channel", "current", "--factor", "2"], 64, "a trace, or a meter"),
        (["bench", "--meter", "02:00:00:00:00:01", "--channel", "current", "--factor", "2"], 64, "not both"),
        (["bench", "--channel", "current", "--factor", "2", "--from", "today"], 64, "--from goes with --meter"),
        (["bench", "--channel", "current", "--factor", "2", "--remove"], 64, "--remove goes without"),
        (["bench", "--channel", "current", "--factor", "0"], 64, "is not a factor"),
        (["bench", "--channel", "current", "--factor", "1e3"], 64, "is not a factor"),
        (["bench", "--channel", "current", "--offset", "--1"], 64, "is not an offset"),
        (["bench", "--channel", "current", "--remove"], 66, "no such calibration"),
        (["desk", "--channel", "current", "--factor", "2"], 66, "desk"),
        (["--meter", "02:00:00:00:00:09", "--channel", "current", "--factor", "2"], 66, "no trace of the meter"),
    ]

    @Test(arguments: refusals)
    func `what cannot be calibrated is refused, with a reason`(arguments: [String], status: Int32, reason: String)
        throws
    {
        let program = try program()
        let outcome = try program.run(["trace", "calibrate"] + arguments)
        #expect(outcome.status == status && outcome.output.isEmpty)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(try program.run("trace", "calibrate").output == "No calibrations.\n")
    }
}
