import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveTesting
import Testing

@Suite struct `Salvaging a file` {
    @Test func `makes a store of what is left in it`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(80)
        let calls = try made.store.calls()
        try made.store.close()
        let lost = try Damage.loseEvents(of: made.url)
        let folder = try TemporaryFolder()
        var configuration = Configuration.full()
        configuration.stateFolder = folder.url.appending(path: "state")
        let target = folder.url.appending(path: "rescued")
        let receipt = try await Store.salvage(Damage.log(of: made.url), to: target, configuration)
        #expect(receipt.lost == lost)
        let store = try await Store.open(at: target, configuration).whole
        #expect(try UInt64(calls.count - store.calls().count) == receipt.lostCount)
        _ = try await store.log("N0AFTER")
        try store.close()
        let again = await #expect(throws: StoreError.self) {
            try await Store.salvage(Damage.log(of: made.url), to: target, configuration)
        }
        #expect(again?.code == .exists)
    }

    @Test func `refuses what holds no event, and leaves nothing`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "notes.txt")
        try Data("nothing of ours".utf8).write(to: file)
        let target = folder.url.appending(path: "rescued")
        let error = await #expect(throws: StoreError.self) { try await Store.salvage(file, to: target) }
        #expect(error?.code == .damaged)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        let none = await #expect(throws: StoreError.self) {
            try await Store.salvage(folder.url.appending(path: "none"), to: target)
        }
        #expect(none?.code == .notFound)
    }
}
