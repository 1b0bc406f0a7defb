import Foundation
import SimulatedMeters
import Testing

/// A recording of a played meter by the program.
private struct Session {
    let meter: PlayedMeter
    let name: String
    let running: Program.Running
    private let program: Program
    private let isDevice: Bool

    /// Starts the program: with a device, a named pipe, a pipe or a file.
    init(_ script: MeterScript, _ program: Program, throughPipe: Bool = false) throws {
        self.program = program
        meter = try PlayedMeter(script, in: program.folder)
        name = "\(script.family) \(script.line)\(throughPipe ? " pipe" : "")"
        isDevice = script.line == .terminal
        if script.line == .file { try meter.writeFile() }
        let arguments = [
            "trace", "record", "--meter", script.family.address, "--model", script.family.model, "--link",
            script.family.link, "--name", name,
        ]
        if throughPipe {
            let words = (arguments + ["--input", "-"]).map { "'\($0)'" }.joined(separator: " ")
            running = try program.start(
                ["-c", "cat '\(meter.path)' | $GROUNDWAVE \(words)"],
                environment: ["GROUNDWAVE": Program.executable.path], executable: URL(filePath: "/bin/bash"))
        } else {
            // Where this process dies, nobody waits for a terminal whose number another one gets.
            let source = isDevice ? ["--reconnect", "0", "--device"] : ["--input"]
            running = try program.start(arguments + source + [meter.path])
        }
    }

    /// Whether the program has opened the line and begun a trace.
    var hasBegun: Bool { (try? String(contentsOf: running.paths[1], encoding: .utf8).contains("Recording")) == true }

    /// Ends the recording, and judges what the program says of it.
    func judged() throws -> Judge {
        if isDevice { kill(running.process.processIdentifier, SIGINT) }
        let outcome = try running.outcome()
        #expect(outcome.status == 0, "\(name): \(outcome.errors)")
        #expect(try program.json("trace", "verify", name)["ok"] as? Bool == true)
        let exported = try program.run("trace", "export", name)
        #expect(exported.status == 0, "\(name): \(exported.errors)")
        let script = meter.meter
        var recorded = try Recorded(csv: exported.output, of: script.family)
        let shown = try program.json("trace", "show", name)
        for gap in try #require(shown["gaps"] as? [[String: Any]]) {
            let how = try #require(Recorded.Telling(rawValue: gap["how"] as? String ?? ""))
            let (row, missing) = (try #require(gap["row"] as? Int), try #require(gap["missing"] as? Int))
            recorded.gaps[row, default: [:]][how, default: 0] += missing
        }
        (recorded.charge, recorded.energy) = (shown["charge"] as? Double, shown["energy"] as? Double)
        // A machine that does other work is late itself: the simulation in virtual time judges more exactly.
        var judge = Judge(script, recorded, tolerance: 0.02, sumsRecordedTimes: true)
        judge.judgeTimes(start: meter.start, slack: 500)
        return judge
    }
}

extension Family {
    /// The address of a meter of this family: on one device, one program has a meter at a time.
    fileprivate var address: String { "02:00:00:00:00:0\(1 + (Family.allCases.firstIndex(of: self) ?? 0))" }

    fileprivate var model: String {
        switch self {
        case .um24c, .um25c, .um34c, .tc66c, .atorch: rawValue
        case .fnirsiUSB, .fnirsiBluetooth: "fnb58"
        case .km003cQueue, .km003cReadings: "km003c"
        }
    }

    fileprivate var link: String {
        switch self {
        case .um24c, .um25c, .um34c, .fnirsiBluetooth, .atorch: "bluetooth"
        case .tc66c, .fnirsiUSB, .km003cQueue, .km003cReadings: "usb"
        }
    }
}

@Suite(.serialized) struct `The program beside a simulated meter` {
    private func script(_ family: Family, _ line: Line) -> MeterScript {
        MeterScript(family, over: line, seed: 7, frameCount: Int(9_000 / family.interval), isHostSound: true)
    }

    private func wait(_ seconds: Double, until isDone: () -> Bool) -> Bool {
        let end = Date.now + seconds
        while !isDone() {
            if Date.now > end { return false }
            usleep(20_000)
        }
        return true
    }

    @Test func `records each family through a terminal, a named pipe, a pipe and a file as it was`() throws {
        let program = try Program()
        var sessions: [Session] = []
        for (place, family) in Family.allCases.enumerated() {
            sessions.append(try Session(script(family, .terminal), program))
            sessions.append(try Session(script(family, .stream), program, throughPipe: place % 2 == 0))
        }
        for family in [Family.um34c, .fnirsiUSB, .km003cQueue] {
            sessions.append(try Session(script(family, .file), program))
        }
        for session in sessions where session.meter.meter.line == .stream { session.meter.play() }
        for session in sessions where session.meter.meter.line == .terminal {
            #expect(wait(60) { session.hasBegun }, "\(session.name)")
            session.meter.play()
        }
        #expect(wait(60) { sessions.allSatisfy { $0.meter.meter.line == .file || $0.meter.isOver } })
        usleep(500_000)
        var (alarmCount, frameCount) = (0, 0)
        for session in sessions {
            let judge = try session.judged()
            #expect(judge.faults.isEmpty, "\(session.name): \(judge.faults.prefix(4).joined(separator: "; "))")
            alarmCount += judge.falseAlarmCount
            frameCount += session.meter.meter.truth.frameCount
        }
        #expect(alarmCount * 200 <= frameCount, "\(alarmCount) false alarms in \(frameCount) frames")
    }

    @Test func `is stopped for two seconds, and gives each row its own time all the same`() throws {
        let program = try Program()
        let sessions = try [Family.fnirsiUSB, .km003cQueue].map { try Session(script($0, .stream), program) }
        for session in sessions { session.meter.play() }
        #expect(wait(60) { sessions.allSatisfy { $0.meter.start > 0 } })
        usleep(3_000_000)
        for session in sessions { kill(session.running.process.processIdentifier, SIGSTOP) }
        usleep(2_000_000)
        for session in sessions { kill(session.running.process.processIdentifier, SIGCONT) }
        #expect(wait(60) { sessions.allSatisfy(\.meter.isOver) })
        for session in sessions {
            let judge = try session.judged()
            #expect(judge.faults.isEmpty, "\(session.name): \(judge.faults.prefix(4).joined(separator: "; "))")
            #expect(judge.falseAlarmCount == 0, "\(session.name)")
        }
    }
}
