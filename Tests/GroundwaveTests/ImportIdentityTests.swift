import Everything
import Foundation
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveTesting
import Testing

/// A file of which several batches are needed, and an import that ends before it is whole.
@Suite struct `An import that was broken off` {
    private struct Broken: Error {}

    /// At most 4,095 contacts are one batch.
    private static let count = 9_000

    private static func imports(_ store: Store) throws -> [Record] {
        try store.read { view in
            var records: [Record] = []
            try view.forEachRecord(of: "import") {
                records.append($0)
                return true
            }
            return records
        }
    }

    private static func text(_ name: String, of record: Record, _ store: Store) -> String? {
        store.kinds["import"]?.value(of: name, in: record).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Imports about a part of the file, at least one batch of it.
    private static func breakOff(_ bytes: [UInt8], in store: Store) async throws {
        let pieces = Pieces(Array(bytes.prefix(bytes.count * 19 / 20)))
        await #expect(throws: (any Error).self) {
            try await store.importLog(named: "test.adi") {
                guard let piece = pieces.next() else { throw Broken() }
                return piece
            }
        }
        try store.views.catchUp()
        let count = try store.read { try $0.count(.contacts) }
        #expect(count > 0 && count < Self.count)
    }

    @Test func `goes on as the same import, is counted once, and is reverted whole`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let bytes = Array(generatedLog(Self.count).utf8)
        try await Self.breakOff(bytes, in: store)
        let id = try #require(try Self.imports(store).first?.id)
        let report = try await store.importBytes(bytes, named: "test.adi")
        #expect(report.id == id)
        #expect(report.imported + report.unchanged == Self.count && report.unchanged > 0)
        let imports = try Self.imports(store)
        #expect(imports.map(\.id) == [id])
        #expect(Self.text("IMPORTED", of: imports[0], store) == "\(Self.count)")
        #expect(Self.text("RECORDS", of: imports[0], store) == "\(Self.count)")
        #expect(!imports[0].hasConflict)
        try await store.revert(store.events(ofImport: id))
        #expect(try store.read { try $0.count(.contacts) } == 0)
    }

    /// What was written before it was completed is a step of its own.
    @Test func `is one step of undo, whatever was written in between`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let bytes = Array(generatedLog(Self.count).utf8)
        try await Self.breakOff(bytes, in: store)
        let id = try await store.write(note: "By hand") { try $0.add("qso", [Assignment("CALL", text: "W1AW")]) }.value
        let report = try await store.importBytes(bytes, named: "test.adi")
        let step = try #require(try store.undoableSteps(1).first)
        #expect(step.changeCount == Self.count)
        #expect(step.batches == step.batches.sorted { $0.position > $1.position })
        let events = try store.events(ofImport: #require(report.id))
        #expect(
            EventSet(step.batches.map { EventRange($0.first.replica, $0.first.sequence, through: $0.last.sequence) })
                == events)
        #expect(try store.undoableSteps(9).map(\.note.text) == ["Import test.adi", "By hand"])
        try await store.revert(step)
        #expect(try store.read { try $0.all(.contacts).map(\.id) } == [id])
        #expect(try store.undoableSteps(9).map(\.note.text) == ["By hand"])
    }

    @Test func `is finished by the same file though all of it had come in`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let whole = Array(generatedLog(Self.count).utf8)
        try await Self.breakOff(whole, in: store)
        let id = try #require(try Self.imports(store).first?.id)
        // As many contacts as the first batch has.
        let count = try store.read { try $0.count(.contacts) }
        let report = try await store.importText(generatedLog(count))
        #expect(report.id == id && report.unchanged == count)
        #expect(Self.text("RECORDS", of: try Self.imports(store)[0], store) == "\(count)")
        let events = try store.log.lastPosition()
        #expect(try await store.importText(generatedLog(count)).id == nil)
        #expect(try store.log.lastPosition() == events)
    }

    /// What begins anew: another file, another source, and one whose beginning was taken back.
    @Test(arguments: ["file", "source", "reverted"])
    func `is not gone on with by another one`(difference: String) async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let bytes = Array(generatedLog(Self.count).utf8)
        try await Self.breakOff(bytes, in: store)
        let id = try #require(try Self.imports(store).first?.id)
        var options = ImportOptions()
        if difference == "source" { options.source = "Another" }
        if difference == "reverted" { try await store.revert(store.events(ofImport: id)) }
        let name = difference == "file" ? "another.adi" : "test.adi"
        let report = try await store.importBytes(bytes, named: name, options)
        #expect(report.id != nil && report.id != id)
        #expect(try Self.imports(store).count == 2)
        #expect(try store.read { try $0.count(.contacts) } == Self.count)
    }
}
