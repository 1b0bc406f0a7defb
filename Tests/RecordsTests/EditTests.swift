import GroundwaveEvents
import GroundwaveRecords
import Testing

@Suite struct `Edits that keep what others wrote` {
    private static let schema = KindSchema(
        name: "thing",
        fields: [
            FieldSchema(1, "NOTE"), FieldSchema(2, "FREQUENCY", members: ["FREQ", "BAND", "SPLIT"]),
            FieldSchema(3, "PARKS", .union, identity: { $0.uppercased() }),
        ])

    /// What `letter` writes when it sees `record` and wants `assignments`.
    private func edit(
        _ scene: inout Scene, _ letter: Character, at stamp: UInt64, _ assignments: [Assignment], seeing record: Record?
    ) {
        for operation in Self.schema.operations(assigning: assignments, to: record) {
            scene.write(letter, at: stamp, operation)
        }
    }

    private func shown(_ record: Record, _ field: String) -> String? {
        Self.schema.value(of: field, in: record).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `of one member of a register leaves the others as they are`() throws {
        var scene = Scene()
        edit(
            &scene, "a", at: 1, [Assignment("FREQ", text: "14.074"), Assignment("BAND", text: "20m")], seeing: nil)
        let first = try scene.folded(schema: Self.schema)
        #expect(shown(first, "FREQ") == "14.074")
        #expect(shown(first, "BAND") == "20m")
        #expect(shown(first, "SPLIT") == nil)
        edit(&scene, "a", at: 2, [Assignment("SPLIT", text: "yes")], seeing: first)
        let second = try scene.folded(schema: Self.schema)
        #expect(Self.schema.values(of: second).map(\.name) == ["FREQ", "BAND", "SPLIT"])
        #expect(shown(second, "FREQ") == "14.074")
        #expect(shown(second, "SPLIT") == "yes")
        edit(&scene, "a", at: 3, [Assignment("FREQ", nil)], seeing: second)
        let third = try scene.folded(schema: Self.schema)
        #expect(Self.schema.values(of: third).map(\.name) == ["BAND", "SPLIT"])
    }

    @Test func `by two authors at once never mixes the members of a register`() throws {
        var scene = Scene()
        edit(&scene, "a", at: 1, [Assignment("FREQ", text: "14.074"), Assignment("BAND", text: "20m")], seeing: nil)
        let seen = try scene.folded(schema: Self.schema)
        edit(&scene, "a", at: 2, [Assignment("FREQ", text: "7.074"), Assignment("BAND", text: "40m")], seeing: seen)
        edit(&scene, "b", at: 3, [Assignment("FREQ", text: "14.080")], seeing: seen)
        let record = try scene.folded(schema: Self.schema)
        #expect(shown(record, "FREQ") == "14.080")
        #expect(shown(record, "BAND") == "20m")
        #expect(record.hasConflict)
    }

    @Test func `settles a conflict that its author saw`() throws {
        var scene = Scene()
        edit(&scene, "a", at: 1, [Assignment("NOTE", text: "one")], seeing: nil)
        edit(&scene, "b", at: 2, [Assignment("NOTE", text: "two")], seeing: nil)
        let conflict = try scene.folded(schema: Self.schema)
        #expect(conflict.hasConflict)
        edit(&scene, "c", at: 3, [Assignment("NOTE", text: "two")], seeing: conflict)
        let settled = try scene.folded(schema: Self.schema)
        #expect(!settled.hasConflict)
        #expect(settled.texts(.number(1)) == ["two"])
    }

    @Test func `brings a deleted record back`() throws {
        var scene = Scene()
        edit(&scene, "a", at: 1, [Assignment("NOTE", text: "one")], seeing: nil)
        scene.write("a", at: 2, .delete(HeadID(EventID(Scene.replica("a"), 1))))
        let hidden = try scene.folded(schema: Self.schema)
        #expect(!hidden.isVisible)
        edit(&scene, "b", at: 3, [Assignment("NOTE", text: "one")], seeing: hidden)
        let record = try scene.folded(schema: Self.schema)
        #expect(record.isVisible)
        #expect(!record.hasConflict)
    }

    @Test func `writes nothing where everything is so already`() throws {
        var scene = Scene()
        let assignments = [
            Assignment("NOTE", text: "one"), Assignment("BAND", text: "20m"), Assignment("PARKS", text: "A-1,B-2"),
        ]
        edit(&scene, "a", at: 1, assignments, seeing: nil)
        let record = try scene.folded(schema: Self.schema)
        #expect(Self.schema.operations(assigning: assignments, to: record).isEmpty)
        #expect(Self.schema.operations(assigning: [Assignment("PARKS", text: "b-2,a-1")], to: record).isEmpty)
    }
}
