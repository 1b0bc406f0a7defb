import Foundation
import Groundwave
import GroundwaveTesting
import Radio
import Testing

@Suite struct `Information and verification` {
    @Test func `count what is there`() async throws {
        let temporary = try await TemporaryStore(Configuration(deviceName: "shack"))
        try await temporary.store.importText(generatedLog(20))
        let contact = try #require(try temporary.store.firstContact())
        _ = try await temporary.store.write { try $0.remove("qso", contact.id) }
        let snapshot = try temporary.store.createSnapshot()
        try temporary.store.close()
        let information = try StoreInformation(at: temporary.url)
        #expect(information.records["qso"]?.shown == 19)
        #expect(information.records["qso"]?.hidden == 1)
        #expect(information.events == 23)
        #expect(information.position == 23)
        #expect(information.checkpoint == 23)
        #expect(information.devices.values.map { $0 } == ["shack"])
        #expect(information.troubles.isEmpty)
        #expect(information.bytes.log > 0)
        #expect(information.bytes.snapshots == snapshot.byteCount && information.archived == nil)
        let verification = try await Store.verify(at: temporary.url, isDeep: true)
        #expect(verification.isOK)
        #expect(verification.events == 23)
        #expect(verification.comparison?.isSame == true)
    }

    @Test(arguments: ["half", "flipped", "empty", "text", "missing"])
    func `of a damaged log say so, and change nothing`(damage: String) async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.importText(generatedLog(500))
        try temporary.store.close()
        let path = temporary.url.appending(path: "log.mdb")
        var bytes = [UInt8](try Data(contentsOf: path))
        switch damage {
        case "half": bytes.removeLast(bytes.count / 2)
        case "flipped":
            // Within a record's call, so that no structure but a checksum tells.
            let call = Array("N0C77".utf8)
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: call) })
            bytes[place] ^= 1
        case "empty": bytes = []
        default: bytes = Array("This is no log.".utf8)
        }
        if damage == "missing" { try FileManager.default.removeItem(at: path) } else { try Data(bytes).write(to: path) }
        let before = try `A store that is only read`.contents(temporary.url)
        if damage == "missing" {
            let error = await #expect(throws: StoreError.self) { try await Store.verify(at: temporary.url) }
            #expect(error?.code == .damaged)
        } else {
            let verification = try await Store.verify(at: temporary.url, isDeep: true)
            #expect(!verification.isOK)
            #expect(verification.comparison == nil, "a damaged log is not opened by liblmdb")
        }
        let information = try StoreInformation(at: temporary.url)
        #expect(information.isDamaged)
        #expect(try `A store that is only read`.contents(temporary.url) == before)
    }

    @Test func `of views that are no views, verification says so, and the next opening builds them anew`() async throws
    {
        let temporary = try await TemporaryStore()
        try await temporary.store.importText(generatedLog(50))
        try temporary.store.close()
        let views = temporary.url.appending(path: "views.mdb")
        try Data(repeating: 1, count: 20_000).write(to: views)
        let verification = try await Store.verify(at: temporary.url)
        #expect(verification.damage.map(\.what) == ["views"] && verification.missing.isEmpty, "the log is whole")
        #expect(verification.damage.first?.detail.contains("the next command rebuilds them") == true)
        #expect(!(try StoreInformation(at: temporary.url).isDamaged), "views heal by themselves")
        let store = try await temporary.reopened()
        #expect(try store.read { try $0.count(.everything) } == 50)
        try store.close()
        #expect(try await Store.verify(at: temporary.url, isDeep: true).isOK)
    }

    @Test func `of a folder without a store are refused`() async throws {
        let folder = try TemporaryFolder()
        #expect(throws: StoreError.self) { try StoreInformation(at: folder.url) }
        let error = await #expect(throws: StoreError.self) { try await Store.verify(at: folder.url) }
        #expect(error?.code == .notFound)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func `of kinds, devices and months add up`() async throws {
        let temporary = try await TemporaryStore(Configuration(deviceName: "shack"))
        try await temporary.store.importText(generatedLog(20) + adi(["CALL": "W1AW", "QSO_DATE": "19991231"]))
        let statistics = try temporary.store.statistics()
        let events = Int(try temporary.store.digest().events)
        #expect(statistics.kinds.reduce(0) { $0 + $1.events } == events)
        #expect(statistics.replicas.reduce(0) { $0 + $1.events } == events)
        #expect(statistics.months.reduce(0) { $0 + $1.events } == events)
        #expect(statistics.months.first?.name == "1999-12")
        #expect(statistics.months.reduce(0) { $0 + $1.contacts } == 21)
        #expect(statistics.replicas.map(\.device) == ["shack"])
    }

    @Test func `of what takes the space add up to the bytes of the files, a base and snapshots among them`()
        async throws
    {
        let temporary = try await TemporaryStore(Configuration(deviceName: "shack"))
        let store = temporary.store
        let folder = try TemporaryFolder()
        try await store.importText(generatedLog(200))
        try await store.archive(before: .position(store.read { $0.position }), to: folder.path("old.gwa"))
        _ = try store.createSnapshot()
        try store.close()
        let again = try await Store.open(at: store.url, Configuration(isReadOnly: true)).whole
        let storage = try again.storage()
        let sums = Dictionary(grouping: storage, by: \.file).mapValues { $0.reduce(0) { $0 + $1.bytes } }
        try again.close()
        let bytes = try StoreInformation(at: store.url).bytes
        #expect(sums == ["log": bytes.log, "views": bytes.views, "snapshots": bytes.snapshots])
        #expect(storage.allSatisfy { $0.bytes >= 0 })
        #expect(storage.first { $0.purpose == "base" }?.entries == 1)
        #expect(storage.last?.entries == 1 && bytes.snapshots > 0)
    }
}
