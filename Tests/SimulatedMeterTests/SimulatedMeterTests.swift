import Foundation
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveTesting
import SimulatedMeters
import Testing

/// The seeds of the simulation, of each family on each line: `GROUNDWAVE_METER_SEEDS`, as in 1...500.
private let seeds: ClosedRange<UInt64> = {
    let bounds = ProcessInfo.processInfo.environment["GROUNDWAVE_METER_SEEDS"]?.split(separator: "...").map { UInt64($0) }
    guard let bounds, bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last else { return 1...4 }
    return first...last
}()

@Suite struct `A simulated meter` {
    @Test(arguments: Family.allCases, Line.allCases)
    func `is recorded as it was, whatever is lost, late or repeated`(family: Family, line: Line) async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(
            Configuration(components: [.meters], surroundings: .virtual(clock, seed: 1)))
        var (falseAlarmCount, frameCount) = (0, 0)
        for seed in seeds {
            let meter = SimulatedMeter(family, over: line, seed: seed, frameCount: family.interval < 100 ? 1_200 : 600)
            let run = try await Run(meter, clock, in: temporary.store)
            let judge = try run.judged()
            falseAlarmCount += judge.falseAlarmCount
            frameCount += run.meter.truth.frameCount
            #expect(judge.faults.isEmpty, "\(family) \(line) seed \(seed): \(judge.faults.prefix(4).joined(separator: "; "))")
            #expect(try run.isVerified(), "seed \(seed)")
            let decoded = try await run.decoded()
            #expect(decoded == run.recorded.rows, "\(family) \(line) seed \(seed): the capture gives the same rows")
        }
        #expect(falseAlarmCount * 1_000 <= frameCount, "\(falseAlarmCount) false alarms in \(frameCount) frames")
    }
}
