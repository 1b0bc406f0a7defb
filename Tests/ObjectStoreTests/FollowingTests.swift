import GroundwaveObjectStore
import GroundwaveTesting
import ObjectServers
import Testing

/// What the stores of these tests write.
private enum Memo: RecordKind {
    static let schema = KindSchema(name: "memo", fields: [FieldSchema(1, "TEXT")])
}

@Suite struct `Following a bucket` {
    private static let configuration = Configuration(
        author: "N0CALL", kinds: [Memo.self], components: [.objectStore { _ in ObjectStoreServer.credentials }])

    @Test(.timeLimit(.minutes(2))) func `a store gets what another one pushes, without being told`() async throws {
        let server = try await FaultServer.start()
        let address = RemoteAddress.bucket(try server.bucket("log"))
        let first = try await TemporaryStore(Self.configuration)
        try await first.store.add(remote: "cloud", at: address)
        try await first.store.sync(try first.store.remote("cloud"))
        let second = try await TemporaryStore(joining: address, Self.configuration)
        let syncing = try first.store.startSyncing()
        var events = syncing.events.makeAsyncIterator()
        _ = await events.next()
        try await second.store.write { _ = try $0.add("memo", [Assignment("TEXT", text: "73")]) }
        for remote in try second.store.remotes() { try await second.store.sync(remote) }
        while try first.store.logDigest() != second.store.logDigest() {
            guard case .synced? = await events.next() else { return #expect(Bool(false), "a pass failed") }
        }
        syncing.stop()
    }

    @Test func `needs the component`() async throws {
        let store = try await TemporaryStore(Configuration(author: "N0CALL"))
        let error = await #expect(throws: StoreError.self) {
            try await store.store.add(remote: "cloud", at: RemoteAddress("s3://shack-log"))
        }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("was built without the component") == true)
    }

    @Test func `asks the application for keys`() async throws {
        struct NoKeys: Error {}
        let store = try await TemporaryStore(
            Configuration(author: "N0CALL", components: [.objectStore { _ in throw NoKeys() }]))
        await #expect(throws: NoKeys.self) {
            try await store.store.add(remote: "cloud", at: RemoteAddress("s3://shack-log"))
        }
        #expect(try store.store.remotes() == [])
    }
}
