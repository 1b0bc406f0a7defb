import Everything
import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// The kind as the older program knows it.
private enum OldLamp: RecordKind {
    static let schema = KindSchema(name: "lamp", fields: [FieldSchema(1, "NAME")])
}

/// The same kind in the newer program: a field more, a collection, and an index.
private enum NewLamp: RecordKind {
    static let schema = KindSchema(
        name: "lamp", version: 2,
        fields: [FieldSchema(1, "NAME"), FieldSchema(2, "COLOUR"), FieldSchema(3, "ROOMS", .union)],
        indexes: [IndexSchema(1, "name")],
        indexEntries: { values, entries in if let name = values.value(1) { entries.add(name, to: 1) } })
}

/// A kind that only the newer program has.
private enum Rotator: RecordKind {
    static let schema = KindSchema(
        name: "rotator", fields: [FieldSchema(1, "NAME"), FieldSchema(2, "AZIMUTH", .yields)])
}

@Suite struct `Mixed-version fleets` {
    private static let newer: [any RecordKind.Type] = [NewLamp.self, Rotator.self]

    private static func configuration(_ name: String, _ kinds: [any RecordKind.Type]) -> Configuration {
        Configuration.full(author: "N0CALL", deviceName: name, kinds: kinds)
    }

    /// A newer program and an older one that meet at a place, and what the newer one wrote of what the older one does
    /// not know.
    private final class Chain {
        let folder: TemporaryFolder
        let new: TemporaryStore
        let old: TemporaryStore
        let lamp: RecordID
        let rotator: RecordID
        /// Where the older one and the last one meet: what comes there has passed through the older one.
        let far: RemoteAddress

        init() async throws {
            folder = try TemporaryFolder()
            far = .folder(folder.url.appending(path: "far"))
            let near = RemoteAddress.folder(folder.url.appending(path: "near"))
            new = try await TemporaryStore(configuration("new", newer))
            try await new.store.add(remote: "near", at: near)
            try await new.store.sync(try new.store.remote("near"))
            old = try await TemporaryStore(joining: near, configuration("old", [OldLamp.self]))
            try await old.store.add(remote: "far", at: far)
            try await old.store.sync(try old.store.remote("far"))
            lamp = try await new.store.write { batch in
                try batch.add(
                    "lamp",
                    [
                        Assignment("NAME", text: "desk"), Assignment("COLOUR", text: "red"),
                        Assignment("ROOMS", text: "shack,attic"),
                    ])
            }.value
            rotator = try await new.store.write { batch in
                try batch.add("rotator", [Assignment("NAME", text: "mast"), Assignment("AZIMUTH", text: "270")])
            }.value
            // Both write on one record, without having seen each other's write.
            try await sync(new.store)
            try await sync(old.store)
            let (lamp, rotator) = (lamp, rotator)
            _ = try await old.store.write { try $0.set("lamp", lamp, [Assignment("NAME", text: "wall")]) }
            _ = try await new.store.write { batch in
                _ = try batch.set("lamp", lamp, [Assignment("ROOMS", text: "shack,tower")])
                _ = try batch.set("rotator", rotator, [Assignment("AZIMUTH", text: "90")])
            }
            try appendEventOfLaterVersion()
        }

        /// An event of a type that no program of this version knows.
        private func appendEventOfLaterVersion() throws {
            var batch = DraftBatch()
            batch.append(
                shape: { $0.append(contentsOf: [9, 1, 0]) }, values: { $0.append(contentsOf: Array("later".utf8)) })
            let replica = try #require(new.store.replica)
            _ = try new.store.log.append([batch], as: replica, arrival: new.store.surroundings.now())
            try new.store.views.catchUp()
        }

        func sync(_ store: Store) async throws { for remote in try store.remotes() { try await store.sync(remote) } }

        /// Everybody looks until nobody has anything new.
        func settle(_ last: Store? = nil) async throws {
            for _ in 0..<2 { for store in [new.store, old.store, last].compactMap(\.self) { try await sync(store) } }
        }
    }

    /// Each event as its bytes, and its leaf.
    private static func events(_ store: Store) throws -> [EventID: [UInt8]] {
        var events: [EventID: [UInt8]] = [:]
        var hasher = MerkleHasher()
        try store.log.scan(from: 1) { _, frame, bytes in
            let event = DetachedEvent(frame, in: bytes)
            var writer = ByteWriter()
            for part in [event.header, event.shape, event.values] { writer.append(lengthPrefixed: part) }
            writer.append(hasher.leaf(of: frame, in: bytes))
            events[frame.id] = writer.bytes
            return true
        }
        return events
    }

