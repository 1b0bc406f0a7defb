import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveLogRepair
import GroundwaveMembership
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

/// A log whose devices say who belongs.
private struct RosterLog {
    let test: TestLog
    let devices = (1...4).map { ReplicaID(high: 7, low: $0) }
    private let phrase = Identity(secret: [UInt8](repeating: 9, count: 32))

    init() throws { test = try TestLog() }

    var log: EventLog { test.log }

    func say(_ fields: (UInt32, [UInt8])..., as device: Int) throws {
        var (batch, numbers) = (DraftBatch(), SeededGenerator(seed: 5))
        batch.append(
            Change(
                kind: RosterKind.name, record: RecordID(high: 1, low: .random(in: 0...99, using: &numbers)),
                operations: fields.map { FieldOperation(.set, .number($0.0), value: $0.1) }), by: devices[device],
            using: &numbers)
        _ = try log.append([batch], as: devices[device], arrival: .test(1))
    }

    func seal(as device: Int) throws {
        let keys = (phrase?.publicKey ?? []) + [UInt8](repeating: 1, count: 32)
        let before = EventSet(try log.vector().entries.map { EventRange($0.replica, 1, through: $0.sequence) })
        try say((RosterKind.phrase, keys), (RosterKind.before, [UInt8](before.text.utf8)), as: device)
    }

    func approve(_ other: Int, as device: Int) throws {
        try say((RosterKind.approved, [UInt8]("\(devices[other])".utf8)), as: device)
    }

    func revoke(_ other: Int, seen: UInt64, as device: Int) throws {
        let seen = "\(devices[other]).\(seen)-\(seen)"
        try say(
            (RosterKind.revoked, [UInt8]("\(devices[other])".utf8)), (RosterKind.seen, [UInt8](seen.utf8)), as: device)
    }

    func counts(_ device: Int, _ sequence: UInt64) throws -> Bool {
        try #require(try log.roster()).counts(EventID(devices[device], sequence))
    }
}

@Suite struct `The roster of a log` {
    private let fleet: RosterLog

    init() throws { fleet = try RosterLog() }

    @Test func `is not there until the log is sealed; then what was before counts, and nobody else's later events`()
        throws
    {
        try fleet.test.append(5, as: fleet.devices[1])
        #expect(try fleet.log.roster() == nil)
        try fleet.seal(as: 0)
        try fleet.test.append(5, as: fleet.devices[1])
        #expect(try fleet.counts(1, 5) && !fleet.counts(1, 6) && fleet.counts(0, 1))
        try fleet.approve(1, as: 1)
        #expect(try !fleet.counts(1, 6), "nobody lets itself in")
        try fleet.approve(1, as: 0)
        #expect(try fleet.counts(1, 6))
    }

    @Test func `gives the log another generation when it decides otherwise about events that are here, and only then`()
        throws
    {
        let first = try fleet.log.generation()
        try fleet.seal(as: 0)
        try fleet.approve(1, as: 0)
        #expect(try fleet.log.generation() == first)
        try fleet.test.append(5, as: fleet.devices[1])
        try fleet.test.append(5, as: fleet.devices[2])
        #expect(try fleet.log.generation() == first, "what nobody has approved does not count from the beginning")
        try fleet.revoke(1, seen: 3, as: 0)
        let second = try fleet.log.generation()
        #expect(try second.number == first.number + 1 && fleet.counts(1, 3) && !fleet.counts(1, 4))
        try fleet.approve(3, as: 0)
        #expect(try fleet.log.generation() == second)
        try fleet.approve(2, as: 0)
        #expect(try fleet.log.generation().number == first.number + 2)
    }

    @Test func `excludes a device with more histories than can be named: then nothing of it was seen`() throws {
        try fleet.seal(as: 0)
        try fleet.approve(1, as: 0)
        try fleet.test.append(5, as: fleet.devices[1])
        let seen = (UInt64(0)..<2_200).map { "\(ReplicaID(high: 9, low: $0)).1-1" }.joined(separator: ",")
        #expect(seen.utf8.count > RosterKind.valueLimit)
        try fleet.say(
            (RosterKind.revoked, [UInt8]("\(fleet.devices[1])".utf8)), (RosterKind.seen, [UInt8](seen.utf8)), as: 0)
        #expect(try fleet.log.roster()?.isMember(fleet.devices[1]) == false && !fleet.counts(1, 1))
    }

    @Test func `is sealed however many devices there were, and takes little from an event that names much`() throws {
        let before = (UInt64(0)..<3_000).map { "\(ReplicaID(high: 9, low: $0)).1-1" }.joined(separator: ",")
        let keys = [UInt8](repeating: 1, count: 64)
        try fleet.say((RosterKind.phrase, keys), (RosterKind.before, [UInt8](before.utf8)), as: 0)
        #expect(try fleet.log.rosterRow().root != nil)
        let size = try fleet.log.rosterRow().bytes.count
        // A few bytes that name a thousand events.
        try fleet.say(
            (RosterKind.approved, [UInt8]("\(fleet.devices[2])".utf8)),
            (RosterKind.ending, [UInt8]("\(fleet.devices[3]).1-100000".utf8)), as: 1)
        #expect(try fleet.log.rosterRow().bytes.count - size < 64 * 20)
    }

