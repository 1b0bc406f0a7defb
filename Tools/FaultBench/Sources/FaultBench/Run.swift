import Foundation

/// Runs the lanes one after the other, for their table.
struct Run {
    var settings = Lane.Settings()
    var only: Set<String> = []

    /// A lane by name: its title, and how it is run. The numbers are those for CI and for a long run.
    private struct Plan {
        var name: String
        var title: String
        var leastSpoilt: Int?
        /// Why it cannot be run here.
        var obstacle: () -> String? = { nil }
        var run: (Lane) throws -> Void
    }

    private func count(_ short: Int, _ long: Int) -> Int { settings.isLong ? long : short }

    private var plans: [Plan] {
        [
            Plan(name: "log-cuts", title: "power cuts, log alone") { lane in
                try PowerCuts(
                    lane: lane, subject: .lean(.durable), runs: count(750, 7_500), length: 30, rounds: 6,
                    isControl: false
                ).run()
            },
            Plan(name: "store-cuts", title: "power cuts, whole store") { lane in
                try PowerCuts(
                    lane: lane, subject: .store, runs: count(250, 2_500), length: 24, rounds: 4, isControl: false
                ).run()
            },
            Plan(name: "fleet-cuts", title: "power cuts, store that meets others") { lane in
                try PowerCuts(
                    lane: lane, subject: .fleet, runs: count(60, 600), length: 24, rounds: 4, isControl: false
                ).run()
            },
            Plan(name: "unflushed", title: "control: nothing is flushed", leastSpoilt: 95) { lane in
                try PowerCuts(
                    lane: lane, subject: .lean(.unflushed), runs: count(100, 300), length: 30, rounds: 1,
                    isControl: true
                ).run()
            },
            Plan(name: "unread", title: "control: what trails is not read", leastSpoilt: 20) { lane in
                try PowerCuts(
                    lane: lane, subject: .lean(.unread), runs: count(100, 300), length: 30, rounds: 1,
                    isControl: true
                ).run()
            },
            Plan(name: "log-failures", title: "each call fails, log alone") { lane in
                try IOFailures(lane: lane, subject: .lean(.durable), length: 15, limit: count(500, .max)).run()
            },
            Plan(name: "store-failures", title: "each call fails, whole store") { lane in
                try IOFailures(lane: lane, subject: .store, length: 24, limit: count(500, .max)).run()
            },
            Plan(name: "kills", title: "kill -9") { lane in try Kills(lane: lane, runs: count(200, 1_000)).run() },
            Plan(name: "pair-kills", title: "kill -9 of two processes with one store") { lane in
                try Kills(lane: lane, runs: count(60, 500), subject: .store, isPair: true).run()
            },
            Plan(name: "trace-kills", title: "kill -9 of a recording") { lane in
                try Kills(lane: lane, runs: count(30, 100), subject: .trace).run()
            },
            Plan(name: "trace-cuts", title: "power cuts, recording") { lane in
                try PowerCuts(
                    lane: lane, subject: .trace, runs: count(40, 200), length: 150, rounds: 2, isControl: false
                ).run()
            },
            Plan(name: "flips", title: "one bit flipped") { lane in
                try Flips(lane: lane, flips: count(5_000, 100_000), sample: count(100, 2_000)).run()
            },
            Plan(name: "pages", title: "pages of the log damaged") { lane in
                try PageKills(
                    lane: lane, kills: count(500, 10_000), reads: count(100, 2_000), restores: count(40, 400)
                ).run()
            },
            Plan(name: "recovery-cuts", title: "power cuts in recovery") { lane in
                try RecoveryFaults(lane: lane, fault: .cuts, runs: count(200, 2_000)).run()
            },
            Plan(name: "recovery-failures", title: "calls fail in recovery") { lane in
                try RecoveryFaults(lane: lane, fault: .failures, runs: count(150, 1_500)).run()
            },
            Plan(name: "recovery-kills", title: "kill -9 in recovery") { lane in
                try RecoveryFaults(lane: lane, fault: .kills, runs: count(50, 500)).run()
            },
            Plan(
                name: "full-disk", title: "disk full", obstacle: { Disks.obstacle(in: settings.folder) },
                run: { lane in try FullDisks(lane: lane, runs: count(50, 200)).run() }),
            Plan(
                name: "ext4", title: "ext4 shut down", obstacle: { Disks.imageObstacle(in: settings.folder) },
                run: { lane in try Shutdowns(lane: lane, runs: count(50, 1_000), isControl: false).run() }),
            Plan(
                name: "ext4-unflushed", title: "control: ext4, nothing is flushed", leastSpoilt: 95,
                obstacle: { Disks.imageObstacle(in: settings.folder) },
                run: { lane in try Shutdowns(lane: lane, runs: count(10, 50), isControl: true).run() }),
        ]
    }

    var names: [String] { plans.map(\.name) }

    /// All lanes, before any of them is run.
    var unrun: [Row] {
        plans.map { plan in
            Row(name: plan.name, title: plan.title, sums: Lane.Sums(), seconds: 0, leastSpoilt: plan.leastSpoilt)
        }
    }

    func run() throws -> [Row] {
        var rows: [Row] = []
        for plan in plans where only.isEmpty || only.contains(plan.name) {
            var settings = settings
            // A control is judged by a percentage, which few runs do not have.
            if plan.leastSpoilt != nil { settings.third = nil }
            let lane = Lane(plan.name, plan.title, settings)
            var row = Row(
                name: plan.name, title: plan.title, sums: lane.result, seconds: 0, leastSpoilt: plan.leastSpoilt,
                isRepeated: settings.unit != nil)
            let start = ContinuousClock.now
            row.skipped = plan.obstacle()
            if row.skipped == nil { try plan.run(lane) }
            row.seconds = (ContinuousClock.now - start) / .seconds(1)
            row.sums = lane.result
            print("\(plan.name): \(row.verdict), \(row.sums.runs) runs, \(Int(row.seconds.rounded())) s")
            for note in row.sums.notes { print("    \(note)") }
            if !row.passed || settings.unit != nil {
                for trouble in row.sums.troubles.prefix(20) { print("    \(trouble)") }
                print("    again: Tools/faults --only \(plan.name) --seed \(settings.seed) --unit UNIT")
            }
            fflush(nil)
            rows.append(row)
        }
        return rows
    }
}
