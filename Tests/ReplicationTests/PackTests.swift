import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSeededNumbers
import Synchronization
import Testing

/// A store that looks at a place again and again, and packs early.
struct PackingVisitor {
    let store: TestStore
    var cache = RemoteCache()
    var time: Int64 = 1
    /// The stores that it takes for abandoned.
    var abandoned: Set<ReplicaID> = []
    /// The size at which a pack ends.
    var preferredBytes = 3 << 20

    init(seed: UInt64) throws { store = try TestStore(seed: seed) }

    var replica: ReplicaID { store.identity.replica }

    @discardableResult
    mutating func sync(
        at place: any Transport, isPushing: Bool = true, isFull: Bool = false
    ) async throws -> SyncPassReport {
        try await sync(store.log, at: place, isPushing: isPushing, isFull: isFull)
    }

    /// Looks at the place with another view of its log.
    @discardableResult
    mutating func sync(
        _ log: some ReplicatedLog, at place: any Transport, isPushing: Bool = true, isFull: Bool = false
    ) async throws -> SyncPassReport {
        time += 1
        let (now, gone) = (Arrival.test(time), abandoned)
        var pass = SyncPass(log, as: store.identity, at: place, cache: cache, abandoned: { gone }, now: { now })
        (pass.packing.keptSegments, pass.packing.segments) = (3, 4)
        pass.packing.preferredBytes = preferredBytes
        do { try await pass.run(isPushing: isPushing, isFull: isFull) } catch {
            cache = pass.cache
            throw error
        }
        cache = RemoteCache(reading: pass.cache.bytes)
        #expect(cache == pass.cache)
        return pass.report
    }

    /// Writes one event and pushes it, so many times.
    mutating func push(_ count: Int, at place: any Transport) async throws {
        for _ in 0..<count {
            try store.write(1)
            try await sync(at: place)
        }
    }
}

/// Says so many times that something happens.
final class Countdown: Sendable {
    private let rest: Mutex<Int>

    init(_ count: Int) { rest = Mutex(count) }

    func next() -> Bool {
        rest.withLock { rest in
            rest -= 1
            return rest >= 0
        }
    }
}

extension MemoryTransport {
    /// The names of the objects of a store, without its folder.
    func names(of store: ReplicaID) throws -> [String] {
        try list(prefix: #require(ObjectPrefix(folder: "stores/\(store)")), startAfter: nil, limit: .max).map {
            String("\($0)".split(separator: "/").last ?? "")
        }
    }

    /// All objects.
    func contents() throws -> [ObjectName: [UInt8]] {
        var contents: [ObjectName: [UInt8]] = [:]
        for name in try list(prefix: .all, startAfter: nil, limit: .max) {
            contents[name] = try get(name, range: nil, limit: .max)
        }
        return contents
    }

    /// Puts all objects back to what they were.
    func restore(_ contents: [ObjectName: [UInt8]]) throws {
        empty()
        for (name, bytes) in contents { _ = try putIfAbsent(name, bytes) }
    }

    /// Which events at the place have their values in some object, and which lack them in some.
    func events(of replica: ReplicaID) async throws -> (withValues: Set<UInt64>, without: Set<UInt64>) {
        var (with, without): (Set<UInt64>, Set<UInt64>) = ([], [])
        let unreadable = try await RemoteInventory.forEachRange(at: self, of: LogID(high: 1, low: 2)) { frame in
            guard frame.range.replica == replica else { return }
            for number in frame.range.first...frame.range.last {
                let isWithheld = try frame.withEvent(number) { event, _ in event.isWithheld }
                _ = isWithheld ? without.insert(number) : with.insert(number)
            }
        }
        #expect(unreadable == 0)
        return (with, without)
    }
}

@Suite struct `Packs at a place` {
    private let place = MemoryTransport()

