import GroundwaveEvents
import GroundwaveRecords
import Testing

@Suite struct `Of several heads` {
    private static func schema(_ policy: MergePolicy) -> KindSchema {
        KindSchema(name: "thing", fields: [FieldSchema(1, "freq", policy)])
    }

    @Test(arguments: [MergePolicy.latest, .yields])
    func `the greatest stamp is shown, then the greatest replica`(policy: MergePolicy) throws {
        var scene = Scene()
        scene.write("c", at: 1, .set(Scene.frequency, "early"))
        scene.write("a", at: 2, .set(Scene.frequency, "late"))
        scene.write("b", at: 2, .set(Scene.frequency, "late, of the greater replica"))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order, schema: Self.schema(policy))[scene.record])
            #expect(record.texts(Scene.frequency) == ["early", "late", "late, of the greater replica"])
            #expect(record[Scene.frequency]?.policy == policy)
        }
    }

    @Test func `of one replica and one stamp the greatest number is shown`() throws {
        var scene = Scene()
        scene.write("a", at: 2, .set(Scene.frequency, "first of the batch"))
        scene.write("a", at: 2, .set(Scene.frequency, "second of the batch"))
        for order in scene.orders {
            #expect(try FoldedStore(folding: order)[scene.record]?.text(Scene.frequency) == "second of the batch")
        }
    }

    @Test func `a collection has all as its elements`() throws {
        var scene = Scene()
        scene.write("a", at: 2, .add(Scene.frequency, "x"))
        scene.write("b", at: 1, .add(Scene.frequency, "y"))
        let record = try scene.folded(schema: Self.schema(.union))
        #expect(record.texts(Scene.frequency) == ["y", "x"])
        #expect(!record.hasConflict)
    }

    @Test func `a lease goes to the greatest term, then the least stamp, replica and number`() throws {
        func claim(_ term: UInt64, _ holder: String) -> FieldOperation {
            let value = LeaseClaim.encode(term: term, holder: Array(holder.utf8))
            return FieldOperation(.set, Scene.frequency, value: value)
        }
        var scene = Scene()
        scene.write("a", at: 1, claim(6, "an old term"))
        scene.write("b", at: 4, claim(7, "a late claim"))
        scene.write("c", at: 3, claim(7, "the greater replica"))
        scene.write("b", at: 3, claim(7, "the greater number"))
        scene.write("b", at: 3, .set(.name("notes"), "nothing to do with it"))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order, schema: Self.schema(.lease))[scene.record])
            let holders = record[Scene.frequency]?.heads.map { String(decoding: $0.value!.dropFirst(), as: UTF8.self) }
            #expect(holders == ["an old term", "a late claim", "the greater replica", "the greater number"])
            #expect(LeaseClaim.term(of: record[Scene.frequency]?.shown.value) == 7)
        }
    }

    @Test func `a released or unreadable lease has term 0 and gives way to any claim`() throws {
        var scene = Scene()
        scene.write("a", at: 1, FieldOperation(.set, Scene.frequency, value: LeaseClaim.encode(term: 1, holder: [])))
        scene.write("b", at: 2, .clear(Scene.frequency))
        scene.write("c", at: 3, FieldOperation(.set, Scene.frequency, value: [0xFF]))
        let record = try scene.folded(schema: Self.schema(.lease))
        #expect(LeaseClaim.term(of: record[Scene.frequency]?.shown.value) == 1)
        #expect(LeaseClaim.term(of: nil) == 0)
        #expect(LeaseClaim.term(of: [0xFF]) == 0)
        #expect(LeaseClaim.term(of: LeaseClaim.encode(term: .max, holder: [1, 2])) == .max)
    }

    @Test(arguments: UInt64(0)..<200)
    func `the one shown is the same for every reader, and what an index finds is what a record shows`(
        seed: UInt64
    ) throws {
        let history = try History(seed: seed)
        let store = try FoldedStore(folding: history.anyOrder(seed: seed), schema: History.schema)
        for (id, state) in store.states {
            let record = try #require(store[id])
            let values = ShownValues(state, store.names, schema: History.schema)
            let (isVisible, first, notes) = (values.isVisible, values.value(1), values.value(named: "notes"))
            #expect(isVisible == record.isVisible)
            #expect(first.map(Array.init) == record[.number(1)]?.shown.value)
            #expect(notes.map(Array.init) == record[.name("notes")]?.shown.value)
            for field in record.fields {
                let shown = field.heads.max { ($0.stamp, $0.id) < ($1.stamp, $1.id) }
                #expect(field.shown == shown)
            }
        }
    }

    @Test func `a policy belongs to the reader and changes no head`() throws {
        var scene = Scene()
        scene.write("a", at: 1, FieldOperation(.set, Scene.frequency, value: LeaseClaim.encode(term: 9, holder: [])))
        scene.write("b", at: 2, FieldOperation(.set, Scene.frequency, value: LeaseClaim.encode(term: 8, holder: [])))
        let latest = try scene.folded(schema: Self.schema(.latest))
        let lease = try scene.folded(schema: Self.schema(.lease))
        #expect(latest[Scene.frequency]?.shown != lease[Scene.frequency]?.shown)
        #expect(Set(latest[Scene.frequency]!.heads) == Set(lease[Scene.frequency]!.heads))
    }
}
