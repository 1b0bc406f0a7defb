import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveLMDB
import GroundwaveMDBPages
import GroundwaveTesting
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogFormat

@Suite struct `A store that goes on without recovery` {
    @Test func `of which only the key is damaged goes on as a new replica`() async throws {
        let made = try await TemporaryStore(Configuration.full(deviceName: "shack"))
        try await made.store.logMany(5)
        let replica = made.store.replica
        try made.store.close()
        try Data([1, 2, 3]).write(to: made.url.appending(path: "identity"))
        let store = try await made.opening().whole
        _ = try await store.log("N0AFTER")
        #expect(store.replica != replica)
        #expect(try store.calls().count == 6)
        try store.close()
        #expect(try await Store.verify(at: made.url, isDeep: true, components: .all).isOK)
    }

    @Test func `whose key cannot be read now keeps it`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(5)
        let replica = made.store.replica
        try made.store.close()
        let (key, aside) = (made.url.appending(path: "identity"), made.url.appending(path: "aside"))
        try FileManager.default.moveItem(at: key, to: aside)
        // What the system refuses to read, also to root.
        try FileManager.default.createDirectory(at: key, withIntermediateDirectories: false)
        await #expect { try await made.opening() } throws: { ($0 as? StoreError)?.code == .inputOutput }
        try FileManager.default.removeItem(at: key)
        try FileManager.default.moveItem(at: aside, to: key)
        let store = try await made.opening().whole
        #expect(store.replica == replica)
        try store.close()
    }

    @Test func `of a later version is refused, and not taken for damaged`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(5)
        try made.store.close()
        let environment = try Environment.open(Damage.log(of: made.url).path)
        try environment.write { transaction in
            let format = [UInt8(EventLog.format) + 1, 0, 0, 0]
            try transaction.put(format.span.bytes, for: [UInt8]("format".utf8), in: LogTables(in: transaction).meta)
        }
        environment.close()
        await #expect { try await made.opening() } throws: { "\($0)".contains("format \(EventLog.format + 1)") }
        #expect(try Store.recoveryStatus(at: made.url).state == .whole)
    }

    @Test func `of which only the views are damaged is ready, with new ones`() async throws {
        let made = try await TemporaryStore(.full())
        try await made.store.logMany(60)
        let calls = try made.store.calls()
        try made.store.close()
        let views = made.url.appending(path: "views.mdb")
        var bytes = try Data(contentsOf: views)
        for page in 2..<bytes.count / 4096 {
            bytes.replaceSubrange(page * 4096 + 100..<page * 4096 + 200, with: Data(repeating: 0x5A, count: 100))
        }
        try bytes.write(to: views)
        let store = try await made.opening().whole
        #expect(try store.calls() == calls)
        #expect(try store.compareWithReplay().isSame)
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: made.url.appending(path: "EmergencyBackup").path))
    }

    @Test(arguments: [true, false])
    func `shows after a power cut what its log has without a meta page`(isReadOnly: Bool) async throws {
        let made = try await TemporaryStore(.full())
        let log = Damage.log(of: made.url)
        try await made.store.logMany(5)
        let before = try Data(contentsOf: log)
        _ = try await made.store.log("N0LAST")
        var bytes = try Data(contentsOf: log)
        let newest = try #require(try MetaPage.newest(of: PageFile(log.path)))
        try made.store.close()
        let slot = Int(newest.transaction % 2) * newest.pageSize
        bytes.replaceSubrange(slot..<slot + newest.pageSize, with: before[slot..<slot + newest.pageSize])
        try bytes.write(to: log)
        let store = try await made.opening(Configuration.full(isReadOnly: isReadOnly)).whole
        let calls = try store.calls()
        #expect(calls.contains("N0LAST") && calls.count == 6)
        try store.close()
        #expect(try await Store.verify(at: made.url, isDeep: true, components: .all).isOK)
    }
}
