import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Synchronization
import Testing

@Suite struct `What import sources say` {
    static let register = FieldKey.number(9)
    static let (first, second) = (SourceID(name: "first"), SourceID(name: "second"))

    @Test(
        .enabled(if: Oracle.absence == nil, Comment(rawValue: Oracle.absence ?? "the model is there")),
        arguments: UInt64(0)..<40)
    func `is shown as the model shows it, whatever the order in which events arrive`(batch: UInt64) throws {
        var lines = ""
        var fields: [String: Record.Field] = [:]
        for seed in (batch * 100)..<((batch + 1) * 100) {
            let history = SourceHistory(seed: seed)
            lines += try history.lines(record: "\(seed)")
            var generator = SeededGenerator(seed: seed)
            let events = history.events.shuffled(using: &generator)
            let store = try FoldedStore(folding: events, schema: SourceModel.schema, savesEachStep: seed % 2 == 0)
            let record = try #require(store[Scene.record])
            for field in record.fields { fields["\(seed)/\(SourceModel.schema.name(of: field.key))"] = field }
        }
        let expected = try SourceModel.fold(lines)
        #expect(expected.count == fields.count)
        for (name, shown) in expected {
            let field = try #require(fields[name])
            #expect(field.value.map { String(decoding: $0, as: UTF8.self) } == shown.value, "\(name)")
            #expect(field.value == field.shown.value, "\(name)")
            let contradictions = Set(field.contradictions.map { String(decoding: $0.value ?? [], as: UTF8.self) })
            if field.shown.isDecision {
                // The model lists the other values of persons, too, and coarser words of one source beside its finer ones.
                #expect(contradictions.isSubset(of: shown.contradictions), "\(name)")
            } else {
                #expect(contradictions == Set(shown.contradictions), "\(name)")
            }
        }
    }

    /// What the register shows, with a dash for what it lacks.
    private func shown(_ scene: Scene) throws -> [String] {
        let shown = try scene.orders.map { order in
            let store = try FoldedStore(folding: order, schema: SourceModel.schema, savesEachStep: true)
            let value = store[scene.record]?[Self.register]?.value ?? []
            return Register(decoding: value, memberCount: 3).values.map {
                $0.map { String(decoding: $0, as: UTF8.self) } ?? "-"
            }
        }
        #expect(Set(shown).count == 1)
        return shown[0]
    }

    private static func set(_ frequency: String?, _ band: String?, _ latitude: String?) -> FieldOperation {
        let values = [frequency, band, latitude].map { $0.map { Array($0.utf8) } }
        return FieldOperation(.set, register, value: Register(values).encode())
    }

