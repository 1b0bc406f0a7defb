import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveMembership
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTesting
import Testing

/// Devices of a sealed log: the first one has sealed it.
private struct RosterFleet {
    var fleet: Fleet
    let phrase: Identity
    private(set) var contacts: [RecordID] = []
    private(set) var statements: [RosterStatement] = []
    /// What was erased, by the event that closes the erase.
    private(set) var erases: [EventID: RecordID] = [:]
    private let before: EventSet

    init(_ count: Int, seed: UInt64) async throws {
        fleet = try await Fleet(count, seed: seed)
        phrase = Identity.random(using: &fleet.numbers)
        // Each device writes its first event, which introduces it.
        for store in fleet.stores {
            contacts.append(try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }.value)
        }
        try fleet.meet()
        before = EventSet(
            try fleet.stores[0].log.vector().entries.map { EventRange($0.replica, 1, through: $0.sequence) })
        _ = try await say(
            [
                (RosterKind.phrase, phrase.publicKey + [UInt8](repeating: 1, count: 32)),
                (RosterKind.before, [UInt8](before.text.utf8)),
            ], as: 0)
        let root = try #require(try fleet.stores[0].log.rosterRow().root)
        for store in fleet.stores { #expect(try store.log.believe(root)) }
        try fleet.meet()
    }

    subscript(device: Int) -> Store { fleet.stores[device] }

