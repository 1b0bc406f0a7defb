import GroundwaveEvents
import GroundwaveRecords
import Testing

@Suite struct `Deleting a record` {
    @Test func `hides it and clears nothing`() throws {
        var scene = Scene()
        let write = scene.write("a", at: 1, .set(Scene.frequency, "14.074"))
        scene.write("b", at: 2, .delete(write))
        let record = try scene.folded()
        #expect(!record.isVisible)
        #expect(!record.hasConflict)
        #expect(record.text(Scene.frequency) == "14.074")
    }

    @Test func `covers all heads of an event, not of its replica`() throws {
        var scene = Scene()
        let first = scene.write("a", at: 1, .set(Scene.frequency, "14.074"), .set(.name("notes"), "73"))
        scene.write("a", at: 2, .set(.name("call"), "N0CALL"))
        scene.write("b", at: 3, .delete(first))
        #expect(try scene.folded().isVisible)
    }

    @Test func `is undone by a later write, with all fields`() throws {
        var scene = Scene()
        let write = scene.write("a", at: 1, .set(Scene.frequency, "14.074"), .set(.name("notes"), "73"))
        let delete = scene.write("b", at: 2, .delete(write))
        scene.write("c", at: 3, .set(.name("notes"), "back", over: write, delete))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(record.isVisible)
            #expect(!record.hasConflict)
            #expect(record.text(Scene.frequency) == "14.074")
            #expect(record.text(.name("notes")) == "back")
        }
    }

    @Test func `is undone by reviving, which writes no field that a person sees`() throws {
        var scene = Scene()
        let write = scene.write("a", at: 1, .set(Scene.frequency, "14.074"))
        let delete = scene.write("b", at: 2, .delete(write))
        scene.write("a", at: 3, .revive(over: delete))
        for order in scene.orders {
            let record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(record.isVisible && !record.hasConflict && record.deletions.isEmpty)
            #expect(record.fields.map(\.key) == [.life, Scene.frequency])
        }
    }

    @Test func `gives way to an edit its author had not seen, and both are listed`() throws {
        var scene = Scene()
        let write = scene.write("a", at: 1, .set(Scene.frequency, "14.074"))
        let delete = scene.write("b", at: 2, .delete(write))
        scene.write("c", at: 3, .set(Scene.frequency, "14.076", over: write))
        for order in scene.orders {
            let store = try FoldedStore(folding: order)
            let record = try #require(store[scene.record])
            #expect(record.isVisible && record.hasConflict)
            #expect(store.states[scene.record]?.hasContestedDeletion == true)
            #expect(record.deletions.map(\.event) == [delete.event])
            #expect(record.text(Scene.frequency) == "14.076")
        }
    }

    @Test func `twice at once takes a write that names both to undo`() throws {
        var scene = Scene()
        let write = scene.write("a", at: 1, .set(Scene.frequency, "14.074"))
        let first = scene.write("b", at: 2, .delete(write))
        let second = scene.write("c", at: 2, .delete(write))
        let revival = scene.write("a", at: 3, .revive(over: first))
        var record = try scene.folded()
        // The revival is a head of its own, so the record shows, contested by the delete that was not seen.
        #expect(record.isVisible && record.hasConflict)
        scene.write("a", at: 4, .revive(over: second, revival))
        for order in scene.orders {
            record = try #require(FoldedStore(folding: order)[scene.record])
            #expect(record.isVisible && !record.hasConflict)
        }
    }

    @Test func `of a record that has nothing yet hides nothing that comes`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .delete())
        #expect(try scene.folded().isVisible == false)
        scene.write("b", at: 1, .set(Scene.frequency, "7.030"))
        for order in scene.orders { #expect(try FoldedStore(folding: order)[scene.record]?.isVisible == true) }
    }

    @Test func `stands alone in its event, and only as the first thing said`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .delete(), .set(Scene.frequency, "7.030"))
        scene.write("a", at: 2, .set(Scene.frequency, "7.030"), .delete())
        for event in scene.events {
            #expect(throws: ChangeError.inconsistent) { try FoldedStore(folding: [event]) }
        }
    }
}

@Suite struct `Erasing a record` {
    private static func scene() -> Scene {
        var scene = Scene()
        let write = scene.write("a", at: 1, .set(Scene.frequency, "14.074"), .add(Scene.parks, "x"))
        let delete = scene.write("b", at: 2, .delete(write))
        scene.write("c", at: 3, FieldOperation(.erase, .life))
        scene.write("a", at: 4, .set(Scene.frequency, "14.076", over: write, delete))
        return scene
    }

    @Test func `leaves nothing of it, whatever comes before or after`() throws {
        let scene = Self.scene()
        for order in scene.orders {
            for savesEachStep in [false, true] {
                let store = try FoldedStore(folding: order, savesEachStep: savesEachStep)
                let record = try #require(store[scene.record])
                #expect(record.isErased && !record.isVisible && !record.hasConflict)
                #expect(record.fields.isEmpty && record.deletions.isEmpty && record.eventCount == 4)
            }
        }
    }

    @Test func `is known by the columns of a snapshot, beside a record that is only deleted`() throws {
        let scene = Self.scene()
        let erased = try FoldedStore(folding: scene.events)
        let deleted = try FoldedStore(folding: scene.events.prefix(2))
        var columns = RecordColumnsWriter()
        for (number, store) in [erased, deleted, erased].enumerated() {
            let state = try #require(store.states[scene.record])
            columns.append(RecordID(high: UInt64(number), low: 0), state, history: [(replica: 0, sequence: 1)])
        }
        let bytes = columns.encode()
        var reader = try RecordColumnsReader(bytes.span.bytes, count: 3)
        var (state, found) = (RecordState(), [Bool]())
        while try reader.next(bytes.span.bytes, into: &state, names: erased.names, position: { _, _ in 1 }) != nil {
            found.append(state.isErased)
            #expect(state.deletions.count == (state.isErased ? 0 : 1) && state.heads.isEmpty == state.isErased)
        }
        #expect(found == [true, false, true])
    }

    @Test func `stands alone in its event`() throws {
        var scene = Scene()
        scene.write("a", at: 1, .set(Scene.frequency, "14.074"), FieldOperation(.erase, .life))
        #expect(throws: ChangeError.inconsistent) { try FoldedStore(folding: scene.events) }
    }
}
