import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `What this version does not know` {
    @Test func `a field without a schema keeps its number or name through log, row and record`() throws {
        var scene = Scene()
        scene.write(
            "a", at: 1, .set(.number(0x3FFF_FFFF), "a number of a later version"), .set(.name("APP_X_FIELD"), "a name"),
            .set(.name("Überreichweite ✓"), "a name beyond ASCII"))
        var store = try FoldedStore(folding: scene.events, savesEachStep: true)
        try store.closeAndOpen()
        let record = try #require(store[scene.record])
        #expect(record.text(.number(0x3FFF_FFFF)) == "a number of a later version")
        #expect(record.text(.name("APP_X_FIELD")) == "a name")
        #expect(record.text(.name("Überreichweite ✓")) == "a name beyond ASCII")
        #expect(record.fields.map(\.key) == record.fields.map(\.key).sorted())
        #expect(History.schema.name(of: .number(0x3FFF_FFFF)) == "#1073741823")
    }

    @Test func `names that look alike and have other bytes are two fields`() throws {
        // U+00E9 and e + U+0301: one string for Swift, two for every other program that reads the log.
        let (composed, decomposed) = (FieldKey.name("\u{E9}"), FieldKey.name("e\u{301}"))
        #expect(composed != decomposed)
        var scene = Scene()
        scene.write("a", at: 1, .set(composed, "composed"), .set(decomposed, "decomposed"))
        for order in [scene.events, scene.events.reversed()] {
            var store = try FoldedStore(folding: order, savesEachStep: true)
            try store.closeAndOpen()
            let record = try #require(store[scene.record])
            #expect(record.fields.count == 2)
            #expect(record.text(composed) == "composed")
            #expect(record.text(decomposed) == "decomposed")
        }
    }

    @Test(arguments: UInt64(0)..<100)
    func `a change comes back from its event as it was written`(seed: UInt64) throws {
        for written in try History(seed: seed).written { #expect(try written.event.change() == written.change) }
    }

    @Test(arguments: UInt64(0)..<300)
    func `any change at all comes back as it was written, and within its bound`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let change = Change.random(using: &generator)
        let author = ReplicaID(high: 1, low: 1)
        let note = AuditNote(author: String(repeating: "é", count: Int(seed % 200)), text: "Import field-day.adi")
        var draft = DraftBatch()
        draft.append(change, by: author, note: note, using: &generator)
        #expect(draft.byteCount <= DraftBatch.byteBound(of: change, note: note))
        try draft.withEvent(at: 0) { shape, values throws in
            #expect(
                try Change(shape: shape, values: values, isWithheld: false, by: WrittenNames(of: EventID(author, 9)))
                    == change)
            var reader = try ChangeReader(shape: shape, isWithheld: false, by: WrittenNames(of: EventID(author, 9)))
            #expect(try reader.note(in: values) == note)
        }
    }

    @Test func `a change of the largest numbers there are stays within its bound`() {
        let heads = (0..<300).map { HeadID(EventID(ReplicaID(high: 9, low: $0), .max), index: .max) }
        let operations = [FieldOperation(.set, .number(0x3FFF_FFFF), supersedes: heads, value: [])]
        let change = Change(kind: "k", record: Scene.record, source: SourceID(rawValue: 1), operations: operations)
        var generator = SeededGenerator(seed: 1)
        var draft = DraftBatch()
        draft.append(change, by: ReplicaID(high: 1, low: 1), using: &generator)
        #expect(draft.byteCount <= DraftBatch.byteBound(of: change))
    }

    @Test func `a block without items, with operations beside it or with too much said of it breaks the rules`() throws
    {
        let change = { (block: SeriesBlock) in Change(kind: "k", record: Scene.record, block: block) }
        let block = SeriesBlock(first: 5, count: 7, summary: [1], content: [2, 3])
        func reading(_ change: Change) throws -> Change {
            var generator = SeededGenerator(seed: 1)
            let author = ReplicaID(high: 1, low: 1)
            var draft = DraftBatch()
            draft.append(change, by: author, using: &generator)
            return try draft.withEvent(at: 0) { shape, values throws in
                try Change(shape: shape, values: values, isWithheld: false, by: WrittenNames(of: EventID(author, 9)))
            }
        }
        #expect(try reading(change(block)) == change(block))
        var both = change(block)
        both.operations = [FieldOperation(.set, .number(1), value: [])]
        #expect(throws: ChangeError.inconsistent) { try reading(both) }
        for (first, count) in [(5, 0), (.max, 1), (1, .max)] as [(UInt64, UInt64)] {
            #expect(throws: ChangeError.inconsistent) {
                try reading(change(SeriesBlock(first: first, count: count, summary: [], content: [])))
            }
        }
        let long = [UInt8](repeating: 0, count: ChangeLimits.summaryBytes + 1)
        #expect(throws: ChangeError.inconsistent) {
            try reading(change(SeriesBlock(first: 0, count: 1, summary: long, content: [])))
        }
    }

    @Test func `only a source is trusted, and related records are some, of a change that is no block`() throws {
        func shape(_ flags: UInt8, _ rest: [UInt8]) -> [UInt8] {
            [1, 1, 1, 0x71] + [UInt8](repeating: 7, count: 16) + [flags] + rest
        }
        let (source, id) = ([UInt8](repeating: 1, count: 8), [UInt8](repeating: 9, count: 16))
        #expect(try reader(of: shape(5, source + [0, 0])).isTrusted)
        #expect(throws: ChangeError.inconsistent) { try reader(of: shape(4, [0, 0])) }
        #expect(try reader(of: shape(8, [1] + id + [0, 0])).hasRelated)
        #expect(throws: ChangeError.inconsistent) { try reader(of: shape(8, [0, 0, 0])) }
        #expect(throws: ChangeError.inconsistent) { try reader(of: shape(10, [1] + id + [0, 0, 1, 1, 0])) }
        // A count is bounded before anything is read.
        for count in [[0x81, 0x20], [0xFF, 0xFF, 0xFF, 0x7F]] as [[UInt8]] {
            #expect(throws: ChangeError.self) { try reader(of: shape(8, count + id + [0, 0])) }
        }
    }

    @Test func `a later version or an unknown operation says so, and is not called damaged`() throws {
        var shape = ByteWriter()
        shape.append(contentsOf: [1, 2, 1, 0x71])
        #expect(throws: ChangeError.unknown(type: 1, version: 2)) { try reader(of: shape.bytes) }
        #expect(throws: ChangeError.unknown(type: 9, version: 1)) { try reader(of: [9, 1, 0]) }
        #expect(throws: ChangeError.malformed(.truncated(offset: 0, needed: 1, available: 0))) { try reader(of: []) }
        // Kind "q", record, a flag that this version does not know.
        let flagged = [1, 1, 1, 0x71] + [UInt8](repeating: 7, count: 16) + [16, 0, 0]
        #expect(throws: ChangeError.unknown(type: 1, version: 1)) { try reader(of: flagged) }
        // Kind "q", record, no source, no replicas, one operation of code 15.
        let operation = [1, 1, 1, 0x71] + [UInt8](repeating: 7, count: 16) + [0, 0, 1, 15, 2, 0]
        #expect(throws: ChangeError.unknown(type: 15, version: 1)) {
            try operation.withSpan { shape in
                var reader = try ChangeReader(
                    shape: shape, isWithheld: true, by: WrittenNames(of: EventID(ReplicaID(high: 1, low: 1), 9)))
                try reader.validate(shape: shape, values: shape.extracting(0..<0))
            }
        }
    }

    @discardableResult
    private func reader(of shape: [UInt8]) throws -> ChangeReader {
        try shape.withSpan {
            try ChangeReader(shape: $0, isWithheld: false, by: WrittenNames(of: EventID(ReplicaID(high: 1, low: 1), 9)))
        }
    }
}

