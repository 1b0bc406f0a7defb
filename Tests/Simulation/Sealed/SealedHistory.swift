import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveMembership
import GroundwaveReplication
import GroundwaveSeededNumbers
import GroundwaveSyncing
import GroundwaveTesting

/// A history of a sealed log in real stores, of which one or two devices turn: they have two histories, approve, exclude and
/// admit at will, name events falsely, erase what others wrote, begin epochs that nobody can read, and delete what lies at a
/// remote. The others mean well.
///
/// What is written has random names, so a seed repeats the steps and not the bytes.
final class SealedHistory {
    /// A device. One that has turned has two stores of the same replica.
    private struct Device {
        var stores: [SealedStore]
        var hasTurned: Bool { stores.count > 1 }
        var store: Store { stores[0].store }
    }

    private let words: String
    private var devices: [Device]
    private let places = [MemoryTransport(), MemoryTransport()]
    private var numbers: SeededGenerator
    private let isTold: Bool
    /// What devices were told is written before they turned, with the device.
    private var acknowledged: [RecordID: Int] = [:]
    /// What devices that have turned wrote after the recovery phrase has excluded them.
    private var late: Set<RecordID> = []
    private var isRecovered = false
    /// The replicas that devices which have turned wrote as: each store continues as another one if it meets what the other
    /// one wrote.
    private var turned: Set<ReplicaID> = []
    private var contactCount = 0
    private(set) var outcome = SealedOutcome()

    private init(seed: UInt64, _ fleet: SealedFleet, isTold: Bool) async throws {
        (numbers, self.isTold, words) = (SeededGenerator(seed: seed), isTold, fleet.words)
        devices = try await fleet.copies(numbers.number(3...SealedFleet.deviceCount)).map { Device(stores: [$0]) }
    }

    /// Runs the history of a seed.
    ///
    /// - Throws: ``BrokenPromise``, or the error of a device.
    static func run(seed: UInt64, isTold: Bool = false) async throws -> SealedOutcome {
        let history = try await SealedHistory(seed: seed, await SealedFleet.shared.value, isTold: isTold)
        try await history.run()
        return history.outcome
    }

    private func run() async throws {
        // Most devices belong to the log from the beginning.
        for store in devices.dropFirst().map(\.store) where numbers.happens(70) {
            if let replica = store.replica { try await devices[0].store.approve(replica) }
        }
        try await settle()
        for _ in 0..<numbers.pick([15, 30, 60]) {
            let device = numbers.number(0...devices.count - 1)
            if numbers.happens(5), devices.count(where: \.hasTurned) < 2 {
                try await turn(device)
            } else if devices[device].hasTurned {
                try await malicious(device)
            } else {
                try await honest(device)
            }
        }
        if !devices.contains(where: \.hasTurned) { try await turn(numbers.number(0...devices.count - 1)) }
        try await settle()
        try await check()
        try await recover()
    }

    private func tell(_ words: @autoclosure () -> String) { if isTold { print(words()) } }

    // MARK: - Steps

    private func turn(_ device: Int) async throws {
        tell("device \(device) turns")
        turned.formUnion(devices[device].stores.compactMap(\.store.replica))
        devices[device].stores = try await devices[device].stores[0].split()
    }

    /// A step of a person who means well.
    private func honest(_ number: Int) async throws {
        let device = devices[number]
        switch numbers.place(weights: [40, 5, 14, 8, 3, 40, 10]) {
        case 0: try await add(device.store, by: number)
        case 1: try await erase(in: device.store, by: number)
        case 2:
            let other = numbers.number(0...devices.count - 1)
            guard let replica = devices[other].store.replica else { return }
            tell("\(number) approves \(other)")
            try await attempt { try await device.store.approve(replica) }
        case 3:
            guard let turned = devices.indices.filter({ devices[$0].hasTurned }).randomElement(using: &numbers),
                let replica = devices[turned].store.replica
            else { return }
            tell("\(number) excludes \(turned)")
            try await attempt { try await device.store.revoke(replica) }
        case 4:
            // The program names what is there.
            let there = try device.store.log.vector()
            try await write(admission(device.store) { min($0.sequence, there[$0.replica]) }, in: device.store)
        case 5: try await sync(device.store, by: number)
        default: try await meet(number, numbers.number(0...devices.count - 1))
        }
        if numbers.happens(5) { try check(device.store) }
    }

