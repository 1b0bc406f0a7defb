import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `Assigning values to a record` {
    private static let schema = KindSchema(
        name: "thing",
        fields: [
            FieldSchema(1, "freq"), FieldSchema(2, "tuned", members: ["band", "mode"]),
            FieldSchema(3, "parks", .union) { $0.uppercased() },
        ])

    /// A record that is edited as a form does it: look, assign, fold what comes of it.
    private struct Form {
        var scene = Scene()
        var stamp: UInt64 = 0

        var record: Record? { get throws { try FoldedStore(folding: scene.events, schema: schema)[scene.record] } }

        @discardableResult
        mutating func assign(_ assignments: Assignment..., to shown: Record? = nil) throws -> [FieldOperation] {
            let operations = schema.operations(assigning: assignments, to: try shown ?? record)
            if !operations.isEmpty {
                stamp += 1
                scene.write("a", at: stamp, operations)
            }
            return operations
        }

        func text(_ name: String) throws -> String? {
            try record.flatMap { schema.value(of: name, in: $0) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func `writes only what differs`() throws {
        var form = Form()
        try form.assign(Assignment("freq", text: "14.074"), Assignment("parks", text: "US-0001,US-0002"))
        #expect(try form.assign(Assignment("freq", text: "14.074")).isEmpty)
        #expect(try form.assign(Assignment("parks", text: "us-0002,us-0001")).isEmpty)
        #expect(try form.assign(Assignment("freq", text: "14.076")).map(\.code) == [.set])
        #expect(try form.text("freq") == "14.076")
        #expect(try form.record?[.number(1)]?.heads.count == 1)
    }

    @Test func `clears with no value, and an unknown name is a field of its own`() throws {
        var form = Form()
        try form.assign(Assignment("freq", text: "14.074"), Assignment("APP_X", text: "1"))
        try form.assign(Assignment("freq", nil))
        #expect(try form.text("freq") == nil)
        #expect(try form.text("APP_X") == "1")
        #expect(try form.record?.isVisible == true)
    }

    @Test func `writes a member of a register together with the others as they are shown`() throws {
        var form = Form()
        try form.assign(Assignment("band", text: "20m"), Assignment("mode", text: "CW"))
        let operations = try form.assign(Assignment("mode", text: "SSB"))
        #expect(operations.map(\.field) == [.number(2)])
        #expect(try form.text("band") == "20m" && form.text("mode") == "SSB")
        try form.assign(Assignment("band", nil), Assignment("mode", nil))
        #expect(try form.record?[.number(2)]?.shown.value == nil)
    }

    @Test func `adds and removes single elements of a collection, whatever else was added meanwhile`() throws {
        var form = Form()
        try form.assign(Assignment("parks", text: "US-0001,US-0002"))
        let shown = try form.record
        form.scene.write("b", at: 9, .add(.number(3), "US-0009"))
        try form.assign(Assignment("parks", text: "US-0002,US-0003"), to: shown)
        #expect(try Set(form.text("parks")!.split(separator: ",")) == ["US-0002", "US-0003", "US-0009"])
    }

    @Test func `of one name twice keeps the last one, since a field is written once an event`() throws {
        var form = Form()
        let operations = try form.assign(
            Assignment("freq", text: "1"), Assignment("parks", text: "x"), Assignment("freq", text: "2"),
            Assignment("parks", text: "y"), Assignment("band", text: "20m"), Assignment("band", text: "40m"))
        #expect(operations.count == 3)
        #expect(try form.text("freq") == "2" && form.text("parks") == "y" && form.text("band") == "40m")
    }

    @Test func `settles a conflict, also with the value that is shown already`() throws {
        var form = Form()
        form.scene.write("a", at: 1, .set(.number(1), "left"))
        form.scene.write("b", at: 2, .set(.number(1), "right"))
        form.stamp = 2
        #expect(try form.record?.hasConflict == true)
        #expect(try form.assign(Assignment("freq", text: "right")).first?.supersedes.count == 2)
        #expect(try form.record?.hasConflict == false)
    }

    @Test func `shows a deleted record again`() throws {
        var form = Form()
        try form.assign(Assignment("freq", text: "14.074"))
        form.scene.write("b", at: 5, FieldOperation(.delete, .life, supersedes: try form.record!.coveredByDelete))
        #expect(try form.record?.isVisible == false)
        form.stamp = 9
        try form.assign(Assignment("freq", text: "14.074"))
        #expect(try form.record?.isVisible == true)
        #expect(try form.record?.hasConflict == false)
    }

    @Test(arguments: ["US-0001", "US-0001,US-0002", ""])
    func `shows a deleted record again, also where only a collection is assigned`(parks: String) throws {
        var form = Form()
        try form.assign(Assignment("freq", text: "14.074"), Assignment("parks", text: "US-0001"))
        form.scene.write("b", at: 5, FieldOperation(.delete, .life, supersedes: try form.record!.coveredByDelete))
        form.stamp = 9
        try form.assign(Assignment("parks", text: parks))
        #expect(try form.record?.isVisible == true)
        #expect(try form.record?.hasConflict == false)
        #expect(try form.text("parks") ?? "" == parks)
    }

    @Test func `leaves elements whose values are withheld, for their author cannot have meant them`() throws {
        var form = Form()
        try form.assign(Assignment("parks", text: "US-0001"))
        try form.assign(Assignment("parks", text: "US-0001,US-0002"))
        var events = form.scene.events
        events[0] = try events[0].withheld()
        let shown = try #require(FoldedStore(folding: events, schema: Self.schema)[form.scene.record])
        let operations = Self.schema.operations(assigning: [Assignment("parks", text: "US-0003")], to: shown)
        #expect(operations.map(\.code) == [.remove, .add])
        #expect(operations[0].supersedes.count == 1)
        // Clearing the whole field means all of it.
        let clearing = Self.schema.operations(assigning: [Assignment("parks", nil)], to: shown)
        #expect(clearing.map(\.supersedes.count) == [2])
    }

    @Test(arguments: UInt64(0)..<200)
    func `makes the record show what was assigned, and then nothing is left to write`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var form = Form()
        for _ in 0..<12 {
            var wanted: [String: [UInt8]?] = [:]
            for name in ["freq", "band", "mode", "notes"] where generator.chance(0.4) {
                let value = ["a", "b", "c"].randomElement(using: &generator)!
                wanted[name] = .some(generator.chance(0.2) ? nil : Array(value.utf8))
            }
            let assignments = wanted.sorted { $0.key < $1.key }.map { Assignment($0.key, $0.value) }
            let operations = Self.schema.operations(assigning: assignments, to: try form.record)
            if !operations.isEmpty {
                form.stamp += 1
                form.scene.write("a", at: form.stamp, operations)
            }
            guard let record = try form.record else { continue }
            for (name, value) in wanted { #expect(Self.schema.value(of: name, in: record) == value) }
            #expect(Self.schema.operations(assigning: assignments, to: record).isEmpty)
        }
    }
}

@Suite struct `A register` {
    @Test(arguments: UInt64(0)..<50)
    func `comes back from its bytes, also where a later version has more members`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let values: [[UInt8]?] = (0..<4).map { _ in
            generator.chance(0.3) ? nil : generator.bytes(Int.random(in: 0...200, using: &generator))
        }
        let register = Register(values)
        #expect(Register(decoding: register.encode(), memberCount: 4) == register)
        #expect(Register(decoding: register.encode(), memberCount: 2).values == Array(values.prefix(2)))
        #expect(register.isEmpty == register.encode().isEmpty)
        var damaged = register.encode()
        damaged.mutate(using: &generator)
        #expect(Register(decoding: damaged, memberCount: 4).values.count == 4)
    }
}