extension Change {
    /// A change with every kind of operation, field and head; the largest numbers among them.
    static func random(using generator: inout SeededGenerator) -> Change {
        func number() -> UInt64 { generator.next() >> UInt64.random(in: 0..<64, using: &generator) }
        func length() -> Int { Int.random(in: 1...(generator.chance(0.1) ? 255 : 12), using: &generator) }
        let replicas = [ReplicaID(high: 1, low: 1)] + (0..<5).map { _ in .random(using: &generator) }
        let codes: [OperationCode] = [.set, .clear, .add, .remove, .delete, .revive, .candidate]
        let operations = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
            let code = codes.randomElement(using: &generator)!
            let field: FieldKey =
                generator.chance(0.5)
                ? .number(UInt32(number() & 0x3FFF_FFFF))
                : .name(String(repeating: "n", count: length()))
            let heads = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                HeadID(
                    EventID(replicas.randomElement(using: &generator)!, number()),
                    index: generator.chance(0.5) ? 0 : UInt32(truncatingIfNeeded: number()))
            }
            let value = code.hasValue ? generator.bytes(Int(number() % (generator.chance(0.1) ? 300 : 20))) : nil
            return FieldOperation(code, field, supersedes: heads, value: value)
        }
        if generator.chance(0.1) {
            let count = max(1, number() / 2)
            return Change(
                kind: String(repeating: "k", count: length()), record: .random(using: &generator),
                block: SeriesBlock(
                    first: number() / 2, count: count, summary: generator.bytes(length()),
                    content: generator.bytes(length())))
        }
        let source = generator.chance(0.5) ? SourceID(rawValue: .max) : nil
        let related = (0..<(generator.chance(0.2) ? 3 : 0)).map { _ in RecordID.random(using: &generator) }
        return Change(
            kind: String(repeating: "k", count: length()), record: .random(using: &generator), source: source,
            isTrusted: source != nil && generator.chance(0.3), related: related, operations: operations)
    }
}