    @Test func `keep it small, and bring a newcomer everything`() async throws {
        var author = try PackingVisitor(seed: 1)
        try await author.push(100, at: place)
        let names = try place.names(of: author.replica)
        #expect(names.filter { $0.hasSuffix(".segment") }.count < 3 + 4)
        #expect((1...6).contains(names.filter { $0.hasSuffix(".pack") }.count), "\(names)")
        #expect(names.filter { $0 == "catalog" }.count == 1)
        var newcomer = try PackingVisitor(seed: 2)
        let report = try await newcomer.sync(at: place)
        #expect(report.received.appendedCount == 100 && report.quarantined.isEmpty)
        #expect(try newcomer.store.roots() == author.store.roots())
        // Ranges of one event each became few.
        var frames = 0
        _ = try await RemoteInventory.forEachRange(at: place, of: LogID(high: 1, low: 2)) { _ in frames += 1 }
        #expect(frames < 14)
    }

    @Test func `are several where one would be large`() async throws {
        var author = try PackingVisitor(seed: 1)
        author.preferredBytes = 1_500
        try await author.push(60, at: place)
        let names = try place.names(of: author.replica)
        #expect(names.count { $0.hasSuffix(".segment") } < 3 + 4)
        let packs = names.filter { $0.hasSuffix(".pack") }
        #expect(packs.count > 10)
        for name in packs {
            let object = try #require(ObjectName("stores/\(author.replica)/\(name)"))
            #expect(try #require(try place.get(object, range: nil, limit: .max)).count < 2_500)
        }
        var newcomer = try PackingVisitor(seed: 2)
        try await newcomer.sync(at: place)
        #expect(try newcomer.store.roots() == author.store.roots())
    }

    @Test(arguments: [true, false])
    func `are made without an object that is gone or damaged, whose events are pushed again`(isGone: Bool) async throws
    {
        var author = try PackingVisitor(seed: 1)
        try await author.push(5, at: place)
        let name = try #require(ObjectName("stores/\(author.replica)/00000000000000000002.segment"))
        var bytes = try #require(try place.get(name, range: nil, limit: .max))
        try place.delete(name)
        bytes[bytes.count / 2] ^= 1
        if !isGone { _ = try place.putIfAbsent(name, bytes) }
        try await author.push(6, at: place)
        #expect(try place.names(of: author.replica).contains { $0.hasSuffix(".pack") })
        var newcomer = try PackingVisitor(seed: 2)
        #expect(try await newcomer.sync(at: place).quarantined.isEmpty)
        #expect(try newcomer.store.roots() == author.store.roots())
        let idle = try await author.sync(at: place)
        #expect(!idle.wasEmptied && idle.requestCount == 2 + 2 && idle.sentBytes == 0, "nothing is repaired for ever")
    }

    @Test(arguments: [0, 1, 5, 30, 96, 99])
    func `bring a device up to date that was away`(known: Int) async throws {
        var (author, other) = (try PackingVisitor(seed: 1), try PackingVisitor(seed: 2))
        try await author.push(known, at: place)
        if known > 0 { try await other.sync(at: place) }
        try await author.push(100 - known, at: place)
        let report = try await other.sync(at: place)
        #expect(report.received.appendedCount == 100 - known)
        #expect(report.quarantined.isEmpty && !report.wasEmptied)
        #expect(try other.store.roots() == author.store.roots())
        #expect(try await other.sync(at: place).receivedBytes == 0, "nothing is read twice")
    }

    @Test func `may be made while others read the segments`() async throws {
        var author = try PackingVisitor(seed: 1)
        try await author.push(6, at: place)
        let before = try place.contents()
        try await author.push(1, at: place)
        let after = try place.contents()
        #expect(try !place.names(of: author.replica).contains { $0.hasSuffix("01.segment") })
        try place.restore(before)
        // The author has packed and deleted when the second segment is asked for.
        let (place, isFirst) = (place, Countdown(1))
        let hooked = HookedPlace(place: place) { (request, _) throws(TransportError) in
            guard case .get(let name) = request, name.description.hasSuffix("2.segment"), isFirst.next() else { return }
            do { try place.restore(after) } catch { throw .unreachable("\(error)") }
        }
        var other = try PackingVisitor(seed: 2)
        let report = try await other.sync(at: hooked, isPushing: false)
        #expect(report.quarantined.isEmpty && report.received.appendedCount == 7)
        #expect(try other.store.roots() == author.store.roots())
    }

