import Foundation
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveTesting
import SimulatedMeters
import Testing

/// The seeds of the simulation, of each family on each line: `GROUNDWAVE_METER_SEEDS`, as in 1...500.
private let seeds: ClosedRange<UInt64> = {
    let words = ProcessInfo.processInfo.environment["GROUNDWAVE_METER_SEEDS"] ?? "1...6"
    let bounds = words.split(separator: "...").compactMap { UInt64($0) }
    precondition(bounds.count == 2 && bounds[0] <= bounds[1], "Seeds are written as 1...500.")
    return bounds[0]...bounds[1]
}()

@Suite struct `A simulated meter` {
    @Test(arguments: Family.allCases, Line.allCases)
    func `is recorded as it was, whatever is lost, late or repeated`(family: Family, line: Line) async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(
            Configuration(components: [.meters], surroundings: .virtual(clock, seed: 1)))
        var (falseAlarmCount, frameCount) = (0, 0)
        for seed in seeds {
            let meter = MeterScript(family, over: line, seed: seed, frameCount: family.interval < 100 ? 1_200 : 600)
            let run = try await Run(meter, clock, in: temporary.store)
            let judge = try run.judged()
            falseAlarmCount += judge.falseAlarmCount
            frameCount += run.meter.truth.frameCount
            let faults = judge.faults.prefix(4).joined(separator: "; ")
            #expect(judge.faults.isEmpty, "\(family) \(line) seed \(seed): \(faults)")
            #expect(try run.isVerified(), "seed \(seed)")
            let decoded = try await run.decoded()
            #expect(decoded == run.recorded.rows, "\(family) \(line) seed \(seed): the capture gives the same rows")
        }
        #expect(falseAlarmCount * 1_000 <= frameCount, "\(falseAlarmCount) false alarms in \(frameCount) frames")
    }

    @Test func `is asked in a step of its own, whose moment is that of the request`() throws {
        let clock = VirtualClock()
        let port = ScriptedPort(MeterScript(.um25c, over: .terminal, seed: 1, frameCount: 20), clock)
        var feed = MeterFeed(.um25c, over: .bluetooth, from: port, now: { clock.now })
        var requests: [Int64] = []
        while requests.count < 5 {
            let before = clock.now
            let step = try feed.next()
            guard step.reception.requestCount > 0 else { continue }
            #expect(step.rows.runs.isEmpty && step.pieces.map(\.bytes) == [[0xF0]])
            #expect(step.reception.moment.steady == before.monotonicMilliseconds && clock.now == before)
            requests.append(step.reception.moment.steady)
        }
        #expect(zip(requests, requests.dropFirst()).allSatisfy { $1 - $0 == 500 })
    }
}
