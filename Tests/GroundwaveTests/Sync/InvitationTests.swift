import Everything
import Groundwave
import GroundwaveEvents
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

extension TemporaryStore {
    /// A key file that whoever has a key of the log can make for the code with this public key, without knowing the code.
    func keyFile(for recipient: [UInt8]) throws -> [UInt8] {
        let contents = try #require(try store.newestContents())
        var generator = SystemRandomNumberGenerator()
        return try KeyFile.bytes(
            KeyFile.Contents(
                log: contents.log, root: contents.root, namesKey: contents.namesKey, proofs: contents.proofs,
                recipients: [KeyFile.Recipient(.device, publicKey: recipient)], formerKeys: []),
            with: EpochKey.random(using: &generator), scrypt: .random(using: &generator), using: &generator)
    }
}

@Suite struct `A code for a new device` {
    /// The device that invites, with the code, at the remote.
    private func invited(_ fleet: SealedFleet, for duration: Duration = .seconds(3600)) async throws -> String {
        let code = try await fleet.founder.store.invite(for: duration).code
        try await fleet.sync(fleet.founder)
        return code
    }

    private func keyFiles(_ fleet: SealedFleet) async throws -> Int {
        try await PlacedKeys(at: fleet.cloud).files().count
    }

    @Test func `lets it into the log at once, and is worth nothing afterwards`() async throws {
        let fleet = try await SealedFleet()
        try await fleet.founder.log("N0CALL")
        let code = try await invited(fleet)
        #expect(code.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4])
        let phone = try await fleet.join("phone", with: .code(code.lowercased()))
        #expect(try phone.store.membership(of: phone.replica) == .member && phone.calls == ["N0CALL"])
        try await phone.log("N1CALL")
        try await fleet.sync(phone)
        let summary = try await fleet.founder.store.sync(with: fleet.cloud, as: "cloud")
        #expect(try summary.admitted == [phone.replica] && summary.refused.isEmpty)
        #expect(try fleet.founder.calls == ["N0CALL", "N1CALL"] && fleet.founder.store.openInvitations().isEmpty)
        try await fleet.sync(phone, fleet.founder)
        #expect(try await keyFiles(fleet) == 1)
        try await fleet.founder.log("N2CALL")
        try await fleet.sync(fleet.founder, phone)
        #expect(try phone.agrees(with: fleet.founder) && phone.calls.contains("N2CALL"))
        let late = await #expect(throws: StoreError.self) { _ = try await fleet.join("late", with: .code(code)) }
        #expect(late?.code == .notPermitted)
    }

    @Test func `lets nobody in if two devices have used it`() async throws {
        let fleet = try await SealedFleet()
        let code = try await invited(fleet)
        // Both read what is there before either of them says that it has joined.
        let before = MemoryTransport()
        for name in try fleet.cloud.list(prefix: .all, startAfter: nil, limit: 10_000) {
            let bytes = try #require(try fleet.cloud.get(name, range: nil, limit: 64 << 20))
            _ = try before.putIfAbsent(name, bytes)
        }
        let phone = try await fleet.join("phone", with: .code(code))
        let thief = try await TemporaryStore(
            joining: before, as: "cloud", .full(named: "thief"), unlocking: .code(code))
        #expect(try thief.store.membership(of: thief.replica) == .member)
        try await thief.log("N9CALL")
        try await fleet.sync(thief)
        let summary = try await fleet.founder.store.sync(with: fleet.cloud, as: "cloud")
        #expect(summary.admitted.isEmpty)
        #expect(try Set(summary.refused) == [phone.replica, thief.replica])
        #expect(try fleet.founder.calls.isEmpty)
        #expect(try fleet.founder.store.membership(of: phone.replica) != .member)
        #expect(try fleet.founder.store.membership(of: thief.replica) != .member)
    }