    /// What the newer program shows of it.
    private static func check(_ store: Store, _ chain: Chain) throws {
        let lamp = try #require(try store.read { try $0.record("lamp", chain.lamp) })
        func value(_ name: String, _ schema: KindSchema, _ record: Record) -> String? {
            schema.value(of: name, in: record).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(value("NAME", NewLamp.schema, lamp) == "wall")
        #expect(value("COLOUR", NewLamp.schema, lamp) == "red")
        #expect(value("ROOMS", NewLamp.schema, lamp) == "shack,tower")
        let rotator = try #require(try store.read { try $0.record("rotator", chain.rotator) })
        #expect(value("AZIMUTH", Rotator.schema, rotator) == "90")
        try store.read { view in
            var found = 0
            try view.forEachEntry(of: "lamp", index: 1, prefix: Array("wall".utf8)) { _, _ in
                found += 1
                return true
            }
            #expect(found == 1)
        }
    }

    @Test func `what an older program does not know reaches a newer one through it, bit for bit`() async throws {
        let chain = try await Chain()
        try await chain.settle()
        // The old one lists what it does not know, and gives it as it is.
        let old = chain.old.store
        #expect(try old.read { try $0.kindsWithRecords() }.contains("rotator") && old.kinds["rotator"] == nil)
        #expect(try StoreInformation(of: old).unread.map(\.isUnknown) == [true])
        let unnamed = try #require(try old.read { try $0.record("rotator", chain.rotator) })
        #expect(unnamed[.number(2)]?.shown.value == Array("90".utf8))
        let last = try await TemporaryStore(joining: chain.far, Self.configuration("newer", Self.newer))
        try await chain.settle(last.store)
        let events = try Self.events(chain.new.store)
        #expect(try Self.events(old) == events && Self.events(last.store) == events)
        let digests = try [chain.new.store, old, last.store].map { try $0.digest().views }
        #expect(Set(digests).count == 1, "views know no policy")
        #expect(try Set([chain.new.store, old, last.store].map { try $0.logDigest() }).count == 1)
        try Self.check(chain.new.store, chain)
        try Self.check(last.store, chain)
        for store in [chain.new.store, old, last.store] { #expect(try store.syncStatus().isComplete) }
    }

    @Test func `an older program exports what it does not know in a bundle, bit for bit`() async throws {
        let chain = try await Chain()
        let last = try await TemporaryStore(joining: chain.far, Self.configuration("newer", Self.newer))
        let had = try last.store.digest().vector
        // The older one has met the newer one, and has not been at the far place since.
        try await chain.new.store.sync(try chain.new.store.remote("near"))
        let near = try #require(try chain.old.store.remotes().first { $0.name != "far" })
        try await chain.old.store.sync(near)
        let path = chain.folder.path("out.gwb")
        let made = try await chain.old.store.createBundle(missingFrom: had, to: path)
        let applied = try await last.store.applyBundle(path)
        #expect(applied.events == Int(made.events) && applied.pending.isEmpty && applied.apart.isEmpty)
        let (here, there) = (try Self.events(chain.old.store), try Self.events(last.store))
        #expect(here.allSatisfy { there[$0.key] == $0.value })
        #expect(try Self.events(chain.new.store).allSatisfy { there[$0.key] == $0.value })
        try Self.check(last.store, chain)
        #expect(try StoreInformation(of: last.store).unread.count == 1)
    }

    @Test func `an older store opened by the newer program shows it all without another sync`() async throws {
        let chain = try await Chain()
        try await chain.settle()
        let digest = try chain.new.store.digest()
        try chain.old.store.close()
        let upgraded = try await chain.old.reopened(Self.configuration("old", Self.newer))
        defer { try? upgraded.close() }
        #expect(try upgraded.digest().views == digest.views && upgraded.digest().vector == digest.vector)
        try Self.check(upgraded, chain)
        #expect(try StoreInformation(of: upgraded).unread.map(\.isUnknown) == [true])
        #expect(try upgraded.compareWithReplay().isSame)
        // And the other way round: an older program opens what a newer one has left.
        try upgraded.close()
        let older = try await chain.old.reopened(Self.configuration("old", [OldLamp.self]))
        defer { try? older.close() }
        #expect(try older.digest().views == digest.views)
    }
}
