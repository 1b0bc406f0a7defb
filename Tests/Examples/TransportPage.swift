import Foundation
import GroundwaveTesting
import Synchronization
import Testing

/// What some service offers: a stand-in for yours.
protocol Bucket: Sendable {
    /// Returns whether there was no object of that key.
    func create(_ key: String, _ bytes: [UInt8]) async throws -> Bool
    func write(_ key: String, _ bytes: [UInt8]) async throws
    func read(_ key: String) async throws -> [UInt8]?
    func keys() async throws -> [String]
    func remove(_ key: String) async throws
}

actor MemoryBucket: Bucket {
    private var objects: [String: [UInt8]] = [:]

    func create(_ key: String, _ bytes: [UInt8]) -> Bool {
        defer { objects[key] = objects[key] ?? bytes }
        return objects[key] == nil
    }

    func write(_ key: String, _ bytes: [UInt8]) { objects[key] = bytes }
    func read(_ key: String) -> [UInt8]? { objects[key] }
    func keys() -> [String] { Array(objects.keys) }
    func remove(_ key: String) { objects[key] = nil }
}

struct BucketTransport: Transport {
    let bucket: any Bucket

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        try await reaching { try await bucket.create("\(name)", bytes) } ? .stored : .exists
    }

    func replace(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) {
        try await reaching { try await bucket.write("\(name)", bytes) }
    }

    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        guard let bytes = try await reaching({ try await bucket.read("\(name)") }) else { return nil }
        let taken = (range ?? bytes.indices).clamped(to: bytes.indices)
        guard taken.count <= limit else { throw .tooLarge(name, byteCount: taken.count) }
        return Array(bytes[taken])
    }

    func list(
        prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int
    ) async throws(TransportError) -> [ObjectName] {
        let names = try await reaching { try await bucket.keys() }.compactMap(ObjectName.init).sorted()
        return Array(names.filter { prefix.contains($0) && (startAfter ?? $0) <= $0 && $0 != startAfter }.prefix(limit))
    }

    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        let names = try await list(prefix: prefix, startAfter: nil, limit: .max)
        let parts = names.map { "\($0)".dropFirst("\(prefix)".count).split(separator: "/") }
        return Array(Set(parts.filter { $0.count > 1 }.map { String($0[0]) }).sorted().prefix(limit))
    }

    func delete(_ name: ObjectName) async throws(TransportError) {
        try await reaching { try await bucket.remove("\(name)") }
    }

    /// The errors of the bucket, also that of a cancelled task, are errors of a transport.
    private func reaching<Answer>(_ request: () async throws -> Answer) async throws(TransportError) -> Answer {
        do { return try await request() } catch { throw .unreachable("\(error)") }
    }
}

private enum Memo: RecordKind {
    static let schema = KindSchema(name: "memo", fields: [FieldSchema(1, "TEXT")])
}

/// The code of Docs/Transports.md, compiled and run.
@Suite struct `The page about transports` {
    private let configuration = Configuration(author: "N0CALL", kinds: [Memo.self])

    @Test func `shows a transport that conforms`() async throws {
        let conformance = TransportConformance { BucketTransport(bucket: MemoryBucket()) }
        for violation in await conformance.violations() { Issue.record(violation) }
    }

    @Test func `shows how it is used`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let (store, transport) = (temporary.store, BucketTransport(bucket: MemoryBucket()))
        let base = try TemporaryFolder()
        let folder = base.url.appending(path: "joined")
        var configuration = configuration
        configuration.stateFolder = base.url.appending(path: "state")
        let summary = try await store.sync(with: transport, as: "bucket")
        let syncing = try store.startSyncing(with: transport, as: "bucket")
        let (joined, _) = try await Store.join(through: transport, as: "bucket", at: folder, configuration)
        syncing.stop()
        #expect(summary.sentEvents > 0 && joined.logID == store.logID)
        try joined.close()
    }

    @Test func `shows two devices in one test, and a connection between them`() async throws {
        let cloud = MemoryTransport()
        let shack = try await TemporaryStore(configuration)
        try await shack.store.sync(with: cloud, as: "cloud")
        let portable = try await TemporaryStore(joining: cloud, as: "cloud", configuration)
        try await portable.store.write { _ = try $0.add("memo", [Assignment("TEXT", text: "73")]) }
        let (here, there) = MemoryStream.pair()
        async let pushed = shack.store.sync(over: here, as: "portable")
        async let pulled = portable.store.sync(over: there, as: "shack")
        _ = try await (pushed, pulled)
        #expect(try shack.store.logDigest() == portable.store.logDigest())
    }

    @Test func `has the code of this file`() throws {
        let snippets = try Snippets(of: "Docs/Transports.md")
        #expect(snippets.snippets.count == 5)
        try snippets.expect(in: "Tests/Examples/TransportPage.swift")
    }
}
