import GroundwaveTesting
import Testing

struct Member: TypedRecord {
    enum Problem: Error { case noName }

    var person = ""
    var roles: [String] = []

    static let name = "member"
    static let fields = [
        Field(1, "NAME", \.person, type: .text(limit: 200)),
        Field(2, "ROLES", \.roles, identity: { $0.lowercased() }),
    ]

    func validate() throws { if person.isEmpty { throw Problem.noName } }
}

/// The code of the article KindsOfRecords, compiled and run.
@Suite struct `The article about kinds` {
    @Test func `says what becomes of a field that two devices write, by its policy`() async throws {
        let configuration = Configuration(kinds: [Member.self])
        let cloud = MemoryTransport()
        let here = try await TemporaryStore(configuration)
        let id = try await here.store.write { try $0.add(Member(person: "Ann")) }.value
        try await here.store.sync(with: cloud, as: "cloud")
        let there = try await TemporaryStore(joining: cloud, as: "cloud", configuration)
        try await here.store.write {
            _ = try $0.edit(Member.self, id) { ($0.person, $0.roles) = ("Anne", ["chair"]) }
        }
        try await there.store.write {
            _ = try $0.edit(Member.self, id) { ($0.person, $0.roles) = ("Anna", ["trustee, since 2026"]) }
        }
        try await there.store.sync(with: cloud, as: "cloud")
        try await here.store.sync(with: cloud, as: "cloud")
        let member = try #require(try here.store.find(Member.self, id))
        #expect(Set(member.roles) == ["chair", "trustee, since 2026"])
        #expect(try here.store.conflicts(in: member.record).map(\.field) == ["NAME"])
        await #expect(throws: Member.Problem.self) { try await here.store.write { _ = try $0.add(Member()) } }
        withExtendedLifetime([here, there]) {}
    }
}
