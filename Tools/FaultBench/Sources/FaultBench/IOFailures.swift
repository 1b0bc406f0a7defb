import Foundation

/// Makes each call of a scripted session that reads or writes fail: once, and from then on.
///
/// The session continues, as an application would, and reports what was refused. If a write or a flush fails, a
/// second run makes the failed flush drop what it was to write, as Linux does, and cuts the power some steps later.
struct IOFailures {
    let lane: Lane
    let subject: Trial.Subject
    let length: Int
    /// The maximum number of runs, spread over all cases.
    let limit: Int

    /// How a call fails: the error, and the number of times in a row.
    struct Way {
        var kind: String
        var error: Int32
        var count: Int
        var isFollowedByCut = false
    }

    private static let forever = 1_000_000

    static let ways: [Way] = {
        var ways: [Way] = []
        for kind in ["write", "flush", "length", "name", "open", "read"] {
            for error in [EIO, ENOSPC] where kind != "read" || error == EIO {
                for count in [1, forever] { ways.append(Way(kind: kind, error: error, count: count)) }
            }
            // No system interrupts forever; three times in a row is more than most programs have met.
            if ["write", "flush", "read"].contains(kind) { ways.append(Way(kind: kind, error: EINTR, count: 3)) }
        }
        // A write that is cut short.
        for count in [1, forever] { ways.append(Way(kind: "write", error: 0, count: count)) }
        for kind in ["write", "flush"] { ways.append(Way(kind: kind, error: EIO, count: 1, isFollowedByCut: true)) }
        return ways
    }()

    func run() throws {
        let calls = try calls()
        let cases = Self.ways.flatMap { way in (0..<calls[way.kind, default: 0]).map { (way, $0 + 1) } }
        let count = min(limit, cases.count)
        lane.work(units: count) { unit, folder in
            var generator = lane.generator(unit)
            let (way, call) = cases[unit * cases.count / count]
            let trial = try Trial(folder, subject)
            var failing = Shim.Failing(kind: way.kind, at: call, count: way.count, error: way.error)
            if way.isFollowedByCut { failing.cutAfter = .random(in: 1...40, using: &generator) }
            try trial.write(
                seed: 1, length: length, shim: Shim(seed: generator.next(), failing: failing))
            lane.ran()
            if trial.isWhole { try trial.check() }
            try lane.control(unit, trial)
            return trial
        }
        let told = calls.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let runs = lane.result.runs
        lane.note("calls of the session: \(told.joined(separator: ", ")); \(runs) of \(cases.count) ways to fail")
    }

    private func calls() throws -> [String: Int] {
        let trial = try Trial("\(lane.settings.folder)/\(lane.name)-trace", subject)
        defer { trial.remove() }
        try trial.write(seed: 1, length: length, shim: Shim(seed: 1, tracesSteps: true))
        var calls: [String: Int] = [:]
        for line in try String(contentsOfFile: "\(trial.folder)/steps", encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == "calls" { calls[String(words[1])] = Int(words[2]) }
        }
        return calls
    }
}
