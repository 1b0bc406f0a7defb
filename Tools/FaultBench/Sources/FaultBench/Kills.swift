import Foundation

/// Kills a process with kill -9 at a random moment, also during a recording. What the process wrote stays in the
/// memory of the kernel, so nothing may be lost.
struct Kills {
    let lane: Lane
    let runs: Int
    /// The subject that is killed; `nil` for logs and stores in turn.
    var subject: Trial.Subject?
    /// Whether two processes write to the store, and both are killed.
    var isPair = false

    private static let rounds = 5

    func run() throws {
        let units = (runs + Self.rounds - 1) / Self.rounds
        lane.work(units: units) { unit, folder in
            var generator = lane.generator(unit)
            let subject = subject ?? (unit.isMultiple(of: 3) ? .lean(.durable) : .store)
            let trial = try Trial(folder, subject)
            for _ in 0..<min(Self.rounds, runs - unit * Self.rounds) where trial.isWhole {
                // Sessions take about a quarter of a second; some are killed before they write anything.
                let most = subject == .trace ? 3 : isPair ? 1 : 0.25
                let moment = Double.random(in: 0...most, using: &generator)
                let (seed, incident) = (generator.next() >> 1, Child.Incident(after: moment) { kill($0, SIGKILL) })
                if isPair {
                    try trial.writeTogether(seed: seed, length: 60, incident: incident)
                } else {
                    try trial.write(seed: seed, length: subject == .store ? 60 : 400, incident: incident)
                }
                lane.ran()
                if trial.isWhole { try trial.check() }
            }
            try lane.control(unit, trial)
            return trial
        }
    }
}
