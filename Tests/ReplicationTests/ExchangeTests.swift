import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSeededNumbers
import Synchronization
import Testing

/// A store that looks at a place again and again.
private struct Visitor {
    let store: TestStore
    var cache = RemoteCache()
    var time: Int64 = 1

    init(seed: UInt64) throws { store = try TestStore(seed: seed) }

    @discardableResult
    mutating func sync(
        at place: any Transport, isPushing: Bool = true, isFull: Bool = false
    ) async throws -> SyncPassReport {
        time += 1
        let now = Arrival.test(time)
        var pass = SyncPass(store.log, as: store.identity, at: place, cache: cache, now: { now })
        do { try await pass.run(isPushing: isPushing, isFull: isFull) } catch {
            cache = pass.cache
            throw error
        }
        cache = RemoteCache(reading: pass.cache.bytes)
        #expect(cache == pass.cache)
        return pass.report
    }
}

@Suite struct `Stores that meet at a place` {
    @Test(arguments: UInt64(1)...12)
    func `agree when each has looked often enough, in any order`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let place = MemoryTransport()
        var visitors = try (1...4).map { try Visitor(seed: seed * 10 + $0) }
        for _ in 0..<30 {
            let who = Int.random(in: 0..<4, using: &numbers)
            if Bool.random(using: &numbers) { try visitors[who].store.write(Int.random(in: 1...9, using: &numbers)) }
            try await visitors[who].sync(at: place)
        }
        for _ in 0..<2 { for who in 0..<4 { try await visitors[who].sync(at: place) } }
        let roots = try visitors.map { try $0.store.roots() }
        #expect(Set(roots).count == 1)
        // Everybody knows that everybody has it.
        for who in 0..<4 {
            let report = try await visitors[who].sync(at: place)
            #expect(report.manifests.count == 4)
            #expect(report.manifests.allSatisfy { $0.hasSame(as: report.manifests[0]) })
            #expect(report.sentBytes == 0 && report.receivedBytes == 0)
            #expect(report.requestCount == 2 + 4)
        }
    }

    @Test func `leave nothing that lies there already`() async throws {
        let place = MemoryTransport()
        var (one, other) = (try Visitor(seed: 1), try Visitor(seed: 2))
        try one.store.write(100)
        #expect(try await one.sync(at: place).sentEvents == 100)
        #expect(try await other.sync(at: place).sentEvents == 0)
        try other.store.write(1)
        #expect(try await other.sync(at: place).sentEvents == 1)
    }

    @Test func `without notes read everything again, and end with the same`() async throws {
        let place = MemoryTransport()
        var (one, other) = (try Visitor(seed: 1), try Visitor(seed: 2))
        try one.store.write(20)
        try await one.sync(at: place)
        try await other.sync(at: place)
        try other.store.write(5)
        try await other.sync(at: place)
        one.cache = RemoteCache()
        let report = try await one.sync(at: place)
        #expect(report.received.appendedCount == 5)
        #expect(report.sentEvents == 0)
        #expect(!report.received.isOfOwn(one.store.identity.replica))
    }

    @Test func `go on after being stopped at any request`() async throws {
        for stop in 1...12 {
            let count = Mutex(0)
            let place = MemoryTransport { _, _ in
                var faults = MemoryTransport.Faults()
                faults.isUnreachable = count.withLock {
                    $0 += 1
                    return $0 == stop
                }
                return faults
            }
            var (one, other) = (try Visitor(seed: 1), try Visitor(seed: 2))
            try one.store.write(10)
            try other.store.write(10)
            for _ in 0..<3 {
                _ = try? await one.sync(at: place)
                _ = try? await other.sync(at: place)
            }
            #expect(try one.store.roots() == other.store.roots(), "stopped at request \(stop)")
        }
    }

    @Test func `that do not know whether their segment was stored do not leave it twice`() async throws {
        let place = MemoryTransport()
        var (one, other) = (try Visitor(seed: 1), try Visitor(seed: 2))
        try one.store.write(10)
        _ = try? await one.sync(at: place)
        place.faults.putsFailAfterwards = true
        try one.store.write(3)
        await #expect(throws: TransportError.self) { try await one.sync(at: place) }
        place.faults.putsFailAfterwards = false
        let report = try await one.sync(at: place)
        #expect(report.sentEvents == 0)
        #expect(!report.received.isOfOwn(one.store.identity.replica))
        try await other.sync(at: place)
        #expect(try one.store.roots() == other.store.roots())
    }

    @Test func `keep everything when the place is emptied, and fill it again`() async throws {
        let place = MemoryTransport()
        var visitors = try (1...3).map { try Visitor(seed: $0) }
        for who in 0..<3 {
            try visitors[who].store.write(10)
            try await visitors[who].sync(at: place)
        }
        for who in 0..<3 { try await visitors[who].sync(at: place) }
        let before = try visitors[0].store.roots()
        place.empty()
        for who in 0..<3 {
            #expect(try await visitors[who].sync(at: place).wasEmptied)
            #expect(try visitors[who].store.roots().count == before.count)
        }
        var newcomer = try Visitor(seed: 9)
        try await newcomer.sync(at: place)
        #expect(try newcomer.store.roots() == before)
    }

    @Test func `look at everything once a day, whatever their notes say, and bring back what the place has lost`()
        async throws
    {
        let place = MemoryTransport()
        var (one, other) = (try Visitor(seed: 1), try Visitor(seed: 2))
        try one.store.write(10)
        try await one.sync(at: place)
        try other.store.write(10)
        for _ in 0..<2 { try await other.sync(at: place) }
        let lost = try #require(ObjectName("stores/\(one.store.identity.replica)/00000000000000000001.segment"))
        #expect(try place.get(lost, range: nil, limit: .max) != nil)
        try place.delete(lost)
        #expect(try await !other.sync(at: place).wasEmptied, "its notes are fresh")
        other.time += SyncPass<EventLog>.fullPassMilliseconds
        #expect(try await other.sync(at: place).wasEmptied)
        var newcomer = try Visitor(seed: 3)
        try await newcomer.sync(at: place)
        #expect(try newcomer.store.roots() == other.store.roots())
    }

    @Test func `of which one was put back to an earlier state learn that from what it has signed itself`() async throws
    {
        let place = MemoryTransport()
        var one = try Visitor(seed: 1)
        try one.store.write(9)
        try await one.sync(at: place)
        // The same identity with fewer events, and none of the notes.
        var restored = try Visitor(seed: 1)
        try restored.store.write(3)
        let report = try await restored.sync(at: place)
        #expect(report.received.isOfOwn(restored.store.identity.replica))
        #expect(try restored.store.roots() == one.store.roots())
    }

    @Test func `leave alone whoever leaves garbage, and go on with everybody else`() async throws {
        let place = MemoryTransport()
        var visitors = try (1...3).map { try Visitor(seed: $0) }
        for who in 0..<2 {
            try visitors[who].store.write(10)
            try await visitors[who].sync(at: place)
        }
        let bad = visitors[2].store.identity.replica
        for (name, bytes) in [("catalog", [UInt8](repeating: 7, count: 1000)), ("00000000000000000001.segment", [])] {
            _ = try place.putIfAbsent(try #require(ObjectName("stores/\(bad)/\(name)")), bytes)
        }
        let report = try await visitors[0].sync(at: place)
        #expect(report.quarantined.keys.sorted() == [bad])
        #expect(report.received.appendedCount == 10)
    }

    @Test func `ask again for what a damaged segment brought, and get it from whoever has it`() async throws {
        let place = MemoryTransport()
        var visitors = try (1...3).map { try Visitor(seed: $0) }
        let author = visitors[0].store.identity.replica
        for _ in 0..<3 {
            try visitors[0].store.write(5)
            try await visitors[0].sync(at: place)
        }
        // The second of its segments is damaged where it lies.
        let name = try #require(ObjectName("stores/\(author)/\(String(repeating: "0", count: 19))2.segment"))
        var bytes = try #require(try place.get(name, range: nil, limit: 1 << 20))
        bytes[bytes.count / 2] ^= 1
        try place.delete(name)
        _ = try place.putIfAbsent(name, bytes)
        for _ in 0..<3 { for who in 0..<3 { try await visitors[who].sync(at: place) } }
        #expect(try visitors[1].store.roots() == visitors[0].store.roots())
        #expect(try visitors[2].store.roots() == visitors[0].store.roots())
    }

    @Test func `whose own last segment is damaged leave the next one behind it`() async throws {
        let place = MemoryTransport()
        var visitors = try (1...2).map { try Visitor(seed: $0) }
        try visitors[0].store.write(5)
        try await visitors[0].sync(at: place)
        let author = visitors[0].store.identity.replica
        let name = try #require(ObjectName("stores/\(author)/\(String(repeating: "0", count: 19))1.segment"))
        try place.delete(name)
        _ = try place.putIfAbsent(name, [1, 2, 3])
        // Its notes are lost, so it does not know how far it had come.
        visitors[0].cache = RemoteCache()
        try visitors[0].store.write(3)
        let report = try await visitors[0].sync(at: place)
        #expect(report.quarantined.keys.contains(author))
        #expect(report.sentEvents == 8)
        try await visitors[1].sync(at: place)
        #expect(try visitors[1].store.roots() == visitors[0].store.roots())
    }

    @Test func `read what could not be read at their next full look, also where the look before failed`() async throws {
        let isBad = Mutex(false)
        let place = MemoryTransport { request, faults in
            var faults = faults
            guard isBad.withLock({ $0 }) else { return faults }
            switch request {
            case .get(let name): if name.description.hasSuffix("1.segment") { faults.getsEndAfterBytes = 100 }
            case .put: faults.isUnreachable = true
            default: break
            }
            return faults
        }
        var (one, other) = (try Visitor(seed: 1), try Visitor(seed: 2))
        for _ in 0..<2 {
            try one.store.write(5)
            try await one.sync(at: place)
        }
        try other.store.write(1)
        isBad.withLock { $0 = true }
        await #expect(throws: TransportError.self) { try await other.sync(at: place) }
        isBad.withLock { $0 = false }
        try await other.sync(at: place, isFull: true)
        #expect(try other.store.log.vector()[one.store.identity.replica] == 10)
        #expect(other.cache.unread.isEmpty)
    }

    @Test func `see at their next full look that a place was emptied and filled again`() async throws {
        let place = MemoryTransport()
        var (one, other) = (try Visitor(seed: 1), try Visitor(seed: 2))
        for _ in 0..<2 {
            try one.store.write(5)
            try await one.sync(at: place)
        }
        try await other.sync(at: place)
        place.empty()
        // Again there are two segments, and what is new lies in the first one.
        try one.store.write(5)
        try await one.sync(at: place)
        try one.store.write(1)
        try await one.sync(at: place)
        let report = try await other.sync(at: place, isFull: true)
        #expect(report.wasEmptied)
        #expect(try other.store.roots() == one.store.roots())
    }

    @Test func `see with the first news of a store that a place was emptied and filled again`() async throws {
        let place = MemoryTransport()
        var (one, other) = (try Visitor(seed: 1), try Visitor(seed: 2))
        try one.store.write(5)
        try await one.sync(at: place)
        // Who has left something there itself sees at once that it is gone.
        try await other.sync(at: place, isPushing: false)
        place.empty()
        // The segment behind the one that was read is there, and what is new lies before it.
        try one.store.write(5)
        try await one.sync(at: place)
        try one.store.write(1)
        try await one.sync(at: place)
        let report = try await other.sync(at: place, isPushing: false)
        #expect(report.wasEmptied)
        #expect(try other.store.roots() == one.store.roots())
        // Had it gone on behind that segment, no later look would tell.
        #expect(try await !other.sync(at: place, isFull: true).wasEmptied)
    }

    @Test func `of another log are refused`() async throws {
        let place = MemoryTransport()
        var one = try Visitor(seed: 1)
        _ = try place.putIfAbsent(
            try #require(ObjectName("groundwave-log")), Array("GWL1".utf8) + [UInt8](repeating: 9, count: 16))
        await #expect(throws: RemoteError.self) { try await one.sync(at: place) }
    }
}
