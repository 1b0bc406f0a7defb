import GroundwaveTesting
import Testing

enum Member: RecordKind {
    static let schema = KindSchema(
        name: "member",
        fields: [
            FieldSchema(1, "NAME"),
            FieldSchema(2, "ROLES", .union, identity: { $0.lowercased() }),
        ])
}

/// The code of the article KindsOfRecords, compiled and run.
@Suite struct `The article about kinds` {
    @Test func `says what becomes of a field that two devices write, by its policy`() async throws {
        let configuration = Configuration(kinds: [Member.self])
        let cloud = MemoryTransport()
        let here = try await TemporaryStore(configuration)
        let id = try await here.store.write { try $0.add("member", [Assignment("NAME", text: "Ann")]) }.value
        try await here.store.sync(with: cloud, as: "cloud")
        let there = try await TemporaryStore(joining: cloud, as: "cloud", configuration)
        try await here.store.write {
            _ = try $0.set("member", id, [Assignment("NAME", text: "Anne"), Assignment("ROLES", text: "chair")])
        }
        try await there.store.write {
            _ = try $0.set("member", id, [Assignment("NAME", text: "Anna"), Assignment("ROLES", text: "trustee")])
        }
        try await there.store.sync(with: cloud, as: "cloud")
        try await here.store.sync(with: cloud, as: "cloud")
        let record = try #require(try here.store.record("member", id))
        func text(_ field: String) -> String {
            String(decoding: Member.schema.value(of: field, in: record) ?? [], as: UTF8.self)
        }
        #expect(Set(text("ROLES").split(separator: ",")) == ["chair", "trustee"])
        #expect(record.fields.filter(\.isConflict).map { Member.schema.name(of: $0.key) } == ["NAME"])
        withExtendedLifetime([here, there]) {}
    }
}
