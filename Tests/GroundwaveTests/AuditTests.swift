import Everything
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Blaming` {
    private static func blame(_ store: Store, _ id: RecordID, _ field: String) throws -> Blame {
        try #require(try store.blame("qso", id).first { $0.field == field })
    }

    private static func text(_ write: Blame.Write?) -> String? {
        write?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `says only where nobody else wrote the field`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let id = try await temporary.store.write(note: "On the air") {
            try $0.add("qso", [Assignment("CALL", text: "W1AW")])
        }.value
        let blame = try Self.blame(temporary.store, id, "CALL")
        #expect(blame.reason == .only)
        #expect(blame.losers.isEmpty)
        #expect(blame.winner.note == AuditNote(author: "N0CALL", text: "On the air"))
        #expect(!blame.winner.isImported)
    }

    @Test func `says causal where the value before was in view, and what it was`() async throws {
        let temporary = try await TemporaryStore(.full())
        try await temporary.store.importText(adi(["CALL": "W1AW", "FREQ": "14.074", "BAND": "20m"]))
        let id = try #require(try temporary.store.firstContact()).id
        _ = try await temporary.store.write(author: "W1AW") {
            try $0.set("qso", id, [Assignment("FREQ", text: "14.075")])
        }
        let blame = try Self.blame(temporary.store, id, "FREQ")
        #expect(blame.reason == .causal)
        #expect(Self.text(blame.winner) == "14.075")
        #expect(blame.winner.note.author == "W1AW")
        #expect(blame.losers.map { Self.text($0) } == ["14.074"])
        #expect(blame.losers[0].isImported)
    }

    @Test func `says stamp where two did not know of one another, and chosen once it is settled`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.add("qso", [Assignment("NAME", text: "Joe")]) }.value
        let seen = try #require(try store.read { try $0.record("qso", id) })
        _ = try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Jim")]) }
        _ = try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Jack")], basis: seen) }
        let conflict = try Self.blame(store, id, "NAME")
        #expect(conflict.reason == .stamp)
        #expect(Self.text(conflict.winner) == "Jack")
        #expect(conflict.losers.map { Self.text($0) } == ["Jim"])
        _ = try await store.write(note: "Asked him") { try $0.set("qso", id, [Assignment("NAME", text: "Jim")]) }
        let settled = try Self.blame(store, id, "NAME")
        #expect(settled.reason == .chosen)
        #expect(Self.text(settled.winner) == "Jim")
        #expect(Set(settled.losers.compactMap { Self.text($0) }) == ["Jim", "Jack"])
    }

    @Test func `of a field that was cleared says by whom`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.add("qso", [Assignment("NAME", text: "Joe")]) }.value
        _ = try await store.write(note: "Not on the air any more") { try $0.set("qso", id, [Assignment("NAME", nil)]) }
        let blame = try Self.blame(store, id, "NAME")
        #expect(blame.winner.value == nil)
        #expect(blame.winner.note.text == "Not on the air any more")
    }

    @Test func `of a record that is not there is refused`() async throws {
        let temporary = try await TemporaryStore(.full())
        let error = #expect(throws: StoreError.self) { try temporary.store.blame("qso", RecordID(high: 1, low: 2)) }
        #expect(error?.code == .notFound)
    }
}

@Suite struct `The history` {
    @Test func `tells before and after, the newest first, with each batch's note`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(author: "N0CALL"))
        let store = temporary.store
        try await store.importText(adi(["CALL": "W1AW", "FREQ": "14.074", "BAND": "20m", "NAME": "Joe"]))
        let id = try #require(try store.firstContact()).id
        _ = try await store.write(note: "Wrong band") {
            try $0.set("qso", id, [Assignment("FREQ", text: "7.074"), Assignment("BAND", text: "40m")])
        }
        _ = try await store.write { try $0.set("qso", id, [Assignment("NAME", nil)]) }
        _ = try await store.write { try $0.remove("qso", id) }
        var query = HistoryQuery()
        query.record = ("qso", id)
        let entries = try store.history(query)
        #expect(entries.map(\.note.text) == ["", "", "Wrong band", "Import test.adi"])
        #expect(entries[0].changes.map(\.operation) == [.delete])
        #expect(Self.texts(entries[1]) == ["NAME Joe nil"])
        #expect(Self.texts(entries[2]) == ["FREQ 14.074 7.074", "BAND 20m 40m"])
        #expect(entries[3].isImported)
        #expect(entries[3].changes.allSatisfy { $0.before == nil })
        query.field = "BAND"
        #expect(
            try store.history(query).map(\.note.text) == ["", "Wrong band", "Import test.adi"], "a removal touches all")
        query.limit = 1
        #expect(try store.history(query).count == 1)
    }

    @Test func `can be that of an author, a device, a kind or a time`() async throws {
        let temporary = try await TemporaryStore(Configuration.full(deviceName: "shack"))
        let store = temporary.store
        _ = try await store.write(author: "W1AW") { try $0.add("qso", [Assignment("CALL", text: "N0A")]) }
        _ = try await store.write(author: "N0CALL") { try $0.add("qso", [Assignment("CALL", text: "N0B")]) }
        var query = HistoryQuery()
        query.author = "w1aw"
        #expect(try store.history(query).count == 1)
        query = HistoryQuery()
        query.replica = try store.replica(named: "SHACK")
        query.kind = "qso"
        let entries = try store.history(query)
        #expect(entries.count == 2)
        query.since = entries[0].stamp.milliseconds
        query.until = entries[0].stamp.milliseconds
        #expect(try store.history(query).isEmpty)
        let error = #expect(throws: StoreError.self) { try store.replica(named: "nobody") }
        #expect(error?.hint?.contains("shack") == true)
    }

    private static func texts(_ entry: AuditEntry) -> [String] {
        entry.changes.map { change in
            func text(_ value: [UInt8]?) -> String { value.map { String(decoding: $0, as: UTF8.self) } ?? "nil" }
            return "\(change.field) \(text(change.before)) \(text(change.after))"
        }
    }
}
