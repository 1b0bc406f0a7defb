import Foundation
import SimulatedMeters
import Testing

@Suite(.serialized) struct `A line to a meter that a program records from` {
    private let program: Program

    init() throws { program = try Program() }

    private func arguments(_ model: String, _ source: [String]) -> [String] {
        ["trace", "record", "--meter", "02:00:00:00:00:01", "--model", model, "--name", "bench"] + source
    }

    /// The numbers of the answers that the rows of the trace are of.
    private func numbers() throws -> [Int] {
        let exported = try program.run("trace", "export", "bench", "--channels", "group0.charge")
        guard exported.status == 0 else { return [] }
        let lines = exported.output.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let column = try #require(lines[0].firstIndex(of: "group0.charge_Ah"))
        return try lines.dropFirst().map { Int((try #require(Double($0[column])) * 1000).rounded()) }
    }

    private func rowCount() throws -> Int {
        let shown = try program.run("trace", "show", "bench", "--json")
        return shown.json["rows"] as? Int ?? 0
    }

    private func wait(_ seconds: Double, until isDone: () throws -> Bool) rethrows -> Bool {
        let end = Date.now + seconds
        while try !isDone() {
            if Date.now > end { return false }
            usleep(50_000)
        }
        return true
    }

    private func end(_ running: Program.Running) throws -> Program.Outcome {
        kill(running.process.processIdentifier, SIGINT)
        return try running.outcome()
    }

    @Test func `gives every row of a KM003C at 1,000 a second that others request, through a pipe`() throws {
        try Data(SimulatedMeter.queues(100).flatMap { $0 }).write(to: program.folder.appending(path: "frames"))
        let arguments = arguments("km003c", ["--input", "-", "--json"]).joined(separator: " ")
        let outcome = try program.script("cat \(program.folder.path)/frames | $GROUNDWAVE \(arguments)")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.json["rows"] as? Int == 4_000 && outcome.json["missing"] as? Int == 0, "\(outcome.output)")
        #expect(outcome.json["refusedBytes"] as? Int == 0)
    }

    @Test func `gives every row of a KM003C at 1,000 a second that others request, of a device`() throws {
        let meter = try SimulatedMeter(streaming: (SimulatedMeter.queues(150), 40_000))
        let running = try program.start(arguments("km003c", ["--device", meter.path, "--json"]))
        #expect(wait(60) { meter.streamedCounts.all == 150 })
        let before = try #require(meter.streamedCounts.beforeFirstRequest)
        // What was on its way at the first request, and two frames after it, may be from before.
        let least = 40 * (150 - before - 4)
        #expect(least > 1_000, "\(before)")
        #expect(try wait(20) { try rowCount() >= least })
        let outcome = try end(running)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let count = try #require(outcome.json["rows"] as? Int)
        #expect((least...6_000).contains(count) && outcome.json["missing"] as? Int == 0, "\(outcome.output)")
        meter.unplug()
    }

    @Test func `gives no row of an answer that was in the buffer of the device before`() throws {
        let meter = try SimulatedMeter(unread: SimulatedMeter.frame(9_999))
        let running = try program.start(arguments("um25c", ["--device", meter.path, "--json"]))
        #expect(wait(30) { meter.answeredCount > 3 })
        let outcome = try end(running)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let count = try #require(outcome.json["rows"] as? Int)
        #expect(try count > 2 && numbers() == Array(0..<count))
        meter.unplug()
    }

    @Test func `is refused to a second program as busy, and the first one gets every row`() throws {
        let (meter, other) = (try SimulatedMeter(), try Program())
        let running = try program.start(arguments("um25c", ["--device", meter.path, "--json"]))
        #expect(wait(30) { meter.answeredCount > 1 })
        for second in [program, other] {
            let outcome = try second.run(arguments("um25c", ["--device", meter.path, "--json"]))
            #expect(outcome.status == 75, "\(outcome.errors)")
            #expect((outcome.error["message"] as? String)?.contains(meter.path) == true, "\(outcome.errors)")
        }
        #expect((try other.json("trace", "list")["traces"] as? [Any])?.isEmpty == true, "nothing was begun")
        let before = meter.answeredCount
        #expect(wait(30) { meter.answeredCount > before + 2 })
        let outcome = try end(running)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let count = try #require(outcome.json["rows"] as? Int)
        // The last answer may have been on its way.
        #expect((meter.answeredCount - 1...meter.answeredCount).contains(count))
        #expect(try numbers() == Array(0..<count))
        meter.unplug()
    }

    @Test func `goes on as the same trace with a gap when the meter was disconnected and is back`() throws {
        let path = program.folder.appending(path: "meter").path
        let first = try SimulatedMeter()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: first.path)
        let running = try program.start(arguments("um25c", ["--device", path, "--reconnect", "60"]))
        #expect(wait(30) { first.answeredCount > 5 })
        try FileManager.default.removeItem(atPath: path)
        first.unplug()
        func said() throws -> String { try String(contentsOf: running.paths[1], encoding: .utf8) }
        #expect(try wait(30) { try said().contains("has disconnected from \(path)") || !running.process.isRunning })
        try #require(running.process.isRunning, "it waits")
        usleep(2_000_000)
        let second = try SimulatedMeter(unread: SimulatedMeter.frame(9_999))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: second.path)
        #expect(wait(30) { second.answeredCount > 3 })
        let outcome = try end(running)
        #expect(outcome.status == 0 && outcome.errors.contains("The meter is connected again."), "\(outcome.errors)")
        #expect((try program.json("trace", "list")["traces"] as? [Any])?.count == 1)
        let trace = try program.json("trace", "show", "bench")
        #expect(trace["state"] as? String == "finished")
        let found = try numbers()
        let count = try #require(found.dropFirst().firstIndex(of: 0), "\(found)")
        #expect(found == Array(0..<count) + Array(0..<found.count - count), "nothing that was sent before is a row")
        #expect(count > 4 && found.count - count > 2)
        let gaps = try #require(trace["gaps"] as? [[String: Any]])
        #expect(gaps.contains { $0["row"] as? Int == count && ($0["missing"] as? Int ?? 0) >= 3 }, "\(gaps)")
        second.unplug()
    }

