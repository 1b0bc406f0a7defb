import Foundation
import Testing

@Suite struct `groundwave trace compare` {
    /// A program whose store has two traces: `first` of 60 rows, 5 V and 1 A, on 1 May 2026 from 12:00 on, and `second` of 30
    /// rows, 5.1 V and 0.5 A, half a minute later, without a row after the fifth.
    private func program(first: String = "monday", second: String = "friday") throws -> Program {
        let program = try Program()
        for (name, start, count, values, missing) in [
            (first, 0, 60, "5.000,1.00", 99), (second, 30, 30, "5.100,0.50", 5),
        ] {
            var text = "time,missing,repeats,voltage_V,current_A\n"
            for row in 0..<count {
                let time = String(format: "2026-05-01T12:%02d:%02d.000Z", (start + row) / 60, (start + row) % 60)
                text += "\(time),\(row == missing ? 2 : 0),0,\(values)\n"
            }
            try Data(text.utf8).write(to: program.folder.appending(path: "made-up.csv"))
            try program.json(
                "trace", "import", program.folder.appending(path: "made-up.csv").path, "--meter", "02:00:00:00:00:01",
                "--model", "um25c", "--name", name)
        }
        return program
    }

    private func number(_ object: Any?, _ keys: String...) throws -> Double {
        let last = try keys.dropLast().reduce(object) { try #require(($0 as? [String: Any])?[$1]) }
        return try #require((last as? [String: Any])?[keys.last!] as? Double)
    }

    @Test func `says of both what flowed, what is missing, and how their channels differ`() throws {
        let program = try program()
        let found = try program.json("trace", "compare", "monday", "friday")
        #expect(found["align"] as? String == "start" && found["fromSeconds"] as? Double == 0)
        #expect(found["toSeconds"] as? Double == 59.001 && found["from"] == nil && found["plot"] == nil)
        // A: 59 s of 1 A; B: 28 s of 0.5 A, without the second of the gap.
        #expect(abs(try number(found, "a", "charge") - 59 / 3600) < 1e-12)
        #expect(abs(try number(found, "b", "charge") - 14 / 3600) < 1e-12)
        #expect(abs(try number(found, "difference", "charge") + 45 / 3600) < 1e-12)
        #expect(abs(try number(found, "difference", "energy") - (14 * 5.1 - 59 * 5) / 3600) < 1e-12)
        #expect(try number(found, "a", "coveredSeconds") == 59 && number(found, "b", "coveredSeconds") == 28)
        let b = try #require(found["b"] as? [String: Any])
        #expect(b["rows"] as? Int == 30 && b["missing"] as? Int == 2 && b["gaps"] as? Int == 1)
        #expect(b["first"] as? String == "2026-05-01T12:00:30.000Z" && b["name"] as? String == "friday")
        let channels = try #require(found["channels"] as? [[String: Any]])
        #expect(channels.map { $0["name"] as? String } == ["voltage", "current"])
        #expect(channels[0]["difference"] as? String == "0.1000" && channels[1]["difference"] as? String == "-0.500")
        #expect((channels[0]["a"] as? [String: String]) == ["mean": "5.0000", "min": "5.000", "max": "5.000"])
        #expect((found["onlyA"] as? [Any])?.isEmpty == true)
        let words = try program.run("trace", "compare", "monday", "friday")
        #expect(
            words.status == 0 && words.output.hasPrefix("From 00:00:00 to 00:00:59.001 since the first row of each."))
        #expect(words.output.contains("2 in 1 gap") && words.output.contains("16.389 mAh"))
        #expect(words.output.contains("-12.500 mAh"))
    }

    @Test func `takes durations from the start, and times by the clock`() throws {
        let program = try program()
        let stretch = try program.json("trace", "compare", "monday", "friday", "--from", "10s", "--to", "20s")
        #expect(try number(stretch, "a", "rows") == 10 && number(stretch, "b", "rows") == 10)
        #expect(stretch["fromSeconds"] as? Double == 10 && stretch["toSeconds"] as? Double == 20)
        // Both have the half minute from 12:00:30 on.
        let common = try program.json("trace", "compare", "monday", "friday", "--align", "clock")
        #expect(common["from"] as? String == "2026-05-01T12:00:30.000Z" && common["fromSeconds"] == nil)
        #expect(try number(common, "a", "rows") == 30 && number(common, "b", "rows") == 30)
        let moment = try program.json(
            "trace", "compare", "monday", "friday", "--align", "clock", "--from", "2026-05-01T12:00:40",
            "--to", "2026-05-01T14:00:45+02:00")
        #expect(try number(moment, "a", "rows") == 5)
        let words = try program.run("trace", "compare", "friday", "monday", "--align", "clock").output
        #expect(words.hasPrefix("From 2026-05-01T12:00:30.000Z to 2026-05-01T12:00:59.001Z."))
    }

    static let refusals: [([String], Int32, String)] = [
        (["monday", "thursday"], 66, "thursday"), (["monday"], 64, "Missing expected argument"),
        (["monday", "friday", "--from", "2026-05-01T12:00"], 64, "is not a duration"),
        (["monday", "friday", "--align", "clock", "--from", "ten"], 64, "is not a time"),
        (["monday", "friday", "--from", "20s", "--to", "10s"], 64, "no time in common"),
        (["monday", "friday", "--from", "45s"], 66, "has no rows there"),
        (["monday", "friday", "--channels", "power"], 64, "They have in common: voltage, current."),
        (["monday", "friday", "-o", "line.gif"], 64, ".svg or .png"),
        (["monday", "friday", "--align", "both"], 64, "start"),
    ]

    @Test(arguments: refusals)
    func `what cannot be compared is refused, with a reason`(arguments: [String], status: Int32, reason: String) throws
    {
        let outcome = try program().run(["trace", "compare"] + arguments)
        #expect(outcome.status == status && outcome.output.isEmpty)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func `draws both into one picture, with names of anybody escaped`() throws {
        let program = try program(first: "<b>\u{1B}[31m&", second: String(repeating: "long name ", count: 20))
        let ids = try #require(program.json("trace", "list")["traces"] as? [[String: Any]]).compactMap {
            $0["id"] as? String
        }
        for name in ["both.svg", "both.png"] {
            let path = program.folder.appending(path: name).path
            let found = try program.json(["trace", "compare"] + ids + ["-o", path, "--channels", "current"])
            let plot = try #require(found["plot"] as? [String: Any])
            #expect(plot["channels"] as? [String] == ["current"] && plot["withheld"] as? Int == 0)
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(plot["bytes"] as? Int == bytes.count && plot["file"] as? String == path)
        }
        let svg = try program.text("both.svg")
        #expect(
            svg.contains(">current, A: &lt;b&gt;\u{FFFD}[31m&amp;</text>")
                && svg.contains(">current, B: long name long"))
        #expect(!svg.contains("<b>") && !svg.contains("\u{1B}"))
        let words = try program.run(["trace", "compare"] + ids)
        #expect(words.status == 0 && !words.output.contains("\u{1B}"))
        #expect(words.output.split(whereSeparator: \.isNewline).allSatisfy { $0.count <= 120 }, "\(words.output)")
    }
}
