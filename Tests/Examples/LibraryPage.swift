import Foundation
import GroundwaveLogbook
import GroundwaveTesting
import Testing

enum Inspection: RecordKind {
    static let schema = KindSchema(
        name: "inspection",
        fields: [FieldSchema(1, "DEVICE"), FieldSchema(2, "DAY"), FieldSchema(3, "RESULT")],
        indexes: [IndexSchema(1, "day")],
        indexEntries: { record, entries in
            guard record.isVisible, let day = record.text("DAY") else { return }
            entries.add(Array(day.utf8)[...], to: 1)
        })
}

enum Results: Projection {
    static let name = "results"
    static let kinds = ["inspection"]

    static func project(_ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows)
    {
        guard record.isVisible, let device = record.text("DEVICE"), let result = record.text("RESULT") else { return }
        rows.add(sums: [1], to: [.text(device), .text(result)])
        rows.add([.text(result), .text(record.text("DAY") ?? "")])
    }
}

/// The code of Docs/Library.md and README.md, compiled and run.
@Suite struct `The page about the library` {
    private let base: TemporaryFolder

    init() throws { base = try TemporaryFolder() }

    private var configuration: Configuration {
        Configuration(
            author: "N0CALL", kinds: [Inspection.self], projections: [Results.self],
            stateFolder: base.url.appending(path: "state"))
    }

    @Test func `shows a first store`() async throws {
        let state = base.url.appending(path: "state")
        let folder = base.url.appending(path: "first")
        let configuration = Configuration(author: "N0CALL", kinds: [Inspection.self], stateFolder: state)
        let store = try await Store.create(at: folder, configuration)
        let added = try await store.write(note: "The yearly round") {
            try $0.add("inspection", [Assignment("DEVICE", text: "Ladder"), Assignment("RESULT", text: "passed")])
        }
        try await store.write(note: "A rung is loose") {
            try $0.set("inspection", added.value, [Assignment("RESULT", text: "failed")])
        }
        let record = try store.record("inspection", added.value)
        let result = record.flatMap { Inspection.schema.value(of: "RESULT", in: $0) }
        print(String(decoding: result ?? [], as: UTF8.self))
        try store.close()
        #expect(result == Array("failed".utf8))
    }

    @Test func `has a log like that of README.md`() async throws {
        let state = base.url.appending(path: "state")
        let folder = base.url.appending(path: "log")
        let store = try await Store.create(
            at: folder, Configuration(author: "N0CALL", components: [.logbook], stateFolder: state))
        let saved = try await store.write {
            try $0.add(Contact("W1AW", frequency: Frequency(hertz: 14_032_500), mode: .cw))
        }
        let fix = try await store.write(note: "Read back wrong") {
            try $0.set(\.frequency, of: saved.value, to: Frequency(hertz: 14_033_500))
        }
        for try await change in store.history(of: saved.value, field: \.frequency) {
            print(change.stamp, change.author ?? change.device, change.before ?? "–", "→", change.after ?? "–")
        }
        try await store.revert(fix.batch, note: "It was right")
        #expect(try store.read { try $0.find(saved.value)?.frequency } == Frequency(hertz: 14_032_500))
        try store.close()
    }

    @Test func `shows writing, reading and the past`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
        let ids = try await store.write { batch in
            try ["2026-04-30", "2026-05-01", "2026-05-02"].map { day in
                try batch.add("inspection", [Assignment("DEVICE", text: "Ladder"), Assignment("DAY", text: day)])
            }
        }.value
        let id = ids[1]
        let before = try store.currentToken()
        let hidden = try await store.write(note: "Logged twice") { try $0.remove("inspection", id) }
        let inMay = try store.read { view in
            var found: [RecordID] = []
            try view.forEachEntry(of: "inspection", index: 1, prefix: Array("2026-05".utf8)) { _, id in
                found.append(id)
                return true
            }
            return try found.compactMap { try view.record("inspection", $0) }
        }
        #expect(inMay.map(\.id) == [ids[2]])
        let past = try await store.at(.position(before.position))
        let then = try past.record("inspection", id)
        #expect(then?.isVisible == true)
        var query = HistoryQuery()
        query.record = ("inspection", id)
        for entry in try store.history(query) { print(entry.stamp, entry.note.author, entry.note.text) }
        try await store.revert(hidden.batch, note: "No, once only")
        #expect(try store.record("inspection", id)?.isVisible == true)
        let conflicts = try store.conflicts()
        #expect(conflicts.isEmpty)
    }

    func followFailures(_ store: Store) async throws {
        let failures = store.values(of: ["inspection"]) { try $0.sums(of: Results.self, ["Ladder", "failed"]) }
        for try await sums in failures { print(sums.first ?? 0) }
    }

    @Test func `shows how to observe`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
        let token = try store.currentToken()
        let counting = Task { try await followFailures(store) }
        counting.cancel()
        try await counting.value
        let added = try await store.write { try $0.add("inspection", [Assignment("DEVICE", text: "Ladder")]) }
        var told: [RecordID] = []
        for try await set in store.changes(
            since: token, through: try store.currentToken(), matching: .kind("inspection"))
        {
            for change in set.changes {
                print(set.author, set.note, change.record.short, change.after, change.fields.map(\.field))
                told.append(change.record)
            }
        }
        #expect(told == [added.value])
    }

    @Test func `shows a projection`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
        try await store.write { batch in
            for result in ["passed", "failed", "failed"] {
                _ = try batch.add(
                    "inspection", [Assignment("DEVICE", text: "Ladder"), Assignment("RESULT", text: result)])
            }
        }
        let failures = try store.read { try $0.sums(of: Results.self, ["Ladder", "failed"]).first ?? 0 }
        var failed: [RecordID] = []
        try store.read { view in
            try view.forEachRow(of: Results.self, prefix: ["failed"], isBackwards: true) { _, id, _ in
                failed.append(id)
                return failed.count < 10
            }
        }
        #expect(failures == 2 && failed.count == 2)
    }

    @Test(arguments: [("Docs/Library.md", 5), ("README.md", 1)])
    func `has the code of this file`(_ name: String, _ count: Int) throws {
        let snippets = try Snippets(of: name)
        #expect(snippets.snippets.count == count)
        try snippets.expect(in: "Tests/Examples/LibraryPage.swift")
    }
}
