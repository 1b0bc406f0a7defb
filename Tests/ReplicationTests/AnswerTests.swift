import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveReplication
import GroundwaveSeededNumbers
import Testing

@Suite struct `Requests of others` {
    /// Writes a catalog whose manifest requests `wanted`, as a store that nobody knows.
    private static func ask(
        for wanted: [EventRange], as identity: Identity, _ number: Int, time: Int64, at place: MemoryTransport
    ) throws {
        try put(catalog(wanted, by: identity, number, time: time), as: identity, at: place)
    }

    private static func put(_ bytes: [UInt8], as identity: Identity, at place: MemoryTransport) throws {
        try place.replace(try #require(ObjectName("stores/\(identity.replica)/catalog")), bytes)
    }

    /// A catalog whose manifest requests `ranges`, byte for byte, also as no store of ours writes it.
    private static func catalog(
        _ ranges: [EventRange], by identity: Identity, _ number: Int, time: Int64
    ) -> [UInt8] {
        func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        var content = littleEndian(77, 8) + littleEndian(UInt64(number), 8) + littleEndian(0, 8) + littleEndian(0, 8)
        content += littleEndian(0, 2) + littleEndian(0, 2)
        content += identity.replica.bytes + littleEndian(UInt64(bitPattern: time), 8)
        content += littleEndian(0, 2) + littleEndian(0, 2) + littleEndian(UInt64(ranges.count), 2)
        for range in ranges {
            content += range.replica.bytes + littleEndian(range.first, 8) + littleEndian(range.count, 4)
        }
        let log = LogID(high: 1, low: 2)
        let signature = identity.sign(Array("groundwave catalog".utf8) + log.bytes + content)
        var bytes = Array("GWC1".utf8) + littleEndian(0, 4) + log.bytes + identity.publicKey + signature + content
        bytes.replaceSubrange(4..<8, with: littleEndian(UInt64(bytes.count + 4), 4))
        return bytes + littleEndian(UInt64(crc32c(bytes)), 4)
    }

    /// CRC-32C, bit by bit (RFC 3720, section 12.1).
    private static func crc32c(_ bytes: [UInt8]) -> UInt32 {
        var rest = UInt32.max
        for byte in bytes {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? (rest >> 1) ^ 0x82F6_3B78 : rest >> 1 }
        }
        return ~rest
    }

    private static func pass(_ store: TestStore, _ cache: inout RemoteCache, at place: MemoryTransport, _ time: Int64)
        async throws -> SyncPassReport
    {
        let now = Arrival.test(time)
        var pass = SyncPass(store.log, as: store.identity, at: place, cache: cache, now: { now })
        try await pass.run()
        cache = RemoteCache(reading: pass.cache.bytes)
        #expect(cache == pass.cache)
        return pass.report
    }

    @Test func `that name an event a thousand times are not read, and the place does not grow`() async throws {
        let (place, store) = (MemoryTransport(), try TestStore(seed: 1))
        var numbers = SeededGenerator(seed: 7)
        let stranger = Identity.random(using: &numbers)
        try store.write(300)
        var cache = RemoteCache()
        _ = try await Self.pass(store, &cache, at: place, 1_000)
        let range = EventRange(store.identity.replica, 1, through: 300)
        // Named once, it is a request.
        try Self.put(Self.catalog([range], by: stranger, 1, time: 1), as: stranger, at: place)
        #expect(try await Self.pass(store, &cache, at: place, 2_000).quarantined.isEmpty)
        let hostile = Self.catalog([EventRange](repeating: range, count: 1024), by: stranger, 2, time: 2)
        #expect(hostile.count == 28_862)
        try Self.put(hostile, as: stranger, at: place)
        let before = place.byteCount
        let report = try await Self.pass(store, &cache, at: place, 3_000)
        #expect(report.quarantined.keys.elementsEqual([stranger.replica]) && report.sentEvents == 0)
        #expect(place.byteCount == before)
    }

    @Test func `that come again and again are answered once, and once a day`() async throws {
        let (place, store) = (MemoryTransport(), try TestStore(seed: 1))
        var numbers = SeededGenerator(seed: 7)
        let stranger = Identity.random(using: &numbers)
        try store.write(300)
        var cache = RemoteCache()
        let start: Int64 = 1_000_000_000_000
        _ = try await Self.pass(store, &cache, at: place, start)
        let range = EventRange(store.identity.replica, 1, through: 300)
        var sent: [UInt64] = []
        for number in 1...5 {
            let time = start + Int64(number) * 60_000
            try Self.ask(for: [range], as: stranger, number, time: time, at: place)
            sent.append(try await Self.pass(store, &cache, at: place, time).sentEvents)
        }
        #expect(sent == [300, 0, 0, 0, 0])
        // Requested again on the next day, it is pushed again.
        let later = start + 25 * 3_600_000
        try Self.ask(for: [range], as: stranger, 6, time: later, at: place)
        #expect(try await Self.pass(store, &cache, at: place, later).sentEvents == 300)
        #expect(try await Self.pass(store, &cache, at: place, later + 1).sentEvents == 0)
    }

    @Test func `are not answered again by a second device on the same day`() async throws {
        let (place, stores) = (MemoryTransport(), try [TestStore(seed: 1), TestStore(seed: 2)])
        var numbers = SeededGenerator(seed: 7)
        let stranger = Identity.random(using: &numbers)
        try stores[0].write(100)
        var caches = [RemoteCache(), RemoteCache()]
        let start: Int64 = 1_000_000_000_000
        for (who, time) in [(0, start), (1, start + 1), (0, start + 2)] {
            _ = try await Self.pass(stores[who], &caches[who], at: place, time)
        }
        let range = EventRange(stores[0].identity.replica, 1, through: 100)
        try Self.ask(for: [range], as: stranger, 1, time: start + 3, at: place)
        #expect(try await Self.pass(stores[0], &caches[0], at: place, start + 4).sentEvents == 100)
        #expect(try await Self.pass(stores[1], &caches[1], at: place, start + 5).sentEvents == 0)
    }
}
