import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogRepair

/// Devices of a sealed log, each with a log of its own: the first one seals it, the last one has the recovery phrase.
private struct SealedLogs {
    let identities: [Identity]
    private(set) var logs: [TestLog] = []
    private(set) var root: Hash256?
    private var numbers: SeededGenerator
    private let before: EventSet
    /// What was written, as whoever wrote it knows it.
    private(set) var statements: [RosterStatement] = []
    private(set) var writes: [EventID: RecordID] = [:]
    private(set) var erases: [EventID: RecordID] = [:]

    init(_ count: Int, seed: UInt64, before: Int = 0) throws {
        var numbers = SeededGenerator(seed: seed)
        let identities = (0..<count).map { _ in Identity.random(using: &numbers) }
        (self.identities, self.numbers) = (identities, numbers)
        logs = try (0..<count).map { _ in try TestLog() }
        self.before = EventSet(before == 0 ? [] : [EventRange(identities[1].replica, 1, through: UInt64(before))])
        for _ in 0..<before { try write(0, as: 1) }
        try exchange(from: 1, to: 0)
        try say(
            (RosterKind.phrase, (identities.last?.publicKey ?? []) + [UInt8](repeating: 1, count: 32)),
            (RosterKind.before, [UInt8](self.before.text.utf8)), as: 0)
        root = try log(0).rosterRow().root
        for device in 1..<count { #expect(try log(device).believe(try #require(root))) }
    }

    func log(_ device: Int) -> EventLog { logs[device].log }

    func replica(_ device: Int) -> ReplicaID { identities[device].replica }

    @discardableResult
    private mutating func append(_ change: Change, as device: Int) throws -> EventID {
        var batch = DraftBatch()
        batch.append(change, by: replica(device), using: &numbers)
        return try #require(try log(device).append([batch], as: replica(device), arrival: .test(1)).first).first
    }

    private mutating func say(_ fields: (UInt32, [UInt8])..., as device: Int) throws {
        try append(
            Change(
                kind: RosterKind.name, record: .random(using: &numbers),
                operations: fields.map { FieldOperation(.set, .number($0.0), value: $0.1) }), as: device)
    }

    private func record(_ number: Int) -> RecordID { RecordID(high: 5, low: UInt64(number)) }

    @discardableResult
    mutating func write(_ number: Int, as device: Int) throws -> EventID {
        let text = [UInt8]("values of \(numbers.next())".utf8)
        let event = try append(
            Change(
                kind: "thing", record: record(number), operations: [FieldOperation(.set, .number(1), value: text)]),
            as: device)
        writes[event] = record(number)
        return event
    }

    @discardableResult
    mutating func erase(_ number: Int, as device: Int) throws -> EventID {
        let event = try append(
            Change(kind: "thing", record: record(number), operations: [FieldOperation(.erase, .life)]), as: device)
        erases[event] = record(number)
        return event
    }

    private func last(of device: Int, at other: Int) throws -> [EventID] {
        let last = try log(other).vector()[replica(device)]
        return last == 0 ? [] : [EventID(replica(device), last)]
    }

    private func text(_ events: [EventID]) -> [UInt8] {
        [UInt8](EventSet(events.map { EventRange($0.replica, $0.sequence, through: $0.sequence) }).text.utf8)
    }

    private mutating func note(_ word: RosterStatement.Word, as device: Int) throws {
        statements.append(RosterStatement(EventID(replica(device), try log(device).vector()[replica(device)]), word))
    }

    mutating func approve(_ other: Int, as device: Int) throws {
        let ending = statements.filter {
            if case .revoke(replica(other), _) = $0.word { true } else { false }
        }.map(\.event)
        let named = ending.isEmpty ? [] : [(RosterKind.ending, text(ending))]
        let all = [(RosterKind.approved, [UInt8]("\(replica(other))".utf8))] + named
        try append(
            Change(
                kind: RosterKind.name, record: .random(using: &numbers),
                operations: all.map { FieldOperation(.set, .number($0.0), value: $0.1) }), as: device)
        try note(.approve(replica(other), ending: ending), as: device)
    }

    mutating func revoke(_ other: Int, as device: Int) throws {
        let seen = try last(of: other, at: device)
        try say(
            (RosterKind.revoked, [UInt8]("\(replica(other))".utf8)), (RosterKind.seen, text(seen)), as: device)
        try note(.revoke(replica(other), seen: seen), as: device)
    }

    mutating func admit(_ other: Int, as device: Int) throws {
        let events = try last(of: other, at: device)
        try say((RosterKind.admitted, text(events)), as: device)
        try note(.admit(events), as: device)
    }

    /// What is new of some replicas goes from one device to another.
    func exchange(from device: Int, to other: Int, only isWanted: (ReplicaID) -> Bool = { _ in true }) throws {
        let (there, here) = (try log(device).vector(), try log(other).vector())
        for identity in identities where isWanted(identity.replica) && there[identity.replica] > here[identity.replica]
        {
            let new = EventRange(identity.replica, here[identity.replica] + 1, through: there[identity.replica])
            let frame = try #require(try log(device).frame(of: new, signedBy: identity, preferredBytes: 4 << 20))
            _ = try log(other).receive([frame], arrival: .test(2))
        }
    }

    /// The values that one device lacks come from another one, if that has them.
    func fill(from device: Int, to other: Int) throws {
        for range in try log(other).missingValues().ranges {
            guard let identity = identities.first(where: { $0.replica == range.replica }),
                let frame = try log(device).frame(of: range, signedBy: identity, preferredBytes: 4 << 20)
            else { continue }
            _ = try log(other).receive([frame], arrival: .test(3))
        }
    }

    /// A device carries out all erases that it has: the log decides which of them count.
    func carryOut(_ device: Int) throws {
        var (events, done): ([RecordID: EventSet], [EventID: RecordID]) = ([:], [:])
        try log(device).scan(from: 1) { _, frame, _ in
            if let record = writes[frame.id] { events[record, default: EventSet()].insert(frame.id) }
            done[frame.id] = erases[frame.id]
            return true
        }
        try log(device).erase(done.compactMapValues { events[$0] })
    }

    func exchangeAll() throws {
        for _ in 0..<2 {
            for device in logs.indices {
                for other in logs.indices where other != device { try exchange(from: device, to: other) }
            }
        }
    }

    func settle() throws {
        try exchangeAll()
        for _ in 0..<2 {
            for device in logs.indices { try carryOut(device) }
            for device in logs.indices {
                for other in logs.indices where other != device { try fill(from: device, to: other) }
            }
        }
    }

    /// The events of which a log has the values.
    func present(_ log: EventLog) throws -> Set<EventID> {
        var present: Set<EventID> = []
        try log.scan(from: 1) { _, frame, _ in
            if writes[frame.id] != nil, !frame.isWithheld { present.insert(frame.id) }
            return true
        }
        return present
    }

    /// What is to be refused, from everything that was ever written.
    var refused: EventSet {
        let roster = Roster(
            statements, phrase: replica(identities.count - 1), founder: replica(0), before: before, Streams())
        let erased = Set(erases.filter { roster.counts($0.key) }.values)
        var events = EventSet()
        for (event, record) in writes where erased.contains(record) { events.insert(event) }
        return events
    }

    /// A step that follows from the seed.
    mutating func step() throws {
        let device = Int.random(in: logs.indices, using: &numbers)
        let other = Int.random(in: logs.indices, using: &numbers)
        let thing = Int.random(in: 0..<6, using: &numbers)
        // Mostly a device erases that another one revokes.
        let isUsual = Int.random(in: 0..<4, using: &numbers) > 0
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0..<4: try write(thing, as: device)
        case 4..<6:
            let author = isUsual ? 1 : device
            try erase(thing, as: author)
            if author != other { try exchange(from: author, to: other) }
            try carryOut(other)
        case 6..<8: try approve(isUsual ? 1 : other, as: isUsual ? 0 : device)
        case 8:
            let author = isUsual ? [0, logs.count - 1].randomElement(using: &numbers)! : device
            if author != other { try revoke(isUsual ? 1 : other, as: author) }
        case 9: try admit(other, as: device)
        case 10..<14: try carryOut(device)
        case 14: if device != other { try fill(from: other, to: device) }
        default:
            let mask = numbers.next()
            if device != other { try exchange(from: other, to: device) { mask >> ($0.low % 64) & 3 != 0 } }
        }
    }
}

