import Groundwave
import GroundwaveReplication

extension ExaminedTransport {
    func endsWhenCancelled() async throws {
        try await store("present")
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        try await cancelled("storing an object") { _ = try await put("cancelled", bytes) }
        try await cancelled("reading") { _ = try await get("present") }
        try await cancelled("listing") { _ = try await list() }
        try await cancelled("asking for folders") { _ = try await folders() }
        try await cancelled("deleting") { try await delete("absent") }
        // Whether it was stored or not: from now on it is there.
        _ = try await put("cancelled", bytes)
        // On a medium that cannot do otherwise, what was begun may be completed behind the back of its task.
        let end = ContinuousClock.now + patience
        while try await get("cancelled") != bytes, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(10))
        }
        try expect(
            try await get("cancelled"), bytes, "Reading an object that was being stored when its task was cancelled")
        try expect(try await get("present"), [1], "Reading an object that was there before")
    }

    /// Runs an operation in a task that is cancelled before, and in one that is cancelled meanwhile.
    private func cancelled(_ what: String, _ operation: @escaping @Sendable () async throws -> Void) async throws {
        for isStarted in [false, true] {
            let awaited = Awaited<Void>()
            let (starts, start) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                if isStarted { start.yield() }
                _ = try? await operation()
                awaited.provide(())
            }
            if isStarted { for await _ in starts { break } }
            task.cancel()
            let timer = Task {
                try await Task.sleep(for: patience)
                awaited.provide(())
            }
            defer { timer.cancel() }
            let begin = ContinuousClock.now
            _ = await awaited.value()
            if ContinuousClock.now - begin >= patience {
                throw Finding("\(patience) after its task was cancelled, \(what) had not ended.")
            }
        }
    }

    /// Two stores write and synchronise while requests fail; once none fails any more, they have the same events.
    func letsStoresAgree() async throws {
        let faulty = FaultyTransport(transport, seed: 1)
        let configuration = Configuration(author: "N0CALL", kinds: [Memo.self])
        let first = try await TemporaryStore(configuration)
        try await first.store.sync(with: faulty, as: "examined")
        let second = try await TemporaryStore(joining: faulty, as: "examined", configuration)
        let stores = [first.store, second.store]
        faulty.percent = 30
        for number in 0..<10 {
            for store in stores {
                try await store.write { _ = try $0.add("memo", [Assignment("TEXT", text: "\(number)")]) }
                // Some fail: that is what is tried here.
                _ = try? await store.sync(with: faulty, as: "examined")
            }
        }
        faulty.percent = 0
        for _ in 0..<3 {
            for store in stores {
                do { try await store.sync(with: faulty, as: "examined", isFull: true) } catch {
                    throw Finding("After some requests had failed, synchronising fails for good: \(error)")
                }
            }
        }
        let counts = try stores.map { store in
            var count = 0
            try store.read { view in
                try view.forEachRecordID(of: "memo", textPrefix: "") { _ in
                    count += 1
                    return true
                }
            }
            return count
        }
        try expect(counts, [20, 20], "Counting the records of two stores that wrote 10 each")
        try expect(try first.store.logDigest(), try second.store.logDigest(), "The digest of one log")
        withExtendedLifetime((first, second)) {}
    }
}

/// What the examined stores write.
private enum Memo: RecordKind {
    static let schema = KindSchema(name: "memo", fields: [FieldSchema(1, "TEXT")])
}
