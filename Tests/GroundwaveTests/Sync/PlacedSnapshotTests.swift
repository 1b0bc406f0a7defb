import Everything
import Foundation
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveReplication
import GroundwaveStore
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveSyncing

/// A device whose log has the engine `journal`, and what it has left at a remote in memory.
struct JournalDevice {
    let clock = VirtualClock()
    let cloud = MemoryTransport()
    let device: TemporaryStore
    var store: Store { device.store }

    /// - Parameters:
    ///   - engine: The value of the setting.
    ///   - seed: Another one for another log.
    init(engine: String = "journal", seed: UInt64 = 1) async throws {
        device = try await TemporaryStore(
            .full(author: "N0CALL", deviceName: "shack", surroundings: .virtual(clock, seed: seed)))
        _ = try await device.store.set(setting: "syncEngine", to: engine)
    }

    @discardableResult
    func sync() async throws -> SyncSummary { try await store.sync(with: cloud, as: "cloud") }

    var placed: PlacedSnapshots { PlacedSnapshots(of: store.logID, at: cloud) }

    /// A device that joins the log now.
    ///
    /// - Parameter seed: Another one for another device.
    func joined(
        at url: URL, through transport: (any Transport)? = nil, seed: UInt64 = 2,
        progress: @escaping @Sendable (JoinProgress) -> Void = { _ in }
    ) async throws -> Store {
        let configuration = Configuration.full(
            author: "N1CALL", deviceName: "laptop", stateFolder: url.appending(path: "../state"),
            surroundings: .virtual(clock, seed: seed))
        return try await Store.join(
            through: transport ?? cloud, as: "cloud", at: url, configuration, progress: progress
        ).store
    }
}

@Suite struct `A snapshot for new devices` {
    @Test func `is left by the engine journal, and not by records`() async throws {
        for (engine, count) in [("journal", 1), ("records", 0)] {
            let journal = try await JournalDevice(engine: engine)
            _ = try await journal.store.log("W1AW")
            let summary = try await journal.sync()
            #expect((summary.leftSnapshot != nil) == (count == 1))
            #expect(try await journal.placed.names().count == count, "\(engine)")
        }
    }

    @Test func `is left again after six hours in which something changed`() async throws {
        let journal = try await JournalDevice()
        _ = try await journal.store.log("W1AW")
        try await journal.sync()
        func left(after hours: Int) async throws -> Bool {
            journal.clock.advance(by: .seconds(3600 * hours))
            return try await journal.sync().leftSnapshot != nil
        }
        #expect(try await !left(after: 7), "nothing changed")
        _ = try await journal.store.log("K1AA")
        #expect(try await left(after: 0))
        _ = try await journal.store.log("K2AA")
        #expect(try await !left(after: 5))
        #expect(try await left(after: 1))
        #expect(try await journal.placed.names().count == 3)
    }

    @Test func `is one for all devices, and not asked for at each pass`() async throws {
        let journal = try await JournalDevice()
        _ = try await journal.store.log("W1AW")
        try await journal.sync()
        let folder = try TemporaryFolder()
        let second = try await journal.joined(at: folder.url.appending(path: "store"))
        defer { try? second.close() }
        _ = try await second.log("K1AA")
        let asked = Mutex(0)
        let counting = ObservedTransport(journal.cloud) { if $0.contains("snapshots") { asked.withLock { $0 += 1 } } }
        for _ in 0..<5 {
            _ = try await second.log("K2AA")
            #expect(try await second.sync(with: counting, as: "cloud").leftSnapshot == nil)
        }
        // The first pass finds the one of the other device.
        #expect(asked.withLock { $0 } == 2, "a listing and a head")
        journal.clock.advance(by: .seconds(6 * 3600))
        #expect(try await second.sync(with: counting, as: "cloud").leftSnapshot != nil)
        try await journal.store.sync(with: counting, as: "cloud")
        let before = asked.withLock { $0 }
        _ = try await journal.store.log("K3AA")
        #expect(try await journal.store.sync(with: counting, as: "cloud").leftSnapshot == nil)
        #expect(asked.withLock { $0 } == before, "the first device has found that one")
        #expect(try await journal.placed.names().count == 2)
    }

