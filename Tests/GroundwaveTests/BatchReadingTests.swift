import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveStore
import GroundwaveTesting
import Testing

private struct Part: TypedRecord, Hashable {
    var name = ""
    var count = 0
    var marks: [String] = []
    var goesWith: RecordID?

    static let name = "part"
    static let fields = [
        Field(1, "NAME", \.name), Field(2, "COUNT", \.count), Field(3, "MARKS", \.marks),
        Field(4, "GOES_WITH", \.goesWith),
    ]
}

/// Something that is done to the record at a place.
private enum Step {
    case add(Part), name(Int, String), count(Int, Int), marks(Int, [String]), remove(Int), restore(Int), clear(Int)

    static func random(_ count: Int, using generator: inout SeededGenerator) -> Step {
        let place = Int.random(in: 0..<max(count, 1), using: &generator)
        let number = Int.random(in: 0..<5, using: &generator)
        if count == 0 { return .add(Part(name: "n\(number)", count: number, marks: ["m\(number)"])) }
        return switch Int.random(in: 0..<8, using: &generator) {
        case 0: .add(Part(name: "n\(number)", count: number, marks: ["m\(number)"]))
        case 1: .name(place, "n\(number)")
        case 2: .count(place, number)
        case 3: .marks(place, (0..<number).map { "m\($0)" })
        case 4: .remove(place)
        case 5: .restore(place)
        case 6: .clear(place)
        default: .name(place, "")
        }
    }

    func run(in batch: inout WriteBatch, _ ids: inout [RecordID]) throws {
        switch self {
        case .add(let part): ids.append(try batch.add(part))
        case .name(let place, let text): try batch.edit(Part.self, ids[place]) { $0.name = text }
        case .count(let place, let number): try batch.edit(Part.self, ids[place]) { $0.count += number }
        case .marks(let place, let marks): try batch.edit(Part.self, ids[place]) { $0.marks = marks }
        case .remove(let place): try batch.remove("part", ids[place])
        case .restore(let place): try batch.restore("part", ids[place])
        case .clear(let place): try batch.set("part", ids[place], [Assignment("NAME", nil)])
        }
    }
}

@Suite struct `A batch` {
    private static let configuration = Configuration(author: "N0CALL", kinds: [Part.self])

    private static func store() async throws -> TemporaryStore { try await TemporaryStore(configuration) }

    @Test func `counts on from what it has written itself`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let id = try await store.write { try $0.add(Part(name: "bolt", count: 3)) }.value
        let written = try await store.write { batch in
            for _ in 0..<3 { try batch.edit(Part.self, id) { $0.count += 1 } }
            return try batch.record("part", id)
        }
        #expect(try store.find(Part.self, id)?.count == 6)
        #expect(written.batch?.count == 3, "each change is an event")
        let record = try #require(try store.record("part", id))
        #expect(!record.hasConflict && record.fields.allSatisfy { $0.heads.count == 1 })
        #expect(written.value?.fields.map(\.value) == record.fields.map(\.value))
        #expect(written.value?.eventCount == record.eventCount && written.value?.lastPosition == record.lastPosition)
    }

    @Test func `adds a record and one that refers to it`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let (bolt, nut) = try await store.write { batch in
            let bolt = try batch.add(Part(name: "bolt"))
            return (bolt, try batch.add(Part(name: "nut", goesWith: bolt)))
        }.value
        #expect(try store.find(Part.self, nut)?.goesWith == bolt)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { try $0.set("part", nut, [Assignment("GOES_WITH", text: "bolt")]) }
        }
        #expect((error?.cause as? InvalidValue)?.field == "GOES_WITH")
    }

    @Test func `adds, edits, hides and restores one record`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let id = try await store.write { batch in
            let id = try batch.add(Part(name: "bolt"))
            #expect(try batch.record("part", id)?.isVisible == true)
            try batch.edit(Part.self, id) { $0.name = "nut" }
            #expect(try batch.remove("part", id) && !batch.remove("part", id))
            return id
        }.value
        #expect(try store.all(Part.self).isEmpty)
        try await store.write { batch in
            #expect(try batch.restore("part", id) && !batch.restore("part", id))
            try batch.remove("part", id)
            try batch.set("part", id, [Assignment("COUNT", text: "2")])
        }
        let saved = try #require(try store.find(Part.self, id))
        #expect(saved.name == "nut" && saved.count == 2)
        #expect(try store.conflicts().isEmpty, "the write has seen that the record was hidden")
    }

    @Test func `does not contradict itself when a form is saved twice`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let id = try await store.write { try $0.add(Part(name: "bolt")) }.value
        let form = try #require(try store.find(Part.self, id))
        try await store.write { try $0.edit(Part.self, id) { $0.count = 7 } }
        try await store.write { batch in
            for name in ["nut", "screw"] { try batch.edit(form) { $0.name = name } }
            try batch.edit(form) { $0.count = 1 }
        }
        let record = try #require(try store.record("part", id))
        #expect(try store.find(Part.self, id)?.name == "screw" && record[.number(1)]?.heads.count == 1)
        #expect(record[.number(2)]?.isConflict == true, "what another batch wrote meanwhile stays beside it")
    }

    @Test func `refuses what another batch was about to write`() async throws {
        let temporary = try await Self.store()
        let store = temporary.store
        let seen = try await store.write { batch in
            let id = try batch.add(Part(name: "bolt"))
            return try batch.record("part", id)
        }.value
        let record = try #require(seen)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { batch in
                _ = try batch.add(Part(name: "other"))
                try batch.set("part", record.id, [Assignment("NAME", text: "nut")], basis: record)
            }
        }
        #expect(error?.code == .usage)
        #expect(try store.all(Part.self).map(\.name) == ["bolt"])
    }

    @Test(arguments: UInt64(0)..<16)
    func `leaves what the same changes leave one by one`(seed: UInt64) async throws {
        let (together, apart) = (try await Self.store(), try await Self.store())
        var generator = SeededGenerator(seed: seed)
        var ids: (together: [RecordID], apart: [RecordID]) = ([], [])
        for _ in 0..<4 {
            var (steps, count) = ([Step](), ids.apart.count)
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                steps.append(.random(count, using: &generator))
                if case .add = steps.last { count += 1 }
            }
            let before = ids
            ids.together = try await together.store.write { [steps] batch in
                var ids = before.together
                for step in steps { try step.run(in: &batch, &ids) }
                return ids
            }.value
            for step in steps {
                ids.apart = try await apart.store.write { [ids] batch in
                    var ids = ids.apart
                    try step.run(in: &batch, &ids)
                    return ids
                }.value
            }
        }
        func shown(_ store: Store, _ ids: [RecordID]) throws -> [String] {
            try ids.map { id in
                let record = try #require(try store.record("part", id))
                let heads = record.fields.map { field in "\(field.key) \(field.heads.map { $0.value ?? [0] })" }
                return "\(record.isVisible) \(record.hasConflict) \(record.eventCount) \(heads.sorted())"
            }
        }
        #expect(try shown(together.store, ids.together) == shown(apart.store, ids.apart))
        // Another device folds the same from the events.
        let place = MemoryTransport()
        try await together.store.sync(with: place, as: "there")
        let other = try await TemporaryStore(joining: place, as: "there", Self.configuration)
        for store in [other.store, together.store] { try await store.sync(with: place, as: "there") }
        #expect(try other.store.digest() == together.store.digest())
        #expect(try shown(other.store, ids.together) == shown(together.store, ids.together))
    }
}