    @Test func `are whole, or what they replace is, wherever the device is stopped`() async throws {
        var (hasPacked, stop) = (false, 0)
        while !hasPacked {
            stop += 1
            place.empty()
            var (author, other) = (try PackingVisitor(seed: 1), try PackingVisitor(seed: 2))
            try await author.push(5, at: place)
            try await other.sync(at: place)
            try await author.push(1, at: place)
            let before = try author.store.roots()
            try author.store.write(1)
            let rest = Countdown(stop)
            let failing = HookedPlace(place: place) { (_, _) throws(TransportError) in
                if !rest.next() { throw .unreachable("The cable is out.") }
            }
            do {
                try await author.sync(at: failing)
                hasPacked = true
            } catch is TransportError {}
            // Whoever comes now misses at most the last event.
            var newcomer = try PackingVisitor(seed: 3)
            #expect(try await newcomer.sync(at: place, isPushing: false).quarantined.isEmpty, "stopped at \(stop)")
            #expect([before, try author.store.roots()].contains(try newcomer.store.roots()), "stopped at \(stop)")
            // The next run completes, and leaves nothing lying about.
            try await author.sync(at: place, isFull: true)
            let report = try await other.sync(at: place)
            #expect(try other.store.roots() == author.store.roots())
            #expect(report.quarantined.isEmpty && !report.wasEmptied)
            let names = try place.names(of: author.replica)
            #expect(names.count == 3 + 1 + 1, "stopped at \(stop): \(names)")
        }
        #expect(stop > 12, "it was stopped at each request of a pass that packs")
    }

    @Test func `leave out the values of erased events, and so do segments`() async throws {
        var (author, other) = (try PackingVisitor(seed: 1), try PackingVisitor(seed: 2))
        try await author.push(20, at: place)
        try await other.sync(at: place)
        // One of them lies in a pack, and one in the last segment.
        #expect(try await place.events(of: author.replica).withValues == Set(1...20))
        let snapshot = try ["heads/h", "parts/p"].map { try #require(ObjectName("snapshots/\($0)")) }
        for name in snapshot { _ = try place.putIfAbsent(name, [1]) }
        let erased = EventSet([EventRange(author.replica, 4, through: 4), EventRange(author.replica, 20, through: 20)])
        _ = try author.store.log.erase([EventID(author.replica, 1): erased])
        try await author.sync(at: place)
        let (with, without) = try await place.events(of: author.replica)
        #expect(with == Set(1...20).subtracting([4, 20]) && without == [4, 20])
        #expect(
            try snapshot.allSatisfy { try place.get($0, range: nil, limit: 9) == nil }, "nor do snapshots keep them")
        // Who knows of the erase from the beginning deletes nothing that was made since.
        _ = try place.putIfAbsent(snapshot[0], [2])
        var newcomer = try PackingVisitor(seed: 3)
        _ = try newcomer.store.log.erase([EventID(author.replica, 1): erased])
        try await newcomer.sync(at: place)
        #expect(try newcomer.store.roots() == author.store.roots())
        #expect(try place.get(snapshot[0], range: nil, limit: 9) == [2])
        // It is looked through once for each erase.
        #expect(try await author.sync(at: place).requestCount == 2 + 3)
    }

    @Test func `are looked through again when as many values are refused as before, and other ones`() async throws {
        var author = try PackingVisitor(seed: 1)
        try await author.push(9, at: place)
        var log = StrippedLog(author.store.log, without: 0)
        for number in [UInt64(2), 5] {
            log.refused = EventSet([EventRange(author.replica, number, through: number)])
            try await author.sync(log, at: place)
            #expect(try await !place.events(of: author.replica).withValues.contains(number))
        }
    }

