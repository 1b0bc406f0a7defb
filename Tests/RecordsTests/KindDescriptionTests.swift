import GroundwaveEvents
import Testing

@testable import GroundwaveRecords

@Suite struct `The description of a kind` {
    private static let kind = KindSchema(
        name: "lamp", version: 2,
        fields: [
            FieldSchema(1, "NAME", type: .text(limit: 9)), FieldSchema(2, "ROOMS", .union, type: .text()),
            FieldSchema(3, "PLACE", members: ["FLOOR", "SHELF"]), FieldSchema(4, "secret", isInternal: true),
            FieldSchema(5, "WATTS", .yields, type: .integer),
        ])

    /// A record with these assignments one after the other, each by another replica that has seen the one before.
    private static func record(_ steps: [[Assignment]]) throws -> Record {
        var scene = Scene()
        var record: Record?
        for (step, letter) in zip(steps, "abcdef") {
            scene.write(letter, at: 1, KindDescription.schema.operations(assigning: step, to: record))
            record = try scene.folded(schema: KindDescription.schema)
        }
        return try #require(record)
    }

    private static func summary(_ schema: KindSchema?) -> [String] {
        (schema?.fields ?? []).map { "\($0.number) \($0.policy) \($0.type.word) \($0.name) \($0.members)" }
    }

    @Test func `says what fields there are, without those that nobody sees`() throws {
        let record = try Self.record([KindDescription.assignments(describing: Self.kind, in: nil)])
        let read = try #require(KindDescription.schema(in: record))
        #expect(read.name == "lamp" && read.version == 2)
        #expect(
            Self.summary(read) == [
                "1 latest text NAME []", "2 union text ROOMS []", #"3 latest any PLACE ["FLOOR", "SHELF"]"#,
                "5 yields integer WATTS []",
            ])
        #expect(KindDescription.assignments(describing: Self.kind, in: record).isEmpty, "it is complete")
    }

    @Test func `is completed by others, and changed by later versions alone`() throws {
        let older = KindSchema(name: "lamp", version: 1, fields: [FieldSchema(1, "TITLE"), FieldSchema(9, "OLD")])
        let described = KindDescription.assignments(describing: Self.kind, in: nil)
        let newer = try Self.record([described])
        let additions = KindDescription.assignments(describing: older, in: newer)
        #expect(additions.map(\.name) == ["9"], "an older version adds what is not there")
        let both = try Self.record([described, additions])
        #expect(KindDescription.assignments(describing: Self.kind, in: both).isEmpty)
        #expect(KindDescription.assignments(describing: older, in: both).isEmpty)
        let first = try Self.record([KindDescription.assignments(describing: older, in: nil)])
        let changes = KindDescription.assignments(describing: Self.kind, in: first)
        #expect(changes.map(\.name) == ["VERSION", "1", "2", "3", "5"])
    }

    @Test(arguments: [
        "", "latest", "latest\ttext", "established\ttext\tA", "best\ttext\tA", "latest\ttext\t", "latest\ttext\tNAME",
        "latest\ttext\tX\tNAME", "\u{0}\u{0}\u{0}",
    ])
    func `that somebody else wrote is read as far as it makes sense`(_ text: String) throws {
        let record = try Self.record([
            [
                Assignment("NAME", text: "lamp"), Assignment("1", text: "latest\ttext\tNAME"),
                Assignment("2", text: text),
                Assignment("0", text: "latest\ttext\tZERO"), Assignment("01", text: "latest\ttext\tAGAIN"),
                Assignment("x", text: "latest\ttext\tX"), Assignment("99999999999", text: "latest\ttext\tBIG"),
            ]
        ])
        let read = try #require(KindDescription.schema(in: record))
        #expect(read.fields.contains { $0.number == 1 })
        #expect(!read.fields.contains { $0.number == 2 || $0.number == 0 || $0.name == "X" })
        #expect(Set(read.fields.map(\.name)).count == read.fields.count)
    }

    @Test func `without a name describes nothing`() throws {
        #expect(KindDescription.schema(in: try Self.record([[Assignment("VERSION", text: "1")]])) == nil)
        let long = String(repeating: "x", count: 65)
        #expect(KindDescription.schema(in: try Self.record([[Assignment("NAME", text: long)]])) == nil)
    }
}