/// What became of values, in many histories.
private struct Fates {
    var kept = 0, refused = 0, returned = 0, missing = 0
}

@Suite struct `Values that are refused` {
    @Test func `are refused as long as an erase of them counts, and are missing when none does`() throws {
        var fleet = try SealedLogs(3, seed: 1)
        try fleet.approve(1, as: 0)
        let event = try fleet.write(0, as: 0)
        try fleet.exchangeAll()
        try fleet.erase(0, as: 1)
        try fleet.exchange(from: 1, to: 2)
        try fleet.carryOut(2)
        #expect(try fleet.log(2).withholding(of: event) == .erased && fleet.log(2).missingValues().isEmpty)
        // Device 0, which has not heard of the erase, revokes its author.
        try fleet.revoke(1, as: 0)
        let before = try fleet.log(2).content()
        try fleet.exchange(from: 0, to: 2)
        let one = EventSet([EventRange(event.replica, event.sequence, through: event.sequence)])
        #expect(try fleet.log(2).erased().isEmpty && fleet.log(2).missingValues() == one)
        #expect(try fleet.log(2).withholding(of: event) == .absent && fleet.log(2).content() != before)
        #expect(try LogVerifier.verify(path: fleet.logs[2].path).damage == [])
        let root = try fleet.log(2).root(of: event.replica)
        try fleet.fill(from: 0, to: 2)
        #expect(try fleet.log(2).missingValues().isEmpty && fleet.present(fleet.log(2)) == [event])
        #expect(try fleet.log(2).root(of: event.replica) == root)
        #expect(try LogVerifier.verify(path: fleet.logs[2].path).damage == [])
        // Taken in again, with what it wrote: the erase counts, and is carried out again.
        try fleet.approve(1, as: 0)
        try fleet.settle()
        #expect(try (0..<3).allSatisfy { try fleet.log($0).erased() == one && fleet.present(fleet.log($0)).isEmpty })
    }

