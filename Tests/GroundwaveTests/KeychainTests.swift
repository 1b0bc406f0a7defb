import Everything
import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSealing
import GroundwaveStore
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

extension TemporaryStore {
    /// The device halves of its tokens.
    fileprivate func halves() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: stateFolder.appending(path: "tokens").path)
            .filter { $0.contains("/") && !$0.hasSuffix(".heads") }
    }

    /// Every secret of 32 bytes that the store has.
    fileprivate func secrets() throws -> (identity: [UInt8], keys: [[UInt8]]) {
        let keyring = try #require(try store.logKeys()).keyring
        return (
            try store.files.readIdentity().secret,
            [keyring.namesKey] + keyring.epochs.compactMap { keyring.key(of: $0)?.bytes }
        )
    }
}

@Suite struct `A store with a keychain` {
    @Test func `has none of its secrets on the disk, and is the same replica when it is opened again`() async throws {
        let keychain = MemoryKeychain()
        let fleet = try await SealedFleet(.kept(in: keychain))
        let founder = fleet.founder
        let phone = try await fleet.member("phone")
        try await founder.log("N0CALL")
        try await fleet.sync(founder, phone)
        let (identity, keys) = try founder.secrets()
        #expect(keys.count >= 3)
        for secret in [identity] + keys { #expect(try founder.files(holding: secret) == []) }
        let kept = try #require(keychain.secrets.values.first)
        #expect(keychain.secrets.count == 1 && kept.count == 32)
        #expect(try founder.files(holding: kept) == [])
        for file in [founder.identity, founder.keys] { #expect(try FileOnDisk(file).mode == 0o600) }
        let replica = try founder.replica
        try founder.store.close()
        for call in ["N1CALL", "N2CALL"] {
            let again = try await founder.reopened(.kept(in: keychain))
            _ = try await again.log(call)
            try await again.sync(with: fleet.cloud, as: "cloud")
            #expect(again.replica == replica)
            try again.close()
        }
        try await fleet.sync(phone)
        #expect(try phone.calls == ["N0CALL", "N1CALL", "N2CALL"])
        #expect(keychain.secrets.count == 1)
    }

    @Test func `differs from one without, whose files have the secrets`() async throws {
        let founder = try await SealedFleet().founder
        let (identity, keys) = try founder.secrets()
        #expect(try Data(contentsOf: founder.identity) == Data(identity))
        #expect(try founder.files(holding: identity) == ["identity"])
        for key in keys { #expect(try founder.files(holding: key) == ["keys"]) }
    }

    @Test func `joins a sealed log with keys that are encrypted from the beginning`() async throws {
        let fleet = try await SealedFleet()
        let keychain = MemoryKeychain()
        let phone = try await TemporaryStore(
            joining: fleet.cloud, as: "cloud", .kept(in: keychain, named: "phone"),
            unlocking: .passphrase(SealedFleet.passphrase))
        let (identity, keys) = try phone.secrets()
        for secret in [identity] + keys { #expect(try phone.files(holding: secret) == []) }
        try await fleet.sync(fleet.founder)
        try await fleet.founder.store.approve(try phone.replica)
        try await fleet.sync(fleet.founder, phone)
        try await phone.log("N1CALL")
        try await fleet.sync(phone, fleet.founder)
        #expect(try fleet.founder.calls == ["N1CALL"])
    }

    @Test func `that was made without one is encrypted at its first write, and stays the same replica`() async throws {
        let made = try await TemporaryStore(.full())
        _ = try await made.store.log("N0CALL")
        let replica = try made.replica
        try made.store.close()
        let before = try FileOnDisk(made.identity)
        let keychain = MemoryKeychain()
        let store = try await made.reopened(.kept(in: keychain))
        #expect(try FileOnDisk(made.identity) == before && keychain.secrets.isEmpty, "nothing was written")
        _ = try await store.log("N1CALL")
        let after = try FileOnDisk(made.identity)
        #expect(after.inode != before.inode && after.mode == 0o600)
        #expect(store.replica == replica)
        #expect(try made.files(holding: [UInt8](before.bytes)) == [])
        #expect(try made.halves().count == 1, "that of the former file is gone")
        try store.close()
        for call in ["N2CALL", "N3CALL"] {
            let again = try await made.reopened(.kept(in: keychain))
            _ = try await again.log(call)
            #expect(again.replica == replica)
            #expect(try FileOnDisk(made.identity) == after, "it is encrypted once")
            try again.close()
        }
        let reader = try await made.reopened(.kept(in: keychain, isReadOnly: true))
        #expect(try reader.contactCount() == 4 && reader.replica == replica && reader.replicas().count == 1)
        #expect(try reader.signedHead().replica == replica)
        try reader.close()
        #expect(try await Store.verify(at: made.url, isDeep: true, components: .all).isOK)
    }

    @Test func `that was made and sealed without one encrypts the keys of the log when it uses them`() async throws {
        let fleet = try await SealedFleet()
        let (_, keys) = try fleet.founder.secrets()
        try fleet.founder.store.close()
        let keychain = MemoryKeychain()
        let store = try await fleet.founder.reopened(.kept(in: keychain))
        _ = try await store.log("N0CALL")
        try await store.sync(with: fleet.cloud, as: "cloud")
        for key in keys { #expect(try fleet.founder.files(holding: key) == []) }
        let before = try FileOnDisk(fleet.founder.keys)
        let keyring = try #require(try store.logKeys()).keyring
        #expect(keys.dropFirst().allSatisfy { key in keyring.epochs.contains { keyring.key(of: $0)?.bytes == key } })
        #expect(try FileOnDisk(fleet.founder.keys) == before, "they are encrypted once")
        try store.close()
        #expect(try await fleet.join("phone").calls == ["N0CALL"])
    }

    @Test func `is not written to without it, and loses nothing by the attempt`() async throws {
        let keychain = MemoryKeychain()
        let fleet = try await SealedFleet(.kept(in: keychain))
        let founder = fleet.founder
        try await founder.log("N0CALL")
        let replica = try founder.replica
        try founder.store.close()
        let before = try [founder.identity, founder.keys, Damage.log(of: founder.url)].map { try FileOnDisk($0) }
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) { try await founder.reopened(.full()) }
            #expect(error?.code == .notPermitted && error?.message.contains("keychain") ?? false)
            #expect(
                try before == [founder.identity, founder.keys, Damage.log(of: founder.url)].map { try FileOnDisk($0) })
        }
        let reader = try await founder.reopened(.full(isReadOnly: true))
        #expect(try reader.contactCount() == 1 && reader.replica == nil && reader.isSealed())
        #expect(try reader.logKeys() == nil)
        let error = #expect(throws: StoreError.self) { try reader.signedHead() }
        #expect(error?.code == .notPermitted)
        try reader.close()
        #expect(throws: StoreError.self) { try StoreFiles(founder.url).readLogKeys() }
        // What tells about the store says that it is not readable here, and not that it is damaged.
        #expect(try await Store.verify(at: founder.url, isDeep: true, components: .all).isOK)
        let information = try StoreInformation(
            at: founder.url, components: .all, stateFolder: founder.stateFolder)
        #expect(!information.isDamaged && information.replica == nil)
        #expect(information.troubles.map(\.part) == ["identity"])
        #expect(try Store.recoveryStatus(at: founder.url, stateFolder: founder.stateFolder).state == .whole)
        let store = try await founder.reopened(.kept(in: keychain))
        _ = try await store.log("N1CALL")
        #expect(store.replica == replica)
        try store.close()
    }

    @Test(arguments: [nil, [UInt8](repeating: 5, count: 32)])
    func `that lost its secret continues as a new replica, which names the old one`(secret: [UInt8]?) async throws {
        let made = try await TemporaryStore(.kept(in: MemoryKeychain()))
        _ = try await made.store.log("N0CALL")
        let replica = try made.replica
        try made.store.close()
        let keychain = MemoryKeychain(secret.map { ["groundwave": $0] } ?? [:])
        let store = try await made.reopened(.kept(in: keychain))
        _ = try await store.log("N1CALL")
        #expect(store.replica != replica)
        #expect(try store.replicas().first { $0.isThisDevice }?.former == replica)
        let new = store.replica
        #expect(try made.files(holding: store.files.readIdentity().secret) == [])
        try store.close()
        let again = try await made.reopened(.kept(in: keychain))
        _ = try await again.log("N2CALL")
        #expect(try again.replica == new && again.contactCount() == 3)
        try again.close()
    }

    @Test func `with any byte of an encrypted file changed refuses it as damaged`() async throws {
        let keychain = MemoryKeychain()
        let founder = try await SealedFleet(.kept(in: keychain)).founder
        try founder.store.close()
        let files = StoreFiles(founder.url, keychain)
        let (identity, keys) = (try Data(contentsOf: founder.identity), try Data(contentsOf: founder.keys))
        for index in identity.indices {
            var changed = identity
            changed[index] ^= 0x20
            try changed.write(to: founder.identity)
            let error = #expect(throws: StoreError.self, "byte \(index)") { try files.readIdentity() }
            #expect(error?.code == .damaged)
        }
        for index in keys.indices {
            var changed = keys
            changed[index] ^= 0x20
            try changed.write(to: founder.keys)
            #expect(try files.readLogKeys() == nil, "byte \(index)")
        }
        try identity.write(to: founder.identity)
        try keys.write(to: founder.keys)
        #expect(try files.readIdentity().replica == founder.replica && files.readLogKeys() != nil)
    }

    @Test func `that is out of use is busy, and nothing is replaced`() async throws {
        let keychain = MemoryKeychain()
        let fleet = try await SealedFleet(.kept(in: keychain))
        let founder = fleet.founder
        try await founder.log("N0CALL")
        let replica = try founder.replica
        let before = try [founder.identity, founder.keys].map { try FileOnDisk($0) }
        keychain.set { $0.isInUse = false }
        #expect(throws: StoreError.self) { try founder.store.logKeys() }
        try founder.store.close()
        let error = await #expect(throws: StoreError.self) { try await founder.reopened(.kept(in: keychain)) }
        #expect(error?.code == .busy && error?.cause is MemoryKeychain.OutOfUse)
        let reader = try await founder.reopened(.kept(in: keychain, isReadOnly: true))
        #expect(try reader.contactCount() == 1)
        try reader.close()
        #expect(try before == [founder.identity, founder.keys].map { try FileOnDisk($0) })
        keychain.set { $0.isInUse = true }
        let store = try await founder.reopened(.kept(in: keychain))
        // Opened, and then out of use before it claims the log.
        keychain.set { $0.isInUse = false }
        let refused = await #expect(throws: StoreError.self) { try await store.log("N1CALL") }
        #expect(refused?.code == .busy)
        keychain.set { $0.isInUse = true }
        _ = try await store.log("N2CALL")
        #expect(try store.replica == replica && store.contactCount() == 2)
        try store.close()
    }

    @Test func `that is out of use makes no store, and leaves one without it as it is`() async throws {
        let keychain = MemoryKeychain()
        keychain.set { $0.isInUse = false }
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        var configuration = Configuration.kept(in: keychain)
        configuration.stateFolder = folder.url.appending(path: "state")
        let refused = configuration
        let error = await #expect(throws: StoreError.self) { try await Store.create(at: url, refused) }
        #expect(error?.code == .busy)
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == [])
        let made = try await TemporaryStore(.full())
        let replica = try made.replica
        try made.store.close()
        let before = try FileOnDisk(made.identity)
        let store = try await made.reopened(.kept(in: keychain))
        await #expect(throws: StoreError.self) { try await store.log("N0CALL") }
        #expect(try FileOnDisk(made.identity) == before)
        keychain.set { $0.isInUse = true }
        _ = try await store.log("N0CALL")
        #expect(store.replica == replica)
        try store.close()
    }

    @Test func `takes the secret of a process that was faster`() async throws {
        let keychain = MemoryKeychain()
        let secret = [UInt8](repeating: 9, count: 32)
        keychain.set { $0.fromElsewhere = secret }
        let made = try await TemporaryStore(.kept(in: keychain))
        let replica = try made.replica
        try made.store.close()
        let files = StoreFiles(made.url, MemoryKeychain(["groundwave": secret]))
        #expect(try files.readIdentity().replica == replica)
    }

    @Test func `is not made with a secret that is not kept, or is none`() async throws {
        let forgetful = MemoryKeychain()
        forgetful.set { $0.isForgetful = true }
        for (keychain, code) in [
            (forgetful, StoreError.Code.busy), (MemoryKeychain(["groundwave": [1, 2, 3]]), .invalid),
        ] {
            let error = await #expect(throws: StoreError.self) { try await TemporaryStore(.kept(in: keychain)) }
            #expect(error?.code == code)
        }
        let made = try await TemporaryStore(.kept(in: MemoryKeychain()))
        try made.store.close()
        let before = try FileOnDisk(made.identity)
        await #expect(throws: StoreError.self) {
            try await made.reopened(.kept(in: MemoryKeychain(["groundwave": []])))
        }
        #expect(try FileOnDisk(made.identity) == before)
    }

    @Test func `that was copied goes on under two names`() async throws {
        let keychain = MemoryKeychain()
        let made = try await TemporaryStore(.kept(in: keychain))
        _ = try await made.store.log("N0CALL")
        let replica = try made.replica
        try made.store.close()
        let copy = made.url.deletingLastPathComponent().appending(path: "copy")
        try FileManager.default.copyItem(at: made.url, to: copy)
        var configuration = Configuration.kept(in: keychain)
        configuration.stateFolder = made.stateFolder
        let twin = try await Store.open(at: copy, configuration).whole
        _ = try await twin.log("N1CALL")
        #expect(twin.replica != replica)
        #expect(try twin.replicas().first { $0.isThisDevice }?.former == replica)
        let secret = try twin.files.readIdentity().secret
        #expect(try made.files(holding: secret) == [])
        try twin.close()
        let original = try await made.reopened(.kept(in: keychain))
        _ = try await original.log("N2CALL")
        #expect(original.replica == replica)
        try original.close()
    }
}
