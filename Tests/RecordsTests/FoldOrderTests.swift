import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `Folding a history` {
    @Test(arguments: UInt64(0)..<300)
    func `gives the same records in every causal order`(seed: UInt64) throws {
        let history = try History(seed: seed)
        let expected = try FoldedStore(folding: history.events).facts
        for order in UInt64(0)..<3 {
            let store = try FoldedStore(folding: history.causalOrder(seed: seed &* 7 &+ order))
            #expect(store.facts == expected)
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func `gives the same records in every order at all`(seed: UInt64) throws {
        let history = try History(seed: seed)
        let expected = try FoldedStore(folding: history.events).facts
        for order in UInt64(0)..<3 {
            let store = try FoldedStore(folding: history.anyOrder(seed: seed &* 11 &+ order))
            #expect(store.facts == expected)
        }
    }

    @Test func `leaves a delete alone that is named with the index of a head, in every order`() throws {
        var scene = Scene()
        let written = scene.write("a", at: 1, .set(Scene.frequency, "7.030"))
        let deletion = scene.write("b", at: 2, FieldOperation(.delete, .life, supersedes: [written]))
        scene.write(
            "c", at: 3, FieldOperation(.assert, Scene.parks, supersedes: [HeadID(deletion.event, index: 1)], value: []))
        for order in scene.orders {
            let record = try #require(try FoldedStore(folding: order)[Scene.record])
            #expect(record.deletions.map(\.event) == [deletion.event])
            #expect(!record.isVisible)
        }
    }

    @Test(arguments: UInt64(0)..<200)
    func `can stop and go on from the saved rows after any event`(seed: UInt64) throws {
        let history = try History(seed: seed)
        let order = history.anyOrder(seed: seed)
        let expected = try FoldedStore(folding: order).facts
        var generator = SeededGenerator(seed: seed)
        let stop = Int.random(in: 0...order.count, using: &generator)
        var store = try FoldedStore(folding: order.prefix(stop))
        try store.closeAndOpen()
        for event in order.dropFirst(stop) { try store.fold(event) }
        #expect(store.facts == expected)
        #expect(try FoldedStore(folding: order, savesEachStep: true).facts == expected)
    }

    @Test(arguments: UInt64(0)..<300)
    func `takes a value away only where a later write names it`(seed: UInt64) throws {
        let history = try History(seed: seed)
        let store = try FoldedStore(folding: history.anyOrder(seed: seed))
        var superseded: [RecordID: Set<Named>] = [:]
        for written in history.written {
            for operation in written.change.operations where operation.code != .delete {
                for head in operation.supersedes {
                    superseded[written.change.record, default: []].insert(Named(operation.field, head))
                }
            }
        }
        for written in history.written {
            for (index, operation) in written.change.operations.enumerated() {
                let place = operation.code == .add ? UInt32(index) : 0
                let head = HeadID(written.event.id, index: place)
                let isSuperseded = superseded[written.change.record]?.contains(Named(operation.field, head)) ?? false
                let record = try #require(store[written.change.record])
                switch operation.code {
                case .delete, .remove: break
                default: #expect((record[operation.field]?.heads.contains { $0.id == head } ?? false) != isSuperseded)
                }
            }
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func `shows a record exactly while some head of it is not covered by a delete`(seed: UInt64) throws {
        let history = try History(seed: seed)
        let store = try FoldedStore(folding: history.anyOrder(seed: seed))
        for id in history.records {
            guard let record = store[id] else { continue }
            let covered = Set(record.deletions.flatMap(\.covered))
            let heads = record.fields.flatMap(\.heads).map(\.id.event)
            #expect(record.isVisible == heads.contains { !covered.contains($0) })
        }
    }

    private struct Named: Hashable {
        let field: FieldKey
        let head: HeadID

        init(_ field: FieldKey, _ head: HeadID) {
            self.field = field
            self.head = head
        }
    }
}

@Suite struct `The row of a record` {
    @Test(arguments: UInt64(0)..<200)
    func `is the same bytes after it was read and written again`(seed: UInt64) throws {
        let history = try History(seed: seed)
        let store = try FoldedStore(folding: history.anyOrder(seed: seed))
        for state in store.states.values {
            let row = state.row
            #expect(try state.savedAndLoaded().row == row)
        }
    }

    @Test func `lists what was named before it came in one order, however often it is written`() throws {
        // Sixty heads of one number, named before any came: only replica and place tell them apart.
        let heads = (0..<60).map {
            HeadID(EventID(ReplicaID(high: UInt64($0 % 6), low: 1), 5), index: UInt32($0 / 6))
        }
        func row(_ heads: [HeadID]) throws -> [UInt8] {
            var scene = Scene()
            scene.write("a", at: 1, FieldOperation(.remove, Scene.parks, supersedes: heads))
            var store = FoldedStore()
            for event in scene.events { try store.fold(event) }
            return try #require(store.states[scene.record]).row
        }
        // The replicas are met in the same order both times.
        #expect(try row(heads) == row(Array(heads.prefix(6)) + heads.dropFirst(6).reversed()))
    }

    @Test func `does not grow with the edits of one long run`() throws {
        var scene = Scene()
        var last = scene.write("a", at: 1, .set(Scene.frequency, "14074000"))
        for edit in 2...20_000 {
            last = scene.write("a", at: UInt64(edit), .set(Scene.frequency, "14074000", over: last))
        }
        let store = try FoldedStore(folding: scene.events)
        let state = try #require(store.states[scene.record])
        #expect(state.heads.count == 1)
        #expect(state.writers.count < 200)
        #expect(state.values.count < 10_000)
        #expect(state.history.count == 20_000)
    }
}
