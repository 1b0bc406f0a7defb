import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRecords
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveSeededNumbers
import GroundwaveStore
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

/// A place that lists the same full page whatever was asked for, or pages that go backwards.
private struct StuckListing: Transport {
    let isBackwards: Bool

    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        let first = isBackwards && startAfter != nil ? 1_000 : 5_000
        return (first..<first + limit).compactMap { number in
            let digits = String(number)
            return ObjectName("\(prefix)\(String(repeating: "0", count: 20 - digits.count))\(digits).segment")
        }
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] { [] }
    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? { nil }
    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome { .exists }
    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {}
    func delete(_ name: ObjectName) async throws(TransportError) {}
}

extension SealedFleet {
    /// The names of the key files at the place.
    fileprivate var keyFiles: [ObjectName] {
        get throws {
            try cloud.list(prefix: try #require(ObjectPrefix(folder: "keys")), startAfter: nil, limit: 1000)
        }
    }

    fileprivate func bytes(of name: ObjectName) throws -> [UInt8] {
        try #require(try cloud.get(name, range: nil, limit: KeyFile.byteLimit))
    }
}

@Suite struct `A sealed log after an attack or a crash` {
    @Test func `has a key file that was cut short written again`() async throws {
        let fleet = try await SealedFleet()
        let name = try #require(try fleet.keyFiles.first)
        let whole = try fleet.bytes(of: name)
        for count in [0, 4, 59, whole.count - 1] {
            try fleet.cloud.replace(name, Array(whole.prefix(count)))
            let refused = await #expect(throws: StoreError.self) { _ = try await fleet.join("early") }
            #expect(refused?.code == .notPermitted)
            try await fleet.founder.log("N\(count)CALL")
            try await fleet.sync(fleet.founder)
            #expect(try fleet.bytes(of: name) == whole, "after \(count) bytes")
        }
        #expect(try await fleet.join("phone").calls == fleet.founder.calls)
    }

    @Test func `has a mark that was cut short written again`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        let mark = try #require(ObjectName("groundwave-sealed"))
        let size = try fleet.bytes(of: mark).count
        for count in [0, 4, 52, size - 1] {
            try fleet.cloud.replace(mark, Array(try fleet.bytes(of: mark).prefix(count)))
            try await fleet.founder.log("N\(count)CALL")
            try await fleet.sync(fleet.founder)
            #expect(try fleet.bytes(of: mark).count == size, "after \(count) bytes")
            try await fleet.sync(phone)
            #expect(try phone.agrees(with: fleet.founder))
        }
        #expect(try await fleet.join("tablet").calls == fleet.founder.calls)
    }

