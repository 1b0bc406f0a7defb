import GroundwaveTesting
import Testing

@MainActor final class FailureBadge {
    private var following: Task<Void, any Error>?

    init(_ store: Store, show: @escaping @MainActor (Int64) -> Void) {
        following = Task {
            let failures = store.values(of: ["inspection"]) { try $0.sums(of: Results.self, ["Ladder", "failed"]) }
            for try await sums in failures { show(sums.first ?? 0) }
        }
    }

    func stop() { following?.cancel() }
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

/// The code of the article Observing, compiled and run.
@Suite struct `The article about observing` {
    private let configuration = Configuration(author: "N0CALL", kinds: [Inspection.self], projections: [Results.self])
    private let failed = Inspection(device: "Ladder", result: .failed)

    @Test func `keeps a badge up to date`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let (shown, sink) = AsyncStream.makeStream(of: Int64.self)
        let badge = await FailureBadge(temporary.store) { sink.yield($0) }
        var values = shown.makeAsyncIterator()
        #expect(await values.next() == 0)
        try await temporary.store.write { [failed] in _ = try $0.add(failed) }
        #expect(await values.next() == 1)
        await badge.stop()
    }

    @Test func `tells what changed, by whom and how it stands`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
        var token = try store.currentToken()
        let id = try await store.write(note: "The yearly round") { [failed] in try $0.add(failed) }.value
        try await store.erase([id], kind: "inspection", note: "Asked for")
        var told: [ChangeSet.Standing] = []
        func tell(_ change: ChangeSet.RecordChange, _ author: String) { told.append(change.after) }
        func forget(_ id: RecordID) { told.append(.erased) }
        for try await set in store.changes(
            since: token, through: try store.currentToken(), matching: .kind("inspection"))
        {
            for change in set.changes {
                if change.after == .erased { forget(change.record) } else { tell(change, set.author) }
            }
            token = set.token
        }
        #expect(told.last == .erased)
        #expect(try token == store.currentToken())
    }

    @Test func `feeds an index that survives restarts`() async throws {
        let temporary = try await TemporaryStore(configuration)
        let store = temporary.store
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
        let id = try await store.write { [failed] in try $0.add(failed) }.value
        try await catchUp()
        #expect(index.devices == [id: "Ladder"])
        try await store.write { try $0.remove("inspection", id) }
        try await catchUp()
        #expect(index.devices.isEmpty)
    }
}
