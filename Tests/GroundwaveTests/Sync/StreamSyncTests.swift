import Everything
import Foundation
import GroundwavePeering
import GroundwaveReplication
import GroundwaveSyncing
import GroundwaveTesting
import Testing

@Suite struct `A stream of an application` {
    /// Both ends synchronise.
    private func meet(
        _ one: Store, _ other: Store, _ ends: (MemoryStream, MemoryStream) = MemoryStream.pair()
    ) async throws -> (SyncSummary, SyncSummary) {
        async let here = one.sync(over: ends.0, as: "other")
        async let there = other.sync(over: ends.1, as: "one")
        return try await (here, there)
    }

    /// The code of the error that `body` throws; `nil` if it throws none.
    private func code(_ body: @Sendable () async throws -> SyncSummary) async -> StoreError.Code? {
        do { _ = try await body() } catch { return (error as? StoreError)?.code ?? .bug }
        return nil
    }

    /// A store, and one that has joined its log over a stream.
    private func pair() async throws -> (TemporaryStore, TemporaryStore) {
        let shack = try await TemporaryStore(.full())
        try await shack.store.write { try $0.add(Contact("W1AW")) }
        let (here, there) = MemoryStream.pair()
        async let serving = shack.store.sync(over: here, as: "portable")
        let portable = try await TemporaryStore(joining: there, as: "shack", .full())
        _ = try await serving
        return (shack, portable)
    }

    @Test func `brings the log to a new device, and both know that it is complete`() async throws {
        let (shack, portable) = try await pair()
        #expect(try portable.store.logID == shack.store.logID && portable.store.replica != shack.store.replica)
        #expect(try portable.store.read { try $0.count(.contacts) } == 1)
        let (here, there) = try await meet(shack.store, portable.store)
        #expect(here.receivedEvents == 0 && there.receivedEvents == 0)
        #expect(try portable.store.syncStatus().isComplete)
        #expect(try portable.store.remotes().map { "\($0.address)" } == ["application://one", "application://shack"])
    }

    @Test(arguments: [1, 7, 64 << 10])
    func `carries everything both ways, however little fits into it`(capacity: Int) async throws {
        let (shack, portable) = try await pair()
        try await shack.store.write { batch in
            for number in 0..<50 { _ = try batch.add(Contact("K\(number)AA")) }
        }
        try await portable.store.write { batch in
            for number in 0..<50 { _ = try batch.add(Contact("N\(number)CALL")) }
        }
        let (here, there) = try await meet(shack.store, portable.store, MemoryStream.pair(capacity: capacity))
        #expect(here.sentEvents == UInt64(there.receivedEvents) && there.sentEvents == UInt64(here.receivedEvents))
        #expect(here.receivedEvents >= 50 && there.receivedEvents >= 50)
        #expect(try shack.store.logDigest() == portable.store.logDigest())
    }

    @Test func `may break after any byte: the next one goes on`() async throws {
        let (shack, portable) = try await pair()
        var numbers = SeededGenerator(seed: 1)
        for round in 0..<25 {
            try await shack.store.write { try $0.add(Contact("K\(round)AA")) }
            try await portable.store.write { try $0.add(Contact("N\(round)CALL")) }
            let ends = MemoryStream.pair(breaksAfter: Int.random(in: 1...2_000, using: &numbers))
            async let here = code { try await shack.store.sync(over: ends.0, as: "other") }
            async let there = code { try await portable.store.sync(over: ends.1, as: "one") }
            for code in await [here, there] { #expect(code == nil || code == .unreachable) }
        }
        _ = try await meet(shack.store, portable.store)
        #expect(try shack.store.logDigest() == portable.store.logDigest())
        #expect(try shack.store.read { try $0.count(.contacts) } == 51)
    }

    @Test func `that breaks while a store is joined leaves one that can be resumed`() async throws {
        let shack = try await TemporaryStore(.full())
        for number in 0..<20 { try await shack.store.write { try $0.add(Contact("K\(number)AA")) } }
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "store")
        var configuration = Configuration.full()
        configuration.stateFolder = folder.url.appending(path: "state")
        let settings = configuration
        var joined: Store?
        for limit in [100, 500, 1_000, nil] {
            let (here, there) = MemoryStream.pair(breaksAfter: limit)
            async let serving = code { try await shack.store.sync(over: here, as: "portable") }
            do { joined = try await Store.join(over: there, as: "shack", at: url, settings).store } catch {
                #expect(limit != nil && (error as? StoreError)?.code == .unreachable, "\(error)")
            }
            _ = await serving
        }
        let store = try #require(joined)
        #expect(try store.logDigest() == shack.store.logDigest())
        try store.close()
    }