    @Test func `keep the values that only the place has now`() async throws {
        var author = try PackingVisitor(seed: 1)
        try await author.push(6, at: place)
        try author.store.write(1)
        // What this device has archived is not in its log any more; nobody has erased it.
        try await author.sync(StrippedLog(author.store.log, without: 3), at: place)
        #expect(try place.names(of: author.replica).contains { $0.hasSuffix(".pack") })
        #expect(try await place.events(of: author.replica).withValues.contains(3))
    }

    @Test(arguments: UInt64(1)...20)
    func `never keep stores from agreeing, in any order`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        var visitors = try (1...3).map { try PackingVisitor(seed: seed * 10 + $0) }
        for who in 0..<3 { visitors[who].preferredBytes = [600, 3_000, 3 << 20].randomElement(using: &numbers)! }
        var erased = EventSet()
        for _ in 0..<80 {
            let who = Int.random(in: 0..<3, using: &numbers)
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0: try await visitors[who].sync(at: place, isPushing: false)
            case 1: try await visitors[who].sync(at: place, isFull: true)
            case 2:
                let last = try visitors[who].store.log.vector()[visitors[who].replica]
                guard last > 0 else { continue }
                let number = UInt64.random(in: 1...last, using: &numbers)
                let one = EventSet([EventRange(visitors[who].replica, number, through: number)])
                // An erase is an event, and reaches all of them.
                for visitor in visitors { _ = try visitor.store.log.erase([EventID(visitors[who].replica, 1): one]) }
                erased.formUnion(one)
            default:
                try visitors[who].store.write(Int.random(in: 1...4, using: &numbers))
                try await visitors[who].sync(at: place)
            }
        }
        for _ in 0..<2 { for who in 0..<3 { try await visitors[who].sync(at: place) } }
        #expect(Set(try visitors.map { try $0.store.roots() }).count == 1)
        for visitor in visitors {
            let lying = try await place.events(of: visitor.replica).withValues
            let all = Set(1...(try visitor.store.log.vector()[visitor.replica]))
            #expect(lying == all.subtracting(numbersErased(erased, of: visitor.replica)))
        }
        var newcomer = try PackingVisitor(seed: 99)
        try await newcomer.sync(at: place)
        #expect(try newcomer.store.roots() == visitors[0].store.roots())
    }

    private func numbersErased(_ erased: EventSet, of replica: ReplicaID) -> Set<UInt64> {
        Set(erased.ranges.filter { $0.replica == replica }.flatMap { Array($0.first...$0.last) })
    }
}

/// A log without the values of one event of each replica, as after archiving.
private struct StrippedLog: ReplicatedLog {
    let log: EventLog
    let number: SequenceNumber
    /// What it refuses, if not what the log says.
    var refused: EventSet?

    init(_ log: EventLog, without number: SequenceNumber) { (self.log, self.number) = (log, number) }

    var id: LogID { log.id }
    func streams() throws -> Streams { try log.streams() }
    func provenVector(signedBy identity: Identity?) throws -> VersionVector {
        try log.provenVector(signedBy: identity)
    }
    func root(of replica: ReplicaID, through sequence: SequenceNumber) throws -> Hash256? {
        try log.root(of: replica, through: sequence)
    }
    func frame(of range: EventRange, signedBy identity: Identity?, preferredBytes: Int) throws -> RangeFrame? {
        try log.frame(of: range, signedBy: identity, preferredBytes: preferredBytes) { frame, _ in
            try frame.id.sequence == number || erased().contains(frame.id)
        }
    }
    func retainedFrames() throws -> [RangeFrame] { try log.retainedFrames() }
    func pendingFrames() throws -> [RangeFrame] { try log.pendingFrames() }
    func missingValues() throws -> EventSet { try log.missingValues() }
    func erased() throws -> EventSet { try refused ?? log.erased() }
    func leaf(of event: EventID) throws -> Hash256? { try log.leaf(of: event) }
    func receive(_ frames: [RangeFrame], arrival: Arrival) throws -> Received {
        try log.receive(frames, arrival: arrival)
    }
}
