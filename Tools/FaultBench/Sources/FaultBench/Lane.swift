import Foundation
import Synchronization

/// One kind of fault: what its runs need, and what they have found.
final class Lane: Sendable {
    /// The options of the bench.
    struct Settings: Sendable {
        var seed: UInt64 = 1
        var isLong = false
        /// A single unit of work, to repeat what it found; its folder is kept.
        var unit: Int?
        /// Which third of the units is run, 0 to 2; `nil` for all of them.
        var third: Int?
        /// The folder of the disks: in memory if possible.
        var folder = ""
        var workers = 2
    }

    /// The sums of a lane.
    struct Sums: Sendable {
        var runs = 0
        var acknowledged = 0
        var lost = 0
        var wrong = 0
        var died = 0
        /// The number of runs in which something was lost, which a control lane must have.
        var spoilt = 0
        /// The number of forgeries that the check was given; it must find each of them.
        var forgeries = 0
        var cuts: [String] = []
        var notes: [String] = []
        var troubles: [String] = []
    }

    let name: String
    let title: String
    let settings: Settings
    private let sums = Mutex(Sums())

    init(_ name: String, _ title: String, _ settings: Settings) {
        self.name = name
        self.title = title
        self.settings = settings
    }

    var result: Sums { sums.withLock { $0 } }

    func note(_ words: String) { sums.withLock { $0.notes.append(words) } }

    /// The random numbers of one unit: the same for the same seed.
    func generator(_ unit: Int) -> SeededGenerator {
        let place = name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
        return SeededGenerator(settings.seed, place, UInt64(unit))
    }

    /// Runs units of work, several at once, each with its own folder.
    func work(units count: Int, _ body: @Sendable (_ unit: Int, _ folder: String) throws -> Trial?) {
        let chosen = chosen(of: count)
        if chosen.isEmpty { return note("there are the units 0 to \(count - 1)") }
        let next = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: min(settings.workers, chosen.count)) { _ in
            while true {
                let place = next.withLock { place in
                    defer { place += 1 }
                    return place
                }
                guard place < chosen.count else { return }
                let unit = chosen[place]
                let folder = "\(settings.folder)/\(name)-\(unit)"
                do {
                    guard let trial = try body(unit, folder) else { continue }
                    finish(unit, trial)
                } catch {
                    trouble(unit, "the bench failed: \(error)")
                }
            }
        }
    }

    /// The units that are run. The thirds are drawn, since units that differ alike follow each other at fixed distances.
    private func chosen(of count: Int) -> [Int] {
        if let unit = settings.unit { return (0..<count).contains(unit) ? [unit] : [] }
        guard let third = settings.third else { return Array(0..<count) }
        var generator = SeededGenerator(UInt64(count))
        let drawn = Array(0..<count).shuffled(using: &generator)
        return stride(from: third, to: count, by: 3).map { drawn[$0] }.sorted()
    }

    private func finish(_ unit: Int, _ trial: Trial) {
        sums.withLock {
            $0.acknowledged += trial.promises.acknowledged
            $0.lost += trial.lost
            $0.wrong += trial.wrong
            $0.died += trial.died
            $0.spoilt += trial.lost > 0 ? 1 : 0
            $0.cuts += trial.cuts
        }
        for words in trial.troubles.prefix(4) { trouble(unit, words) }
        // The timing of a run cannot be repeated, so report at once what was done before.
        if !trial.isWhole { trouble(unit, "after \(trial.lastOperations)") }
        if settings.unit != nil { note("the folder \(trial.folder) was kept") } else { trial.remove() }
    }

    /// Records the results of runs that are not trials.
    func found(_ unit: Int, acknowledged: Int = 0, wrong: [String] = [], died: Int = 0) {
        sums.withLock {
            $0.acknowledged += acknowledged
            $0.wrong += wrong.count
            $0.died += died
        }
        for words in wrong.prefix(4) { trouble(unit, words) }
        if died > 0 { trouble(unit, "a second process ended by a signal") }
    }

    func ran(_ count: Int = 1) { sums.withLock { $0.runs += count } }

    /// The number of trials of a lane that are used as controls.
    private static let mostControls = 3

    /// Runs the control of a lane: checks a trial that ended well against forgeries. Call it when nothing else is
    /// done with the trial. The first trials with a promise are used.
    func control(_ unit: Int, _ trial: Trial) throws {
        let isEnough = sums.withLock { $0.forgeries >= Self.mostControls * Forgery.allCases.count }
        guard !isEnough, settings.unit == nil, trial.isWhole else { return }
        for forgery in Forgery.allCases {
            if let isFound = try trial.finds(forgery) { controlled(unit, forgery.rawValue, isFound: isFound) }
        }
    }

    /// Records the result of one forgery.
    func controlled(_ unit: Int, _ words: String, isFound: Bool) {
        sums.withLock { $0.forgeries += 1 }
        if !isFound { trouble(unit, "control: it was not found that \(words)") }
    }

    private func trouble(_ unit: Int, _ words: String) {
        sums.withLock { $0.troubles.append("unit \(unit): \(words)") }
    }
}

/// The result of a lane, as a row of the table.
struct Row: Sendable {
    var name: String
    var title: String
    var sums: Lane.Sums
    var seconds: Double
    /// For a control: the minimum percentage of runs that must lose something.
    var leastSpoilt: Int?
    /// Why the lane was not run. Such a lane has shown nothing, so it has not passed.
    var skipped: String?
    /// Whether a single unit was run, to repeat what it found.
    var isRepeated = false

    var passed: Bool {
        guard skipped == nil, sums.runs > 0 else { return false }
        if let leastSpoilt { return sums.spoilt * 100 >= sums.runs * leastSpoilt }
        return sums.troubles.isEmpty && (sums.acknowledged > 0 && sums.forgeries > 0 || isRepeated)
    }

    var verdict: String {
        if let skipped { return "not run: \(skipped)" }
        let word = passed ? "passed" : "FAILED"
        if let leastSpoilt {
            return "\(word): loses in \(sums.spoilt * 100 / max(1, sums.runs)) %, \(leastSpoilt) % must"
        }
        return "\(word), \(sums.forgeries) forgeries"
    }
}
