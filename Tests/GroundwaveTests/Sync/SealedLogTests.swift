import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMembership
import GroundwaveRadio
import GroundwaveRecovery
import GroundwaveReplication
import GroundwaveSealing
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

@Suite struct `A sealed log` {
    @Test func `is joined with its passphrase, and agrees once the device is approved`() async throws {
        let fleet = try await SealedFleet()
        try await fleet.founder.log("N0CALL")
        try await fleet.sync(fleet.founder)
        let phone = try await fleet.join("phone")
        #expect(try phone.calls == ["N0CALL"] && phone.store.isSealed())
        #expect(try phone.store.membership(of: phone.replica) == .waiting)
        try await phone.log("N1CALL")
        try await fleet.sync(phone, fleet.founder)
        #expect(try fleet.founder.calls == ["N0CALL"], "what nobody has approved does not count")
        #expect(try phone.calls == ["N0CALL"])
        #expect(try fleet.founder.store.uncountedEvents(of: phone.replica) >= 1)
        try await fleet.founder.store.approve(try phone.replica)
        #expect(try fleet.founder.calls == ["N0CALL", "N1CALL"])
        try await fleet.sync(fleet.founder, phone, fleet.founder)
        #expect(try phone.agrees(with: fleet.founder))
    }

    @Test(arguments: [
        nil, Unlocking.passphrase("seven rivers"),
        .phrase("abandon " + String(repeating: "abandon ", count: 10) + "about"),
    ])
    func `is not joined with something else`(unlocking: Unlocking?) async throws {
        let fleet = try await SealedFleet()
        let error = await #expect(throws: StoreError.self) {
            _ = try await TemporaryStore(joining: fleet.cloud, as: "cloud", .full(), unlocking: unlocking)
        }
        #expect(error?.code == .notPermitted)
    }

    @Test func `keeps apart what a revoked device writes, which reads nothing that is sealed later`() async throws {
        let fleet = try await SealedFleet()
        let (phone, laptop) = (try await fleet.member("phone"), try await fleet.member("laptop"))
        try await phone.log("N1CALL")
        try await fleet.sync(phone, fleet.founder, laptop)
        // In the middle of a sync of the laptop, which has not pushed yet.
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.sync(fleet.founder)
        try await phone.log("N2CALL")
        try await laptop.log("N3CALL")
        try await fleet.sync(phone, laptop, fleet.founder, laptop)
        #expect(try fleet.founder.calls == ["N1CALL", "N3CALL"])
        #expect(try laptop.agrees(with: fleet.founder))
        #expect(try fleet.founder.store.membership(of: phone.replica) == .revoked)
        #expect(try fleet.founder.store.uncountedEvents(of: phone.replica) == 1)
        _ = try? await phone.store.sync(with: fleet.cloud, as: "cloud", isFull: true)
        #expect(try !phone.calls.contains("N3CALL"))
        // Taken in again: what it has written meanwhile counts.
        try await fleet.founder.store.approve(try phone.replica)
        try await fleet.sync(fleet.founder, phone, laptop, fleet.founder)
        #expect(try fleet.founder.calls == ["N1CALL", "N2CALL", "N3CALL"])
        #expect(try phone.agrees(with: fleet.founder, laptop))
    }

    @Test func `gets back what a device had erased that is revoked, also from a place`() async throws {
        let fleet = try await SealedFleet()
        let (phone, laptop) = (try await fleet.member("phone"), try await fleet.member("laptop"))
        try await fleet.founder.log("N0CALL")
        try await fleet.sync(fleet.founder, phone, laptop)
        let id = try #require(try phone.store.read { try $0.all(.contacts) }.first).id
        try await phone.store.erase([id], kind: "qso")
        try await fleet.sync(phone, laptop)
        #expect(try laptop.calls.isEmpty && !laptop.store.log.erased().isEmpty)
        // The founder was away, and revokes the phone before it hears of the erase.
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.sync(fleet.founder, laptop)
        #expect(try fleet.founder.calls == ["N0CALL"] && laptop.store.log.erased().isEmpty)
        try await fleet.sync(fleet.founder, laptop)
        #expect(try laptop.calls == ["N0CALL"] && laptop.agrees(with: fleet.founder))
        #expect(try laptop.store.log.missingValues().isEmpty)
    }

    @Test func `that was recovered does not carry out the erase of a stranger`() async throws {
        let fleet = try await SealedFleet()
        try await fleet.founder.log("N0CALL")
        try await fleet.sync(fleet.founder)
        let phone = try await fleet.join("phone")
        let id = try #require(try phone.store.read { try $0.all(.contacts) }.first).id
        try await phone.store.erase([id], kind: "qso")
        try await fleet.sync(phone, fleet.founder)
        #expect(try fleet.founder.calls == ["N0CALL"])
        try fleet.founder.store.close()
        try Damage.loseMetaPages(of: fleet.founder.url)
        let recovery = try await fleet.founder.recovery()
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await fleet.founder.opening().whole
        #expect(try restored.log.erased().isEmpty && restored.log.missingValues().isEmpty)
        #expect(try restored.read { try $0.all(.contacts) }.count == 1 && restored.log.rosterRow().root != nil)
        try restored.close()
    }

    @Test func `seals with no key that a device got with a later one`() async throws {
        let fleet = try await SealedFleet()
        // The first epoch was for the founder alone. Each later one has its key, too.
        let phone = try await fleet.member("phone")
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.founder.log("N1CALL")
        try await fleet.sync(fleet.founder)
        _ = try? await phone.store.sync(with: fleet.cloud, as: "cloud", isFull: true)
        #expect(try phone.calls.isEmpty)
        // The passphrase was another one in the last epoch that is for the same devices as now.
        let laptop = try await fleet.member("laptop")
        try await fleet.founder.store.changePassphrase(to: "another one")
        try await fleet.founder.store.revoke(try laptop.replica)
        try await fleet.founder.log("N2CALL")
        try await fleet.sync(fleet.founder)
        let error = await #expect(throws: StoreError.self) { _ = try await fleet.join("thief") }
        #expect(error?.code == .notPermitted)
        let tablet = try await fleet.join("tablet", with: .passphrase("another one"))
        #expect(try tablet.calls == ["N1CALL", "N2CALL"])
    }

    @Test func `lets no excluded device read on by a passphrase that it has set`() async throws {
        let fleet = try await SealedFleet()
        let (phone, tablet) = (try await fleet.member("phone"), try await fleet.join("tablet"))
        try await phone.store.changePassphrase(to: "of a thief")
        try await fleet.sync(phone, tablet, fleet.founder)
        // An epoch of the founder copies that passphrase.
        try await fleet.founder.store.approve(try tablet.replica)
        try await fleet.sync(fleet.founder)
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.founder.log("N1CALL")
        try await fleet.sync(fleet.founder)
        let thief = await #expect(throws: StoreError.self) {
            _ = try await TemporaryStore(
                joining: fleet.cloud, as: "cloud", .full(named: "thief"), unlocking: .passphrase("of a thief"))
        }
        #expect(thief?.code == .notPermitted)
        #expect(try await fleet.join("laptop").calls == ["N1CALL"])
    }

    @Test func `takes a device in again, however often it was excluded`() async throws {
        let fleet = try await SealedFleet()
        let (phone, tablet) = (try await fleet.member("phone"), try await fleet.member("tablet"))
        let other = try tablet.replica
        for _ in 0..<3 {
            try await phone.store.write { batch in
                for _ in 0..<50 {
                    try batch.append(RosterKind.revocation(of: other, seen: [], as: batch.newID()))
                }
            }
        }
        try await tablet.log("N1CALL")
        try await fleet.sync(phone, tablet, fleet.founder)
        #expect(try fleet.founder.store.membership(of: other) == .revoked && fleet.founder.calls.isEmpty)
        try await fleet.founder.store.approve(other)
        #expect(try fleet.founder.store.membership(of: other) == .member && fleet.founder.calls == ["N1CALL"])
    }

    @Test func `brings everybody what a device has sealed for some, which was excluded meanwhile`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        let (tablet, watch) = (try await fleet.join("tablet"), try await fleet.join("watch"))
        try await fleet.sync(tablet, watch, fleet.founder, phone)
        try await fleet.founder.store.approve(try tablet.replica)
        try await fleet.sync(fleet.founder, tablet)
        // It has not heard of the tablet, and begins an epoch without it.
        try await phone.store.approve(try watch.replica)
        try await phone.log("N1CALL")
        try await phone.store.sync(with: fleet.cloud, as: "cloud", isPulling: false)
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.sync(fleet.founder, tablet)
        #expect(try tablet.agrees(with: fleet.founder) && tablet.calls.isEmpty)
        // So it counts there, too, once somebody takes it in.
        #expect(try await fleet.founder.store.admit(try phone.replica).value == 4)
        try await fleet.sync(fleet.founder, tablet)
        #expect(try tablet.calls == ["N1CALL"] && tablet.store.membership(of: phone.replica) == .revoked)
    }

    @Test func `counts what the phrase had seen of a device, whatever else a thief signs with its key`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        try phone.store.close()
        let (owner, thief) = (
            try await phone.reopened(.full(named: "phone")), try await phone.twin(.full(named: "phone"))
        )
        defer { try? owner.close() }
        for number in 1...3 { try await owner.write { try $0.add(Contact("N\(number)CALL")) } }
        try await owner.sync(with: fleet.cloud, as: "cloud")
        try await fleet.sync(fleet.founder)
        #expect(try await fleet.founder.store.revoke(try phone.replica, byPhrase: fleet.words))
        // Under the same numbers.
        for number in 4...9 { try await thief.log("N\(number)CALL") }
        try await thief.store.sync(with: fleet.cloud, as: "cloud", isPulling: false)
        try await fleet.sync(fleet.founder)
        #expect(try fleet.founder.store.log.streams().isForked(phone.replica))
        #expect(try fleet.founder.calls == ["N1CALL", "N2CALL", "N3CALL"])
    }

    @Test func `tells a device that waits what it lacks, when it can read no more`() async throws {
        let fleet = try await SealedFleet()
        let (waiting, phone) = (try await fleet.join("waiting"), try await fleet.join("phone"))
        try await fleet.sync(fleet.founder)
        try await fleet.founder.store.approve(try phone.replica)
        let place = MemoryTransport()
        try await fleet.founder.store.sync(with: place, as: "other")
        let error = await #expect(throws: StoreError.self) { try await waiting.store.sync(with: place, as: "other") }
        #expect(error?.code == .notPermitted && error?.message.contains("does not have the key") == true)
    }

    @Test func `is opened with the phrase by a device that was excluded, through a transport of an application`()
        async throws
    {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.founder.log("N1CALL")
        try await fleet.sync(fleet.founder)
        _ = try? await phone.store.sync(with: fleet.cloud, as: "cloud", isFull: true)
        #expect(try phone.calls.isEmpty)
        // It has lost the remote, too.
        try phone.store.remove(remote: "cloud")
        let wrong = Store.newRecoveryPhrase().joined(separator: " ")
        let refused = await #expect(throws: StoreError.self) {
            try await phone.store.acceptSeal(through: fleet.cloud, as: "cloud", .phrase(wrong))
        }
        #expect(refused?.code == .notPermitted)
        try await phone.store.acceptSeal(through: fleet.cloud, as: "cloud", .phrase(fleet.words))
        try await fleet.sync(phone)
        #expect(try phone.calls == ["N1CALL"] && phone.store.membership(of: phone.replica) == .revoked)
        #expect(try await phone.store.approve(try phone.replica, byPhrase: fleet.words))
        try await fleet.sync(phone, fleet.founder)
        #expect(try phone.agrees(with: fleet.founder))
    }

    @Test func `agrees with a device that was away through two epochs`() async throws {
        let fleet = try await SealedFleet()
        let (phone, laptop) = (try await fleet.member("phone"), try await fleet.member("laptop"))
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.founder.log("N1CALL")
        try await fleet.sync(fleet.founder)
        try await fleet.founder.store.changePassphrase(to: "another one")
        try await fleet.founder.log("N2CALL")
        try await fleet.sync(fleet.founder)
        try await laptop.log("N3CALL")
        try await fleet.sync(laptop, fleet.founder)
        #expect(try laptop.agrees(with: fleet.founder))
        #expect(try laptop.calls == ["N1CALL", "N2CALL", "N3CALL"])
        let error = await #expect(throws: StoreError.self) { _ = try await fleet.join("thief") }
        #expect(error?.code == .notPermitted)
        _ = try await fleet.join("tablet", with: .passphrase("another one"))
    }

    @Test func `is had back by the phrase alone, byte for byte`() async throws {
        let fleet = try await SealedFleet()
        try await fleet.founder.store.importText(generatedLog(300))
        try await fleet.sync(fleet.founder)
        let exported = try fleet.founder.store.exported(.adi)
        let found = try await fleet.join("new", with: .phrase(fleet.words))
        #expect(try found.store.exported(.adi) == exported)
        #expect(try found.store.membership(of: found.replica) == .member)
        try await found.log("N0CALL")
        try await fleet.sync(found, fleet.founder)
        #expect(try fleet.founder.calls.contains("N0CALL") && found.agrees(with: fleet.founder))
    }

    @Test func `is put right by the phrase after its first device was stolen`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        let refused = await #expect(throws: StoreError.self) {
            try await phone.store.revoke(try fleet.founder.replica)
        }
        #expect(refused?.code == .notPermitted)
        #expect(try await phone.store.revoke(try fleet.founder.replica, byPhrase: fleet.words))
        try await fleet.founder.log("N9CALL")
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.sync(fleet.founder, phone)
        #expect(try phone.calls.isEmpty)
        #expect(try phone.store.membership(of: phone.replica) == .member)
        #expect(try phone.store.membership(of: fleet.founder.replica) == .revoked)
    }

    @Test func `leaves nothing at a place that a search finds, and an open one does`() async throws {
        // With the ids of log and replica, 100.
        let canaries = (0..<96).map { "N0C\($0 + 100)" } + ["shack-of-canaries", "a note with a canary"]
        func fill(_ temporary: TemporaryStore) async throws {
            for call in canaries.prefix(96) {
                try await temporary.store.write(note: canaries[97]) { try $0.add(Contact(call)) }
            }
        }
        let open = MemoryTransport()
        let plain = try await TemporaryStore(.full(named: canaries[96]))
        try await fill(plain)
        try await plain.store.sync(with: open, as: "cloud")
        let fleet = try await SealedFleet(.full(named: canaries[96]))
        try await fill(fleet.founder)
        try await fleet.sync(fleet.founder)
        let ids = [fleet.founder.store.logID.bytes, try #require(fleet.founder.store.replica).bytes]
        func found(at place: MemoryTransport, _ ids: [[UInt8]]) async throws -> Int {
            var names = try place.list(prefix: .all, startAfter: nil, limit: 10_000)
            names.sort()
            var (all, expanded) = ([UInt8](), [UInt8]())
            for name in names {
                let bytes = try #require(try place.get(name, range: nil, limit: 64 << 20))
                all += Array(name.description.utf8) + bytes
                if let segment = try? Segment(reading: bytes, of: plain.store.logID) {
                    for range in segment.ranges {
                        let frame = try RangeFrame(reading: range, of: plain.store.logID)
                        for number in frame.range.first...frame.range.last {
                            try frame.withEvent(number) { _, bytes in expanded += bytes.toArray() }
                        }
                    }
                }
            }
            let needles = canaries.map { [UInt8]($0.utf8) } + ids
            return needles.count { needle in contains(all, needle) || contains(expanded, needle) }
        }
        #expect(try await found(at: fleet.cloud, ids) == 0)
        let plainIDs = [plain.store.logID.bytes, try #require(plain.store.replica).bytes]
        #expect(try await found(at: open, plainIDs) == canaries.count + 2)
    }

    @Test func `is told apart from another of its shape by the classes of padded sizes at most`() async throws {
        /// What a stranger sees: how names are made, and sizes.
        func shape(_ calls: [String]) async throws -> (names: [String], sizes: [Int]) {
            let fleet = try await SealedFleet()
            for call in calls {
                try await fleet.founder.log(call)
                try await fleet.sync(fleet.founder)
            }
            let names = try fleet.cloud.list(prefix: .all, startAfter: nil, limit: 10_000)
            let sizes = try names.filter { !$0.description.hasPrefix("keys/") }.map { name in
                try #require(try fleet.cloud.get(name, range: nil, limit: 64 << 20)).count
            }
            let hidden = names.map { $0.description.replacing(/[0-9A-Za-z]{16,}/, with: "…") }
            return (hidden.sorted(), sizes)
        }
        let (one, other) = (
            try await shape((0..<12).map { "N\($0 % 10)CALL" }), try await shape((0..<12).map { "K\(9 - $0 % 10)ZZZZ" })
        )
        #expect(one.names == other.names && one.names.count > 12)
        for size in one.sizes + other.sizes {
            let content = size - SealedObject.sealedSize(of: 0) + Padding.size(of: 4)
            #expect(Padding.size(of: content) == content, "\(size)")
        }
    }

    private func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(needle)) != nil
    }
}
