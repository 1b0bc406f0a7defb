import GroundwaveTesting
import Testing

/// The code of the article PerformanceAndThreads, compiled and run.
@Suite struct `The article about performance and threads` {
    @Test func `writes many records in one batch, and walks through them off the caller's actor`() async throws {
        let temporary = try await TemporaryStore(Configuration(kinds: [Inspection.self]))
        let store = temporary.store
        let ladders = (1...1000).map { "Ladder \($0)" }
        let written = try await store.write(note: "From the paper list") { batch in
            for ladder in ladders { _ = try batch.add(Inspection(device: ladder)) }
        }
        #expect((written.batch?.count ?? 0) >= 1000)
        try await store.write {
            _ = try $0.add(Inspection(device: "Rope", result: .failed))
        }
        #expect(try await failedDevices(in: store) == ["Rope"])
    }

    @Test func `reads in one closure what belongs together, while others write`() async throws {
        let temporary = try await TemporaryStore(Configuration(kinds: [Inspection.self]))
        let store = temporary.store
        let writing = Task {
            for _ in 1...20 { try await store.write { _ = try $0.add(Inspection()) } }
        }
        for _ in 1...20 {
            let (count, again) = try store.read { view in
                var counts = [0, 0]
                for place in counts.indices {
                    try view.forEachState(of: "inspection") { _, _ in
                        counts[place] += 1
                        return true
                    }
                }
                return (counts[0], counts[1])
            }
            #expect(count == again)
        }
        try await writing.value
    }

    @concurrent func failedDevices(in store: Store) async throws -> [String] {
        try store.all(Inspection.self).filter { $0.result == .failed }.map(\.device)
    }
}
