import Everything
import Foundation
import GroundwaveEvents
import GroundwaveTesting
import Testing

@testable import GroundwaveMeters

private func isUsage(_ error: any Error, naming component: String) -> Bool {
    guard let error = error as? StoreError else { return false }
    return error.code == .usage && error.message.contains(component) && !(error.hint ?? "").isEmpty
}

@Suite struct `A store that is opened without some components` {
    @Test func `keeps the records of the others, and shows them again with their component`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(20))
        let digest = try temporary.store.digest()
        try temporary.store.close()

        let bare = try await temporary.reopened()
        #expect(bare.kinds["qso"] == nil)
        try bare.close()
        #expect(try await Store.verify(at: temporary.url, isDeep: true, components: []).isOK)

        let whole = try await temporary.reopened(.full())
        #expect(try whole.digest() == digest)
        #expect(try whole.read { try $0.all(.everything).count } == 20)
    }

    @Test func `sends no samples, whose sharing only the component of meters knows`() async throws {
        let fleet = try await SyncedFleet(2)
        let first = fleet.stores[0]
        let trace = try await first.store.recorded(6_000)
        try first.store.close()

        let bare = try await first.reopened(Configuration(components: [.logbook]))
        try await bare.sync(try bare.remote("place"))
        try bare.close()

        try await fleet.sync(1)
        let (numbers, withheld) = try fleet[1].numbers(of: trace)
        #expect(numbers.isEmpty && withheld == 6_000)
        let whole = try await first.reopened(.full())
        #expect(try whole.numbers(of: trace).0.count == 6_000)
        #expect(try whole.digest() == fleet[1].digest())
    }

    @Test func `is not cleared while a recording has samples that are not in the log`() async throws {
        let temporary = try await TemporaryStore(.full())
        try temporary.store.close()
        let tail = try Tails.path(of: RecordID(high: 1, low: 2), in: temporary.store.files)
        #expect(FileManager.default.createFile(atPath: tail, contents: Data("samples".utf8)))

        let bare = try await temporary.reopened()
        await #expect { _ = try await bare.prepareClearing() } throws: { ($0 as? StoreError)?.code == .busy }
        #expect(FileManager.default.fileExists(atPath: tail))
    }

    @Test func `says which component a database or a device needs`() async throws {
        let folder = try TemporaryFolder()
        let temporary = try await TemporaryStore(Configuration(components: [.logbook, .meters]))
        let store = temporary.store
        #expect {
            _ = try store.export(.everything, as: .sqlite, created: 0, toFile: folder.path("log.sqlite"))
        } throws: {
            isUsage($0, naming: "SQLite")
        }
        let trace = try await store.recorded(100)
        let recorded = try #require(try store.traces().first { $0.id == trace })
        #expect {
            _ = try store.export(
                recorded, as: .sqlite, TraceExportOptions(), from: .min, toFile: folder.path("trace.sqlite"))
        } throws: {
            isUsage($0, naming: "SQLite")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)

        await #expect {
            try await store.add(remote: "shack", at: .host(name: "localhost", port: 7373))
        } throws: {
            isUsage($0, naming: "network")
        }
    }
}
