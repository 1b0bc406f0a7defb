import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import Testing

@Suite struct `What a source said last` {
    private static let logbook = SourceID(name: "LoTW")
    private static let other = SourceID(name: "QRZ")

    @Test func `is remembered when a person corrects it, so the next import does not undo the correction`() throws {
        var scene = Scene()
        let imported = scene.write("a", at: 1, source: Self.logbook, .set(Scene.frequency, "14.074"))
        scene.write("a", at: 2, .set(Scene.frequency, "14.076", over: imported))
        for order in scene.orders {
            for savesEachStep in [false, true] {
                let store = try FoldedStore(folding: order, savesEachStep: savesEachStep)
                #expect(store.said("14.074", of: Scene.frequency, by: Self.logbook, in: scene.record) == true)
                #expect(store.said("14.076", of: Scene.frequency, by: Self.logbook, in: scene.record) == false)
                #expect(store.said("14.074", of: Scene.frequency, by: Self.other, in: scene.record) == nil)
                #expect(store.said("14.074", of: .name("notes"), by: Self.logbook, in: scene.record) == nil)
            }
        }
    }

    @Test func `is the later of two imports, whichever comes first and whoever writes between them`() throws {
        var scene = Scene()
        let first = scene.write("a", at: 1, source: Self.logbook, .set(Scene.frequency, "1"))
        let correction = scene.write("b", at: 2, .set(Scene.frequency, "2", over: first))
        let second = scene.write("a", at: 3, source: Self.logbook, .set(Scene.frequency, "3", over: correction))
        scene.write("b", at: 4, .set(Scene.frequency, "4", over: second))
        for order in scene.orders {
            let store = try FoldedStore(folding: order, savesEachStep: true)
            #expect(store.said("3", of: Scene.frequency, by: Self.logbook, in: scene.record) == true)
            #expect(store.said("1", of: Scene.frequency, by: Self.logbook, in: scene.record) == false)
        }
    }

    @Test func `goes by the stamp when a clock was wrong, in every order`() throws {
        var scene = Scene()
        let first = scene.write("a", at: 10, source: Self.logbook, .set(Scene.frequency, "ten"))
        let second = scene.write("b", at: 5, source: Self.logbook, .set(Scene.frequency, "five", over: first))
        scene.write("b", at: 6, .set(Scene.frequency, "mine", over: second))
        for order in scene.orders {
            let store = try FoldedStore(folding: order)
            #expect(store.said("ten", of: Scene.frequency, by: Self.logbook, in: scene.record) == true)
            #expect(store.said("five", of: Scene.frequency, by: Self.logbook, in: scene.record) == false)
        }
    }

    @Test func `is one of two that were said at the same time, and the same one in every order`() throws {
        var scene = Scene()
        let left = scene.write("a", at: 5, source: Self.logbook, .set(Scene.frequency, "left"))
        let right = scene.write("b", at: 5, source: Self.logbook, .set(Scene.frequency, "right"))
        scene.write("c", at: 6, .set(Scene.frequency, "mine", over: left, right))
        scene.write("d", at: 6, .set(Scene.frequency, "theirs", over: left))
        let answers = try Set(
            scene.orders.map {
                try FoldedStore(folding: $0).said("left", of: Scene.frequency, by: Self.logbook, in: scene.record)
            })
        #expect(answers.count == 1)
        let heads = Array(scene.events.prefix(2))
        let early = try Set(
            [heads, heads.reversed()].map {
                try FoldedStore(folding: $0).said("left", of: Scene.frequency, by: Self.logbook, in: scene.record)
            })
        #expect(early == answers)
    }

    @Test func `is every element it ever named, whoever removed it`() throws {
        var scene = Scene()
        let added = scene.write(
            "a", at: 1, source: Self.logbook, .add(Scene.parks, "US-0001"), .add(Scene.parks, "US-0002"))
        scene.write("b", at: 2, .remove(Scene.parks, added))
        scene.write("a", at: 3, source: Self.logbook, .remove(Scene.parks, HeadID(added.event, index: 1)))
        for order in scene.orders {
            let store = try FoldedStore(folding: order, savesEachStep: true)
            let state = try #require(store.states[scene.record])
            let logbook = try #require(store.names.knownOrdinal(of: Self.logbook))
            for (park, isSaid) in [("US-0001", true), ("US-0002", true), ("US-0003", false)] {
                #expect(state.assertsElement(Array(park.utf8), of: 3, by: logbook) == isSaid)
            }
        }
    }

    @Test func `of a plain field is not forgotten for an element of the same field`() throws {
        var scene = Scene()
        let imported = scene.write("a", at: 1, source: Self.logbook, .set(Scene.parks, "US-0001"))
        scene.write("b", at: 2, .set(Scene.parks, "US-0002", over: imported))
        scene.write("a", at: 3, source: Self.logbook, .add(Scene.parks, "US-0003"))
        for order in scene.orders {
            let store = try FoldedStore(folding: order)
            #expect(store.said("US-0001", of: Scene.parks, by: Self.logbook, in: scene.record) == true)
            #expect(store.said("US-0003", of: Scene.parks, by: Self.logbook, in: scene.record) == false)
        }
    }

    @Test func `is not known where its value is withheld`() throws {
        var scene = Scene()
        let imported = scene.write("a", at: 1, source: Self.logbook, .set(Scene.frequency, "14.074"))
        scene.write("a", at: 2, .set(Scene.frequency, "14.076", over: imported))
        let withheld = try scene.events[0].withheld()
        for events in [[withheld], [withheld, scene.events[1]], [scene.events[1], withheld]] {
            let store = try FoldedStore(folding: events)
            for value in ["", "14.074"] {
                #expect(store.said(value, of: Scene.frequency, by: Self.logbook, in: scene.record) == false)
            }
        }
    }

    @Test(arguments: UInt64(0)..<300)
    func `is what an honest list of everything said would answer, in every order`(seed: UInt64) throws {
        let history = try History(seed: seed)
        var expected: [Question: Bool?] = [:]
        for question in Question.all(of: history) { expected[question] = question.answer(from: history) }
        for order in UInt64(0)..<3 {
            let store = try FoldedStore(
                folding: history.anyOrder(seed: seed &* 13 &+ order), savesEachStep: order == 1)
            for (question, answer) in expected {
                #expect(
                    store.said(question.value, of: question.field, by: question.source, in: question.record) == answer)
            }
        }
    }

    private struct Question: Hashable {
        let record: RecordID
        let field: FieldKey
        let source: SourceID
        let value: String

        static func all(of history: History) -> [Question] {
            history.records.flatMap { record in
                [History.frequency, History.notes].flatMap { field in
                    History.sources.flatMap { source in
                        ["", "v0", "v1", "v2", "v3"].map {
                            Question(record: record, field: field, source: source, value: $0)
                        }
                    }
                }
            }
        }

        /// The last word by stamp, then number, then the hash of the value.
        func answer(from history: History) -> Bool? {
            var last: (stamp: Stamp, sequence: SequenceNumber, hash: UInt64, value: [UInt8])?
            for written in history.written where written.change.record == record && written.change.source == source {
                for operation in written.change.operations where operation.field == field {
                    let value = operation.value ?? []
                    let hash = value.withSpan { Hash256(hashing: $0).prefix }
                    let word = (stamp: written.event.stamp, sequence: written.event.id.sequence, hash: hash)
                    if let last, word <= (last.stamp, last.sequence, last.hash) { continue }
                    last = (word.stamp, word.sequence, word.hash, value)
                }
            }
            return last.map { $0.value == Array(value.utf8) }
        }
    }
}
