import Everything
import Groundwave
import GroundwaveEvents
import GroundwaveMembership
import GroundwaveRecords
import GroundwaveReplication
import GroundwaveSealedRemotes
import GroundwaveSealing
import GroundwaveTesting
import Testing

/// What opens a log for a device that joins.
private enum Way: CaseIterable {
    case phrase, passphrase

    func unlocking(_ words: String) -> Unlocking {
        switch self {
        case .phrase: .phrase(words)
        case .passphrase: .passphrase(SealedFleet.passphrase)
        }
    }
}

/// A sealed log, and a device that belonged to it without ever knowing its passphrase or phrase, and was revoked.
private struct RevokedDevice {
    let cloud = MemoryTransport()
    let founder: TemporaryStore
    let words: String
    /// What the device has read while it belonged.
    let known: KeyFile.Contents
    let scrypt: ScryptParameters

    var place: PlacedKeys { PlacedKeys(at: cloud) }

    init() async throws {
        let open = MemoryTransport()
        founder = try await TemporaryStore(.full(named: "shack"))
        try await founder.store.sync(with: open, as: "open")
        let device = try await TemporaryStore(joining: open, as: "open", .full(named: "lent"))
        try await device.store.sync(with: open, as: "open")
        try await founder.store.sync(with: open, as: "open")
        let words = Store.newRecoveryPhrase()
        try await founder.store.seal(
            passphrase: SealedFleet.passphrase, recoveryPhrase: words, including: [try device.replica])
        self.words = words.joined(separator: " ")
        try await founder.store.sync(with: cloud, as: "cloud")
        let file = try #require(try await PlacedKeys(at: cloud).files().first)
        let key = try file.epochKey(with: RecipientKey(identity: try device.store.files.readIdentity()))
        (known, scrypt) = (try file.contents(with: key), file.scrypt)
        try await founder.store.revoke(try device.replica)
        try await founder.log("N0CALL")
        try await founder.store.sync(with: cloud, as: "cloud")
    }

    /// A key file for everybody who can open those of the log, with what the device wants them to believe.
    func forged(log: LogID? = nil, root: Hash256? = nil, namesKey: [UInt8]? = nil) throws -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let contents = KeyFile.Contents(
            log: log ?? known.log, root: root ?? known.root, namesKey: namesKey ?? known.namesKey,
            proofs: known.proofs, recipients: known.recipients, formerKeys: [])
        return try KeyFile.bytes(
            contents, with: EpochKey.random(using: &generator), scrypt: scrypt, using: &generator)
    }

    /// The names of the key files there, in the order in which they are read.
    func names() throws -> [ObjectName] {
        try cloud.list(prefix: try #require(ObjectPrefix(folder: "keys")), startAfter: nil, limit: 1000)
    }

    /// Puts a key file before or behind all others; returns its name.
    func put(isFirst: Bool, _ make: () throws -> [UInt8]) async throws -> ObjectName {
        let before = try names()
        while true {
            guard try await place.put(try make()) else { continue }
            let now = try names()
            let name = try #require(now.first { !before.contains($0) })
            if (isFirst ? now.first : now.last) == name { return name }
            try cloud.delete(name)
        }
    }

    func join(_ way: Way) async throws -> TemporaryStore {
        try await TemporaryStore(joining: cloud, as: "cloud", .full(named: "new"), unlocking: way.unlocking(words))
    }
}

@Suite struct `Joining a sealed log where somebody has put false key files` {
    private let root = Hash256(at: 0, of: [UInt8](1...32).span.bytes)

    @Test(arguments: Way.allCases)
    fileprivate func `reaches the true log, wherever the false files are`(way: Way) async throws {
        let lent = try await RevokedDevice()
        let lies: [() throws -> [UInt8]] = [
            { try lent.forged(root: root) }, { try lent.forged(namesKey: [UInt8](1...32)) },
            { try lent.forged(log: LogID([UInt8](1...16))) },
        ]
        for (index, lie) in lies.enumerated() {
            let name = try await lent.put(isFirst: index != 1, lie)
            let joined = try await lent.join(way)
            #expect(try joined.store.log.rosterRow().root == lent.founder.store.log.rosterRow().root)
            #expect(try joined.store.logID == lent.founder.store.logID && joined.calls == ["N0CALL"])
            try lent.cloud.delete(name)
        }
        _ = try await lent.put(isFirst: true, lies[0])
        _ = try await lent.put(isFirst: false, lies[0])
        let joined = try await lent.join(way)
        #expect(try joined.store.log.rosterRow().root == lent.founder.store.log.rosterRow().root)
        #expect(try joined.store.membership(of: joined.replica) == (way == .phrase ? .member : .waiting))
    }