    @Test func `stay refused because of another erase, and because of none that never counted`() throws {
        var fleet = try SealedLogs(4, seed: 2)
        try fleet.approve(1, as: 0)
        try fleet.write(0, as: 0)
        let other = try fleet.write(1, as: 0)
        try fleet.exchangeAll()
        let refused = EventSet([EventRange(fleet.replica(0), other.sequence - 1, through: other.sequence - 1)])
        try fleet.erase(0, as: 1)
        try fleet.erase(0, as: 0)
        try fleet.erase(1, as: 2)
        for device in [0, 1, 3] {
            for from in 0..<3 where from != device { try fleet.exchange(from: from, to: device) }
            try fleet.carryOut(device)
            #expect(try fleet.log(device).erased() == refused && fleet.present(fleet.log(device)) == [other])
        }
        // The phrase has seen nothing of device 1.
        var late = try fleet.log(3).rosterRow()
        #expect(late.statements.count == 2)
        try fleet.revoke(1, as: 0)
        try fleet.exchange(from: 0, to: 3)
        late = try fleet.log(3).rosterRow()
        #expect(try late.statements.count == 3 && fleet.log(3).erased() == refused)
        #expect(try fleet.log(3).missingValues().isEmpty && fleet.log(3).refusals().count == 2)
    }

    @Test func `arrive without a value in the commit that ends the refusal, and are missing then`() throws {
        var fleet = try SealedLogs(3, seed: 3)
        try fleet.approve(1, as: 0)
        try fleet.exchangeAll()
        let erase = try fleet.erase(0, as: 1)
        try fleet.exchange(from: 1, to: 2)
        // What is to come is refused before it is there.
        let coming = EventID(fleet.replica(0), 3)
        try fleet.log(2).erase([erase: EventSet([EventRange(coming.replica, 3, through: 3)])])
        #expect(try fleet.log(2).erased().contains(coming))
        #expect(try fleet.write(0, as: 0) == coming)
        try fleet.revoke(1, as: 0)
        try fleet.exchange(from: 0, to: 2)
        #expect(try fleet.log(2).missingValues().contains(coming) && fleet.log(2).erased().isEmpty)
        #expect(try LogVerifier.verify(path: fleet.logs[2].path).damage == [])
        try fleet.fill(from: 0, to: 2)
        #expect(try fleet.present(fleet.log(2)) == [coming])
    }