    @Test func `completes a register part by part, and each part is the finest`() throws {
        var scene = Scene()
        scene.write("a", at: 1, source: Self.first, Self.set("14.07", "20m", nil))
        scene.write("b", at: 2, source: Self.second, Self.set("14.074", nil, "N48"))
        #expect(try shown(scene) == ["14.074", "20m", "N48"])
        let record = try scene.folded(schema: SourceModel.schema)
        #expect(record.hasConflict == false)
        #expect(record[Self.register]?.contradictions.isEmpty == true)
        let heads = try (0..<3).map { try #require(record[Self.register]).shown(member: $0).source }
        #expect(heads == [Self.second, Self.first, Self.second])
    }

    @Test func `never makes one register of two that contradict each other`() throws {
        var scene = Scene()
        scene.write("a", at: 1, source: Self.first, Self.set(nil, "40m", nil))
        scene.write("b", at: 2, source: Self.second, Self.set("14.074", "20m", "N48"))
        #expect(try shown(scene) == ["-", "40m", "-"])
        #expect(try scene.folded(schema: SourceModel.schema)[Self.register]?.contradictions.count == 1)
    }

    @Test func `is first by the part that is contradicted, not by what all of them say`() throws {
        var scene = Scene()
        scene.write("a", at: 1, source: Self.first, Self.set(nil, "20m", nil))
        scene.write("b", at: 2, source: Self.second, Self.set("14.07", "20m", nil))
        scene.write("a", at: 3, source: Self.first, Self.set("14.2", "20m", nil))
        scene.write("c", at: 4, source: SourceID(name: "third"), Self.set("14.074", "20m", "N48"))
        #expect(try shown(scene) == ["14.074", "20m", "N48"])
        var other = Scene()
        other.write("a", at: 1, source: Self.first, Self.set(nil, "40m", nil))
        other.write("b", at: 2, source: Self.second, Self.set("14.07", "20m", nil))
        other.write("a", at: 3, source: Self.first, Self.set("7.03", "40m", nil))
        #expect(try shown(other) == ["7.03", "40m", "-"])
    }

    @Test func `fills in what a person left empty, and leaves what a person wrote`() throws {
        var scene = Scene()
        scene.write("a", at: 1, Self.set("14.07", nil, nil))
        scene.write("b", at: 2, source: Self.first, Self.set("14.074", "20m", nil))
        #expect(try shown(scene) == ["14.07", "20m", "-"])
    }

    @Test func `fills in nothing where a person cleared the field, or wrote another value`() throws {
        var cleared = Scene()
        cleared.write("a", at: 1, .clear(Self.register))
        cleared.write("b", at: 2, source: Self.first, Self.set("14.074", "20m", nil))
        #expect(try shown(cleared) == ["-", "-", "-"])
        var other = Scene()
        other.write("a", at: 1, Self.set("7.03", nil, nil))
        other.write("b", at: 2, source: Self.first, Self.set("14.074", "20m", nil))
        #expect(try shown(other) == ["7.03", "-", "-"])
    }

    @Test func `is no conflict, but two values of persons are`() throws {
        var scene = Scene()
        scene.write("a", at: 1, source: Self.first, .set(.number(4), "Hiram"))
        scene.write("b", at: 2, source: Self.second, .set(.number(4), "Maxim"))
        var field = try #require(try scene.folded(schema: SourceModel.schema)[.number(4)])
        #expect(field.isConflict == false)
        #expect(field.contradictions.map(\.source) == [Self.second])
        scene.write("c", at: 3, .set(.number(4), "Bob"))
        field = try #require(try scene.folded(schema: SourceModel.schema)[.number(4)])
        #expect(field.isConflict == false)
        #expect(field.value == Array("Bob".utf8))
        scene.write("a", at: 4, .set(.number(4), "Rob"))
        field = try #require(try scene.folded(schema: SourceModel.schema)[.number(4)])
        #expect(field.isConflict)
        #expect(field.value == Array("Rob".utf8))
    }

    @Test func `keeps the place of what it corrects`() throws {
        var scene = Scene()
        let early = scene.write("a", at: 1, source: Self.first, .set(.number(4), "Hiram"))
        scene.write("b", at: 2, source: Self.second, .set(.number(4), "Maxim"))
        scene.write(
            "a", at: 3, source: Self.first,
            FieldOperation(
                .set, .number(4), supersedes: [early], value: Array("Percy".utf8), since: Stamp(rawValue: 1)))
        for order in scene.orders {
            let store = try FoldedStore(folding: order, schema: SourceModel.schema, savesEachStep: true)
            #expect(store[scene.record]?.text(.number(4)) == "Percy")
        }
    }

    @Test(arguments: [false, true])
    func `costs a bounded number of comparisons for a head, however many a device wrote`(isRegister: Bool) throws {
        let count = 2000
        var scene = Scene()
        for number in 0..<count {
            let value = String(14 + number)
            scene.write(
                "a", at: UInt64(number + 1), source: SourceID(name: "source \(number)"),
                isRegister ? Self.set(value, nil, nil) : .set(.number(2), value))
        }
        let comparisons = Mutex(0)
        let schema = KindSchema(
            name: "thing",
            fields: [
                FieldSchema(2, "FREQ", .sources),
                FieldSchema(9, "frequency", .sources, members: ["FREQ_RX", "BAND_RX", "LAT"]),
            ],
            covers: { _, value, other in
                comparisons.withLock { $0 += 1 }
                return value == other
            })
        let record = try scene.folded(schema: schema)
        let field = try #require(record[isRegister ? Self.register : .number(2)])
        #expect(field.heads.count == count)
        #expect(field.heads.last?.stamp == Stamp(rawValue: 1), "the one that spoke first")
        #expect(field.contradictions.count == count - 1)
        #expect(comparisons.withLock { $0 } < 50 * count)
    }

    @Test func `has no first time without a source, nor without a value`() throws {
        let early = Stamp(rawValue: 1)
        let operations = [
            (nil, FieldOperation(.set, .number(4), value: [65], since: early)),
            (Self.first, FieldOperation(.clear, .number(4), since: early)),
            (Self.first, FieldOperation(.add, .number(4), value: [65], since: early)),
            (Self.first, FieldOperation(.assert, .number(4), value: [65], since: early)),
        ]
        for (source, operation) in operations {
            var scene = Scene()
            scene.write("a", at: 2, source: source, operation)
            #expect(throws: ChangeError.inconsistent) { try FoldedStore(folding: scene.events) }
        }
    }
}
