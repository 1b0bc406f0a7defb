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
