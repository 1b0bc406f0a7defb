import Everything
import Foundation
import Groundwave
import GroundwaveTesting
import Testing

/// The guarantees of `Store.write`, in the words in which they are given.
@Suite struct `Writing` {
    private struct Refused: Error {}

    @Test func `returned means durable and visible to the next read of this process`() async throws {
        let temporary = try await TemporaryStore(.full())
        for number in 1...20 {
            let saved = try await temporary.store.write { try $0.add(Contact("N\(number % 10)CALL")) }
            #expect(try temporary.store.read { try $0.find(saved.value) } != nil)
            #expect(try temporary.store.read { try $0.count(.contacts) } == number)
        }
        // In the log, and not only in what is shown of it.
        try temporary.store.close()
        try FileManager.default.removeItem(at: temporary.url.appending(path: "views.mdb"))
        #expect(try await temporary.reopened(.full()).read { try $0.count(.contacts) } == 20)
    }

    @Test func `thrown means nothing happened`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let saved = try await store.write { try $0.add(Contact("W1AW")) }
        let before = try store.digest()
        await #expect(throws: Refused.self) {
            try await store.write { batch in
                _ = try batch.add(Contact("N0CALL"))
                try batch.set(\.name, of: saved.value, to: "Ann")
                throw Refused()
            }
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.write { batch in
                try batch.set(\.name, of: saved.value, to: "Ann")
                _ = try batch.set(\.name, of: RecordID(high: 1, low: 1), to: "nobody")
            }
        }
        #expect(error?.code == .notFound)
        #expect(try store.digest() == before)
    }

    @Test func `cancelled before the commit throws, and nothing is written`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let (isRunning, mayGoOn) = (Signal(), DispatchSemaphore(value: 0))
        let first = Task {
            try await store.write { batch in
                isRunning.fire()
                mayGoOn.wait()
                return try batch.add(Contact("W1AW"))
            }
        }
        await isRunning.wait()
        // Waits for its turn behind the first one.
        let second = Task { try await store.write { try $0.add(Contact("N0CALL")) } }
        second.cancel()
        mayGoOn.signal()
        let error = await #expect(throws: (any Error).self) { try await second.value }
        #expect(error is CancellationError)
        _ = try await first.value
        #expect(try store.read { try $0.all(.contacts).map { Contact($0).call } } == ["W1AW"])
    }

    @Test func `cancelled after the commit is ignored`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let task = Task {
            let saved = try await store.write { try $0.add(Contact("W1AW")) }
            withUnsafeCurrentTask { $0?.cancel() }
            return saved.value
        }
        let id = try await task.value
        #expect(try store.read { try $0.find(id) } != nil)
    }

    @Test func `a batch that changes nothing writes nothing`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let saved = try await store.write { try $0.add(Contact("W1AW", mode: .cw)) }
        let token = try store.currentToken()
        let same = try await store.write { try $0.set(\.mode, of: saved.value, to: .cw) }
        #expect(!same.value)
        #expect(same.batch == nil)
        #expect(try store.currentToken() == token)
        #expect(try await store.revert(same.batch).batches.isEmpty)
    }

    @Test func `what many tasks write at once is all there, each once`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        try await withThrowingTaskGroup(of: RecordID.self) { group in
            for number in 0..<100 {
                group.addTask { try await store.write { try $0.add(Contact("N\(number % 10)CALL")) }.value }
            }
            var ids: Set<RecordID> = []
            for try await id in group { ids.insert(id) }
            #expect(ids.count == 100)
        }
        #expect(try store.read { try $0.count(.contacts) } == 100)
    }

    @Test func `with a clock and numbers of one's own, the same writes give the same bytes`() async throws {
        func digest(seed: UInt64) async throws -> StoreDigest {
            let clock = VirtualClock()
            let temporary = try await TemporaryStore(
                Configuration.full(author: "N0CALL", deviceName: "shack", surroundings: .virtual(clock, seed: seed)))
            for number in 0..<5 {
                clock.advance(by: .seconds(90))
                try await temporary.store.write { try $0.add(Contact("W1AW", start: Int64(number), mode: .cw)) }
            }
            return try temporary.store.digest()
        }
        #expect(try await digest(seed: 1) == digest(seed: 1))
        #expect(try await digest(seed: 1) != digest(seed: 2))
    }

    @Test func `a stamp follows the clock, and never goes back with it`() async throws {
        let clock = VirtualClock(milliseconds: 1_800_000_000_000)
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        let first = try #require(try await temporary.store.write { try $0.add(Contact("W1AW")) }.batch)
        #expect(first.stamp.milliseconds == 1_800_000_000_000)
        clock.advance(by: .seconds(60))
        let second = try #require(try await temporary.store.write { try $0.add(Contact("W1AW")) }.batch)
        #expect(second.stamp.milliseconds == 1_800_000_060_000)
        clock.setWall(milliseconds: 1_000)
        let third = try #require(try await temporary.store.write { try $0.add(Contact("W1AW")) }.batch)
        #expect(third.stamp > second.stamp)
    }
}

/// Something that happens once, and may be waited for.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func fire() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