    @Test(arguments: Way.allCases)
    fileprivate func `is refused where there are no others`(way: Way) async throws {
        let lent = try await RevokedDevice()
        let name = try #require(try lent.names().first)
        let bytes = try #require(try lent.cloud.get(name, range: nil, limit: KeyFile.byteLimit))
        try await lent.place.delete(Set(lent.place.files().map(\.epoch)))
        _ = try await lent.place.put(lent.forged(root: root))
        let error = await #expect(throws: StoreError.self) { _ = try await lent.join(way) }
        #expect(error?.code == .damaged && error?.message.contains("is false") ?? false, "\(error?.message ?? "")")
        #expect(error?.hint?.contains("revoked") ?? false)
        _ = try await lent.place.put(bytes)
        let joined = try await lent.join(way)
        #expect(try joined.store.log.rosterRow().root == lent.founder.store.log.rosterRow().root)
    }
}

@Suite struct `The proofs in key files` {
    /// How many key files are there, if whoever has the phrase and whoever has the passphrase believes each of them.
    private func believed(at cloud: MemoryTransport, _ words: String, _ passphrase: String) async throws -> Int? {
        let phrase = try RecoveryPhrase(reading: words)
        let files = try await PlacedKeys(at: cloud).files()
        let isBelieved = try files.allSatisfy { file in
            let contents = try file.contents(with: try file.epochKey(with: phrase.recipient))
            let key = try file.passphraseKey(passphrase)
            return contents.isSigned(by: phrase.identity.publicKey) && contents.isConfirmed(by: key)
        }
        return isBelieved ? files.count : nil
    }

    @Test func `are copied by whoever begins an epoch, and made anew for another passphrase`() async throws {
        let fleet = try await SealedFleet()
        #expect(try await believed(at: fleet.cloud, fleet.words, SealedFleet.passphrase) == 1)
        let phone = try await fleet.member("phone")
        #expect(try await believed(at: fleet.cloud, fleet.words, SealedFleet.passphrase) == 1)
        // A device that has neither the phrase nor the passphrase at hand begins this epoch.
        let tablet = try await fleet.join("tablet")
        try await fleet.sync(phone)
        try await phone.store.approve(try tablet.replica)
        try await fleet.sync(phone)
        #expect(try await believed(at: fleet.cloud, fleet.words, SealedFleet.passphrase) == 1)
        try await phone.store.changePassphrase(to: "another one")
        try await phone.log("N1CALL")
        try await fleet.sync(phone)
        #expect(try await believed(at: fleet.cloud, fleet.words, "another one") == 1)
        try await fleet.sync(fleet.founder)
        try await fleet.founder.store.revoke(try tablet.replica)
        try await fleet.sync(fleet.founder)
        #expect(try await believed(at: fleet.cloud, fleet.words, "another one") == 1)
        // The device on which the phrase is typed begins an epoch, too.
        let found = try await fleet.join("found", with: .phrase(fleet.words))
        #expect(try found.store.membership(of: found.replica) == .member)
        #expect(try await believed(at: fleet.cloud, fleet.words, "another one") == 1)
        let last = try await fleet.join("last", with: .passphrase("another one"))
        #expect(try last.calls == ["N1CALL"])
    }

    @Test func `that the phrase has not made are neither copied nor written with`() async throws {
        let fleet = try await SealedFleet()
        let phone = try await fleet.member("phone")
        let file = try #require(try await PlacedKeys(at: fleet.cloud).files().first)
        let identity = try phone.store.files.readIdentity()
        let key = try file.epochKey(with: RecipientKey(identity: identity))
        let contents = try file.contents(with: key)
        var generator = SystemRandomNumberGenerator()
        let unsigned = KeyFile.Contents(
            log: contents.log, root: contents.root, namesKey: contents.namesKey,
            proofs: RootProofs(
                signature: identity.sign(contents.root.description.utf8.map { $0 }), mac: contents.proofs.mac),
            recipients: contents.recipients, formerKeys: contents.formerKeys + [key])
        let bytes = try KeyFile.bytes(
            unsigned, with: EpochKey.random(using: &generator), scrypt: file.scrypt, using: &generator)
        try await phone.store.write { batch in
            try batch.append(
                Change(
                    kind: RosterKind.name, record: batch.newID(),
                    operations: [FieldOperation(.set, .number(RosterKind.epoch), value: bytes)]))
            _ = try batch.add(Contact("N1CALL"))
        }
        try await fleet.sync(phone, fleet.founder)
        #expect(try fleet.founder.calls == ["N1CALL"])
        try await fleet.founder.log("N2CALL")
        try await fleet.sync(fleet.founder)
        #expect(try await believed(at: fleet.cloud, fleet.words, SealedFleet.passphrase) == 1)
        try await fleet.founder.store.changePassphrase(to: "another one")
        try await fleet.sync(fleet.founder)
        #expect(try await believed(at: fleet.cloud, fleet.words, "another one") == 1)
        for unlocking in [Unlocking.phrase(fleet.words), .passphrase("another one")] {
            let joined = try await fleet.join("new", with: unlocking)
            #expect(try joined.calls == ["N1CALL", "N2CALL"])
        }
    }
}
