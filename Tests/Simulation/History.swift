import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication
import GroundwaveSeededNumbers

/// One history: some devices, what they do, what goes wrong, how they meet at the end, and what must be so then.
///
/// All of it follows from the seed: the same seed gives the same history, in every process.
struct History<Log: SimulatedLog> {
    let seed: UInt64
    let plan: Plan
    let signing: Signing
    let truth: Truth
    var numbers: SeededGenerator
    /// Those that still exist.
    var devices: [Device<Log>] = []
    var places: [FaultyPlace]
    var backups: [Int: Backup<Log>] = [:]
    /// Ranges that somebody carries around, as bytes.
    var bundles: [[[UInt8]]] = []
    /// Records that people know of, and those that a file has.
    var records: [RecordID]
    let fileRecords: [RecordID]
    /// True time in milliseconds since 1970.
    var time: Int64 = 1_800_000_000_000
    var unusedIdentities: [Identity]
    var deviceCount = 0

    /// - Parameter storage: Makes an empty storage for a place; in memory if not given.
    static func run(
        seed: UInt64, signing: Signing, isTold: Bool = false, storage: (() throws -> any Transport)? = nil
    ) async throws -> Outcome {
        var history = try History(seed: seed, signing: signing, isTold: isTold, storage)
        do {
            for step in 0..<history.plan.stepCount {
                history.truth.step = step
                try await history.step()
            }
            history.truth.step = history.plan.stepCount
            try await history.heal()
            try history.check()
        } catch {
            throw Failure(seed: seed, step: history.truth.step, stepCount: history.plan.stepCount, cause: error)
        }
        let truth = history.truth
        return Outcome(
            trace: truth.trace, counts: truth.counts, deviceCount: history.plan.deviceCount,
            stepCount: history.plan.stepCount)
    }

    private init(
        seed: UInt64, signing: Signing, isTold: Bool, _ storage: (() throws -> any Transport)?
    ) throws {
        self.seed = seed
        self.signing = signing
        numbers = SeededGenerator(seed: seed)
        plan = Plan(using: &numbers)
        truth = Truth(isTold: isTold)
        unusedIdentities = signing.identities.shuffled(using: &numbers)
        let placeSeed = numbers.next()
        places = try (0..<plan.placeCount).map {
            FaultyPlace(seed: placeSeed &+ UInt64($0), storage: try storage?())
        }
        records = (0..<2).map { RecordID(high: seed, low: $0) }
        fileRecords = (0..<4).map { RecordID(high: 0xF11E, low: $0) }
        let log = LogID(high: seed, low: 1)
        for _ in 0..<plan.deviceCount {
            let device = Device(
                number: deviceCount, log: try Log.empty(log), identity: newIdentity(), places: plan.placeCount,
                signing: signing, truth: truth)
            (device.log as? MemoryLog)?.preferredBytes = plan.preferredBytes
            (device.log as? MemoryLog)?.contextCount = plan.contextCount
            devices.append(device)
            deviceCount += 1
        }
        truth.tell("seed \(seed): \(plan.deviceCount) devices, \(plan.stepCount) steps")
    }

    mutating func newIdentity() -> Identity {
        // Enough for every history: an identity is needed for a device, and after a copy was noticed.
        unusedIdentities.removeLast()
    }

    private mutating func step() async throws {
        // Sometimes two things happen within one millisecond.
        if numbers.happens(70) { time += Int64(numbers.number(1...200_000)) }
        let step = plan.step(using: &numbers)
        let device = numbers.pick(devices)
        truth.note(UInt64(step.rawValue), UInt64(device.number))
        switch step {
        case .write: try write(on: device)
        case .importFile: try importFile(on: device)
        case .pin: device.pinned = device.view
        case .talk: try talk(device, numbers.pick(devices))
        case .look: try await look(device, at: numbers.number(0...places.count - 1))
        case .bundle: try bundle(from: device)
        case .deliver: try deliver(to: device)
        case .clock: setClock(of: device)
        case .partition: part()
        case .crash: try device.crash()
        case .save: try device.saveView()
        case .backup: backups[device.number] = try Backup(of: device)
        case .restore: try restore(device)
        case .clone: try clone(device)
        case .erase: try erase(on: device)
        case .loseDevice: lose(device)
        case .emptyPlace: try await places[numbers.number(0...places.count - 1)].empty(truth)
        }
    }
}

/// What came of a history in which every promise was kept.
struct Outcome: Sendable {
    let trace: UInt64
    /// How often each fault had an effect.
    let counts: [Int]
    let deviceCount: Int
    let stepCount: Int
}

/// A history that broke a promise.
struct Failure: Error, CustomStringConvertible {
    let seed: UInt64
    let step: Int
    let stepCount: Int
    let cause: any Error

    var description: String {
        let place = step < stepCount ? "at step \(step)" : "after \(stepCount) steps"
        return """
            GROUNDWAVE_SIMULATION_SEEDS=\(seed)...\(seed) swift test --filter Simulation
            seed \(seed), \(place): \(cause)
            """
    }
}
