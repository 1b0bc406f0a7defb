import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

@Suite struct `Reverting` {
    /// What the contacts say, without those of `left`, and those that say nothing: hidden and shown again by somebody,
    /// they are all that is left of a contact whose import is left out, and the undo hides them.
    private func content(_ store: some Reading, without left: Set<RecordID> = []) throws -> [[String: [UInt8]]] {
        var result: [[String: [UInt8]]] = []
        try store.forEachContactInOrder(.everything) { record in
            if left.contains(record.id) || record.adifFields.isEmpty { return }
            result.append(
                Dictionary(record.adifFields.map { ($0.name.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
        }
        return result.sorted { "\($0.sorted { $0.key < $1.key })" < "\($1.sorted { $0.key < $1.key })" }
    }

    @Test(arguments: UInt64(1)...15)
    func `an import leaves what a store shows that never had it, but for what was touched since`(seed: UInt64)
        async throws
    {
        var fleet = try await Fleet(2, seed: seed)
        defer { fleet.close() }
        for _ in 0..<40 { try await fleet.step() }
        let store = fleet.stores[0]
        let text = (0..<12).map { number in
            adi(["CALL": "W1AW", "QSO_DATE": "20260102", "TIME_ON": "\(1200 + number)", "NAME": "new", "QTH": "here"])
        }.joined()
        let report = try await store.importText(text, named: "file0.adi")
        let id = try #require(report.id)
        // The other device takes it back, some time later.
        for _ in 0..<Int(seed % 3) * 8 { try await fleet.step() }
        try fleet.meet()
        let other = fleet.stores[1]
        let events = try other.events(ofImport: id)
        #expect(try other.previewRevert(events).changed.count > 0)
        let before = try content(other)
        let undone = try await other.revert(events)
        #expect(undone.changed.count > 0)
        let left = Set(undone.left.map(\.record))
        if seed % 3 == 0 { #expect(left.isEmpty) }
        var filter = EventFilter()
        filter.without = events
        let without = try await other.replaying(filter)
        // The undo is an event like all others, so it is left out too.
        filter.without.formUnion(EventSet(undone.batches.map(\.range)))
        let neverHad = try await other.replaying(filter)
        #expect(try content(other, without: left) == content(neverHad, without: left))
        #expect(try content(without, without: left) == content(neverHad, without: left))
        // Taking that back gives the import back.
        try await other.revert(EventSet(undone.batches.map(\.range)))
        #expect(try content(other) == before)
        // And the first device shows what the second one does.
        try fleet.meet()
        #expect(try store.digest().views == other.digest().views)
    }

    @Test func `what somebody hid since leaves it hidden, and tells that it still says what it said`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }.value
        let edit = try await store.write { try $0.set("qso", id, [Assignment("NAME", text: "Joe")]) }
        _ = try await store.write { try $0.remove("qso", id) }
        let reverted = try await store.revert(edit.batch)
        #expect(reverted.changed.isEmpty && reverted.left.map(\.record) == [id])
        _ = try await store.write { try $0.restore("qso", id) }
        #expect(try store.record("qso", id)?.text("NAME") == "Joe")
    }

    @Test func `what made a contact hides it, also where it was hidden and shown again since`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let made = try await store.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }
        _ = try await store.write { try $0.remove("qso", made.value) }
        _ = try await store.write { try $0.restore("qso", made.value) }
        let reverted = try await store.revert(made.batch)
        #expect(reverted.changed.map(\.record) == [made.value] && reverted.left.isEmpty)
        #expect(try store.read { try $0.count(.everything) } == 0)
    }

    @Test func `is a step that undo takes back, and behind which it goes on`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await store.write(note: "first") { _ = try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }
        let empty = try store.digest().content
        // Large enough that taking it back is several batches, and one step all the same.
        let id = try #require(try await store.importText(generatedLog(5000)).id)
        let whole = try store.digest().content
        let reverted = try await store.revert(store.events(ofImport: id), note: "Wrong file")
        #expect(reverted.batches.count > 1 && reverted.changed.count == 5000)
        #expect(try store.digest().content == empty)
        let steps = try store.undoableSteps(5)
        #expect(steps.map(\.note.text) == ["Wrong file", "first"])
        #expect(steps.map(\.changeCount) == [5000, 1])
        try await store.revert(steps[0])
        #expect(try store.digest().content == whole)
        #expect(try store.undoableSteps(5).map(\.note.text) == ["Import test.adi", "first"])
        for step in try store.undoableSteps(2) { try await store.revert(step) }
        #expect(try store.digest().contentCount == 0 && store.undoableSteps(5).isEmpty)
    }