    @Test func `to a store of another log is refused at both ends`() async throws {
        let (shack, other) = (try await TemporaryStore(.full()), try await TemporaryStore(.full()))
        let ends = MemoryStream.pair()
        async let here = code { try await shack.store.sync(over: ends.0) }
        async let there = code { try await other.store.sync(over: ends.1) }
        let codes = await [here, there]
        #expect(codes.contains(.exists) && codes.allSatisfy { $0 == .exists || $0 == .unreachable })
        #expect(try shack.store.remotes().isEmpty && other.store.remotes().isEmpty)
    }

    @Test func `to a program that is no store is refused`() async throws {
        let shack = try await TemporaryStore(.full())
        let (here, there) = MemoryStream.pair()
        try await there.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        let error = await #expect(throws: StoreError.self) { try await shack.store.sync(over: here) }
        #expect(error?.code == .damaged)
        let (joining, stranger) = MemoryStream.pair()
        try await stranger.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        let other = await #expect(throws: StoreError.self) { try await TemporaryStore(joining: joining, .full()) }
        #expect(other?.code == .damaged)
    }

    @Test func `whose other end says nothing is given up after the time for a greeting`() async throws {
        let shack = try await TemporaryStore(.full())
        var limits = ConnectionLimits()
        limits.hello = .milliseconds(20)
        let (here, there) = MemoryStream.pair()
        let result = try await shack.store.runConnection(over: here, as: nil, endsWhenDone: true, limits: limits)
        #expect(result.failure as? ConnectionError == .silent(.hello))
        await #expect(throws: MemoryStream.Broken.self) { try await there.write([1]) }
        let (joining, stranger) = MemoryStream.pair()
        let error = await #expect(throws: StoreError.self) {
            _ = try await GreetedStream(joining).log(
                from: try Remote(ofApplication: "other"), within: .milliseconds(20))
        }
        #expect(error?.code == .unreachable)
        await #expect(throws: MemoryStream.Broken.self) { try await stranger.write([1]) }
    }

    @Test func `whose other end stops reading is given up, and holds no more than a few ranges in memory`() async throws
    {
        let (shack, portable) = try await pair()
        var numbers = SeededGenerator(seed: 1)
        for _ in 0..<10 {
            let notes = (0..<100).map { _ in
                (0..<600).map { _ in String(UInt64.random(in: 0 ... .max, using: &numbers), radix: 36) }.joined()
            }
            try await shack.store.write { batch in
                for note in notes {
                    _ = try batch.add("qso", [Assignment("CALL", text: "W1AW"), Assignment("NOTES", text: note)])
                }
            }
        }
        var limits = ConnectionLimits()
        limits.silence = .milliseconds(50)
        let (here, there) = MemoryStream.pair(capacity: 1_000)
        let deaf = Task { try await portable.store.sync(over: DeafStream(there), as: "shack") }
        let result = try await shack.store.runConnection(over: here, as: nil, endsWhenDone: true, limits: limits)
        #expect(result.failure as? ConnectionError == .silent(.reading))
        #expect(result.standing.traffic.sentBytes < 4 << 20, "of 7 MB")
        deaf.cancel()
        _ = await deaf.result
    }

    @Test func `is closed, whatever is wrong`() async throws {
        let shack = try await TemporaryStore(.full())
        let (here, there) = MemoryStream.pair()
        await #expect(throws: StoreError.self) { try await shack.store.sync(over: here, as: "not valid") }
        await #expect(throws: MemoryStream.Broken.self) { try await there.write([1]) }
        try shack.store.setSync(isOff: true)
        let (next, last) = MemoryStream.pair()
        let error = await #expect(throws: StoreError.self) { try await shack.store.sync(over: next) }
        #expect(error?.code == .syncOff)
        await #expect(throws: MemoryStream.Broken.self) { try await last.write([1]) }
    }
}

/// A stream from which only a greeting is read.
private actor DeafStream: ByteStream {
    private let stream: MemoryStream
    private var hasRead = false

    init(_ stream: MemoryStream) { self.stream = stream }

    func read(upTo limit: Int) async throws -> [UInt8]? {
        if hasRead { try await Task.sleep(for: .seconds(3600)) }
        hasRead = true
        return try await stream.read(upTo: limit)
    }

    func write(_ bytes: [UInt8]) async throws { try await stream.write(bytes) }

    func close() async { await stream.close() }
}
