import Foundation
import Synchronization
import Testing

/// A named pipe into which a meter writes unasked, a frame each 40 ms.
private final class StreamingMeter: Sendable {
    let path: String
    private let descriptor: Int32
    private let isOver = Mutex(false)
    /// The number of frames written.
    let count = Mutex(0)

    init(in folder: URL) throws {
        path = folder.appending(path: "meter").path
        try #require(mkfifo(path, 0o600) == 0)
        // Opened for both, it does not wait for a reader.
        descriptor = open(path, O_RDWR)
        try #require(descriptor >= 0)
        Thread { [self] in
            while !isOver.withLock({ $0 }) {
                let frame = SimulatedMeter.frame(count.withLock { $0 })
                guard write(descriptor, frame, frame.count) == frame.count else { return }
                count.withLock { $0 += 1 }
                usleep(40_000)
            }
        }.start()
    }

    func stop() { isOver.withLock { $0 = true } }

    deinit { close(descriptor) }
}

@Suite(.serialized) struct `A recorder that was stopped` {
    @Test func `for three seconds, while the pipe kept everything, tells no gap`() throws {
        let program = try Program()
        let meter = try StreamingMeter(in: program.folder)
        let running = try program.start([
            "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--input", meter.path, "--json",
        ])
        let process = running.process.processIdentifier
        usleep(3_000_000)
        kill(process, SIGSTOP)
        usleep(3_000_000)
        kill(process, SIGCONT)
        usleep(2_000_000)
        meter.stop()
        usleep(200_000)
        kill(process, SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let rows = try #require(outcome.json["rows"] as? Int)
        #expect(rows >= 120 && rows == meter.count.withLock { $0 }, "every row")
        #expect(outcome.json["missing"] as? Int == 0 && outcome.json["repeats"] as? Int == 0)
        let shown = try program.json("trace", "show", "last")
        let covered = try #require(shown["coveredSeconds"] as? Double)
        #expect(covered > Double(rows - 1) * 0.04 - 0.5, "the charge of the three seconds counts: \(covered) s")
        #expect(try program.json("trace", "verify", "last")["ok"] as? Bool == true)
    }

    @Test func `is told which single answers of a meter were lost`() throws {
        let (program, meter) = (try Program(), try SimulatedMeter())
        meter.withhold(4..<5)
        let running = try program.start([
            "trace", "record", "--meter", "02:00:00:00:00:01", "--model", "um25c", "--device", meter.path, "--json",
        ])
        let end = Date.now + 30
        while meter.answeredCount < 6, Date.now < end { usleep(20_000) }
        meter.withhold(10..<11)
        while meter.answeredCount < 13, Date.now < end { usleep(20_000) }
        kill(running.process.processIdentifier, SIGINT)
        let outcome = try running.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let gaps = try #require(try program.json("trace", "show", "last")["gaps"] as? [[String: Any]])
        #expect(gaps.map { $0["missing"] as? Int } == [1, 1], "\(gaps)")
        #expect(gaps.allSatisfy { $0["how"] as? String == "unanswered" })
        meter.unplug()
    }
}
