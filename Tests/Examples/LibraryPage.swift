import Foundation
import GroundwaveLogbook
import GroundwaveTesting
import Testing

struct Inspection: TypedRecord {
    enum Result: String, RecordValue, CaseIterable { case passed, failed }

    var device = ""
    var day: CalendarDay?
    var result = Result.passed
    var labels: [String] = []

    static let name = "inspection"
    static let fields = [
        Field(1, "DEVICE", \.device), Field(2, "DAY", \.day), Field(3, "RESULT", \.result),
        Field(4, "LABELS", \.labels),
    ]
    static let byDay = Index(1, "day") { $0.day.map { [.text("\($0)")] } }
    static let indexes = [byDay]
}

enum Results: Projection {
    static let name = "results"
    static let kinds = ["inspection"]

    static func project(_ kind: String, _ id: RecordID, _ record: borrowing ShownValues, into rows: inout ProjectedRows)
    {
        guard record.isVisible else { return }
        let inspection = Inspection(record)
        let result = ProjectionKey.Value.text(inspection.result.rawValue)
        rows.add(sums: [1], to: [.text(inspection.device), result])
        rows.add([result, .text(inspection.day.map { "\($0)" } ?? "")])
    }
}

/// What an application makes of the inspections outside the store: a stand-in for yours.
private final class SearchIndex {
    var devices: [RecordID: String] = [:]

    func fill(from store: Store) throws {
        devices = [:]
        for inspection in try store.all(Inspection.self) { set(inspection.id, inspection) }
    }

    func set(_ id: RecordID, _ inspection: Saved<Inspection>?) { devices[id] = inspection?.device }
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
            try $0.add(Inspection(device: "Ladder", day: CalendarDay("2026-05-01")))
        }
        try await store.write(note: "A rung is loose") {
            try $0.edit(Inspection.self, added.value) { $0.result = .failed }
        }
        if let inspection = try store.find(Inspection.self, added.value) { print(inspection.device, inspection.result) }
        try store.close()
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
                try batch.add(Inspection(device: "Ladder", day: CalendarDay(day)))
            }
        }.value
        let id = ids[1]
        let before = try store.currentToken()
        let hidden = try await store.write(note: "Logged twice") { try $0.remove("inspection", id) }
        let inMay = try store.all(Inspection.byDay, text: "2026-05")
        #expect(inMay.map(\.id) == [ids[2]])
        let past = try await store.at(.position(before.position))
        let then = try past.record("inspection", id)
        #expect(then?.isVisible == true)
        for entry in try store.history(HistoryQuery(of: "inspection", id)) {
            print(entry.stamp, entry.note.author, entry.note.text)
        }
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
        let index = SearchIndex()
        let consumer = try store.consumer("search", matching: .kind("inspection"))
        func catchUp() async throws {
            for try await step in consumer.steps(through: try store.currentToken()) {
                switch step {
                case .reset: try index.fill(from: store)
                case .changes(let set):
                    for change in set.changes {
                        index.set(change.record, try store.find(Inspection.self, change.record))
                    }
                }
                try await consumer.acknowledge(step)
            }
        }
        try await catchUp()
        let added = try await store.write { try $0.add(Inspection(device: "Ladder")) }
        for try await set in store.changes(
            since: token, through: try store.currentToken(), matching: .kind("inspection"))
        {
            for change in set.changes {
                print(set.author, set.note, change.record.short, change.after, change.fields.map(\.field))
            }
        }
        try await catchUp()
        #expect(index.devices == [added.value: "Ladder"])
    }

    @Test func `shows a projection`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
        try await store.write { batch in
            for result in [Inspection.Result.passed, .failed, .failed] {
                _ = try batch.add(Inspection(device: "Ladder", result: result))
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

    @Test func `shows how to synchronise`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
        let shared = base.url.appending(path: "shared")
        let syncing = try await store.startSyncing(with: .folder(shared))
        let following = Task { for await state in syncing.status { print(badge(state)) } }
        let state = try await syncing.once(deadline: .seconds(25))
        syncing.stop()
        await following.value
        #expect(badge(state) == "in sync")
        let folder = base.url.appending(path: "other")
        let (other, _) = try await Store.join(.folder(shared), at: folder, configuration)
        #expect(other.logID == store.logID)
        try other.close()
    }

    func badge(_ state: SyncState) -> String {
        switch state {
        case .complete: "in sync"
        case .behind(let events): "\(events) changes to go"
        case .offline(let unsent): "offline, \(unsent) changes wait"
        case .needs(let action): action
        }
    }

    func open(_ folder: URL, _ configuration: Configuration, _ show: (String) -> Void) async throws
        -> Store
    {
        switch try await Store.open(at: folder, configuration) {
        case .ready(let store): return store
        case .recovering(let recovery):
            show("\(recovery.failure.message). Recovered: \(recovery.receipt?.recovered ?? 0) changes.")
            return recovery.temporary
        }
    }

    @Test func `shows how a damaged store is opened`() async throws {
        let folder = base.url.appending(path: "damaged")
        let store = try await Store.create(at: folder, configuration)
        for number in 1...50 {
            try await store.write { _ = try $0.add(Inspection(device: "Ladder \(number)")) }
        }
        try store.close()
        var messages: [String] = []
        try await open(folder, configuration) { messages.append($0) }.close()
        #expect(messages.isEmpty)
        let log = try FileHandle(forUpdating: folder.appending(path: "log.mdb"))
        try log.truncate(atOffset: 40_000)
        try log.close()
        let temporary = try await open(folder, configuration) { messages.append($0) }
        try await temporary.write { _ = try $0.add(Inspection(device: "Scaffold")) }
        try temporary.close()
        #expect(messages.count == 1)
        guard case .recovering(let recovery) = try await Store.open(at: folder, configuration) else {
            Issue.record("the store is not in recovery")
            return
        }
        try await recovery.stageRestore(from: .salvage)
        try recovery.temporary.close()
        let restored = try await Store.open(at: folder, configuration).whole
        let devices = try restored.all(Inspection.self).map(\.device)
        #expect(devices.contains("Scaffold"), "what was written meanwhile is there")
        try restored.close()
    }

    @Test(arguments: [("Docs/Library.md", 8), ("README.md", 1)])
    func `has the code of this file`(_ name: String, _ count: Int) throws {
        let this = URL(filePath: #filePath)
        let page = try String(contentsOf: this.appending(path: "../../../\(name)").standardized, encoding: .utf8)
        let code = Self.lines(of: try String(contentsOf: this, encoding: .utf8))
        let snippets = page.components(separatedBy: "```swift\n").dropFirst()
            .map { Self.lines(of: $0.components(separatedBy: "```")[0]) }
        #expect(snippets.count == count)
        for snippet in snippets { #expect(code.contains(snippet), "\(snippet)") }
    }

    /// The lines of a text, without their indentation.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
