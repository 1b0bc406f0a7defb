import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `Reading a change from bytes` {
    private static let author = ReplicaID(high: 1, low: 1)

    /// Shape and values of a random change.
    private static func parts(using generator: inout SeededGenerator) -> (shape: [UInt8], values: [UInt8]) {
        var draft = DraftBatch()
        draft.append(.random(using: &generator), by: author, using: &generator)
        return draft.withEvent(at: 0) { ($0.toArray(), $1.toArray()) }
    }

    /// Reads in every way there is, and folds; returns whether the change was taken as sound.
    @discardableResult
    private static func read(_ shape: [UInt8], _ values: [UInt8], isWithheld: Bool = false) throws -> Bool {
        try shape.withSpan { shape throws in
            try values.withSpan { values throws in
                let change = Result { () throws in
                    try Change(
                        shape: shape, values: values, isWithheld: isWithheld, by: WrittenNames(of: EventID(author, 9)))
                }
                do throws(ChangeError) {
                    let start = try ChangeReader(
                        shape: shape, isWithheld: isWithheld, by: WrittenNames(of: EventID(author, 9)))
                    var check = start
                    try check.validate(shape: shape, values: values)
                    var noteReader = start
                    _ = try? noteReader.note(in: values)
                } catch { return false }
                // What was found sound is folded without a complaint, and survives its row.
                #expect(throws: Never.self) { try change.get() }
                var names = Names()
                var state = RecordState()
                var reader = try ChangeReader(
                    shape: shape, isWithheld: isWithheld, by: WrittenNames(of: EventID(author, 9)))
                try reader.skipNote(in: values)
                try state.fold(
                    &reader, of: reader.record, shape: shape, values: values, event: EventID(author, 9),
                    stamp: Stamp(rawValue: 9),
                    position: 1, names: &names)
                var copy = RecordState()
                try state.row.withSpan { row throws in try copy.decode(row, names: names) }
                let record = Record(kind: "k", id: RecordID(high: 0, low: 0), state: copy, names: names, schema: nil)
                #expect(record.isVisible == state.isVisible)
                return true
            }
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func `refuses random bytes without a trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            var shape = generator.bytes(Int.random(in: 0...80, using: &generator))
            // Half of them get past the first gate.
            if generator.chance(0.5) {
                shape = [1, 1, 1, 0x71] + generator.bytes(16) + [UInt8.random(in: 0...3, using: &generator)] + shape
            }
            let values = generator.bytes(Int.random(in: 0...40, using: &generator))
            try Self.read(shape, values, isWithheld: generator.chance(0.2))
        }
    }

    @Test(arguments: UInt64(0)..<70)
    func `takes a change that was tampered with, or refuses it, and never traps`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let whole = Self.parts(using: &generator)
            for _ in 0..<10 {
                var (shape, values) = whole
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    if generator.chance(0.7) {
                        shape.mutate(using: &generator)
                    } else {
                        values.mutate(using: &generator)
                    }
                }
                try Self.read(shape, values, isWithheld: generator.chance(0.1))
            }
        }
    }

    @Test(arguments: UInt64(0)..<40)
    func `refuses a change that is cut short anywhere, or goes on behind its end`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (shape, values) = Self.parts(using: &generator)
        for end in shape.indices { #expect(try !Self.read(Array(shape[..<end]), values)) }
        for end in values.indices { #expect(try !Self.read(shape, Array(values[..<end]))) }
        #expect(try !Self.read(shape + [0], values))
        #expect(try !Self.read(shape, values + [0]))
    }

    @Test func `names an earlier event of its own batch by the distance, and none before the first`() throws {
        let (author, other) = (ReplicaID(high: 1, low: 1), [UInt8](repeating: 5, count: 16))
        // Kind "q", record, no flags; a clear of field 1, which supersedes a head of its own batch.
        func change(_ replicas: [UInt8], _ head: [UInt8]) throws(ChangeError) -> Change {
            let shape = [1, 1, 1, 0x71] + [UInt8](repeating: 7, count: 16) + [0] + replicas + [1, 1, 2, 1] + head
            return try Change(
                shape: shape.span.bytes, values: [UInt8](repeating: 0, count: 18).span.bytes, isWithheld: false,
                by: WrittenNames(of: EventID(author, 9)))
        }
        for distance in 1..<UInt8(9) {
            let expected = HeadID(EventID(author, 9 - UInt64(distance)))
            #expect(try change([0], [1, distance]).operations.first?.supersedes == [expected])
            #expect(try change([1] + other, [2, distance]).operations.first?.supersedes == [expected])
        }
        let greatest = [UInt8](repeating: 0xFF, count: 9) + [1]
        for distance in [[0], [9], [10], greatest] {
            #expect(throws: ChangeError.inconsistent) { try change([0], [1] + distance) }
        }
        #expect(throws: ChangeError.inconsistent) { try change([1] + other, [3, 1]) }
    }

    @Test func `refuses a kind or a field that is no text or has no name`() throws {
        func shape(kind: [UInt8], field: [UInt8]) -> [UInt8] {
            [1, 1, UInt8(kind.count)] + kind + [UInt8](repeating: 7, count: 16) + [0, 0, 1, 1]
                + [UInt8(field.count << 1 | 1)] + field + [0]
        }
        let values = [UInt8](repeating: 0, count: 18)
        #expect(try Self.read(shape(kind: [0x71], field: [0x66]), values))
        for bad in [shape(kind: [], field: [0x66]), shape(kind: [0xFF], field: [0x66])] {
            #expect(try !Self.read(bad, values))
        }
        for bad in [shape(kind: [0x71], field: []), shape(kind: [0x71], field: [0xC3])] {
            #expect(try !Self.read(bad, values))
        }
    }

    @Test func `refuses a value where the operation brings none, and none where it brings one, withheld or not`() throws
    {
        func shape(code: UInt8) -> [UInt8] {
            [1, 1, 1, 0x71] + [UInt8](repeating: 7, count: 16) + [0, 0, 1, code, 2, 0]
        }
        let value = [UInt8](repeating: 0, count: 18) + [1, 0x41]
        let none = [UInt8](repeating: 0, count: 18)
        for code in UInt8(0)...6 {
            let hasValue = OperationCode(rawValue: code)!.hasValue
            #expect(try Self.read(shape(code: code | 0x10), value) == hasValue)
            #expect(try Self.read(shape(code: code), none) == !hasValue)
            #expect(try Self.read(shape(code: code | 0x10), [], isWithheld: true) == hasValue)
            #expect(try Self.read(shape(code: code), [], isWithheld: true) == !hasValue)
        }
    }

    @Test func `believes no count of heads, operations or replicas that the bytes cannot hold`() throws {
        let start: [UInt8] = [1, 1, 1, 0x71] + [UInt8](repeating: 7, count: 16) + [0]
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
        #expect(try !Self.read(start + huge, []))
        #expect(try !Self.read(start + [0] + huge, []))
        #expect(try !Self.read(start + [0, 1, 1, 2] + huge, []))
        // A head of a replica that the table lacks.
        #expect(try !Self.read(start + [0, 1, 1, 2, 1, 2, 5], [UInt8](repeating: 0, count: 18)))
    }
}

extension [UInt8] {
    /// Changes, inserts or removes a byte.
    mutating func mutate(using generator: inout SeededGenerator) {
        guard let place = indices.randomElement(using: &generator) else { return append(0) }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
        case 1: remove(at: place)
        case 2: self[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        default: self[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
        }
    }
}
