import Foundation

/// `histories [sealed] FIRST...LAST` runs the histories of these seeds and says what was met; its status is 1 where one broke
/// a promise, or where fewer things went wrong than should. Tools/histories builds and runs it.
@main
struct Histories {
    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        let isSealed = arguments.first == "sealed"
        if isSealed { arguments.removeFirst() }
        guard let text = arguments.first, arguments.count == 1, let seeds = SeedRange.seeds(text) else {
            print("usage: histories [sealed] FIRST...LAST (see Tools/histories)")
            exit(64)
        }
        let broken: [String]
        if isSealed {
            let summary = await SealedSummary(of: seeds)
            broken = summary.failures + summary.shortcomings
        } else {
            let summary = await Summary(of: seeds)
            broken = summary.failures + summary.shortcomings
        }
        for words in broken { print("error: \(words)") }
        exit(broken.isEmpty ? 0 : 1)
    }
}

/// Which seeds are run, and how.
enum SeedRange {
    /// The seeds that `text` names as FIRST...LAST.
    static func seeds(_ text: String) -> ClosedRange<UInt64>? {
        let parts = text.split(separator: "...", maxSplits: 1).compactMap { UInt64($0) }
        guard let first = parts.first, let last = parts.last, first <= last else { return nil }
        return first...last
    }

    /// One seed in so many runs on real files and with real signatures.
    private static let realEvery: UInt64 = 50
    static let isTold = ProcessInfo.processInfo.environment["GROUNDWAVE_SIMULATION_TRACE"] != nil

    /// Runs the history of one seed. With `GROUNDWAVE_SIMULATION_TRACE` it prints what happens at each step.
    static func run(_ seed: UInt64) async throws -> Outcome {
        if seed.isMultiple(of: realEvery) {
            return try await History<DiskLog>.run(seed: seed, signing: .real, isTold: isTold)
        }
        return try await History<MemoryLog>.run(seed: seed, signing: .standIn, isTold: isTold)
    }
}
