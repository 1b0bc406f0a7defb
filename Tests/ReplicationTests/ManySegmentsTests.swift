import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSeededNumbers
import Synchronization
import Testing

/// A log that counts the commits of what it receives.
private final class CountingLog: ReplicatedLog {
    private let log: EventLog
    private(set) var commitCount = 0

    init(_ log: EventLog) { self.log = log }

    var id: LogID { log.id }
    func erased() throws -> EventSet { try log.erased() }
    func leaf(of event: EventID) throws -> Hash256? { try log.leaf(of: event) }
    func streams() throws -> Streams { try log.streams() }
    func provenVector(signedBy identity: Identity?) throws -> VersionVector {
        try log.provenVector(signedBy: identity)
    }
    func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256? {
        try log.root(of: replica, through: sequence)
    }
    func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        try log.frame(of: range, signedBy: identity, preferredBytes: preferredBytes)
    }
    func retainedFrames() throws -> [RangeFrame] { try log.retainedFrames() }
    func pendingFrames() throws -> [RangeFrame] { try log.pendingFrames() }
    func missingValues() throws -> EventSet { try log.missingValues() }
    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        commitCount += 1
        return try log.receive(frames, arrival: arrival)
    }
}

@Suite struct `A place with many small segments` {
    private let place = MemoryTransport()
    private let author: TestStore

    /// Pushes one event 600 times.
    init() async throws {
        author = try TestStore(seed: 1)
        var cache = RemoteCache()
        for time in 1...600 {
            try author.write(1)
            var pass = SyncPass(author.log, as: author.identity, at: place, cache: cache, now: { .test(Int64(time)) })
            // As of a store that was never there long enough to pack them.
            pass.packing.segments = .max >> 1
            try await pass.run()
            cache = pass.cache
        }
    }

    private func pull(
        into log: CountingLog, as store: TestStore, _ cache: inout RemoteCache
    ) async throws -> SyncPassReport {
        var pass = SyncPass(log, as: store.identity, at: place, cache: cache, now: { .test(1000) })
        defer { cache = pass.cache }
        try await pass.run(isPushing: false)
        return pass.report
    }

    @Test func `is read in few commits`() async throws {
        let reader = try TestStore(seed: 2)
        let log = CountingLog(reader.log)
        var cache = RemoteCache()
        let report = try await pull(into: log, as: reader, &cache)
        #expect(log.commitCount == 3, "600 segments, at most 256 of them together")
        #expect(report.received.appendedCount == 600)
        #expect(
            try reader.log.root(of: author.identity.replica, through: 600)
                == author.log.root(of: author.identity.replica, through: 600))
        #expect(cache.next[author.identity.replica] == 601)
    }

    @Test func `is read by several requests at once where answers come from afar, and no more than once`() async throws
    {
        let reader = try TestStore(seed: 2)
        let counters = Counters()
        let distant = HookedPlace.distant(place, counters)
        var pass = SyncPass(reader.log, as: reader.identity, at: distant, cache: RemoteCache(), now: { .test(1000) })
        try await pass.run(isPushing: false)
        #expect(pass.report.received.appendedCount == 600)
        let asked = counters.asked.withLock { $0 }
        #expect(asked.values.allSatisfy { $0 == 1 }, "no segment is asked for twice")
        #expect(asked.count <= 600 + 4, "and few that are not there")
        #expect((2...4).contains(counters.greatest.withLock { $0 }))
        // One new segment costs one request more than none.
        var cache = RemoteCache(reading: pass.cache.bytes)
        let before = pass.report.requestCount
        #expect(before == 4 + 600 + 1, "a first look asks for the one behind the last")
        let idle = try await pull(into: CountingLog(reader.log), as: reader, &cache).requestCount
        #expect(idle == 4, "the log mark, the stores, and the catalogs of both")
    }

    @Test(arguments: [1, 2, 255, 256, 257, 400])
    func `is read up to a request that fails, and goes on there`(count: Int) async throws {
        let reader = try TestStore(seed: 2)
        let log = CountingLog(reader.log)
        let failing = HookedPlace.failing(place, after: count + 4)
        var pass = SyncPass(log, as: reader.identity, at: failing, cache: RemoteCache(), now: { .test(1000) })
        await #expect(throws: TransportError.self) { try await pass.run(isPushing: false) }
        let read = Int(pass.cache.next[author.identity.replica] ?? 1) - 1
        #expect(read == count, "what was read is in the log")
        #expect(try Int(reader.log.vector()[author.identity.replica]) == read)
        var cache = RemoteCache(reading: pass.cache.bytes)
        let report = try await pull(into: log, as: reader, &cache)
        #expect(report.received.appendedCount + read == 600)
        #expect(report.received.repeatedCount == 0, "nothing is read twice into the log")
    }
}

/// What was asked of a place, and how many requests waited at once.
private final class Counters: Sendable {
    let asked = Mutex<[ObjectName: Int]>([:])
    let greatest = Mutex(0)
    let waiting = Mutex(0)
    /// How many requests succeed; the later ones fail.
    let rest: Mutex<Int>

    init(rest: Int = .max) { self.rest = Mutex(rest) }
}

extension HookedPlace {
    /// A place that cannot be reached after some requests.
    fileprivate static func failing(_ place: MemoryTransport, after count: Int) -> HookedPlace {
        let counters = Counters(rest: count)
        return HookedPlace(place: place) { (_, _) throws(TransportError) in
            let isReachable = counters.rest.withLock { rest in
                rest -= 1
                return rest >= 0
            }
            if !isReachable { throw .unreachable("The cable is out.") }
        }
    }

    /// A place with answers that take a while, which counts what is asked for.
    fileprivate static func distant(_ place: MemoryTransport, _ counters: Counters) -> HookedPlace {
        HookedPlace(place: place, requestsAtOnce: 4) { (request, isPart) throws(TransportError) in
            guard case .get(let name) = request else { return }
            if name.description.hasSuffix(".segment"), !isPart { counters.asked.withLock { $0[name, default: 0] += 1 } }
            let now = counters.waiting.withLock { count in
                count += 1
                return count
            }
            counters.greatest.withLock { $0 = max($0, now) }
            // Lets the others of the same group begin.
            for _ in 0..<100 { await Task.yield() }
            counters.waiting.withLock { $0 -= 1 }
        }
    }
}
