import GroundwaveEvents
import Testing

@testable import GroundwaveRecords

private struct Thing: TypedRecord, Equatable {
    var frequency = "default"
    var power: Int? = 5
    var parks: [String] = ["default"]
    static let name = "thing"
    static let fields = [Field(1, "freq", \.frequency), Field(2, "power", \.power), Field(3, "parks", \.parks)]
}

/// Values of a type, of records that are built event by event.
@Suite struct `Reading a record as a value` {
    /// Reads it as a ``Record`` and where it lies, which must say the same.
    private static func read(_ events: [FramedEvent]) throws -> (value: Thing, problems: [FieldProblem]) {
        let store = try FoldedStore(folding: events, schema: Thing.schema)
        let state = try #require(store.states[Scene.record])
        let shown = ShownValues(state, store.names, schema: Thing.schema)
        let read = Thing.reading { shown.content(of: $0) }
        let saved = Saved<Thing>(try #require(store[Scene.record]))
        #expect(saved.value == read.value && saved.problems == read.problems)
        return read
    }

    @Test func `has the property's own value where a field was never written, and none where it may have none`() throws
    {
        var scene = Scene()
        scene.write("a", at: 1, .set(.number(9), "x"))
        let read = try Self.read(scene.events)
        #expect(read.value == Thing(frequency: "default", power: nil, parks: []) && read.problems.isEmpty)
    }

    @Test func `reads a clear as no value`() throws {
        var scene = Scene()
        let first = scene.write("a", at: 1, .set(.number(2), "7"))
        #expect(try Self.read(scene.events).value.power == 7)
        scene.write("b", at: 2, .clear(.number(2), over: first))
        #expect(try Self.read(scene.events).value.power == nil)
    }

    @Test func `shows each element once, whoever added it, and the later of two values`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .add(Scene.parks, "A, b"), .set(Scene.frequency, "1"))
        scene.write("b", at: 2, .add(Scene.parks, "C"), .set(Scene.frequency, "2"))
        scene.write("c", at: 3, .add(Scene.parks, "A, b"))
        for events in scene.orders {
            let value = try Self.read(events).value
            #expect(value.parks == ["A, b", "C"] && value.frequency == "2")
        }
    }

    @Test func `says which fields have values that are not here`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .set(Scene.frequency, "1"), .add(Scene.parks, "A"))
        scene.write("b", at: 2, .add(Scene.parks, "B"))
        let events = [try scene.events[0].withheld(), scene.events[1]]
        let read = try Self.read(events)
        #expect(read.value == Thing(frequency: "default", power: nil, parks: ["B"]))
        #expect(
            read.problems == [
                FieldProblem(field: "freq", reason: .withheld), FieldProblem(field: "parks", reason: .withheld),
            ])
    }

    @Test func `says which element is not of its type`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .set(.number(2), "seven"), .set(.number(1), "\u{FFFD}"))
        let read = try Self.read(scene.events)
        #expect(read.problems == [FieldProblem(field: "power", reason: .unreadable(Array("seven".utf8)))])
    }
}