    @Test(arguments: [false, true])
    func `ends a listing that does not advance with an error`(isBackwards: Bool) async throws {
        let keys = LogKeys(
            log: LogID([UInt8](1...16)), root: Hash256(at: 0, of: [UInt8](1...32).span.bytes),
            keyring: Keyring(namesKey: [UInt8](1...32), keys: []))
        let sealed = SealedTransport(StuckListing(isBackwards: isBackwards), keys) {
            _ in
            []
        } writing: {
            throw CancellationError()
        }
        let folder = try #require(ObjectPrefix(folder: "stores/\(Identity().replica)"))
        let error = await #expect(throws: TransportError.self) {
            _ = try await sealed.list(prefix: folder, startAfter: nil, limit: 100_000)
        }
        guard case .unreachable(let reason)? = error else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
        #expect(reason.contains("does not advance"))
    }

    @Test func `goes on with more members than a key file has room for`() async throws {
        let fleet = try await SealedFleet()
        let store = fleet.founder.store
        let folder = try TemporaryFolder()
        var numbers = SeededGenerator(seed: 257)
        var (devices, frames): ([ReplicaID], [RangeFrame]) = ([], [])
        for number in 1...257 {
            let identity = Identity.random(using: &numbers)
            let own = try EventLog.create(at: folder.path("\(number).mdb"), id: store.logID, epoch: 0)
            defer { try? own.close() }
            var batch = DraftBatch()
            batch.append(
                Change(
                    kind: ReplicaKind.name,
                    record: RecordID(high: identity.replica.high, low: identity.replica.low),
                    operations: ReplicaKind.schema.operations(
                        assigning: [
                            Assignment("KEY", identity.publicKey), Assignment("DEVICE", text: "device \(number)"),
                            Assignment("RECEIVES", RecipientKey(identity: identity).publicKey),
                        ], to: nil)), by: identity.replica, using: &numbers)
            _ = try own.append([batch], as: identity.replica, arrival: store.surroundings.now())
            frames.append(
                try #require(
                    try own.frame(
                        of: EventRange(identity.replica, 1, through: 1), signedBy: identity,
                        preferredBytes: RangeLimits.preferredBytes, withholding: { _, _ in false })))
            devices.append(identity.replica)
        }
        let log = StoreLog(store: store)
        _ = try log.receive(frames, arrival: store.surroundings.now())
        try log.fill()
        try await store.write { [devices] batch in
            for device in devices {
                for change in RosterKind.approvals(of: device, ending: [], { batch.newID() }) {
                    try batch.append(change)
                }
            }
        }
        #expect(try devices.allSatisfy { try store.membership(of: $0) == .member })
        try await fleet.founder.log("N0CALL")
        try await fleet.sync(fleet.founder)
        // The most senior ones get the key: the founder is the first of them.
        let phrase = try RecoveryPhrase(reading: fleet.words)
        let file = try #require(try await PlacedKeys(at: fleet.cloud).files().first)
        let contents = try file.contents(with: try file.epochKey(with: phrase.recipient))
        #expect(contents.recipients.count == KeyFile.recipientLimit)
        let own = try #require(try store.receivingKey(of: try fleet.founder.replica))
        #expect(contents.recipients.contains { $0.publicKey == own })
        let found = try await fleet.join("found", with: .phrase(fleet.words))
        #expect(try found.calls == ["N0CALL"])
    }

    @Test func `archives nothing while events wait for an approval`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.join("phone")
        try await phone.log("N0CALL")
        try await fleet.sync(phone, fleet.founder)
        for number in 1...20 { try await fleet.founder.log("N\(number)CALL") }
        let folder = try TemporaryFolder()
        func archive() async throws -> Int {
            try await fleet.founder.store.archive(before: .position(15), to: folder.path("old.gwa")).eventCount
        }
        let error = await #expect(throws: StoreError.self) { _ = try await archive() }
        #expect(error?.code == .notPermitted && error?.message.contains("do not count") ?? false)
        #expect(!FileManager.default.fileExists(atPath: folder.path("old.gwa")))
        try await fleet.founder.store.approve(try phone.replica)
        try await fleet.sync(fleet.founder, phone, fleet.founder)
        #expect(try await archive() > 0)
        #expect(try fleet.founder.calls.contains("N0CALL") && fleet.founder.calls.count == 21)
    }

    @Test func `is sealed after a recovery, and what does not count shows at no time`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.join("phone")
        try await phone.log("N9CALL")
        try await fleet.founder.log("N0CALL")
        try await fleet.sync(phone, fleet.founder)
        #expect(try fleet.founder.calls == ["N0CALL"])
        let root = try fleet.founder.store.log.rosterRow().root
        try fleet.founder.store.close()
        try Damage.loseMetaPages(of: fleet.founder.url)
        let recovery = try await fleet.founder.recovery()
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let store = try await fleet.founder.opening().whole
        defer { try? store.close() }
        #expect(try store.calls() == ["N0CALL"])
        #expect(try store.membership(of: phone.replica) == .waiting)
        #expect(try store.isSealed() && store.log.rosterRow().root == root)
        // It goes on as a new replica, which waits for an approval.
        _ = try await store.log("N1CALL")
        try await store.sync(with: fleet.cloud, as: "cloud")
        try await fleet.sync(phone)
        #expect(try phone.calls == ["N0CALL"] && store.calls() == phone.calls)
        #expect(try fleet.cloud.get(try #require(ObjectName("groundwave-log")), range: nil, limit: 64) == nil)
    }

    @Test func `is refused as a bundle if the length of its last piece was changed`() async throws {
        let fleet = try await SealedFleet()
        try await fleet.founder.log("N0CALL")
        let folder = try TemporaryFolder()
        let path = folder.path("bundle")
        _ = try await fleet.founder.store.createBundle(to: path)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        // Behind the magic, the length of the key file, and the file.
        let offset = 8 + Int(bytes.span.bytes.uint32(at: 4))
        #expect(offset + 4 + Int(bytes.span.bytes.uint32(at: offset)) == bytes.count)
        for place in 0...2 {
            var changed = bytes
            changed[offset + place] &+= 1
            try Data(changed).write(to: URL(filePath: path))
            let error = await #expect(throws: StoreError.self) { try await fleet.founder.store.applyBundle(path) }
            #expect(error?.code == .damaged)
        }
        try Data(bytes).write(to: URL(filePath: path))
        _ = try await fleet.founder.store.applyBundle(path)
    }

    @Test(arguments: [false, true])
    func `keeps a device out whose first exclusion stops counting after a second one`(isByPhrase: Bool) async throws {
        let fleet = try await SealedFleet()
        let (senior, junior) = (try await fleet.member("senior"), try await fleet.member("junior"))
        let thief = try await fleet.member("thief")
        try await fleet.sync(senior, junior)
        try await thief.log("N1CALL")
        try await fleet.sync(thief, senior, junior, fleet.founder)
        try await junior.store.revoke(thief.replica)
        try await fleet.sync(junior)
        try await thief.log("N2CALL")
        try await fleet.sync(thief, senior)
        #expect(try senior.store.membership(of: thief.replica) == .revoked && senior.calls == ["N1CALL"])
        if isByPhrase {
            #expect(try await senior.store.revoke(thief.replica, byPhrase: fleet.words))
            #expect(try await !senior.store.revoke(thief.replica, byPhrase: fleet.words))
        } else {
            #expect(try await senior.store.revoke(thief.replica).value)
            #expect(try await !senior.store.revoke(thief.replica).value)
        }
        try await fleet.sync(senior)
        // It has not heard of the first exclusion, whose author it excludes.
        try await fleet.founder.store.revoke(junior.replica)
        try await thief.log("N3CALL")
        try await fleet.sync(thief, fleet.founder, senior, thief, fleet.founder, senior)
        for store in [fleet.founder, senior] {
            #expect(try store.store.membership(of: thief.replica) == .revoked && store.calls == ["N1CALL"])
        }
    }

    @Test(arguments: [false, true])
    func `keeps a device whose first approval stops counting after a second one`(isByPhrase: Bool) async throws {
        let fleet = try await SealedFleet()
        let (senior, junior) = (try await fleet.member("senior"), try await fleet.member("junior"))
        let phone = try await fleet.join("phone")
        try await phone.log("N1CALL")
        try await fleet.sync(phone, junior)
        try await junior.store.approve(phone.replica)
        try await fleet.sync(junior, senior)
        #expect(try senior.store.membership(of: phone.replica) == .member)
        if isByPhrase {
            #expect(try await senior.store.approve(phone.replica, byPhrase: fleet.words))
            #expect(try await !senior.store.approve(phone.replica, byPhrase: fleet.words))
        } else {
            #expect(try await senior.store.approve(phone.replica).value)
            #expect(try await !senior.store.approve(phone.replica).value)
        }
        #expect(try await !junior.store.approve(phone.replica).value)
        // It has not heard of the first approval.
        try await fleet.founder.store.revoke(junior.replica)
        try await fleet.sync(senior, fleet.founder, senior, phone)
        for store in [fleet.founder, senior, phone] {
            #expect(try store.store.membership(of: phone.replica) == .member && store.calls == ["N1CALL"])
        }
    }

    @Test func `ends the exclusion that is meant, also if its author turns out to have two histories`() async throws {
        let fleet = try await SealedFleet()
        let (laptop, phone) = (try await fleet.member("laptop"), try await fleet.member("phone"))
        let founder = try fleet.founder.replica
        try fleet.founder.store.close()
        let twin = try await fleet.founder.twin(.full())
        let (one, other) = (try await fleet.founder.reopened(.full()), twin.store)
        defer { try? one.close() }
        // The same number, in two histories.
        try await one.revoke(phone.replica)
        try await other.revoke(phone.replica)
        #expect(one.replica == founder && other.replica == founder)
        try await one.sync(with: fleet.cloud, as: "cloud")
        try await fleet.sync(laptop)
        #expect(try laptop.store.membership(of: phone.replica) == .revoked)
        #expect(try await laptop.store.approve(phone.replica, byPhrase: fleet.words))
        #expect(try await laptop.store.revoke(founder, byPhrase: fleet.words))
        try await fleet.sync(laptop)
        try await other.sync(with: fleet.cloud, as: "cloud")
        try await fleet.sync(laptop, phone, laptop)
        for store in [laptop, phone] {
            #expect(try store.store.membership(of: phone.replica) == .member)
            #expect(try store.store.forks().count == 1)
        }
    }

    @Test func `wraps its keys for what a device says itself, and not for what others say of it`() async throws {
        let fleet = try await SealedFleet()
        let laptop = try await fleet.member("laptop")
        let phone = try await fleet.join("phone")
        try await fleet.sync(laptop)
        let (device, thief) = (try phone.replica, RecipientKey(identity: Identity()))
        try await laptop.store.write { batch in
            try batch.append(
                Change(
                    kind: ReplicaKind.name, record: RecordID(high: device.high, low: device.low),
                    operations: [FieldOperation(.set, .number(ReplicaKind.receives), value: thief.publicKey)]))
        }
        try await fleet.sync(laptop, fleet.founder)
        try await fleet.founder.store.approve(device)
        try await fleet.founder.log("N0CALL")
        try await fleet.sync(fleet.founder)
        for file in try await PlacedKeys(at: fleet.cloud).files() {
            #expect((try? file.epochKey(with: thief)) == nil)
            _ = try file.epochKey(with: RecipientKey(identity: try phone.store.files.readIdentity()))
        }
        try await fleet.sync(phone)
        #expect(try phone.calls == ["N0CALL"])
    }
}
