import Foundation
import Testing

@testable import histories

@Suite struct `Histories of a sealed log of which devices turn` {
    /// `Tools/histories --sealed` runs many more; with one seed in `GROUNDWAVE_SEALED_SEEDS` and
    /// `GROUNDWAVE_SIMULATION_TRACE=1` the suite says what happens at each step.
    private static var seeds: ClosedRange<UInt64> {
        get throws {
            guard let text = ProcessInfo.processInfo.environment["GROUNDWAVE_SEALED_SEEDS"] else { return 1...25 }
            return try #require(SeedRange.seeds(text), "GROUNDWAVE_SEALED_SEEDS is not FIRST...LAST: \(text)")
        }
    }

    @Test func `keep every promise to those that have not turned`() async throws {
        let summary = await SealedSummary(of: try Self.seeds)
        #expect(summary.failures == [])
        #expect(summary.shortcomings == [])
    }
}
