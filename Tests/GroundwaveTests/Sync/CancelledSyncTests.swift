import Everything
import Foundation
import GroundwaveConnections
import GroundwaveTesting
import Synchronization
import Testing

@testable import GroundwaveSyncing

@Suite struct `Synchronising, when its task is cancelled,` {
    /// Runs `body`, cancels it when it waits for an answer, and returns what it threw; `nil` if it returned.
    private func cancelled(
        _ blocked: AsyncStream<Void>, _ body: @escaping @Sendable () async throws -> Void
    ) async -> (any Error)? {
        let task = Task { try await body() }
        let watching = Task {
            for await _ in blocked {
                task.cancel()
                break
            }
        }
        defer { watching.cancel() }
        do { try await task.value } catch { return error }
        return nil
    }

    @Test func `ends at once with a CancellationError, and what has arrived is kept`() async throws {
        let place = MemoryTransport()
        let shack = try await TemporaryStore(.full())
        try await shack.store.write { try $0.add(Contact("W1AW")) }
        try await shack.store.sync(with: place, as: "cloud")
        let portable = try await TemporaryStore(joining: place, as: "cloud", .full())
        try await shack.store.write { try $0.add(Contact("K1AA")) }
        try await shack.store.sync(with: place, as: "cloud")
        try await portable.store.write { try $0.add(Contact("N0CALL")) }
        // Each request is once the one that is not answered.
        var stopped = 0
        while stopped < 40 {
            let blocking = BlockingTransport(place, answers: stopped)
            let sync = Task { try await portable.store.sync(with: blocking, as: "cloud") }
            let watching = Task { for await _ in blocking.blocked { sync.cancel() } }
            defer { watching.cancel() }
            do { _ = try await sync.value } catch {
                #expect(error is CancellationError)
                #expect(try portable.store.syncStatus().remotes[0].failure == nil, "that says nothing about the remote")
                stopped += 1
                continue
            }
            break
        }
        #expect((2..<40).contains(stopped))
        try await shack.store.sync(with: place, as: "cloud")
        #expect(try shack.store.logDigest() == portable.store.logDigest())
        #expect(try portable.store.read { try $0.count(.contacts) } == 3)
    }

    @Test func `keeps what it has fetched from some devices before`() async throws {
        let place = MemoryTransport()
        let shack = try await TemporaryStore(.full())
        try await shack.store.sync(with: place, as: "cloud")
        let others = [
            try await TemporaryStore(joining: place, as: "cloud", .full()),
            try await TemporaryStore(joining: place, as: "cloud", .full()),
        ]
        try await shack.store.sync(with: place, as: "cloud")
        for other in others {
            try await other.store.write { try $0.add(Contact("W1AW")) }
            try await other.store.sync(with: place, as: "cloud", isPulling: false)
        }
        var counts: Set<Int> = []
        for answers in 0..<20 {
            let blocking = BlockingTransport(place, answers: answers)
            let error = await cancelled(blocking.blocked) { try await shack.store.sync(with: blocking, as: "cloud") }
            if error == nil { break }
            counts.insert(try shack.store.read { try $0.count(.contacts) })
        }
        #expect(counts.isSuperset(of: [0, 1, 2]), "one contact after the other, although no pass was finished")
        withExtendedLifetime(others) {}
    }

    @Test func `asks nothing more of a transport that knows no cancellation`() async throws {
        let asked = Mutex(0)
        let place = MemoryTransport { _, faults in
            asked.withLock { $0 += 1 }
            return faults
        }
        let shack = try await TemporaryStore(.full())
        try await shack.store.sync(with: place, as: "cloud")
        try await shack.store.write { try $0.add(Contact("W1AW")) }
        let before = asked.withLock(\.self)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await shack.store.sync(with: place, as: "cloud")
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(asked.withLock(\.self) == before)
        try await shack.store.sync(with: place, as: "cloud")
        #expect(try shack.store.syncStatus().remotes[0].unsent.isEmpty)
    }

    @Test func `does not wait for a folder`() async throws {
        let shack = try await TemporaryStore(.full())
        let folder = try TemporaryFolder()
        try await shack.store.add(remote: "place", at: .folder(folder.url))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await shack.store.sync(try shack.store.remote("place"))
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await #expect(throws: CancellationError.self) {
            try await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await shack.store.add(remote: "other", at: .folder(folder.url.appending(path: "other")))
            }.value
        }
        #expect(try shack.store.remotes().map(\.name) == ["place"])
    }

    @Test func `does not wait for a device that says nothing`() async throws {
        let (connected, sink) = AsyncStream.makeStream(of: Void.self)
        let silent = try await Listener.listen(host: "127.0.0.1", port: 0, refuse: { await $0.close() }) { _ in
            sink.yield()
            try? await Task.sleep(for: .seconds(3600))
        }
        let address = RemoteAddress.host(name: "127.0.0.1", port: silent.port)
        let shack = try await TemporaryStore(.full())
        let adding = await cancelled(connected) { try await shack.store.add(remote: "device", at: address) }
        #expect(adding is CancellationError)
        try shack.store.note(Remote(name: "device", address: address))
        let remote = try shack.store.remote("device")
        let syncing = await cancelled(connected) { try await shack.store.sync(remote) }
        #expect(syncing is CancellationError)
        #expect(try shack.store.syncStatus().remotes.map(\.failure) == [nil])
        await silent.stop()
    }

    @Test func `does not wait at the other end of a stream`() async throws {
        let shack = try await TemporaryStore(.full())
        let (here, there) = MemoryStream.pair()
        let task = Task { try await shack.store.sync(over: here, as: "tablet") }
        // It has begun when its greeting arrives.
        _ = try await there.read(upTo: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        while let bytes = try await there.read(upTo: 1 << 20) { #expect(!bytes.isEmpty) }
        #expect(try shack.store.remotes().isEmpty, "a device that has said nothing is none")
    }

    @Test func `leaves a join that can be resumed`() async throws {
        let place = MemoryTransport()
        let shack = try await TemporaryStore(.full())
        try await shack.store.write { try $0.add(Contact("W1AW")) }
        try await shack.store.sync(with: place, as: "cloud")
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        var configuration = Configuration.full()
        configuration.stateFolder = folder.url.appending(path: "state")
        let settings = configuration
        let blocking = BlockingTransport(place, answers: 3)
        let error = await cancelled(blocking.blocked) {
            _ = try await Store.join(through: blocking, as: "cloud", at: url, settings)
        }
        #expect(error is CancellationError)
        let refused = await #expect(throws: StoreError.self) { _ = try await Store.open(at: url, settings) }
        #expect(refused?.code == .joining)
        let other = await #expect(throws: StoreError.self) {
            _ = try await Store.join(through: place, as: "another", at: url, settings)
        }
        #expect(other?.code == .exists)
        let (store, _) = try await Store.join(through: place, as: "cloud", at: url, settings)
        #expect(try store.read { try $0.count(.contacts) } == 1)
        try await shack.store.sync(with: place, as: "cloud")
        #expect(try store.logDigest() == shack.store.logDigest())
        try store.close()
    }
}
