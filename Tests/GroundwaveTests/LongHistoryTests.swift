import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSeededNumbers
import GroundwaveStore
import GroundwaveTesting
import Testing

/// What is answered by searches where a log is long is the same as what a walk over all of it finds.
@Suite struct `In a long history` {
    @Test func `the last contact is found behind any number of later events`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let ids = try await store.write { batch in
            try ["N1CALL", "N2CALL", "N3CALL"].map { try batch.add("qso", [Assignment("CALL", text: $0)]) }
        }.value
        // Edits of the first one, and settings: none of them logs a contact.
        for number in 0..<300 {
            try await store.write { _ = try $0.set("qso", ids[0], [Assignment("NAME", text: "Jim \(number)")]) }
        }
        #expect(try store.resolve("last", kind: "qso") == ids[2])
        for id in [ids[2], ids[1]] { try await store.write { _ = try $0.remove("qso", id) } }
        for number in 0..<300 {
            try await store.write { _ = try $0.set("qso", ids[0], [Assignment("NAME", text: "Joe \(number)")]) }
        }
        #expect(try store.resolve("last", kind: "qso") == ids[0], "of those that show")
        #expect(try store.resolve("last", kind: "qso", among: .hidden) == ids[1], "the one that was hidden last")
    }

    @Test(arguments: UInt64(1)...20)
    func `each batch is found from its last event, and from no other`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        var batches: [Batch] = []
        for _ in 0..<12 {
            let count = [1, 1, 2, 3, 7, 64, 65].randomElement(using: &numbers) ?? 1
            let written = try await store.write { batch in
                for _ in 0..<count { _ = try batch.add("qso", [Assignment("CALL", text: "W1AW")]) }
            }
            batches.append(try #require(written.batch))
        }
        var ends: [Position: Batch] = [:]
        for batch in batches { ends[batch.position + UInt64(batch.count) - 1] = batch }
        for position in batches[0].position...(try store.log.lastPosition()) {
            #expect(try Batch(closing: position, in: store.log) == ends[position], "@\(position)")
        }
        #expect(try Batch(closing: try store.log.lastPosition() + 1, in: store.log) == nil)
    }

    @Test(arguments: UInt64(1)...20)
    func `conflicts and contradictions are those of all records`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let cloud = MemoryTransport()
        let laptop = try await TemporaryStore(.full())
        let ids = try await laptop.store.write { batch in
            try (0..<12).map { try batch.add("qso", [Assignment("CALL", text: "N\($0)CALL")]) }
        }.value
        try await laptop.store.sync(with: cloud, as: "cloud")
        let phone = try await TemporaryStore(joining: cloud, as: "cloud", .full())
        for _ in 0..<20 {
            let store = numbers.chance(0.5) ? laptop.store : phone.store
            let id = ids[Int.random(in: 0..<ids.count, using: &numbers)]
            let (field, value) = (numbers.chance(0.5) ? "NAME" : "QTH", "v\(Int.random(in: 0..<4, using: &numbers))")
            let isRemoval = numbers.chance(0.2)
            try await store.write { batch in
                if isRemoval {
                    _ = try batch.remove("qso", id)
                } else {
                    _ = try batch.set("qso", id, [Assignment(field, text: value)])
                }
            }
        }
        for store in [laptop.store, phone.store, laptop.store] { try await store.sync(with: cloud, as: "cloud") }
        var conflicts: Set<RecordID> = []
        for id in ids {
            let record = try #require(try laptop.store.record("qso", id))
            if record.hasConflict { conflicts.insert(id) }
        }
        #expect(Set(try laptop.store.conflicts().map(\.id)) == conflicts)
    }
}
