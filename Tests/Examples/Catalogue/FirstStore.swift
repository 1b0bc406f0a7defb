import Foundation
import Groundwave
import GroundwaveTesting
import Testing

struct Loan: TypedRecord {
    var item = ""
    var borrower = ""
    var due: CalendarDay?

    static let name = "loan"
    static let fields = [Field(1, "ITEM", \.item), Field(2, "BORROWER", \.borrower), Field(3, "DUE", \.due)]
    static let byDue = Index(1, "due") { $0.due.map { [.text("\($0)")] } }
    static let indexes = [byDue]
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
            try $0.add(Loan(item: "Drill", due: CalendarDay("2026-05-01")))
        }.value
        try await store.write {
            _ = try $0.add(Loan(item: "Ladder", due: CalendarDay("2026-04-01")))
        }
        let next = try store.all(Loan.byDue, limit: 10)
        #expect(next.map(\.item) == ["Ladder", "Drill"])
        let longer = try await store.write(note: "Needs it longer") {
            try $0.edit(Loan.self, drill) { $0.due = CalendarDay("2026-06-01") }
        }
        for entry in try store.history(HistoryQuery(of: "loan", drill)) {
            print(entry.stamp, entry.note.author, entry.note.text)
        }
        #expect(
            try store.history(HistoryQuery(of: "loan", drill)).map(\.note.text) == ["Needs it longer", "For the shed"])
        try await store.revert(longer.batch, note: "Brought it back today")
        #expect(try store.find(Loan.self, drill)?.due == CalendarDay("2026-05-01"))
        try await store.write(note: "Brought it back") { try $0.remove("loan", drill) }
        try store.close()
        let again = try await openStore(at: folder, configuration)
        #expect(try again.record("loan", drill)?.isVisible == false)
        try again.close()
    }
}