    @Test func `is a USB HID where its address is one`() throws {
        let node = program.folder.appending(path: "hidraw7").path
        let meter = try SimulatedMeter(streaming: ((0..<400).map { reportOfFNB58($0) }, 40_000))
        try FileManager.default.createSymbolicLink(atPath: node, withDestinationPath: meter.path)
        let running = try program.start(arguments("fnb58", ["--device", "hid:\(node)", "--json"]))
        #expect(wait(60) { meter.streamedCounts.beforeFirstRequest.map { $0 + 25 < meter.streamedCounts.all } == true })
        let outcome = try end(running)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let count = try #require(outcome.json["rows"] as? Int)
        #expect(count >= 60 && count.isMultiple(of: 4) && outcome.json["missing"] as? Int == 0, "\(outcome.output)")
        let exported = try program.run("trace", "export", "bench", "--channels", "unknown.62").output
        let reports = exported.split(whereSeparator: \.isNewline).dropFirst().compactMap {
            $0.split(separator: ",").last
        }
        .compactMap { Int($0) }
        let first = try #require(reports.first)
        #expect(reports == (0..<count).map { (first + $0 / 4) % 256 })
        #expect(try program.json("trace", "show", "bench")["id"] is String)
        meter.unplug()
        for (device, status) in [("hid:2E3C", 64), ("hid:/dev/not-there", 66), ("hid:FFFF:FFFF", 66)]
            as [(String, Int32)]
        {
            let refused = try program.run(arguments("fnb58", ["--device", device, "--json"]))
            #expect(refused.status == status && refused.error["hint"] is String, "\(device): \(refused.errors)")
        }
        #expect(try program.run(arguments("fnb58", ["--device", "hid:", "--link", "bluetooth"])).status == 64)
        #expect((try program.json("trace", "list")["traces"] as? [Any])?.count == 1, "nothing else was begun")
    }

