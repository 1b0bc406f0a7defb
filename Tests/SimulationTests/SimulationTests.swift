import Foundation
import Testing

@testable import histories

@Suite struct `Random histories of some devices` {
    /// `Tools/histories` runs many more; with one seed in `GROUNDWAVE_SIMULATION_SEEDS` and
    /// `GROUNDWAVE_SIMULATION_TRACE=1` the suite says what happens at each step.
    private static var seeds: ClosedRange<UInt64> {
        get throws {
            guard let text = ProcessInfo.processInfo.environment["GROUNDWAVE_SIMULATION_SEEDS"] else { return 1...100 }
            return try #require(SeedRange.seeds(text), "GROUNDWAVE_SIMULATION_SEEDS is not FIRST...LAST: \(text)")
        }
    }

    @Test func `keep every promise, whatever goes wrong`() async throws {
        let summary = await Summary(of: try Self.seeds)
        #expect(summary.failures == [])
        #expect(summary.shortcomings == [])
    }

    @Test(arguments: [1, 2, 3, 50] as [UInt64])
    func `are the same for the same seed`(seed: UInt64) async throws {
        let (one, other) = (try await SeedRange.run(seed), try await SeedRange.run(seed))
        #expect(one.trace == other.trace)
        #expect(one.counts == other.counts)
    }
}
