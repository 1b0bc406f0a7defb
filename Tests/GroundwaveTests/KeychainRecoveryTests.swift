import Everything
import Foundation
import GroundwaveEvents
import GroundwaveStore
import GroundwaveTesting
import Testing

@testable import GroundwaveSyncing

@Suite struct `A store with a keychain that gets another key` {
    @Test func `that is cleared gets an encrypted key, and so do its replay and its salvage`() async throws {
        let keychain = MemoryKeychain()
        let made = try await TemporaryStore(.kept(in: keychain))
        _ = try await made.store.log("N0CALL")
        let before = try FileOnDisk(made.identity)
        let folder = made.url.deletingLastPathComponent()
        let (replay, salvage) = (folder.appending(path: "replay"), folder.appending(path: "salvage"))
        #expect(try await made.store.replay(to: replay).isSame)
        var configuration = Configuration.kept(in: keychain)
        configuration.stateFolder = made.stateFolder
        _ = try await Store.salvage(Damage.log(of: made.url), to: salvage, configuration)
        for url in [replay, salvage] {
            let secret = try StoreFiles(url, keychain).readIdentity().secret
            #expect(try made.files(holding: secret) == [])
            #expect(throws: StoreError.self) { try StoreFiles(url).readIdentity() }
        }
        try await made.store.clear(try await made.store.prepareClearing())
        #expect(try FileOnDisk(made.identity).inode != before.inode)
        #expect(try made.files(holding: made.store.files.readIdentity().secret) == [])
    }

    // The old key signs the last events of a store that is recovered, so it is read then, and never thrown away unread.
    @Test func `is recovered with it alone, and the old key signs what was salvaged`() async throws {
        let keychain = MemoryKeychain()
        let made = try await TemporaryStore(.kept(in: keychain))
        try await made.store.logMany(20)
        let replica = try made.replica
        try made.store.close()
        try Damage.loseMetaPages(of: made.url)
        let before = try FileOnDisk(made.identity)
        let recovery = try await made.recovery(.kept(in: keychain))
        _ = try await recovery.temporary.log("N0MEANWHILE")
        let temporary = try recovery.temporary.files.readIdentity().secret
        #expect(try made.files(holding: temporary) == [])
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let error = await #expect(throws: StoreError.self) { try await made.opening(.full()) }
        #expect(error?.code == .notPermitted)
        #expect(try FileOnDisk(made.identity) == before)
        let restored = try await made.opening(.kept(in: keychain)).whole
        _ = try await restored.log("N0AFTER")
        #expect(try restored.contactCount() == 22 && restored.replica != replica)
        let head = try #require(try restored.log.signedHead(of: replica))
        #expect(try head.sequence == restored.log.vector()[replica])
        #expect(try made.files(holding: restored.files.readIdentity().secret) == [])
        try restored.close()
    }

    @Test func `is reset with it alone, also if another program has begun the recovery`() async throws {
        let keychain = MemoryKeychain()
        let made = try await TemporaryStore(.kept(in: keychain))
        try await made.store.logMany(3)
        try made.store.close()
        try Damage.loseMetaPages(of: made.url)
        let before = try FileOnDisk(made.identity)
        let recovery = try await made.recovery()
        _ = try await recovery.temporary.log("N0MEANWHILE")
        try recovery.reset(confirmation: "RESET")
        try recovery.temporary.close()
        let error = await #expect(throws: StoreError.self) { try await made.opening() }
        #expect(error?.code == .notPermitted)
        #expect(try FileOnDisk(made.identity) == before)
        let store = try await made.opening(.kept(in: keychain)).whole
        _ = try await store.log("N0AFTER")
        #expect(try store.contactCount() == 2)
        #expect(try made.files(holding: store.files.readIdentity().secret) == [])
        try store.close()
    }
}