    @Test func `is refused to a second program that has another line to the same meter, until the first one ends`()
        throws
    {
        let meters = [try SimulatedMeter(), try SimulatedMeter()]
        let running = try program.start(arguments("um25c", ["--device", meters[0].path, "--json"]))
        #expect(wait(30) { meters[0].answeredCount > 1 })
        let second = try program.run(arguments("um25c", ["--device", meters[1].path, "--json"]))
        #expect(second.status == 75, "\(second.errors)")
        let message = second.error["message"] as? String ?? ""
        #expect(message.hasPrefix("The meter 02:00:00:00:00:01 is already being recorded on this device: trace "))
        #expect((try program.json("trace", "list")["traces"] as? [Any])?.count == 1, "nothing was begun")
        let lease = (try program.json("meter", "show", "020000000001")["lease"] as? [String: Any])
        #expect(lease?["held"] as? Bool == true, "that of the first goes on")
        // Who reads what another program receives may do so, and is told.
        let frames = program.folder.appending(path: "frames")
        try Data((0..<3).flatMap { SimulatedMeter.frame($0) }).write(to: frames)
        let piped = arguments("um25c", ["--input", "-"]).map { $0 == "bench" ? "piped" : $0 }.joined(separator: " ")
        let beside = try program.script("cat \(frames.path) | $GROUNDWAVE \(piped)")
        #expect(beside.status == 0 && beside.errors.contains("records the meter 02:00:00:00:00:01 too, from "))
        let outcome = try end(running)
        #expect(outcome.status == 0 && outcome.json["rows"] as? Int ?? 0 > 1, "\(outcome.errors)")
        let later = try program.start(arguments("um25c", ["--device", meters[1].path, "--json"]))
        #expect(wait(30) { meters[1].answeredCount > 1 })
        #expect(try end(later).status == 0)
        for meter in meters { meter.unplug() }
    }

    @Test func `is over where it is a named pipe whose writer has gone`() throws {
        let pipe = program.folder.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let running = try program.start(arguments("um25c", ["--input", pipe, "--json"]))
        // This waits for the recorder.
        let writer = try #require(FileHandle(forWritingAtPath: pipe))
        try writer.write(contentsOf: (0..<20).flatMap { SimulatedMeter.frame($0) })
        try writer.close()
        let outcome = try running.outcome()
        #expect(outcome.status == 0 && outcome.json["rows"] as? Int == 20, "\(outcome.output) \(outcome.errors)")
        #expect(try numbers() == Array(0..<20))
    }

    @Test func `gives thirty rows of each frame in which ten are repeated`() throws {
        let input = program.folder.appending(path: "frames")
        try Data(SimulatedMeter.queues(20, repeats: 10).flatMap { $0 }).write(to: input)
        let made = try program.json(arguments("km003c", ["--input", input.path]))
        #expect(made["rows"] as? Int == 800 && made["repeats"] as? Int == 200, "\(made)")
        #expect(made["missing"] as? Int == 0 && made["refusedBytes"] as? Int == 0, "\(made)")
    }

    @Test func `that is silent for three seconds, or of another model, is told`() throws {
        let meter = try SimulatedMeter()
        let running = try program.start(arguments("um34c", ["--device", meter.path]))
        #expect(try wait(30) { try String(contentsOf: running.paths[1], encoding: .utf8).contains("--model um25c") })
        let outcome = try end(running)
        #expect(outcome.errors.contains("No rows for 3 s: "), "\(outcome.errors)")
        meter.unplug()

        let quiet = try SimulatedMeter(streaming: ([], 0))
        let second = try program.start(arguments("um34c", ["--device", quiet.path, "--json"]))
        usleep(6_000_000)
        let told = try end(second)
        #expect(told.json["silences"] as? Int == 1 && told.json["looksLike"] == nil, "\(told.output)")
        quiet.unplug()
    }

    @Test func `to a file without times is said to have assumed a rate`() throws {
        let input = program.folder.appending(path: "frames")
        try Data((0..<21).flatMap { SimulatedMeter.frame($0) }).write(to: input)
        let outcome = try program.run(arguments("um25c", ["--input", input.path]))
        #expect(outcome.status == 0 && outcome.errors.contains("2 rows a second are assumed (--rate)"))
        let trace = try program.json("trace", "show", "bench")
        #expect((trace["coveredSeconds"] as? NSNumber)?.doubleValue == 10, "\(trace)")
        let asked = try program.run(arguments("um25c", ["--input", input.path, "--rate", "4"]))
        #expect(asked.status == 0 && !asked.errors.contains("assumed"))
        try Data(SimulatedMeter.queues(1).flatMap { $0 }).write(to: input)
        let counted = try program.run(arguments("km003c", ["--input", input.path]))
        #expect(counted.status == 0 && !counted.errors.contains("assumed"), "its rows have a counter")
    }
}
