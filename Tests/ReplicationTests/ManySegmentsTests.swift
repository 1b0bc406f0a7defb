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

    @Test(arguments: [1, 2, 255, 256, 257, 400])
    func `is read up to a request that fails, and goes on there`(count: Int) async throws {
        let reader = try TestStore(seed: 2)
        let log = CountingLog(reader.log)
        let failing = FailingPlace(place: place, after: count + 2)
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

/// A place that cannot be reached after some requests.
private final class FailingPlace: Transport {
    private let place: MemoryTransport
    private let rest: Mutex<Int>

    init(place: MemoryTransport, after count: Int) {
        self.place = place
        rest = Mutex(count)
    }

    private func check() throws(TransportError) {
        let isReachable = rest.withLock { rest in
            rest -= 1
            return rest >= 0
        }
        if !isReachable { throw .unreachable("The cable is out.") }
    }

    func putIfAbsent(_ name: ObjectName, _ bytes: [UInt8]) async throws(TransportError) -> PutOutcome {
        try check()
        return try place.putIfAbsent(name, bytes)
    }
    func get(_ name: ObjectName, range: Range<Int>?, limit: Int) async throws(TransportError) -> [UInt8]? {
        try check()
        return try place.get(name, range: range, limit: limit)
    }
    func list(prefix: ObjectPrefix, startAfter: ObjectName?, limit: Int) async throws(TransportError) -> [ObjectName] {
        try check()
        return try place.list(prefix: prefix, startAfter: startAfter, limit: limit)
    }
    func folders(prefix: ObjectPrefix, limit: Int) async throws(TransportError) -> [String] {
        try check()
        return try place.folders(prefix: prefix, limit: limit)
    }
    func delete(_ name: ObjectName) async throws(TransportError) {
        try check()
        try place.delete(name)
    }
}
