import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveTesting
import Testing

@Suite struct `Replaying a store` {
    @Test func `the views come out as they were`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(500))
        let before = try temporary.store.digest()
        let report = try temporary.store.replay()
        #expect(report.isSame)
        #expect(report.events == Int(before.events))
        #expect(try temporary.store.digest() == before)
    }

    @Test func `a copy has the same events and digest, and no event of its own`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(5000))
        let target = temporary.url.appending(path: "copy")
        let report = try await temporary.store.replay(to: target)
        #expect(report.isSame)
        let copy = try await Self.open(target)
        #expect(try copy.digest() == temporary.store.digest())
        #expect(copy.logID == temporary.store.logID)
        #expect(copy.replica != temporary.store.replica)
        try copy.close()
    }

    @Test func `a copy introduces itself as a new replica when it first writes`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(3))
        let target = temporary.url.appending(path: "copy")
        _ = try await temporary.store.replay(to: target)
        let copy = try await Self.open(
            target, Configuration.full(deviceName: "spare laptop", stateFolder: temporary.stateFolder))
        let replica = try #require(copy.replica)
        #expect(try copy.deviceNames()[replica] == nil)
        _ = try await copy.write { try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }
        #expect(try copy.deviceNames()[replica] == "spare laptop")
        #expect(try copy.digest().vector[replica] == 2)
        _ = try await copy.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }
        #expect(try copy.digest().vector[replica] == 3, "it introduces itself once")
        try copy.close()
    }

    @Test func `a copy goes into no folder that has a store`() async throws {
        let temporary = try await TemporaryStore(.full())
        let other = try await TemporaryStore(.full())
        let before = try other.store.digest()
        let error = await #expect(throws: StoreError.self) { try await temporary.store.replay(to: other.url) }
        #expect(error?.code == .exists)
        #expect(try other.store.digest() == before)
    }

    @Test func `a store that is only read is replayed into a copy, not in place`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(10))
        let digest = try temporary.store.digest()
        try temporary.store.close()
        let store = try await Self.open(temporary.url, Configuration.full(isReadOnly: true))
        let error = #expect(throws: StoreError.self) { try store.replay() }
        #expect(error?.code == .notPermitted)
        #expect(try store.compareWithReplay().isSame)
        let report = try await store.replay(to: temporary.url.appending(path: "copy"))
        #expect(report.isSame)
        #expect(report.after.hash == digest.views)
    }

    static func open(_ url: URL, _ configuration: Configuration = Configuration.full()) async throws -> Store {
        try await Store.open(at: url, configuration).whole
    }
}

@Suite struct `A store that is only read` {
    @Test(arguments: ["present", "deleted", "damaged", "behind"])
    func `answers, and no byte of it changes, whatever became of its views`(views: String) async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(generatedLog(200))
        let path = temporary.url.appending(path: "views.mdb")
        let old = try Data(contentsOf: path)
        try await temporary.store.importText(adi(["CALL": "W1AW"]))
        let digest = try temporary.store.digest()
        try temporary.store.close()
        switch views {
        case "deleted": try FileManager.default.removeItem(at: path)
        case "damaged": try Data(repeating: 7, count: 40_000).write(to: path)
        case "behind": try old.write(to: path)
        default: break
        }
        let before = try Self.contents(temporary.url)
        let store = try await `Replaying a store`.open(temporary.url, Configuration.full(isReadOnly: true))
        #expect(try store.digest() == digest)
        #expect(try store.read { try $0.count(.everything) } == 201)
        await #expect(throws: StoreError.self) { try await store.write { try $0.add("qso", []) } }
        try store.close()
        #expect(try Self.contents(temporary.url) == before)
    }

    static func contents(_ folder: URL) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !name.hasSuffix("-lock") && !name.hasSuffix("-writer") {
            result[name] = try Data(contentsOf: folder.appending(path: name))
        }
        return result
    }
}