    /// A step of a device that knows the rules and keeps none.
    private func malicious(_ number: Int) async throws {
        let store = numbers.pick(devices[number].stores).store
        switch numbers.place(weights: [15, 10, 15, 25, 5, 4, 3, 30]) {
        case 0: try await add(store, by: number)
        case 1: try await erase(in: store, by: number)
        case 2:
            tell("\(number) approves somebody")
            let ending = try events(store)
            try await write(RosterKind.approvals(of: somebody(), ending: ending) { newID() }, in: store)
        case 3:
            tell("\(number) excludes somebody")
            let seen = try events(store)
            try await write([RosterKind.revocation(of: somebody(), seen: seen, as: newID())], in: store)
        case 4: try await write(admission(store), in: store)
        case 5:
            tell("\(number) begins an epoch that nobody can read")
            let bytes = (0..<numbers.number(0...200)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            try await write([RosterKind.change(newID(), (RosterKind.epoch, bytes))], in: store)
        case 6: try deleteObjects()
        default: try await sync(store, by: number)
        }
    }

    /// Runs what a person would do, who may be told that it is not permitted.
    private func attempt(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as StoreError {
            guard error.code == .notPermitted else { throw error }
            tell("  not permitted: \(error)")
            outcome.refusals += 1
        }
    }

    private func write(_ changes: [Change], in store: Store) async throws {
        try await attempt {
            _ = try await store.write { batch in for change in changes { try batch.append(change) } }
        }
    }

    private func newID() -> RecordID { RecordID.random(using: &numbers) }

    private func add(_ store: Store, by number: Int) async throws {
        contactCount += 1
        let call = "N\(contactCount)CALL"
        let id = try await store.write { try $0.add(Contact(call)) }.value
        tell("\(number) adds \(call) \(id)")
        if !devices[number].hasTurned { acknowledged[id] = number } else if isRecovered { late.insert(id) }
    }

    private func erase(in store: Store, by number: Int) async throws {
        guard let record = try store.read({ try $0.all(.contacts) }).randomElement(using: &numbers) else { return }
        tell("\(number) erases \(record.id)")
        outcome.erases += 1
        try await attempt { try await store.erase([record.id]) }
    }

    private func admission(
        _ store: Store, through number: (EventID) -> UInt64 = { $0.sequence }
    ) throws -> [Change] {
        let events = try events(store).map { EventID($0.replica, number($0)) }
        return events.isEmpty ? [] : [RosterKind.admission(of: events, as: newID())]
    }

    /// A device, or one that nobody has seen.
    private func somebody() -> ReplicaID {
        let all = devices.flatMap(\.stores).compactMap(\.store.replica)
        return numbers.happens(15) ? ReplicaID(high: 1, low: UInt64(numbers.number(1...3))) : numbers.pick(all)
    }

    /// Up to four events, one of each history, some of which are not there.
    private func events(_ store: Store) throws -> [EventID] {
        var entries = try store.log.vector().entries
        entries.shuffle(using: &numbers)
        return entries.prefix(numbers.number(0...4)).map {
            EventID($0.replica, UInt64(numbers.number(1...Int($0.sequence) + 2)))
        }
    }

    private func deleteObjects() throws {
        let place = numbers.pick(places)
        tell("objects are deleted")
        // Without its key files nobody can open a place: who deletes them takes the place away.
        for name in try place.list(prefix: .all, startAfter: nil, limit: 10_000)
        where name.description.hasPrefix("stores/") && numbers.happens(30) {
            try place.delete(name)
        }
    }

    private func sync(_ store: Store, by number: Int) async throws {
        let place = numbers.number(0...places.count - 1)
        tell("\(number) synchronises with \(place)")
        try await attempt { try await store.sync(with: places[place], as: "place\(place)") }
    }

    private func meet(_ one: Int, _ other: Int) async throws {
        guard one != other, !devices[other].hasTurned else { return }
        tell("\(one) meets \(other)")
        let (here, there) = MemoryStream.pair()
        let (store, partner) = (devices[one].store, devices[other].store)
        async let answering: Result<Void, any Error> = Self.result {
            _ = try await partner.sync(over: there, as: "peer\(one)")
        }
        let asking = await Self.result { _ = try await store.sync(over: here, as: "peer\(other)") }
        for result in [asking, await answering] {
            guard case .failure(let error) = result else { continue }
            guard let error = error as? StoreError, [.notPermitted, .unreachable].contains(error.code) else {
                throw error
            }
            outcome.refusals += 1
        }
    }

    private static func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    // MARK: - What must be so

    private var honestStores: [Store] { devices.filter { !$0.hasTurned }.map(\.store) }

    /// All that mean well look at both places until nothing is new.
    private func settle() async throws {
        for _ in 0..<10 {
            var isQuiet = true
            for store in honestStores {
                for (number, place) in places.enumerated() {
                    try await attempt {
                        let summary = try await store.sync(with: place, as: "place\(number)", isFull: true)
                        if summary.receivedEvents > 0 || summary.sentEvents > 0 { isQuiet = false }
                    }
                }
            }
            if isQuiet { return }
        }
        throw BrokenPromise("Devices that mean well do not come to rest.")
    }

    /// Each store shows what the model says of its own log. Those that belong by what all of them know agree: a device that was
    /// excluded may not be able to read that it was.
    private func check() async throws {
        let checked = try honestStores.map { store in
            (store, try check(store), store.replica.map { "\($0)" } ?? "")
        }
        let informed = checked.filter { _, oracle, replica in oracle.members.contains(replica) }
        let members = informed.filter { _, _, replica in informed.allSatisfy { $0.1.members.contains(replica) } }
        outcome.members += members.count
        try agree(members.map(\.0))
    }

    @discardableResult
    private func check(_ store: Store) throws -> RosterOracle {
        let oracle = try RosterOracle(log: store.log)
        let shown = Set(try store.read { try $0.all(.contacts) }.map(\.id))
        // A contact shows although its values were destroyed.
        let contacts = oracle.contacts.union(oracle.withoutValues.intersection(shown))
        guard shown == contacts else {
            let file = try saved(oracle)
            let (more, fewer) = (shown.subtracting(contacts), contacts.subtracting(shown))
            throw BrokenPromise(
                "A store shows \(more) and does not show \(fewer), other than the model says of \(file). "
                    + "Its roster differs in \(try oracle.differences(in: store.log)).")
        }
        turned.formUnion(devices.filter(\.hasTurned).flatMap { $0.stores.compactMap(\.store.replica) })
        for device in try store.syncStatus().remotes.flatMap(\.devices)
        where !device.omitted.isEmpty && !turned.contains(device.replica) {
            throw BrokenPromise("\(device.replica), which means well, is said to hide \(device.omitted).")
        }
        outcome.uncounted += oracle.written.subtracting(oracle.contacts).count
        return oracle
    }

    /// Writes what the model was asked, since names are random and a seed may not repeat it; returns the path.
    private func saved(_ oracle: RosterOracle) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString).json")
        try oracle.text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    private func agree(_ stores: [Store]) throws {
        guard let first = stores.first else { return }
        for other in stores.dropFirst() {
            guard try first.logDigest() == other.logDigest() else {
                throw BrokenPromise("Devices that belong have other events: \(try difference(first, other))")
            }
            // A device that still lacks values which it asks for shows fewer: decision 53.
            let lacksNone = try first.log.missingValues().isEmpty && other.log.missingValues().isEmpty
            guard try !lacksNone || first.digest() == other.digest() else {
                throw BrokenPromise("Devices that belong show other things.")
            }
        }
    }