    @Test func `are named anew, with what erases them, when a history forks`() throws {
        let (author, twin, reader) = (try Author(seed: 7), try Author(seed: 7), try TestLog())
        for one in [author, twin] { try one.append(3) }
        try author.append(2)
        try twin.append(4)
        let replica = author.identity.replica
        _ = try reader.log.receive([author.frame(1, through: 5)], arrival: .test(1))
        let erased = EventSet([EventRange(replica, 2, through: 2), EventRange(replica, 4, through: 4)])
        try reader.log.erase([EventID(replica, 1): erased, EventID(replica, 5): erased])
        _ = try reader.log.receive([twin.frame(1, through: 7)], arrival: .test(2))
        let streams = try reader.log.streams()
        let leaf = try author.log.leaf(of: EventID(replica, 4))
        let branch = try #require(
            try streams.children(of: replica).first {
                try reader.log.leaf(of: EventID($0, 1)) == leaf
            })
        let moved = EventSet([EventRange(replica, 2, through: 2), EventRange(branch, 1, through: 1)])
        #expect(try reader.log.refusals() == [EventID(replica, 1): moved, EventID(branch, 2): moved])
        #expect(try LogVerifier.verify(path: reader.path).damage == [])
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `are the same in every log, whatever came in which order, and what nothing erases is back if anybody has it`(
        part: UInt64
    ) throws {
        var fates = Fates()
        for seed in part * 35..<(part + 1) * 35 { try check(seed, &fates) }
        #expect(fates.kept > 0 && fates.refused > 0 && fates.returned > 0 && fates.missing > 0, "\(fates)")
    }

    private func check(_ seed: UInt64, _ fates: inout Fates) throws {
        var fleet = try SealedLogs(3 + Int(seed % 2), seed: 100 + seed, before: Int(seed % 3))
        for device in 1..<fleet.logs.count - 1 where seed % 4 != 0 { try fleet.approve(device, as: 0) }
        for thing in 0..<6 { try fleet.write(thing, as: 0) }
        try fleet.exchangeAll()
        for _ in 0..<30 { try fleet.step() }
        if seed % 2 == 0 { try fleet.revoke(1, as: seed % 4 == 0 ? 0 : fleet.logs.count - 1) }
        try fleet.exchangeAll()
        let held = try fleet.logs.map { try fleet.present($0.log) }
        let (anywhere, everywhere) = (
            held.reduce(into: Set()) { $0.formUnion($1) }, held.dropFirst().reduce(held[0]) { $0.intersection($1) }
        )
        try fleet.settle()
        let refused = fleet.refused
        let expected = anywhere.filter { !refused.contains($0) }
        var missing = EventSet()
        for event in fleet.writes.keys where !refused.contains(event) && !expected.contains(event) {
            missing.insert(event)
        }
        let roots = try fleet.identities.map { try fleet.log(0).root(of: $0.replica) }
        for (device, test) in fleet.logs.enumerated() {
            #expect(try test.log.erased() == refused, "seed \(seed), device \(device)")
            #expect(try fleet.present(test.log) == expected, "seed \(seed), device \(device)")
            #expect(try test.log.missingValues() == missing, "seed \(seed), device \(device)")
            #expect(try fleet.identities.map { try test.log.root(of: $0.replica) } == roots)
            #expect(try LogVerifier.verify(path: test.path).damage == [], "seed \(seed), device \(device)")
        }
        fates.kept += expected.intersection(everywhere).count
        fates.returned += expected.subtracting(everywhere).count
        fates.refused += Int(refused.count)
        fates.missing += Int(missing.count)
        if seed % 5 == 0 { try checkRebuilt(fleet, refused, missing) }
    }

    /// What is made of a log anew, from its file or from its events, refuses the same once it knows who belongs.
    private func checkRebuilt(_ fleet: SealedLogs, _ refused: EventSet, _ missing: EventSet) throws {
        let copy = try TestLog()
        var frames: [[UInt8]] = []
        try fleet.log(1).scan(from: 1) { _, frame, bytes in
            frames.append(bytes.extracting(0..<frame.length).toArray())
            return true
        }
        #expect(try copy.log.believe(try #require(fleet.root)))
        _ = try copy.log.append(copying: frames, arrival: .test(9))
        #expect(try copy.log.missingValues() == refused.union(missing))
        let made = fleet.logs[1].folder.appending(path: "made.mdb").path
        try fleet.log(1).close()
        let salvage = try Salvage(path: fleet.logs[1].path)
        _ = try salvage.write(
            to: made, log: try #require(salvage.log), epoch: 9, arrival: .test(0), missing: salvage.missing)
        let salvaged = try EventLog(opening: made)
        #expect(try salvaged.believe(try #require(fleet.root)))
        #expect(try salvaged.erased() == refused && salvaged.missingValues() == missing)
        #expect(try LogVerifier.verify(path: made).damage == [])
        try salvaged.close()
    }
}