    func replica(_ device: Int) throws -> ReplicaID { try #require(self[device].replica) }

    private mutating func say(_ fields: [(UInt32, [UInt8])], as device: Int) async throws -> EventID {
        let record = RecordID.random(using: &fleet.numbers)
        let change = Change(
            kind: RosterKind.name, record: record,
            operations: fields.map { FieldOperation(.set, .number($0.0), value: $0.1) })
        let written = try await self[device].write { try $0.append(change) }
        return try #require(written.batch).first
    }

    private func last(of other: Int, at device: Int) throws -> [EventID] {
        let (replica, last) = (try replica(other), try self[device].log.vector()[replica(other)])
        return last > 0 ? [EventID(replica, last)] : []
    }

    private func text(_ events: [EventID]) -> [UInt8] {
        [UInt8](EventSet(events.map { EventRange($0.replica, $0.sequence, through: $0.sequence) }).text.utf8)
    }

    mutating func approve(_ other: Int, as device: Int) async throws {
        let replica = try replica(other)
        let ending = statements.filter { if case .revoke(replica, _) = $0.word { true } else { false } }.map(\.event)
        var fields = [(RosterKind.approved, [UInt8]("\(replica)".utf8))]
        if !ending.isEmpty { fields.append((RosterKind.ending, text(ending))) }
        statements.append(RosterStatement(try await say(fields, as: device), .approve(replica, ending: ending)))
    }

    mutating func revoke(_ other: Int, as device: Int) async throws {
        let (replica, seen) = (try replica(other), try last(of: other, at: device))
        let fields = [(RosterKind.revoked, [UInt8]("\(replica)".utf8)), (RosterKind.seen, text(seen))]
        statements.append(RosterStatement(try await say(fields, as: device), .revoke(replica, seen: seen)))
    }

    mutating func admit(_ other: Int, as device: Int) async throws {
        let events = try last(of: other, at: device)
        statements.append(
            RosterStatement(try await say([(RosterKind.admitted, text(events))], as: device), .admit(events)))
    }

    mutating func add(_ call: String, as device: Int) async throws -> RecordID {
        let id = try await self[device].write { try $0.add("qso", [Assignment("CALL", text: call)]) }.value
        contacts.append(id)
        return id
    }

    mutating func erase(_ id: RecordID, as device: Int) async throws {
        guard let record = try self[device].record("qso", id), !record.isErased else { return }
        let erased = try await self[device].erase([id], kind: "qso")
        erases[try #require(erased.batches.first).last] = id
    }

    func send(from device: Int, to other: Int) throws {
        try Fleet.send(from: self[device], to: self[other], at: fleet.clocks[other])
    }

    /// A device carries out the erases that it has.
    func carryOut(_ device: Int) { self[device].writer?.finishErasing() }

    /// The values that a device lacks come from another one.
    func fill(from device: Int, to other: Int) throws {
        let missing = try self[other].log.missingValues()
        var values: [EventID: [UInt8]] = [:]
        for range in missing.ranges {
            try self[device].log.scan(range) { _, frame, bytes in
                if !frame.isPartial { values[frame.id] = bytes.toArray() }
                return true
            }
        }
        _ = try self[other].log.fill(values)
        try self[other].views.catchUp()
    }

    func settle() throws {
        try fleet.meet()
        for _ in 0..<2 {
            for device in fleet.stores.indices { carryOut(device) }
            for device in fleet.stores.indices {
                for other in fleet.stores.indices where other != device { try fill(from: device, to: other) }
            }
        }
    }

    /// What is to be refused: everything with values that anybody wrote to a record which an erase that counts names.
    func refused() throws -> EventSet {
        let roster = Roster(
            statements, phrase: phrase.replica, founder: try replica(0), before: before, Streams())
        let erased = Set(erases.filter { roster.counts($0.key) }.values)
        var events = EventSet()
        try self[0].log.scan(from: 1) { _, frame, bytes in
            let shape = bytes.extracting(frame.shape)
            let reader = try ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            let isErase = reader.isErase(shape: shape, values: bytes.extracting(frame.values))
            if erased.contains(reader.record), !isErase { events.insert(frame.id) }
            return true
        }
        return events
    }

    func present(_ device: Int) throws -> EventSet {
        var events = EventSet()
        try self[device].log.scan(from: 1) { _, frame, _ in
            if !frame.isWithheld { events.insert(frame.id) }
            return true
        }
        return events
    }

    func calls(_ device: Int) throws -> [String] {
        try self[device].read { try $0.all(.contacts) }.compactMap { QSOKind.schema.value(of: "CALL", in: $0) }.map {
            String(decoding: $0, as: UTF8.self)
        }.sorted()
    }

    mutating func step() async throws {
        let all = fleet.stores.indices
        var random = SeededGenerator(seed: fleet.numbers.next())
        for clock in fleet.clocks { clock.advance(by: .seconds(1)) }
        let (device, other) = (Int.random(in: all, using: &random), Int.random(in: all, using: &random))
        let isUsual = Int.random(in: 0..<4, using: &random) > 0
        let contact = contacts.randomElement(using: &random) ?? contacts[0]
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<2: _ = try await add("N\(Int.random(in: 1...9, using: &random))CALL", as: device)
        case 2..<5:
            guard try self[device].record("qso", contact)?.isErased == false else { return }
            let name = "name \(random.next())"
            _ = try await self[device].write { try $0.set("qso", contact, [Assignment("NAME", text: name)]) }
        case 5..<8:
            // Mostly a device erases that another one revokes.
            let author = isUsual ? 1 : device
            try await erase(contact, as: author)
            if author != other { try send(from: author, to: other) }
            carryOut(other)
        case 8..<10: try await approve(isUsual ? 1 : other, as: isUsual ? 0 : device)
        case 10..<12:
            let author = isUsual ? [0, 2].randomElement(using: &random)! : device
            if author != other { try await revoke(isUsual ? 1 : other, as: author) }
        case 12: try await admit(other, as: device)
        case 13: carryOut(device)
        case 14: if other != device { try fill(from: other, to: device) }
        default: if other != device { try send(from: other, to: device) }
        }
    }
}

@Suite struct `Erasing in a sealed log` {
    @Test func `ends with the revocation of whoever erased, whichever came first`() async throws {
        var log = try await RosterFleet(4, seed: 1)
        defer { log.fleet.close() }
        try await log.approve(1, as: 0)
        let id = try await log.add("N1CALL", as: 0)
        try log.fleet.meet()
        let before = try log[0].digest().views
        try await log.erase(id, as: 1)
        // Device 2 hears of the erase first, device 3 of the revocation.
        try log.send(from: 1, to: 2)
        log.carryOut(2)
        #expect(try !log.calls(2).contains("N1CALL") && log[2].log.erased().count == 1)
        try await log.revoke(1, as: 0)
        try log.send(from: 0, to: 3)
        try log.send(from: 1, to: 3)
        log.carryOut(3)
        #expect(try log.calls(3).contains("N1CALL") && log[3].log.erased().isEmpty)
        try log.send(from: 0, to: 2)
        #expect(try log[2].log.erased().isEmpty && log[2].log.missingValues().count == 1)
        #expect(try log[2].syncStatus().valuesMissing == 1 && log[2].record("qso", id)?.isErased == false)
        #expect(try !log.calls(2).contains("N1CALL"))
        try log.fill(from: 3, to: 2)
        #expect(try log[2].log.missingValues().isEmpty && log.calls(2).contains("N1CALL"))
        // What was written to the contact before is written to again.
        try await log[2].write { try $0.set("qso", id, [Assignment("NAME", text: "Joe")]) }
        try log.settle()
        #expect(try Set((0..<4).map { try log[$0].digest().views }).count == 1)
        #expect(try log[0].digest().views != before)
    }