    @Test func `an import does not keep its file from being imported again`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let id = try #require(try await store.importText(generatedLog(20), named: "log.adi").id)
        let whole = try store.digest().content
        // One that a person hid stays hidden, whatever was undone.
        let hidden = try #require(try store.read { try $0.all(.everything).first?.id })
        try await store.write { _ = try $0.remove("qso", hidden) }
        try await store.revert(store.events(ofImport: id))
        #expect(try store.digest().contentCount == 0)
        let again = try await store.importText(generatedLog(20), named: "log.adi")
        #expect(again.imported == 19 && again.hidden == 1 && again.unchanged == 1)
        #expect(try store.digest().contentCount == 19)
        try await store.write { _ = try $0.restore("qso", hidden) }
        #expect(try store.digest().content == whole)
        // And that import is undone as the first one was.
        try await store.revert(store.events(ofImport: #require(again.id)))
        #expect(try store.digest().contentCount == 1)
    }

    @Test func `an import twice changes nothing more`() async throws {
        let temporary = try await TemporaryStore(.full())
        let id = try #require(try await temporary.store.importText(generatedLog(5)).id)
        let events = try temporary.store.events(ofImport: id)
        #expect(try await temporary.store.revert(events).changed.count == 5)
        let once = try temporary.store.digest().content
        #expect(try await temporary.store.revert(events).changed.count == 0)
        #expect(try temporary.store.digest().content == once)
    }

    @Test func `a settled conflict makes it one again`() async throws {
        let fleet = try await Fleet(2, seed: 3)
        defer { fleet.close() }
        let (one, two) = (fleet.stores[0], fleet.stores[1])
        let id = try await one.write { try $0.add("qso", [Assignment("CALL", text: "N0CALL")]) }.value
        try fleet.meet()
        for (store, name) in [(one, "Ann"), (two, "Bob")] {
            _ = try await store.write { try $0.set("qso", id, [Assignment("NAME", text: name)]) }
        }
        try fleet.meet()
        let settled = try await one.write { try $0.set("qso", id, [Assignment("NAME", text: "Cid")]) }
        #expect(try one.record("qso", id)?.hasConflict == false)
        try await one.revert(settled.batch)
        let names = try #require(try one.record("qso", id)?[QSOKind.schema.key(for: "NAME")])
        #expect(Set(names.heads.map(\.value)) == [Array("Ann".utf8), Array("Bob".utf8)])
    }

    @Test func `one event of a batch takes back that one alone`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let ids = try await store.write { batch in
            try (0..<3).map { try batch.add("qso", [Assignment("CALL", text: "N\($0)CALL")]) }
        }
        let batch = try #require(ids.batch)
        let second = EventID(batch.first.replica, batch.first.sequence + 1)
        try await store.revert(store.events(standingFor: second))
        #expect(try Set(store.read { try $0.all(.everything).compactMap { $0.text("CALL") } }) == ["N0CALL", "N2CALL"])
        // What tells of the undo stands for all of it.
        let last = try store.event(named: "last")
        try await store.revert(store.events(standingFor: last))
        #expect(try store.read { try $0.count(.everything) } == 3)
    }

    @Test func `events that are not here is refused, and nothing is written`() async throws {
        let temporary = try await TemporaryStore(.full())
        let before = try temporary.store.digest()
        let nobody = EventSet([EventRange(ReplicaID(high: 1, low: 1), 1, through: 2)])
        await #expect { try await temporary.store.revert(nobody) } throws: { ($0 as? StoreError)?.code == .notFound }
        #expect(try temporary.store.digest() == before)
    }
}
