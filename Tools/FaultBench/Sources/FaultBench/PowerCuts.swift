import Foundation

/// Power cuts: the shim undoes what was not flushed, and kills the process.
///
/// A store survives several cuts. Half of the first cuts of a store are near a change of a name, since that is how
/// files are created and replaced; the others are spread evenly over the steps. One check in three is cut too.
struct PowerCuts {
    let lane: Lane
    let subject: Trial.Subject
    let runs: Int
    /// The length of a session.
    let length: Int
    /// The number of cuts that one store meets.
    let rounds: Int
    /// Whether this is a control, which is cut late, when there is something to lose, and once.
    let isControl: Bool

    /// The steps of a session without a cut.
    private struct Trace: Sendable {
        var seed: UInt64
        var count: Int
        /// The steps that change a name, from 1.
        var names: [Int]
    }

    func run() throws {
        let traces = try (0..<8).map { try trace(UInt64($0) + 1) }
        let units = (runs + rounds - 1) / rounds
        lane.work(units: units) { unit, folder in
            var generator = lane.generator(unit)
            let trial = try Trial(folder, subject)
            for round in 0..<min(rounds, runs - unit * rounds) where trial.isWhole {
                let trace = traces[unit % traces.count]
                let place = Double(unit * rounds + round) / Double(max(1, runs))
                let seed = round == 0 ? trace.seed : generator.next() >> 1
                let step = step(of: trace, isFirst: round == 0, place, &generator)
                let shim = Shim(seed: generator.next(), cut: .at(step: step))
                let ended = try trial.write(seed: seed, length: length, shim: shim)
                guard ended.signal == SIGKILL else { throw Failure("nothing was cut: the session \(ended.words)") }
                lane.ran()
                for _ in 0..<3 where !isControl && trial.isWhole && generator.chance(1.0 / 3) {
                    let steps = subject == .store ? 150 : subject == .fleet ? 300 : subject == .trace ? 60 : 12
                    try trial.check(
                        shim: Shim(seed: generator.next(), cut: .at(step: .random(in: 1...steps, using: &generator))))
                }
                if trial.isWhole { try trial.check() }
            }
            try lane.control(unit, trial)
            return trial
        }
        let sums = lane.result
        lane.note("\(sums.cuts.count - sums.runs) more cuts in recovery")
        Histogram(sums.cuts).lines.forEach(lane.note)
    }

    private func trace(_ seed: UInt64) throws -> Trace {
        let trial = try Trial("\(lane.settings.folder)/\(lane.name)-trace", subject)
        defer { trial.remove() }
        try trial.write(seed: seed, length: length, shim: Shim(seed: seed, tracesSteps: true))
        let steps = try String(contentsOfFile: "\(trial.folder)/steps", encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("calls ") }
        guard steps.count > 10 else { throw Failure("a session without steps: \(trial.troubles)") }
        let names = steps.indices.filter { steps[$0].hasPrefix("name ") }.map { $0 + 1 }
        return Trace(seed: seed, count: steps.count, names: names)
    }

    private func step(
        of trace: Trace, isFirst: Bool, _ place: Double, _ generator: inout SeededGenerator
    ) -> Int {
        if isControl { return trace.count / 3 + Int(Double(trace.count * 2 / 3) * place) }
        if isFirst, generator.chance(0.5), let name = trace.names.randomElement(using: &generator) {
            return name + Int.random(in: -3...6, using: &generator)
        }
        // A little past the end, so that some are cut after everything is written.
        return 1 + Int(Double(trace.count) * 1.05 * place)
    }
}

/// The positions of the cuts, by kind of step and file.
struct Histogram {
    let lines: [String]

    init(_ cuts: [String]) {
        var counts: [String: Int] = [:]
        var undone = (kept: 0, dropped: 0, torn: 0, names: 0)
        for cut in cuts {
            // cut STEP KIND FILE kept N dropped N torn N names N
            let words = cut.split(separator: " ")
            guard words.count == 12 else { continue }
            counts["\(words[2]) \(Self.sort(of: String(words[3])))", default: 0] += 1
            undone.kept += Int(words[5]) ?? 0
            undone.dropped += Int(words[7]) ?? 0
            undone.torn += Int(words[9]) ?? 0
            undone.names += Int(words[11]) ?? 0
        }
        let places = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        lines = [
            "cut at: " + places.map { "\($0.key) \($0.value)" }.joined(separator: ", "),
            "writes kept \(undone.kept), dropped \(undone.dropped), torn \(undone.torn); names undone \(undone.names)",
        ]
    }

    private static func sort(of file: String) -> String {
        if file == "-" { return "of the process" }
        if file.contains(".part-") || file.contains(".creating") || file.contains(".new-") { return "new file" }
        if file.hasSuffix(".mdb") || file == "identity" { return file }
        for end in ["snapshot", "archive"] where file.hasSuffix(end) { return end }
        return "other"
    }
}