    private func difference(_ one: Store, _ other: Store) throws -> String {
        let (here, there) = (try one.log.vector(), try other.log.vector())
        return "\(here.ranges(missingFrom: there)) and \(there.ranges(missingFrom: here))"
    }

    /// Somebody has the recovery phrase: those that have turned are excluded, everybody else belongs.
    private func recover() async throws {
        guard let rescuer = honestStores.first else { throw BrokenPromise("All devices have turned.") }
        tell("the recovery phrase is used")
        // Who was excluded by somebody that has turned may have no key any more.
        for (number, place) in places.enumerated() {
            try await rescuer.acceptSeal(through: place, as: "place\(number)", .phrase(words))
        }
        try await settle()
        turned.formUnion(devices.filter(\.hasTurned).flatMap { $0.stores.compactMap(\.store.replica) })
        for replica in turned.sorted() { _ = try await rescuer.revoke(replica, byPhrase: words) }
        for store in honestStores {
            guard let replica = store.replica else { continue }
            do { _ = try await rescuer.approve(replica, byPhrase: words) } catch {
                let file = try saved(RosterOracle(log: rescuer.log))
                throw BrokenPromise("The recovery phrase cannot approve \(replica) in \(file): \(error)")
            }
        }
        isRecovered = true
        try await settle()
        for number in devices.indices where devices[number].hasTurned {
            for _ in 0..<5 { try await malicious(number) }
            for store in devices[number].stores {
                for (number, place) in places.enumerated() {
                    try await attempt { try await store.store.sync(with: place, as: "place\(number)") }
                }
            }
        }
        try await settle()
        try agree(honestStores)
        for store in honestStores {
            let oracle = try check(store)
            guard let replica = store.replica, oracle.members.contains("\(replica)") else {
                throw BrokenPromise(
                    "A device does not belong, which the recovery phrase has approved: "
                        + "\(store.replica.map { "\($0)" } ?? "") in \(try saved(oracle)).")
            }
            guard oracle.contacts.isDisjoint(with: late) else {
                throw BrokenPromise(
                    "What a device wrote counts that the recovery phrase has excluded: "
                        + "\(oracle.contacts.intersection(late).map(oracle.events)), in \(try saved(oracle)).")
            }
            let written = Set(acknowledged.filter { !devices[$0.value].hasTurned }.keys)
            guard written.isSubset(of: oracle.written) else {
                throw BrokenPromise("Acknowledged contacts are lost: \(written.subtracting(oracle.written))")
            }
            let missing = try store.log.missingValues()
            guard oracle.withoutValues.isEmpty || !missing.isEmpty else {
                throw BrokenPromise("Values are missing, and nobody is told.")
            }
            outcome.withoutValues += oracle.withoutValues.count
        }
    }
}

/// What was met in a history: so that a summary can say that something was tried.
struct SealedOutcome: Sendable {
    var refusals = 0
    var erases = 0
    /// Devices that meant well and belonged to the log before the recovery phrase was used.
    var members = 0
    /// Contacts that did not count when somebody looked.
    var uncounted = 0
    /// Contacts whose values an erase has destroyed that does not count any more.
    var withoutValues = 0
}