    @Test func `is the same after closing, in a copy, and after a rewrite`() throws {
        try fleet.seal(as: 0)
        try fleet.approve(1, as: 0)
        try fleet.test.append(9, as: fleet.devices[1])
        try fleet.revoke(1, seen: 4, as: 0)
        let row = try fleet.log.rosterRow()
        #expect(row.statements.count == 3 && row.root != nil)
        let other = try TestLog()
        var frames: [[UInt8]] = []
        try fleet.log.scan(from: 1) { _, frame, bytes in
            frames.append(bytes.extracting(0..<frame.length).toArray())
            return true
        }
        _ = try other.log.append(copying: frames, arrival: .test(9))
        #expect(try other.log.rosterRow().root == nil, "what comes from elsewhere seals nothing by itself")
        #expect(try other.log.believe(try #require(row.root)))
        #expect(try other.log.rosterRow() == row)
        #expect(try fleet.log.letGo(EventSet([EventRange(fleet.devices[1], 1, through: 2)])) == 2)
        #expect(try fleet.log.rosterRow() == row)
        try fleet.log.close()
        let again = try EventLog(opening: fleet.test.path)
        #expect(try again.rosterRow() == row && again.roster()?.counts(EventID(fleet.devices[1], 5)) == false)
    }

    @Test func `decides about events behind one that is lost, too`() throws {
        try fleet.seal(as: 0)
        try fleet.approve(1, as: 0)
        try fleet.test.append(5, as: fleet.devices[1])
        let other = try TestLog()
        #expect(try other.log.believe(try #require(try fleet.log.rosterRow().root)))
        func send() throws {
            var frames: [[UInt8]] = []
            try fleet.log.scan(from: 1) { _, frame, bytes in
                var writer = ByteWriter()
                if frame.id == EventID(fleet.devices[1], 2) {
                    writer.append(lost: frame.id, stamp: frame.stamp, after: 0)
                } else {
                    writer.append(contentsOf: bytes.extracting(0..<frame.length))
                }
                frames.append(writer.bytes)
                return true
            }
            _ = try other.log.append(copying: frames, arrival: .test(9))
        }
        try send()
        let generation = try other.log.generation()
        try fleet.revoke(1, seen: 3, as: 0)
        try send()
        #expect(try other.log.generation() != generation)
    }

    @Test func `is never erased, neither here nor on the way in`() throws {
        try fleet.seal(as: 0)
        try fleet.approve(1, as: 0)
        let row = try fleet.log.rosterRow()
        let statements = EventSet([EventRange(fleet.devices[0], 1, through: 9)])
        _ = try fleet.log.erase(statements)
        #expect(try fleet.log.missingValues().isEmpty)
        try fleet.approve(2, as: 0)
        #expect(try fleet.log.rosterRow().statements.count == row.statements.count + 1)
        let other = try TestLog()
        _ = try other.log.erase(statements)
        var frames: [[UInt8]] = []
        try fleet.log.scan(from: 1) { _, frame, bytes in
            #expect(!frame.isWithheld)
            frames.append(bytes.extracting(0..<frame.length).toArray())
            return true
        }
        _ = try other.log.append(copying: frames, arrival: .test(9))
        #expect(try other.log.rosterRow().statements == fleet.log.rosterRow().statements)
    }

    @Test func `keeps with which keys a device has introduced itself, whoever erases that`() throws {
        let device = fleet.devices[3]
        var numbers = SeededGenerator(seed: 5)
        for value in 1...2 {
            var batch = DraftBatch()
            batch.append(
                Change(
                    kind: ClockDeclaration.kind, record: RecordID(high: device.high, low: device.low),
                    operations: [FieldOperation(.set, .number(1), value: [UInt8(value)])]), by: device, using: &numbers)
            _ = try fleet.log.append([batch], as: device, arrival: .test(1))
        }
        #expect(try fleet.log.erase(EventSet([EventRange(device, 1, through: 2)])) == 1)
        var withheld: [EventID] = []
        try fleet.log.scan(from: 1) { _, frame, _ in
            if frame.isWithheld { withheld.append(frame.id) }
            return true
        }
        #expect(withheld == [EventID(device, 2)])
    }

    @Test func `believes what it was told, and no other event that seals the log`() throws {
        try fleet.seal(as: 1)
        let root = try #require(try fleet.log.rosterRow().root)
        try fleet.seal(as: 0)
        #expect(try fleet.log.rosterRow().root == root && fleet.log.rosterRow().otherSeals.count == 1)
        #expect(try !fleet.log.believe(Hash256(hashing: [1].span.bytes)) && fleet.log.believe(root))
        let other = try RosterLog()
        #expect(try other.log.believe(root))
        try other.test.append(3, as: other.devices[0])
        #expect(try !other.counts(0, 1), "until the event is here, nothing counts")
        try other.seal(as: 0)
        #expect(try !other.counts(0, 4))
    }

    @Test func `is sound however much was said`() throws {
        try fleet.seal(as: 0)
        for _ in 0..<200 { try fleet.approve(1, as: 0) }
        #expect(try fleet.log.rosterRow().statements.count == 201 && fleet.log.rosterRow().bytes.count > 4_096)
        #expect(try LogVerifier.verify(path: fleet.test.path).damage == [])
    }

    @Test func `takes no event that says several things at once, or something else`() throws {
        try fleet.seal(as: 0)
        let device = [UInt8]("\(fleet.devices[1])".utf8)
        try fleet.say((RosterKind.approved, device), (RosterKind.revoked, device), as: 0)
        try fleet.say((RosterKind.approved, [UInt8]("somebody".utf8)), as: 0)
        try fleet.say((99, device), as: 0)
        try fleet.say((RosterKind.phrase, device), as: 0)
        #expect(try fleet.log.rosterRow().statements.count == 1)
    }
}
