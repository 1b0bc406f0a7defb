import Foundation
import Testing

/// Which seeds are run, and how.
///
/// `Tools/histories` runs many; with one seed in `GROUNDWAVE_SIMULATION_SEEDS` and `GROUNDWAVE_SIMULATION_TRACE=1` the suite
/// says what happens at each step.
private enum Setting {
    static let seeds: ClosedRange<UInt64> = {
        let text = ProcessInfo.processInfo.environment["GROUNDWAVE_SIMULATION_SEEDS"] ?? "1...100"
        let parts = text.split(separator: "...", maxSplits: 1).compactMap { UInt64($0) }
        guard let first = parts.first, let last = parts.last, first <= last else { return 1...100 }
        return first...last
    }()

    static let isTold = ProcessInfo.processInfo.environment["GROUNDWAVE_SIMULATION_TRACE"] != nil

    /// One seed in so many runs on real files and with real signatures.
    static let realEvery: UInt64 = 50
}

/// Runs the history of one seed.
private func run(_ seed: UInt64) async throws -> Outcome {
    if seed.isMultiple(of: Setting.realEvery) {
        return try await History<DiskLog>.run(seed: seed, signing: .real, isTold: Setting.isTold)
    }
    return try await History<MemoryLog>.run(seed: seed, signing: .standIn, isTold: Setting.isTold)
}

@Suite struct `Random histories of some devices` {
    @Test func `keep every promise, whatever goes wrong`() async throws {
        let seeds = Setting.seeds
        let start = ContinuousClock.now
        let summary = await Summary(of: seeds, run)
        summary.tell(seconds: (ContinuousClock.now - start) / .seconds(1))
        for failure in summary.failures.prefix(20) { Issue.record("\(failure)") }
        #expect(summary.failures.count == 0)
        guard seeds.count >= 200, summary.failures.isEmpty else { return }
        #expect(summary.meanDeviceCount >= 4)
        #expect(summary.leastStepCount >= 200)
        for (fault, share) in summary.shares { #expect(share >= 0.1, "\(fault) had an effect in too few seeds") }
    }

    @Test(arguments: [1, 2, 3, 50] as [UInt64])
    func `are the same for the same seed`(seed: UInt64) async throws {
        let (one, other) = (try await run(seed), try await run(seed))
        #expect(one.trace == other.trace)
        #expect(one.counts == other.counts)
    }
}
