import Foundation
import Groundwave
import GroundwaveTesting
import Testing

enum Loan: RecordKind {
    static let schema = KindSchema(
        name: "loan",
        fields: [FieldSchema(1, "ITEM"), FieldSchema(2, "BORROWER"), FieldSchema(3, "DUE")],
        indexes: [IndexSchema(1, "due")],
        indexEntries: { record, entries in
            guard record.isVisible, let due = record.text("DUE") else { return }
            entries.add(Array(due.utf8)[...], to: 1)
        })

    static func text(_ field: String, of record: Record) -> String {
        String(decoding: schema.value(of: field, in: record) ?? [], as: UTF8.self)
    }
}

func openStore(at folder: URL, _ configuration: Configuration) async throws -> Store {
    do {
        return try await Store.open(at: folder, configuration).whole
    } catch let error as StoreError where error.code == .notFound {
        return try await Store.create(at: folder, configuration)
    }
}

/// The code of the article FirstStore, compiled and run.
@Suite struct `The article about a first store` {
    @Test func `leads from an empty folder to a record that is due, extended, taken back and hidden`() async throws {
        let base = try TemporaryFolder()
        let folder = base.url.appending(path: "loans")
        let configuration = Configuration(
            author: "N0CALL", kinds: [Loan.self], stateFolder: base.url.appending(path: "state"))
        let store = try await openStore(at: folder, configuration)
        let drill = try await store.write(note: "For the shed") {
            try $0.add("loan", [Assignment("ITEM", text: "Drill"), Assignment("DUE", text: "2026-05-01")])
        }.value
        try await store.write {
            _ = try $0.add("loan", [Assignment("ITEM", text: "Ladder"), Assignment("DUE", text: "2026-04-01")])
        }
        let next = try store.read { view in
            var items: [String] = []
            try view.forEachEntry(of: "loan", index: 1) { _, id in
                if let loan = try view.record("loan", id) { items.append(Loan.text("ITEM", of: loan)) }
                return items.count < 10
            }
            return items
        }
        #expect(next == ["Ladder", "Drill"])
        let longer = try await store.write(note: "Needs it longer") {
            try $0.set("loan", drill, [Assignment("DUE", text: "2026-06-01")])
        }
        var query = HistoryQuery()
        query.record = ("loan", drill)
        for entry in try store.history(query) { print(entry.stamp, entry.note.author, entry.note.text) }
        #expect(try store.history(query).map(\.note.text) == ["Needs it longer", "For the shed"])
        try await store.revert(longer.batch, note: "Brought it back today")
        #expect(try store.record("loan", drill).map { Loan.text("DUE", of: $0) } == "2026-05-01")
        try await store.write(note: "Brought it back") { try $0.remove("loan", drill) }
        try store.close()
        let again = try await openStore(at: folder, configuration)
        #expect(try again.record("loan", drill)?.isVisible == false)
        try again.close()
    }
}