    @Test func `is seen by the other devices, and can be ended there`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        let invitation = try await fleet.founder.store.invite()
        #expect(!"\(invitation)".contains(invitation.code) && !String(reflecting: invitation).contains(invitation.code))
        try await fleet.sync(fleet.founder, phone)
        let unknown = try phone.store.replicas().filter { $0.events == 0 }
        #expect(try unknown.count == 1 && phone.store.membership(of: unknown[0].id) == .member)
        try await phone.store.revoke(unknown[0].id)
        try await fleet.sync(phone)
        let late = try await fleet.join("late", with: .code(invitation.code))
        try await fleet.sync(late)
        let summary = try await fleet.founder.store.sync(with: fleet.cloud, as: "cloud")
        #expect(summary.admitted.isEmpty && summary.refused.isEmpty)
        #expect(try fleet.founder.store.membership(of: late.replica) == .waiting)
        #expect(try fleet.founder.store.openInvitations().isEmpty)
    }

    @Test func `ends when its time is over`() async throws {
        let (clock, cloud) = (VirtualClock(), MemoryTransport())
        let founder = try await TemporaryStore(
            Configuration.full(deviceName: "shack", surroundings: .virtual(clock, seed: 7)))
        try await founder.store.seal(passphrase: "seven rivers", recoveryPhrase: Store.newRecoveryPhrase())
        let code = try await founder.store.invite(for: .seconds(3600)).code
        try await founder.store.sync(with: cloud, as: "cloud")
        #expect(try await PlacedKeys(at: cloud).files().count == 2)
        clock.advance(by: .seconds(3601))
        try await founder.store.sync(with: cloud, as: "cloud")
        #expect(try await PlacedKeys(at: cloud).files().count == 1 && founder.store.openInvitations().isEmpty)
        let late = await #expect(throws: StoreError.self) {
            _ = try await TemporaryStore(joining: cloud, as: "cloud", .full(named: "late"), unlocking: .code(code))
        }
        #expect(late?.code == .notPermitted)
    }

    @Test func `opens what was sealed after the invitation, too`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        let code = try await invited(fleet)
        try await fleet.founder.store.revoke(try phone.replica)
        try await fleet.founder.log("N1CALL")
        try await fleet.sync(fleet.founder)
        let tablet = try await fleet.join("tablet", with: .code(code))
        #expect(try tablet.calls == ["N1CALL"] && tablet.store.membership(of: tablet.replica) == .member)
    }

    @Test func `is only made by a device that belongs to a sealed log, and for a month at most`() async throws {
        let open = try await TemporaryStore(.full())
        let unsealed = await #expect(throws: StoreError.self) { _ = try await open.store.invite() }
        #expect(unsealed?.code == .usage)
        let fleet = try await SealedFleet()
        let waiting = try await fleet.join("waiting")
        let refused = await #expect(throws: StoreError.self) { _ = try await waiting.store.invite() }
        #expect(refused?.code == .notPermitted)
        for duration in [Duration.seconds(59), .seconds(31 * 86_400)] {
            let error = await #expect(throws: StoreError.self) {
                _ = try await fleet.founder.store.invite(for: duration)
            }
            #expect(error?.code == .usage)
        }
        #expect(try fleet.founder.store.openInvitations().isEmpty)
    }

    @Test func `is refused with a letter that is wrong, and opens no key file of somebody else`() async throws {
        let fleet = try await SealedFleet()
        let code = try await invited(fleet)
        let wrong = (code.first == "0" ? "1" : "0") + code.dropFirst()
        let typo = await #expect(throws: StoreError.self) { _ = try await fleet.join("new", with: .code(wrong)) }
        #expect(typo?.code == .usage && typo?.message.contains(wrong) == false)
        // A member knows for whom the key file is, and makes one of another log.
        let invitation = try #require(try fleet.founder.store.syncFile.read().invitations?.first)
        let other = try await SealedFleet()
        let forged = try other.founder.keyFile(for: invitation.recipient)
        let place = MemoryTransport()
        _ = try await PlacedKeys(at: place).put(forged)
        let misled = await #expect(throws: StoreError.self) {
            _ = try await TemporaryStore(joining: place, as: "cloud", .full(named: "new"), unlocking: .code(code))
        }
        #expect(misled?.code == .damaged)
    }
}
