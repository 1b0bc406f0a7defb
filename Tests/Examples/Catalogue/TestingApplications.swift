import Foundation
import GroundwaveTesting
import Testing

/// The code of the article TestingApplications, compiled and run.
@Suite struct `The article about testing` {
    private let configuration = Configuration(author: "N0CALL", kinds: [Inspection.self])

    @Test func `makes a conflict between two devices`() async throws {
        let cloud = MemoryTransport()
        let shed = try await TemporaryStore(configuration)
        let id = try await shed.store.write { try $0.add(Inspection(device: "Ladder")) }.value
        try await shed.store.sync(with: cloud, as: "cloud")
        let office = try await TemporaryStore(joining: cloud, as: "cloud", configuration)
        try await shed.store.write { try $0.edit(Inspection.self, id) { $0.day = CalendarDay("2026-05-01") } }
        try await office.store.write { try $0.edit(Inspection.self, id) { $0.day = CalendarDay("2026-05-02") } }
        try await office.store.sync(with: cloud, as: "cloud")
        try await shed.store.sync(with: cloud, as: "cloud")
        #expect(try shed.store.conflicts().map(\.id) == [id])
        #expect(try office.store.conflicts().isEmpty)
        withExtendedLifetime([shed, office]) {}
    }

    @Test func `lets a remote fail`() async throws {
        let cloud = MemoryTransport()
        let shed = try await TemporaryStore(configuration)
        try await shed.store.write { _ = try $0.add(Inspection(device: "Rope")) }
        try await shed.store.sync(with: cloud, as: "cloud")
        cloud.faults.isUnreachable = true
        try await shed.store.write { _ = try $0.add(Inspection(device: "Ladder")) }
        let error = await #expect(throws: StoreError.self) { try await shed.store.sync(with: cloud, as: "cloud") }
        #expect(error?.code == .unreachable)
        #expect(try shed.store.syncState(failure: error) == .offline(unsent: 1))
    }

    @Test func `damages a store`() async throws {
        let base = try TemporaryFolder()
        let folder = base.url.appending(path: "damaged")
        let configuration = Configuration(kinds: [Inspection.self], stateFolder: base.url.appending(path: "state"))
        let store = try await Store.create(at: folder, configuration)
        for number in 1...50 { try await store.write { _ = try $0.add(Inspection(device: "Ladder \(number)")) } }
        try store.close()
        let log = try FileHandle(forUpdating: folder.appending(path: "log.mdb"))
        try log.truncate(atOffset: 40_000)
        try log.close()
        guard case .recovering(let recovery) = try await Store.open(at: folder, configuration) else {
            Issue.record("the store is not in recovery")
            return
        }
        try recovery.temporary.close()
    }

    @Test func `lets a day pass`() async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(
            Configuration(kinds: [Inspection.self], surroundings: .virtual(clock, seed: 1)))
        let start = Date(timeIntervalSince1970: Double(clock.now.wallMilliseconds) / 1000)
        clock.advance(by: .seconds(86_400))
        let id = try await temporary.store.write { try $0.add(Inspection()) }.value
        #expect(try await temporary.store.at(.time(start)).record("inspection", id) == nil)
        let again = try await temporary.reopened(Configuration(kinds: [Inspection.self]))
        #expect(try again.record("inspection", id) != nil)
    }
}
