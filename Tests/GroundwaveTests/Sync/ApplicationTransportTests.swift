import Everything
import Foundation
import GroundwaveTesting
import Testing

@Suite struct `A transport of an application` {
    @Test func `synchronises two devices in five lines`() async throws {
        let cloud = MemoryTransport()
        let shack = try await TemporaryStore(.full())
        try await shack.store.sync(with: cloud, as: "cloud")
        let portable = try await TemporaryStore(joining: cloud, as: "cloud", .full())
        #expect(try portable.store.logID == shack.store.logID && portable.store.replica != shack.store.replica)
    }

    @Test func `is counted by the status, also after a restart`() async throws {
        let cloud = MemoryTransport()
        let shack = try await TemporaryStore(.full())
        try await shack.store.write { try $0.add(Contact("W1AW")) }
        let summary = try await shack.store.sync(with: cloud, as: "cloud")
        #expect(summary.sentEvents == 2 && summary.remote.name == "cloud")
        let portable = try await TemporaryStore(joining: cloud, as: "sky", .full())
        try await shack.store.sync(with: cloud, as: "cloud")
        #expect(try shack.store.syncState() == .complete(try portable.store.logDigest()))
        try await shack.store.write { try $0.add(Contact("K1AA")) }
        #expect(try shack.store.syncState() == .behind(1))
        try shack.store.close()
        let reopened = try await shack.reopened(.full())
        #expect(try reopened.remotes().map { "\($0.name) \($0.address)" } == ["cloud application://cloud"])
        #expect(try reopened.syncState() == .behind(1))
        try await reopened.sync(with: cloud, as: "cloud")
        try await portable.store.sync(with: cloud, as: "sky")
        #expect(try portable.store.syncState() == .complete(try reopened.logDigest()))
        try reopened.close()
    }

    @Test func `that cannot be reached is an error, and the state is offline`() async throws {
        let cloud = MemoryTransport()
        let shack = try await TemporaryStore(.full())
        try await shack.store.sync(with: cloud, as: "cloud")
        try await shack.store.write { try $0.add(Contact("W1AW")) }
        cloud.faults.isUnreachable = true
        let error = await #expect(throws: StoreError.self) { try await shack.store.sync(with: cloud, as: "cloud") }
        #expect(error?.code == .unreachable && error?.message.contains("application://cloud") == true)
        #expect(try shack.store.syncState(failure: error) == .offline(unsent: 1))
        cloud.faults.isUnreachable = false
        #expect(try await shack.store.sync(with: cloud, as: "cloud").sentEvents == 1)
    }

    @Test func `of another log is refused, and nothing is pushed there or kept here`() async throws {
        let cloud = MemoryTransport()
        let shack = try await TemporaryStore(.full())
        try await shack.store.sync(with: cloud, as: "cloud")
        let count = cloud.objectCount
        let other = try await TemporaryStore(.full())
        let error = await #expect(throws: StoreError.self) { try await other.store.sync(with: cloud, as: "cloud") }
        #expect(error?.code == .exists)
        #expect(try other.store.remotes().isEmpty && cloud.objectCount == count)
    }

    @Test(arguments: ["", "a b", "../up", "-x", String(repeating: "x", count: 33)])
    func `has a valid name`(name: String) async throws {
        let shack = try await TemporaryStore(.full())
        let error = await #expect(throws: StoreError.self) {
            try await shack.store.sync(with: MemoryTransport(), as: name)
        }
        #expect(error?.code == .usage)
        #expect(throws: StoreError.self) { try shack.store.startSyncing(with: MemoryTransport(), as: name) }
    }

    @Test func `does not take the name of a folder, nor a folder its name`() async throws {
        let shack = try await TemporaryStore(.full())
        let folder = try TemporaryFolder()
        try await shack.store.add(remote: "place", at: .folder(folder.url))
        let error = await #expect(throws: StoreError.self) {
            try await shack.store.sync(with: MemoryTransport(), as: "place")
        }
        #expect(error?.code == .exists)
        try await shack.store.sync(with: MemoryTransport(), as: "cloud")
        let other = await #expect(throws: StoreError.self) {
            try await shack.store.add(remote: "cloud", at: .folder(folder.url))
        }
        #expect(other?.code == .exists)
    }

    @Test func `cannot be opened by a program that does not have it, and keeps no other remote waiting`() async throws {
        let shack = try await TemporaryStore(.full())
        try await shack.store.sync(with: MemoryTransport(), as: "cloud")
        let remote = try shack.store.remote("cloud")
        for call in [
            { try await shack.store.sync(remote) }, { _ = try await shack.store.contents(of: remote) },
            { _ = try await shack.store.probe(remote) }, { _ = try await shack.store.deleteContents(of: remote) },
            { try await shack.store.add(remote: "other", at: .application(name: "other")) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: StoreError.self) { try await call() }
            #expect(error?.code == .usage && error?.hint != nil)
        }
        let none = #expect(throws: StoreError.self) { try shack.store.startSyncing() }
        #expect(none?.code == .notFound)
        let clearing = try await shack.store.prepareClearing()
        #expect(clearing.unsent == clearing.events && clearing.remarks.count == 1)
        try shack.store.remove(remote: "cloud")
        #expect(try shack.store.remotes().isEmpty)
    }

    @Test func `is followed: what is written on one device shows on the other`() async throws {
        let cloud = MemoryTransport()
        let shack = try await TemporaryStore(.full())
        try await shack.store.sync(with: cloud, as: "cloud")
        let portable = try await TemporaryStore(joining: cloud, as: "cloud", .full())
        let syncing = [
            try shack.store.startSyncing(with: cloud, as: "cloud"),
            try portable.store.startSyncing(with: cloud, as: "cloud"),
        ]
        var counts = portable.store.values(of: .contacts).makeAsyncIterator()
        #expect(try await counts.next()?.count == 0)
        try await shack.store.write { try $0.add(Contact("W1AW")) }
        #expect(try await counts.next()?.count == 1)
        guard case .complete = try await syncing[0].once(deadline: .seconds(60)) else {
            return #expect(Bool(false), "one pass with the transport that it was started with")
        }
        for one in syncing { one.stop() }
    }

    @Test func `may do anything at any request, and the devices agree`() async throws {
        let violations = await TransportConformance { MemoryTransport() }.violations()
        #expect(violations == [])
    }
}
