import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `A row of a view` {
    /// Rows of real histories, with whatever a state can hold: heads, deletes, what is gone, what sources said.
    private static func rows(seed: UInt64) throws -> (rows: [[UInt8]], names: Names) {
        let history = try History(seed: seed)
        let events = try history.anyOrder(seed: seed).enumerated().map { $0 % 7 == 3 ? try $1.withheld() : $1 }
        let store = try FoldedStore(folding: events)
        return (store.states.sorted { $0.key < $1.key }.map(\.value.row), store.names)
    }

    private static func decode(_ row: [UInt8], names: Names) throws(RowError) -> RecordState {
        var state = RecordState()
        try state.decode(row.span.bytes, names: names)
        return state
    }

    @Test(arguments: UInt64(0)..<30)
    func `tells of every byte that was changed`(seed: UInt64) throws {
        let (rows, names) = try Self.rows(seed: seed)
        for row in rows {
            for place in row.indices {
                var damaged = row
                damaged[place] ^= UInt8(1 + (place + Int(seed)) % 255)
                #expect(throws: RowError.checksumMismatch) { try Self.decode(damaged, names: names) }
            }
        }
    }

    @Test(arguments: UInt64(0)..<30)
    func `tells where it was cut`(seed: UInt64) throws {
        let (rows, names) = try Self.rows(seed: seed)
        for row in rows {
            for end in row.indices {
                #expect(throws: RowError.self) { try Self.decode(Array(row[..<end]), names: names) }
            }
        }
    }

    @Test(arguments: UInt64(0)..<100)
    func `with a right checksum over wrong content is refused or harmless, and never a trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (rows, names) = try Self.rows(seed: seed)
        for row in rows {
            for _ in 0..<400 {
                var damaged = Array(row.dropFirst(4))
                for _ in 0..<Int.random(in: 1...3, using: &generator) { damaged.mutate(using: &generator) }
                Self.use(damaged.sealed, names)
            }
            for end in 0...(row.count - 4) { Self.use(Array(row.dropFirst(4).prefix(end)).sealed, names) }
        }
    }

    @Test(arguments: UInt64(0)..<50)
    func `of random bytes with a right checksum is refused or harmless`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var names = Names()
        _ = names.ordinal(of: ReplicaID(high: 1, low: 1))
        for _ in 0..<1_000 {
            let count = Int.random(in: 0...60, using: &generator)
            let small = (0..<count).map { _ in UInt8.random(in: 0...3, using: &generator) }
            Self.use((generator.chance(0.5) ? small : generator.bytes(count)).sealed, names)
        }
    }

    /// Does everything that a reader does with a state.
    private static func use(_ row: [UInt8], _ names: Names) {
        guard let state = try? decode(row, names: names) else { return }
        let record = Record(kind: "k", id: RecordID(high: 0, low: 0), state: state, names: names, schema: nil)
        let values = ShownValues(state, names, schema: KindSchema(name: "k", fields: [], namedPolicy: .sources))
        _ = (record.hasConflict, record.coveredByDelete, values.sources, values.value(1), state.history.positions)
        // What was read as sound can be written, and then says the same.
        #expect(throws: Never.self) { try decode(state.row, names: names) }
    }

    @Test func `says counts that its bytes cannot hold, and nothing is set aside for them`() {
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        let names = Names()
        for zeros in 0...5 {
            let row = [UInt8](repeating: 0, count: zeros) + huge
            #expect(throws: RowError.malformed) { try Self.decode(row.sealed, names: names) }
            #expect(throws: RowError.malformed) { try Self.decode((row + [0]).sealed, names: names) }
        }
        #expect(throws: RowError.malformed) { try Self.decode([1, 2, 3], names: names) }
    }

    @Test func `with numbers that the names never gave out is refused`() throws {
        var scene = Scene()
        scene.write("a", at: 1, source: SourceID(name: "LoTW"), .set(.name("notes"), "73"))
        let store = try FoldedStore(folding: scene.events)
        let row = try #require(store.states[scene.record]).row
        #expect(throws: Never.self) { try Self.decode(row, names: store.names) }
        #expect(throws: RowError.malformed) { try Self.decode(row, names: Names()) }
    }

    @Test func `keeps the positions of all events, small steps and large`() throws {
        var state = RecordState()
        var names = Names()
        let positions: [Position] = [1, 2, 130, 16_700, 1 << 40, .max]
        var scene = Scene()
        for stamp in 1...6 { scene.write("a", at: UInt64(stamp), .set(Scene.frequency, "7")) }
        for (event, position) in zip(scene.events, positions) {
            try event.bytes.withSpan { bytes throws in
                let frame = try Frame(parsing: bytes)
                let (shape, values) = (bytes.extracting(frame.shape), bytes.extracting(frame.values))
                var reader = try ChangeReader(shape: shape, isWithheld: false, by: frame.names(in: bytes))
                try reader.skipNote(in: values)
                try state.fold(
                    &reader, of: reader.record, shape: shape, values: values, event: frame.id, stamp: frame.stamp,
                    position: position,
                    names: &names)
            }
        }
        #expect(state.history.positions == positions)
        let loaded = try state.savedAndLoaded()
        #expect(loaded.history.positions == positions)
        #expect(loaded.history.count == 6 && loaded.history.last == .max)
    }
}

@Suite struct `The names of a store` {
    @Test(arguments: UInt64(0)..<50)
    func `keep their numbers through their bytes`(seed: UInt64) throws {
        let history = try History(seed: seed)
        let names = try FoldedStore(folding: history.events).names
        let loaded = try names.encode().withSpan { bytes throws in try Names(decoding: bytes) }
        #expect(loaded.replicas == names.replicas && loaded.sources == names.sources && loaded.fields == names.fields)
        for (place, replica) in names.replicas.enumerated() {
            #expect(loaded.knownOrdinal(of: replica) == UInt32(place))
        }
        for field in names.fields {
            let ordinal = try #require(loaded.knownOrdinal(of: .name(field)))
            #expect(loaded.field(ordinal) == .name(field))
        }
        #expect(loaded.knownOrdinal(of: ReplicaID(high: 0, low: 0)) == nil)
    }

    @Test(arguments: UInt64(0)..<20)
    func `are refused or read where their bytes were changed, and never trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = try FoldedStore(folding: History(seed: seed).events).names.encode()
        for _ in 0..<500 {
            var damaged = bytes
            for _ in 0..<2 { damaged.mutate(using: &generator) }
            _ = try? damaged.withSpan { bytes throws in try Names(decoding: bytes) }
        }
    }
}

extension [UInt8] {
    /// These bytes with the checksum of a row before them.
    fileprivate var sealed: [UInt8] {
        var writer = ByteWriter()
        writer.append(littleEndian: withSpan { CRC32C.checksum($0) })
        return writer.bytes + self
    }
}
