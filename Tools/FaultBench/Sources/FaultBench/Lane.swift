import Foundation
import Synchronization

/// What a lane needs to know, and what it has found.
final class Lane: Sendable {
    /// How the bench was asked to run.
    struct Settings: Sendable {
        var seed: UInt64 = 1
        var isLong = false
        /// One unit of work alone, to repeat what it found; its folder is kept.
        var unit: Int?
        /// Where the disks are: in memory where that can be.
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
        /// Runs in which something was lost: what a lane that is a control must have.
        var spoilt = 0
        /// Forgeries that were put before the check, each of which it must find.
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

    /// The numbers of one unit: the same for the same seed.
    func generator(_ unit: Int) -> SeededGenerator {
        let place = name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
        return SeededGenerator(settings.seed, place, UInt64(unit))
    }

    /// Runs units of work, several at once, each with a folder of its own.
    func work(units count: Int, _ body: @Sendable (_ unit: Int, _ folder: String) throws -> Trial?) {
        let chosen = Array(0..<count).filter { settings.unit == nil || settings.unit == $0 }
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
        // Moments of a clock do not come back: what was done before is told at once.
        if !trial.isWhole { trouble(unit, "after \(trial.lastOperations)") }
        if settings.unit != nil { note("the folder \(trial.folder) was kept") } else { trial.remove() }
    }

    /// What came of runs that are no trial.
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

    /// So many trials of a lane are its controls.
    private static let mostControls = 3

    /// The control of a lane: checks a trial that ended well against what is not so. To be called when nothing else comes
    /// of the trial. The first ones that have promised something are taken.
    func control(_ unit: Int, _ trial: Trial) throws {
        let isEnough = sums.withLock { $0.forgeries >= Self.mostControls * Forgery.allCases.count }
        guard !isEnough, settings.unit == nil, trial.isWhole else { return }
        for forgery in Forgery.allCases {
            if let isFound = try trial.finds(forgery) { controlled(unit, forgery.rawValue, isFound: isFound) }
        }
    }

    /// What came of one forgery.
    func controlled(_ unit: Int, _ words: String, isFound: Bool) {
        sums.withLock { $0.forgeries += 1 }
        if !isFound { trouble(unit, "control: it was not found that \(words)") }
    }

    private func trouble(_ unit: Int, _ words: String) {
        sums.withLock { $0.troubles.append("unit \(unit): \(words)") }
    }
}

/// What a lane came to, as a line of the table.
struct Row: Sendable {
    var name: String
    var title: String
    var sums: Lane.Sums
    var seconds: Double
    /// Where it is a control: the least percentage of runs that must lose something.
    var leastSpoilt: Int?
    /// Why it was not run. A lane that was not run has shown nothing: it has not passed.
    var skipped: String?
    /// Whether one unit of it was run alone, to repeat what it found.
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
