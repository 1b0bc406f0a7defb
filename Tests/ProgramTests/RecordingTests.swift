import Foundation
import Testing

@Suite struct `A trace that was recorded from a file` {
    @Test func `is shown, listed, drawn and exported without a byte of the store being changed, as it was then too`()
        throws
    {
        let program = try Program()
        let input = program.folder.appending(path: "capture.bin")
        try Data((0..<300).flatMap { SimulatedMeter.frame($0) }).write(to: input)
        try program.json(
            "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--input", input.path, "--name",
            "one")
        let position = try #require(try program.json("info")["position"] as? Int)
        try program.json("trace", "set", "one", "--name", "two")
        let before = try contents(of: program.store)
        let plot = program.folder.appending(path: "plot.svg").path
        for arguments in [
            ["list"], ["show", "two"], ["plot", "two", "-o", plot], ["export", "two", "-o", plot + ".csv"],
            ["verify", "two"],
        ] { try program.json(["trace"] + arguments) }
        for arguments in [["list"], ["show", "020000000001"]] { try program.json(["meter"] + arguments) }
        #expect(try contents(of: program.store) == before)
        let then = try program.json("trace", "show", "one", "--at", "@\(position)")
        #expect(then["name"] as? String == "one" && then["rows"] as? Int == 300)
        #expect(try program.run("trace", "show", "two", "--at", "@\(position)").status == 66)
        let exports = try [["one", "--at", "@\(position)"], ["two"]].map {
            try program.run(["trace", "export"] + $0).output
        }
        #expect(exports[0] == exports[1] && exports[0].count > 10_000)
    }

    /// The files of a store by name, its lock files aside.
    private func contents(of store: URL) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: store.path) where !name.hasSuffix("-lock") {
            contents[name] = (try? Data(contentsOf: store.appending(path: name))) ?? Data()
        }
        return contents
    }

    @Test func `is decoded anew from the bytes that were kept`() throws {
        let program = try Program()
        let input = program.folder.appending(path: "capture.bin")
        try Data((0..<300).flatMap { SimulatedMeter.frame($0) } + [1, 2, 3]).write(to: input)
        let arguments = ["trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--input", input.path]
        try program.json(arguments)
        #expect(try program.run("trace", "decode").status == 66, "only rows were kept")
        try program.json(arguments + ["--raw", "--name", "bench"])
        let decoded = try program.json("trace", "decode", "bench", "--name", "again")
        #expect(decoded["rows"] as? Int == 300 && decoded["bytes"] as? Int == 300 * 130 + 3)
        #expect(decoded["refusedBytes"] as? Int == 3 && decoded["withheldBytes"] as? Int == 0)
        let exports = try ["bench", "again"].map { try program.run("trace", "export", $0).output }
        #expect(exports[0] == exports[1] && exports[0].count > 300 * 50)
    }

    @Test func `has a name and a rule for its samples, which go when they are old`() throws {
        let program = try Program()
        let input = program.folder.appending(path: "capture.bin")
        try Data((0..<3_000).flatMap { SimulatedMeter.frame($0) }).write(to: input)
        try program.json(
            "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--input", input.path, "--rate", "2")
        let set = try program.json("trace", "set", "last", "--name", "bench", "--samples", "synced")
        #expect(set["name"] as? String == "bench" && set["samples"] as? String == "synced")
        #expect(try program.run("trace", "set", "bench").status == 64)
        #expect(try program.run("trace", "set", "bench", "--samples", "maybe").status == 64)
        let none = try program.json("trace", "retain")
        #expect(none["days"] == nil && none["blocks"] as? Int == 0)
        for days in ["0", "-1", "40000"] {
            #expect(try program.run("trace", "retain", "--days=\(days)").status == 64)
        }
        let planned = try program.json("trace", "retain", "--days", "7", "--dry-run")
        #expect(planned["days"] as? Int == 7 && planned["blocks"] as? Int == 0)
        #expect(try program.json("trace", "retain")["days"] == nil, "a dry run changes nothing")
        #expect(try program.json("trace", "retain", "--days", "7")["days"] as? Int == 7)
        let text = try program.run("trace", "retain")
        #expect(
            text.output == "This device keeps samples for 7 days.\nThere are no older samples that can be removed.\n",
            "\(text.output)")
        #expect(try program.json("trace", "retain", "--forever")["days"] == nil)
    }
}