    @Test func `has nothing that is not at the remote`() async throws {
        let journal = try await JournalDevice()
        try await journal.sync()
        journal.clock.advance(by: .seconds(7 * 3600))
        _ = try await journal.store.log("W1AW")
        // A pass that only pulls does not push the contact, and leaves no snapshot that has it.
        try await journal.store.sync(with: journal.cloud, as: "cloud", isPushing: false)
        #expect(try await journal.placed.names().count == 1)
        let summary = try await journal.sync()
        let vector = try #require(summary.leftSnapshot?.vector)
        #expect(journal.store.files.readCache(of: "cloud").vector.covers(vector))
    }

    @Test func `is left again where the remote was emptied`() async throws {
        let journal = try await JournalDevice()
        _ = try await journal.store.log("W1AW")
        try await journal.sync()
        journal.cloud.empty()
        let summary = try await journal.sync()
        #expect(summary.wasEmptied)
        _ = try await journal.sync()
        #expect(try await journal.placed.names().count == 1)
    }

    @Test func `is counted by the contents of the remote, and goes with them`() async throws {
        let journal = try await JournalDevice()
        let folder = try TemporaryFolder()
        let place = RemoteAddress.folder(folder.url.appending(path: "place"))
        try await journal.store.add(remote: "place", at: place)
        let remote = try journal.store.remote("place")
        let left = try #require(try await journal.store.sync(remote).leftSnapshot)
        let contents = try await journal.store.contents(of: remote)
        #expect(contents.snapshotCount == 1 && contents.snapshotBytes == left.byteCount && contents.foreign.isEmpty)
        _ = try await journal.store.deleteContents(of: remote)
        #expect(try await journal.store.contents(of: remote).snapshotCount == 0)
    }

    @Test func `that cannot be left is told, and what was pushed before is there`() async throws {
        let journal = try await JournalDevice()
        _ = try await journal.store.log("W1AW")
        let full = ObservedTransport(journal.cloud) { request throws(TransportError) in
            if request.hasPrefix("put snapshots") { throw .full("The share is full.") }
        }
        let error = await #expect(throws: StoreError.self) { try await journal.store.sync(with: full, as: "cloud") }
        #expect(error?.message.contains("full") == true)
        let names = try journal.cloud.list(prefix: .all, startAfter: nil, limit: 10).map(\.description)
        #expect(names.count == 3 && names.last?.hasPrefix("stores/") == true, "what was pushed before is there")
        #expect(try await journal.sync().leftSnapshot != nil)
    }
}

/// A remote in memory, with something that happens before each request, told in words: `put NAME`.
struct ObservedTransport: Transport {
    let place: MemoryTransport
    let before: @Sendable (_ request: String) throws(TransportError) -> Void

    init(_ place: MemoryTransport, _ before: @escaping @Sendable (String) throws(TransportError) -> Void) {
        (self.place, self.before) = (place, before)
    }

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        try before("put \(name)")
        return try place.putIfAbsent(name, bytes)
    }

    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        try before("replace \(name)")
        try place.replace(name, bytes)
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        try before("get \(name)")
        return try place.get(name, range: range, limit: limit)
    }

    func list(prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int) async throws(TransportError) -> [ObjectName] {
        try before("list \(prefix)")
        return try place.list(prefix: prefix, startAfter: startAfter, limit: limit)
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        try before("folders \(prefix)")
        return try place.folders(prefix: prefix, limit: limit)
    }

    func delete(_ name: ObjectName) async throws(TransportError) {
        try before("delete \(name)")
        try place.delete(name)
    }
}
