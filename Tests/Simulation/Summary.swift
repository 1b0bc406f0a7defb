import Foundation

/// What came of many histories.
struct Summary: Sendable {
    private(set) var failures: [String] = []
    private var deviceCounts = 0
    private var seedCount = 0
    private var leastStepCount = Int.max
    private var seedsWith = [Int](repeating: 0, count: Fault.allCases.count)
    /// A hash of the traces of all seeds.
    private(set) var trace: UInt64 = 0

    /// So many failures are enough: more say nothing new.
    private static let mostFailures = 20

    /// Runs all of `seeds`, as many at once as there are cores, until many have failed, and prints what was met.
    init(of seeds: ClosedRange<UInt64>) async {
        let start = ContinuousClock.now
        await withTaskGroup(of: Ended.self) { group in
            var next = seeds.lowerBound
            func startNext() {
                guard next <= seeds.upperBound, failures.count < Self.mostFailures else { return }
                let seed = next
                next += 1
                group.addTask {
                    do { return Ended(seed: seed, outcome: try await SeedRange.run(seed)) } catch {
                        return Ended(seed: seed, failure: "\(error)")
                    }
                }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { startNext() }
            while let ended = await group.next() {
                add(ended)
                startNext()
            }
        }
        tell(seconds: (ContinuousClock.now - start) / .seconds(1))
    }

    /// One history that has come to its end.
    private struct Ended: Sendable {
        let seed: UInt64
        var outcome: Outcome?
        var failure: String?
    }

    private mutating func add(_ ended: Ended) {
        seedCount += 1
        if let failure = ended.failure { failures.append(failure) }
        guard let outcome = ended.outcome else { return }
        deviceCounts += outcome.deviceCount
        leastStepCount = min(leastStepCount, outcome.stepCount)
        // Seeds end in any order.
        trace ^= (outcome.trace &+ ended.seed) &* 0x9E37_79B9_7F4A_7C15
        for (place, count) in outcome.counts.enumerated() where count > 0 { seedsWith[place] += 1 }
    }

    /// So few seeds say nothing of how often something goes wrong.
    private static let fewSeeds = 200

    /// What the histories lack to show something, in words: devices, steps, and faults that had an effect.
    var shortcomings: [String] {
        guard seedCount >= Self.fewSeeds, failures.isEmpty else { return [] }
        var words: [String] = []
        if meanDeviceCount < 4 { words.append("there are fewer than 4 devices on average") }
        if leastStepCount < 200 { words.append("a history has fewer than 200 steps") }
        return words + shares.filter { $0.share < 0.1 }.map { "\($0.fault) had an effect in too few seeds" }
    }

    /// How many devices a history has.
    private var meanDeviceCount: Double { Double(deviceCounts) / Double(max(1, seedCount - failures.count)) }

    /// In which share of the seeds each fault had an effect.
    private var shares: [(fault: Fault, share: Double)] {
        Fault.allCases.map { ($0, Double(seedsWith[$0.rawValue]) / Double(max(1, seedCount - failures.count))) }
    }

    private func tell(seconds: Double) {
        print("\(seedCount) histories, \(Int(Double(seedCount) / seconds)) a second, \(failures.count) failed")
        print("devices on average \(String(format: "%.2f", meanDeviceCount)), steps at least \(leastStepCount)")
        for (fault, share) in shares { print(String(format: "%5.1f %%  ", share * 100) + "\(fault)") }
        print("trace " + String(trace, radix: 16))
    }
}