@Suite(.serialized) struct `A meter behind a pseudo-terminal` {
    /// For how long the first test records: what CI takes, `GROUNDWAVE_RECORDING_SECONDS` says.
    private static let seconds =
        ProcessInfo.processInfo.environment["GROUNDWAVE_RECORDING_SECONDS"].flatMap(Double.init) ?? 12

    private func start(
        _ program: Program, _ meter: SimulatedMeter, _ options: String...
    ) throws -> Program.Running {
        let arguments = [
            "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--device", meter.path, "--name",
            "bench", "--json",
        ]
        return try program.start(arguments + options)
    }

    /// The numbers of the answers that the rows of the trace are of, as an export says.
    private func numbers(_ program: Program) throws -> [Int] {
        let exported = try program.run("trace", "export", "bench", "--channels", "group0.charge")
        guard exported.status == 0 else { return [] }
        let lines = exported.output.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let column = try #require(lines[0].firstIndex(of: "group0.charge_Ah"))
        return try lines.dropFirst().map { Int((try #require(Double($0[column])) * 1000).rounded()) }
    }

    private func wait(_ seconds: Double, until isDone: () throws -> Bool) rethrows -> Bool {
        let end = Date.now + seconds
        while try !isDone() {
            if Date.now > end { return false }
            usleep(50_000)
        }
        return true
    }

    @Test func `is recorded at its rate while the running trace is exported, and a gap is told`() throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        meter.withhold(10..<20)
        let running = try start(program, meter)
        let end = Date.now + Self.seconds
        #expect(wait(30) { meter.answeredCount > 2 })
        var exportCount = 0
        while Date.now < end {
            let before = meter.answeredCount
            // A row is on the disk within a second of its answer.
            #expect(try wait(10) { try numbers(program).count >= before })
            let read = try numbers(program)
            #expect(read == Array(0..<read.count))
            exportCount += 1
            usleep(Self.seconds > 60 ? 5_000_000 : 1_000_000)
        }
        #expect(exportCount > 1)
        let listed = try program.json("meter", "list")
        let lease = (listed["meters"] as? [[String: Any]])?.first?["lease"] as? [String: Any]
        #expect(lease?["held"] as? Bool == true && lease?["device"] as? String == "shack")

        kill(running.process.processIdentifier, SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let count = try #require(outcome.json["rows"] as? Int)
        // The last answer may have been on its way.
        #expect((meter.answeredCount - 1...meter.answeredCount).contains(count))
        #expect(try numbers(program) == Array(0..<count))
        // Two a second at least; while the machine is busy, fewer.
        #expect(Double(count) > Self.seconds)
        let trace = try program.json("trace", "show", "bench")
        #expect(trace["state"] as? String == "finished")
        let gap = try #require((trace["gaps"] as? [[String: Any]])?.first { $0["row"] as? Int == 10 })
        #expect((8...14).contains(gap["missing"] as? Int ?? 0), "\(gap)")
        let free = try program.json("meter", "list")
        #expect((free["meters"] as? [[String: Any]])?.first?["lease"] == nil)
        meter.unplug()
    }

    @Test func `that is unplugged ends the recording with a sentence, and what came is there`() throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        let running = try start(program, meter, "--reconnect", "0")
        #expect(wait(30) { meter.answeredCount > 3 })
        meter.unplug()
        let outcome = try running.outcome()
        #expect(outcome.status == 74, "\(outcome.errors)")
        #expect((outcome.error["message"] as? String)?.contains("meter has disconnected") == true, "\(outcome.errors)")
        let count = try #require(outcome.json["rows"] as? Int)
        #expect(count > 2)
        #expect(try numbers(program) == Array(0..<count))
        #expect(try program.json("trace", "show", "bench")["state"] as? String == "stopped")
        let meters = try program.json("meter", "list")["meters"] as? [[String: Any]]
        #expect(meters?.first?["lease"] == nil)
    }

    @Test func `that is not there, or is a folder, is refused before anything is recorded`() throws {
        let program = try Program()
        for (path, status) in [("/dev/not-there", 66), (program.folder.path, 64)] as [(String, Int32)] {
            let outcome = try program.run(
                "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--device", path, "--json")
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(outcome.error["hint"] as? String != nil || status == 64)
        }
        #expect((try program.json("trace", "list")["traces"] as? [Any])?.isEmpty == true)
    }
}
