import Foundation

/// What came of many histories of sealed logs.
struct SealedSummary: Sendable {
    private(set) var failures: [String] = []
    private var outcomes: [SealedOutcome] = []

    /// So many failures are enough: more say nothing new.
    private static let mostFailures = 20

    /// Runs all of `seeds`, as many at once as there are cores, until many have failed, and prints what was met.
    init(of seeds: ClosedRange<UInt64>) async {
        let start = ContinuousClock.now
        await withTaskGroup(of: (UInt64, Result<SealedOutcome, any Error>).self) { group in
            var rest = Array(seeds)[...]
            func startNext() {
                guard failures.count < Self.mostFailures, let seed = rest.popFirst() else { return }
                group.addTask {
                    do {
                        return (seed, .success(try await SealedHistory.run(seed: seed, isTold: SeedRange.isTold)))
                    } catch {
                        return (seed, .failure(error))
                    }
                }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { startNext() }
            while let (seed, result) = await group.next() {
                switch result {
                case .success(let outcome): outcomes.append(outcome)
                case .failure(let error): failures.append("seed \(seed): \(error)")
                }
                if outcomes.count.isMultiple(of: 100), !outcomes.isEmpty {
                    // At once, also into a file.
                    try? FileHandle.standardOutput.write(contentsOf: Data("\(outcomes.count) histories\n".utf8))
                }
                startNext()
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            """
            \(outcomes.count) passed, \(failures.count) failed, in \(Int(seconds)) s
            \(sum(\.members)) devices belonged at the end, \(sum(\.uncounted)) contacts did not count, \
            \(sum(\.erases)) were erased, \(sum(\.withoutValues)) of them by nobody who counts; \
            \(sum(\.refusals)) steps were not permitted
            """)
    }

    /// What the histories lack to show something, in words.
    var shortcomings: [String] {
        guard failures.isEmpty, outcomes.count >= 20 else { return [] }
        var words: [String] = []
        if sum(\.members) < outcomes.count { words.append("fewer than one device belonged on average") }
        if sum(\.uncounted) < outcomes.count { words.append("fewer than one contact did not count on average") }
        if sum(\.erases) == 0 { words.append("nothing was erased") }
        return words
    }

    private func sum(_ number: (SealedOutcome) -> Int) -> Int { outcomes.reduce(0) { $0 + number($1) } }
}
