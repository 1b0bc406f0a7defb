import Foundation

/// kill -9 at a random moment, of a recording too. What a process wrote stays in the memory of the kernel, so nothing at all may be lost.
struct Kills {
    let lane: Lane
    let runs: Int
    /// What is killed instead of logs and stores in turn.
    var subject: Trial.Subject?

    private static let rounds = 5

    func run() throws {
        let units = (runs + Self.rounds - 1) / Self.rounds
        lane.work(units: units) { unit, folder in
            var generator = lane.generator(unit)
            let subject = subject ?? (unit.isMultiple(of: 3) ? .lean(.durable) : .store)
            let trial = try Trial(folder, subject)
            for _ in 0..<min(Self.rounds, runs - unit * Self.rounds) where trial.isWhole {
                // Sessions take about a quarter of a second; some are killed before they wrote anything.
                let moment = Double.random(in: 0...(subject == .trace ? 3 : 0.25), using: &generator)
                try trial.write(
                    seed: generator.next() >> 1, length: subject == .store ? 60 : 400,
                    incident: Child.Incident(after: moment, what: { kill($0, SIGKILL) }))
                lane.ran()
                if trial.isWhole { try trial.check() }
            }
            return trial
        }
    }
}
