import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogRepair

/// A damaged log, and what can be salvaged from it.
struct RecoverySubject: Sendable {
    let made: MadeStore
    let bytes: [UInt8]
    /// The events of the intact log.
    let appended: String
    /// The number of steps of a recovery without a fault; below, its calls by kind.
    private(set) var steps = 0
    private(set) var calls: [String: Int] = [:]
    private(set) var seconds = 0.0

    /// Damages `made` so that the damage is detected and leaves something to salvage.
    init(_ made: MadeStore, _ generator: inout SeededGenerator, _ lane: Lane) throws {
        self.made = made
        let log = try IntactLog(made)
        let path = "\(made.folder)/damaged.mdb"
        var bytes: [UInt8] = []
        while true {
            let kill = PageKill.allCases.randomElement(using: &generator) ?? .zeros
            bytes = kill.damage(log, &generator).bytes
            try Data(bytes).write(to: URL(filePath: path))
            if try Self.isSeen(path), try Salvage(path: path).count > 0 { break }
        }
        self.bytes = bytes
        appended = log.told
        let trial = try Trial("\(made.folder)/trace", .recovery)
        defer { trial.remove() }
        _ = try Self.prepare(trial, made, bytes, appended)
        let start = ContinuousClock.now
        try trial.write(seed: 1, length: 0, shim: Shim(seed: 1, tracesSteps: true))
        seconds = (ContinuousClock.now - start) / .seconds(1)
        for line in try String(contentsOfFile: "\(trial.folder)/steps", encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == "calls" { calls[String(words[1])] = Int(words[2]) } else { steps += 1 }
        }
        try trial.check()
        guard trial.isWhole, steps > 20 else { throw Failure("recovery without a fault: \(trial.troubles)") }
    }

    static func several(_ count: Int, _ lane: Lane) throws -> [RecoverySubject] {
        var generator = lane.generator(1 << 20)
        return try MadeStore.several(count, lane).map { try RecoverySubject($0, &generator, lane) }
    }

    /// Whether a check of every page detects the damage of a log.
    private static func isSeen(_ path: String) throws -> Bool {
        try LogVerifier.verify(path: path).damage.contains { $0.what != .lostRange }
    }

    /// Puts a copy of the store with the damaged log on the disk of `trial`, with what can be salvaged from it as
    /// promises.
    static func prepare(_ trial: Trial, _ made: MadeStore, _ bytes: [UInt8], _ appended: String) throws -> Bool {
        try made.copyDisk(to: trial.folder)
        let path = "\(trial.folder)/disk/store/log.mdb"
        try DamagedCopy.overwrite(path, with: bytes)
        try MadeStore.leave(trial.folder, isUnclean: true)
        var lines = "a create\n"
        var hasher = MerkleHasher()
        try Salvage(path: path).forEachEvent { frame, bytes in
            guard !frame.isLost else { return }
            let leaf = String(hasher.leaf(of: frame, in: bytes.span.bytes).prefix, radix: 16)
            lines += "e 0 \(frame.id.replica) \(frame.id.sequence) \(leaf) \(frame.isWithheld ? 1 : 0)\n"
        }
        trial.promise(lines)
        let isSeen = try isSeen(path)
        if isSeen { try Data(bytes).write(to: URL(filePath: "\(trial.folder)/damaged.mdb")) }
        try Data(appended.utf8).write(to: URL(filePath: "\(trial.folder)/appended"))
        return isSeen
    }
}

/// Makes recovery itself meet a fault: the power is cut, a call fails, or the process is killed. Then it is tried
/// again.
struct RecoveryFaults {
    enum Fault {
        case cuts
        case failures
        case kills
    }

    let lane: Lane
    let fault: Fault
    let runs: Int

    func run() throws {
        let subjects = try RecoverySubject.several(4, lane)
        lane.work(units: runs) { unit, folder in
            var generator = lane.generator(unit)
            let subject = subjects[unit % subjects.count]
            let trial = try Trial(folder, .recovery)
            _ = try RecoverySubject.prepare(trial, subject.made, subject.bytes, subject.appended)
            let seed = generator.next() >> 1
            switch fault {
            case .cuts:
                let step = 1 + subject.steps * unit / runs
                let ended = try trial.write(seed: 1, length: 0, shim: Shim(seed: seed, cut: .at(step: step)))
                guard ended.signal == SIGKILL else { throw Failure("nothing was cut: the session \(ended.words)") }
                if trial.isWhole, generator.chance(1.0 / 3) {
                    let step = Int.random(in: 1...subject.steps, using: &generator)
                    try trial.check(shim: Shim(seed: generator.next(), cut: .at(step: step)))
                }
            case .failures:
                let cases = IOFailures.ways.flatMap { way in
                    (0..<subject.calls[way.kind, default: 0]).map { (way, $0 + 1) }
                }
                let (way, call) = cases[unit * cases.count / runs]
                var failing = Shim.Failing(kind: way.kind, at: call, count: way.count, error: way.error)
                if way.isFollowedByCut { failing.cutAfter = .random(in: 1...40, using: &generator) }
                try trial.write(seed: 1, length: 0, shim: Shim(seed: seed, failing: failing))
            case .kills:
                let moment = Double.random(in: 0...subject.seconds, using: &generator)
                let incident = Child.Incident(after: moment, what: { kill($0, SIGKILL) })
                try trial.write(seed: 1, length: 0, incident: incident)
            }
            lane.ran()
            if trial.isWhole { try trial.check() }
            try lane.control(unit, trial)
            return trial
        }
        let steps = subjects.map { "\($0.steps)" }.joined(separator: ", ")
        lane.note("steps of a recovery: \(steps)")
        if fault == .cuts { Histogram(lane.result.cuts).lines.forEach(lane.note) }
    }
}