    @Test func `is carried out once somebody approves whoever erased`() async throws {
        var log = try await RosterFleet(3, seed: 2)
        defer { log.fleet.close() }
        let id = try await log.add("N1CALL", as: 0)
        try log.fleet.meet()
        try await log.erase(id, as: 1)
        try log.fleet.meet()
        for device in 0..<3 {
            log.carryOut(device)
            #expect(try log.calls(device).contains("N1CALL") && log[device].log.erased().isEmpty, "device \(device)")
        }
        try await log.approve(1, as: 0)
        try log.fleet.meet()
        for device in 0..<3 {
            log.carryOut(device)
            #expect(try log[device].record("qso", id)?.isErased == true && log[device].log.erased().count == 1)
        }
    }

    @Test func `is erased as long as one of two erases counts`() async throws {
        var log = try await RosterFleet(3, seed: 3)
        defer { log.fleet.close() }
        try await log.approve(1, as: 0)
        try await log.approve(2, as: 0)
        let id = try await log.add("N1CALL", as: 0)
        try log.fleet.meet()
        for device in 1...2 { try await log.erase(id, as: device) }
        try log.send(from: 1, to: 2)
        log.carryOut(2)
        #expect(try log[2].log.refusals().count == 2 && log[2].log.erased().count == 1)
        try await log.revoke(1, as: 0)
        try log.send(from: 0, to: 2)
        #expect(try log[2].log.refusals().count == 1 && log[2].log.missingValues().isEmpty)
        #expect(try log[2].record("qso", id)?.isErased == true)
        try await log.revoke(2, as: 0)
        try log.send(from: 0, to: 2)
        #expect(try log[2].log.erased().isEmpty && log[2].log.missingValues().count == 1)
    }

    @Test func `also takes what a device wrote that does not count`() async throws {
        var log = try await RosterFleet(2, seed: 4)
        defer { log.fleet.close() }
        let id = try await log.add("N1CALL", as: 0)
        try log.fleet.meet()
        try await log[1].write { try $0.set("qso", id, [Assignment("NAME", text: "Bartholomew")]) }
        try log.fleet.meet()
        #expect(
            try log[0].log.roster()?.uncounted(among: [EventRange(log.replica(1), 1, through: 99)]).isEmpty == false)
        try await log.erase(id, as: 0)
        #expect(try StoreSearch.files(below: log[0].url, holding: ["Bartholomew"]) == [])
        #expect(try log[0].log.erased() == log.refused())
    }

    @Test func `and taking back end with whoever did it, and so does a choice between forks`() async throws {
        var log = try await RosterFleet(3, seed: 5)
        defer { log.fleet.close() }
        try await log.approve(1, as: 0)
        _ = try await log.add("N1CALL", as: 0)
        let last = try log[0].log.vector()[log.replica(0)]
        try log.fleet.meet()
        _ = try await log[1].revert(EventSet([EventRange(log.replica(0), last, through: last)]))
        try log.send(from: 1, to: 2)
        #expect(try !log.calls(2).contains("N1CALL"))
        try await log.revoke(1, as: 0)
        try log.fleet.meet()
        #expect(try (0..<3).allSatisfy { try log.calls($0).contains("N1CALL") })
        #expect(try Set((0..<3).map { try log[$0].digest().views }).count == 1)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `ends alike on all devices, in any order`(part: UInt64) async throws {
        var (refused, returned) = (UInt64(0), UInt64(0))
        for seed in part * 20..<(part + 1) * 20 {
            var log = try await RosterFleet(3, seed: seed + 10)
            defer { log.fleet.close() }
            for device in [2, 1] where seed % 3 != 0 { try await log.approve(device, as: 0) }
            for _ in 0..<40 { try await log.step() }
            if seed % 2 == 0 { try await log.revoke(1, as: 0) }
            try log.fleet.meet()
            let held = try (0..<3).map { try log.present($0) }
            try log.settle()
            let expected = try log.refused()
            let anywhere = held.reduce(into: EventSet()) { $0.formUnion($1) }.subtracting(expected)
            let digests = try (0..<3).map { try log[$0].digest().views }
            let calls = try (0..<3).map { try log.calls($0) }
            for device in 0..<3 {
                #expect(try log[device].log.erased() == expected, "seed \(seed), device \(device)")
                #expect(try log.present(device) == anywhere, "seed \(seed), device \(device)")
                #expect(
                    try log[device].log.missingValues() == log[0].log.missingValues(), "seed \(seed), device \(device)")
                #expect(digests[device] == digests[0] && calls[device] == calls[0], "seed \(seed), device \(device)")
                #expect(try LogVerifier.verify(path: log[device].url.appending(path: "log.mdb").path).damage == [])
            }
            refused += expected.count
            returned += held.reduce(into: 0) { $0 += anywhere.subtracting($1).count }
        }
        #expect(refused > 0 && returned > 0, "\(refused), \(returned)")
    }
}
