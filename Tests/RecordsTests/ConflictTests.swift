import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@Suite struct `Concurrent writes` {
    @Test func `of different values are a conflict, and the next write that names them settles it`() throws {
        var scene = Scene()
        let first = scene.write("a", at: 1, .set(Scene.frequency, "14.074"))
        let left = scene.write("b", at: 2, .set(Scene.frequency, "14.075", over: first))
        let right = scene.write("c", at: 3, .set(Scene.frequency, "14.076", over: first))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(record.texts(Scene.frequency) == ["14.075", "14.076"])
            #expect(record.hasConflict)
        }
        scene.write("a", at: 4, .set(Scene.frequency, "14.075", over: left, right))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(record.texts(Scene.frequency) == ["14.075"])
            #expect(!record.hasConflict)
        }
    }

    @Test func `of equal values are no conflict, and both stay`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .set(Scene.frequency, "14.074"))
        scene.write("b", at: 2, .set(Scene.frequency, "14.074"))
        let record = try scene.folded()
        #expect(record[Scene.frequency]?.heads.count == 2)
        #expect(!record.hasConflict)
    }

    @Test func `of a value and a clear are a conflict, since a clear keeps its head`() throws {
        var scene = Scene()
        let write = scene.write("a", at: 1, .set(Scene.frequency, "14.074"))
        scene.write("b", at: 3, .clear(Scene.frequency, over: write))
        #expect(try scene.folded()[Scene.frequency]?.shown.value == nil)
        #expect(try scene.folded().isVisible)
        scene.write("c", at: 2, .set(Scene.frequency, "14.075", over: write))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(record.texts(Scene.frequency) == ["14.075", nil])
            #expect(record.hasConflict)
        }
    }

    @Test func `that were composed on an old form lose nothing that the form did not show`() throws {
        var scene = Scene()
        let shown = scene.write("a", at: 1, .set(Scene.frequency, "14"))
        scene.write("b", at: 2, .set(Scene.frequency, "15", over: shown))
        // The form of `a` still shows 14 when 15 has arrived.
        scene.write("a", at: 3, .set(Scene.frequency, "32", over: shown))
        for order in scene.orders {
            #expect(try FoldedStore(folding: order)[scene.record]?.texts(Scene.frequency) == ["15", "32"])
        }
    }

    @Test func `of elements are never a conflict, whether or not the reader knows the kind`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .add(Scene.parks, "US-0001"), .add(Scene.parks, "US-0002"))
        scene.write("b", at: 1, .add(Scene.parks, "US-0003"))
        #expect(try scene.folded(schema: History.schema).hasConflict == false)
        #expect(try scene.folded(schema: nil).hasConflict == false)
    }

    @Test func `add and remove of one element leave what the remover had not seen`() throws {
        var scene = Scene()
        let seen = scene.write("a", at: 1, .add(Scene.parks, "US-0001"), .add(Scene.parks, "US-0002"))
        scene.write("b", at: 2, .add(Scene.parks, "US-0001"))
        scene.write("c", at: 3, .remove(Scene.parks, seen))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(Set(record.texts(Scene.parks)) == ["US-0001", "US-0002"])
            #expect(record[Scene.parks]?.heads.map(\.id.index).sorted() == [0, 1])
        }
    }

    @Test func `a removal takes just the addition whose place it names`() throws {
        for place in UInt32(0)...2 {
            var scene = Scene()
            let added = scene.write("a", at: 1, .add(Scene.parks, "0"), .add(Scene.parks, "1"), .add(Scene.parks, "2"))
            scene.write("b", at: 2, .remove(Scene.parks, HeadID(added.event, index: place)))
            for order in scene.orders {
                let left = try #require(FoldedStore(folding: order)[scene.record]).texts(Scene.parks)
                #expect(left == ["0", "1", "2"].filter { $0 != "\(place)" })
            }
        }
    }

    @Test func `a revert puts back several heads of one field in one event, each by its place`() throws {
        var scene = Scene()
        let wrong = scene.write("a", at: 1, .set(Scene.frequency, "1"))
        let put = scene.write(
            "b", at: 2, .clear(.name("notes")),
            FieldOperation(.candidate, Scene.frequency, supersedes: [wrong], value: Array("14.074".utf8)),
            FieldOperation(.candidate, Scene.frequency, value: Array("14.075".utf8)))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(record.texts(Scene.frequency) == ["14.074", "14.075"])
            #expect(record.hasConflict)
        }
        scene.write("a", at: 3, .set(Scene.frequency, "14.075", over: HeadID(put.event, index: 1)))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(record.texts(Scene.frequency) == ["14.075", "14.075"])
            #expect(!record.hasConflict)
        }
    }

    @Test func `a field that one event writes twice is refused, since its heads would share a name`() throws {
        for operations: [FieldOperation] in [
            [.set(Scene.frequency, "1"), .set(Scene.frequency, "2")],
            [.set(Scene.frequency, "1"), .clear(Scene.frequency)],
            [.set(.number(9999), "1"), .set(.number(9999), "2")],
            [.set(.name("notes"), "1"), .set(.name("call"), "2"), .set(.name("notes"), "3")],
            [.revive(), .revive()],
            [.add(Scene.parks, "x"), .set(Scene.parks, "y")],
        ] {
            let change = Change(kind: "thing", record: Scene.record, operations: operations)
            let event = FramedEvent(EventID(Scene.replica("a"), 1), at: Stamp(rawValue: 1), change)
            #expect(throws: ChangeError.inconsistent) { try FoldedStore(folding: [event]) }
        }
    }
}

@Suite struct `A withheld value` {
    @Test func `shows as withheld and brings no older value back`() throws {
        var scene = Scene()
        let old = scene.write("a", at: 1, .set(.name("notes"), "old"))
        scene.write("a", at: 2, .set(.name("notes"), "John", over: old))
        let erased = [scene.events[0], try scene.events[1].withheld()]
        for order in [erased, erased.reversed()] {
            let field = try #require(FoldedStore(folding: order)[scene.record]?[.name("notes")])
            #expect(field.heads.count == 1)
            #expect(field.shown.isWithheld && field.shown.value == nil)
        }
    }

    @Test(arguments: UInt64(0)..<200)
    func `changes nothing but the value: heads, deletes and visibility stay`(seed: UInt64) throws {
        let history = try History(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let whole = try FoldedStore(folding: history.events)
        let partial = try FoldedStore(
            folding: try history.events.map { generator.chance(0.5) ? try $0.withheld() : $0 }, savesEachStep: true)
        for id in history.records {
            guard let left = whole[id], let right = partial[id] else { continue }
            #expect(left.isVisible == right.isVisible)
            #expect(left.deletions == right.deletions)
            #expect(left.fields.map(\.key) == right.fields.map(\.key))
            for (whole, partial) in zip(left.fields, right.fields) {
                #expect(whole.heads.map(\.id) == partial.heads.map(\.id))
                for (head, rest) in zip(whole.heads, partial.heads) {
                    #expect(rest.isWithheld ? head.value != nil && rest.value == nil : rest.value == head.value)
                }
            }
        }
    }

    @Test func `beside a clear is a conflict still`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .set(.name("notes"), "John"))
        scene.write("b", at: 2, .clear(.name("notes")))
        let events = [try scene.events[0].withheld(), scene.events[1]]
        #expect(try scene.folded().hasConflict)
        #expect(try FoldedStore(folding: events)[scene.record]?.hasConflict == true)
    }
}
