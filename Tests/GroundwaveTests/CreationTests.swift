import Everything
import Foundation
import Groundwave
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveTesting
import Testing

@Suite struct `Making a store` {
    private func configuration(_ folder: TemporaryFolder) -> Configuration {
        Configuration.full(stateFolder: folder.url.appending(path: "state"))
    }

    @Test func `goes on where it was interrupted: with an empty log that nobody has claimed, and no key`() async throws
    {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let log = try EventLog.create(at: url.appending(path: "log.mdb").path, id: LogID(high: 1, low: 2), epoch: 3)
        try log.close()
        let store = try await Store.create(at: url, configuration(folder))
        try await store.write { _ = try $0.add(Contact("W1AW")) }
        try store.close()
        #expect(try await Store.verify(at: url, isDeep: true, components: .all).isOK)
    }

    @Test func `refuses a log that has events, though its key is gone`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        try await Store.create(at: url, configuration(folder)).close()
        try FileManager.default.removeItem(at: url.appending(path: "identity"))
        await #expect(throws: StoreError.self) { try await Store.create(at: url, self.configuration(folder)) }
    }

    @Test func `refuses a store that has lost its log`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        try await Store.create(at: url, configuration(folder)).close()
        try FileManager.default.removeItem(at: url.appending(path: "log.mdb"))
        await #expect(throws: StoreError.self) { try await Store.create(at: url, self.configuration(folder)) }
    }
}
