import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveReplication
import Testing

@Suite struct `The catalog of a store` {
    private let place = MemoryTransport()

    private static func catalog(of store: ReplicaID) throws -> ObjectName {
        try #require(ObjectName("stores/\(store)/catalog"))
    }

    @Test func `is all that a store writes that only receives`() async throws {
        var (author, other) = (try PackingVisitor(seed: 1), try PackingVisitor(seed: 2))
        try other.store.write(1)
        try await other.sync(at: place)
        let before = try place.names(of: other.replica)
        for _ in 0..<20 {
            try author.store.write(1)
            try await author.sync(at: place)
            try await other.sync(at: place)
        }
        #expect(try place.names(of: other.replica) == before)
        #expect(before.count == 2)
    }

    @Test func `that an older one was written over is no loss, and is mended by its store`() async throws {
        var (author, other) = (try PackingVisitor(seed: 1), try PackingVisitor(seed: 2))
        try await author.push(2, at: place)
        let name = try Self.catalog(of: author.replica)
        let old = try #require(try place.get(name, range: nil, limit: .max))
        try await author.push(1, at: place)
        try await other.sync(at: place)
        // A request of before arrives at last.
        try place.replace(name, old)
        #expect(try await !other.sync(at: place).wasEmptied)
        #expect(try await !author.sync(at: place).wasEmptied)
        #expect(try place.get(name, range: nil, limit: .max) != old)
        try await author.push(1, at: place)
        #expect(try await !other.sync(at: place).wasEmptied)
        #expect(try other.store.roots() == author.store.roots())
    }

    @Test func `that is damaged puts its store in quarantine, until its store mends it`() async throws {
        var visitors = try (1...3).map { try PackingVisitor(seed: $0) }
        try await visitors[0].push(3, at: place)
        try await visitors[1].push(1, at: place)
        let name = try Self.catalog(of: visitors[0].replica)
        var bytes = try #require(try place.get(name, range: nil, limit: .max))
        bytes[bytes.count / 2] ^= 1
        try place.replace(name, bytes)
        try visitors[0].store.write(1)
        let report = try await visitors[1].sync(at: place)
        #expect(report.quarantined.keys.elementsEqual([visitors[0].replica]))
        // Whoever comes anew reads what is there without it, and everything of everybody else.
        let first = try await visitors[2].sync(at: place, isFull: true)
        #expect(first.quarantined.keys.elementsEqual([visitors[0].replica]))
        #expect(try visitors[2].store.log.vector()[visitors[0].replica] == 3)
        #expect(try visitors[2].store.log.vector()[visitors[1].replica] == 1)
        try await visitors[0].sync(at: place)
        for who in [1, 2, 0, 1, 2] {
            #expect(try await visitors[who].sync(at: place).quarantined.isEmpty)
        }
        #expect(Set(try visitors.map { try $0.store.roots() }).count == 1)
    }

    @Test(arguments: [true, false])
    func `that is gone is written again, and what was in packs is pushed again`(isFull: Bool) async throws {
        var author = try PackingVisitor(seed: 1)
        try await author.push(20, at: place)
        #expect(try place.names(of: author.replica).contains { $0.hasSuffix(".pack") })
        try place.delete(try Self.catalog(of: author.replica))
        #expect(try await author.sync(at: place, isFull: isFull).wasEmptied)
        // What no catalog names is deleted, and nothing of it is missing.
        try await author.sync(at: place, isFull: true)
        try await author.push(1, at: place)
        var newcomer = try PackingVisitor(seed: 3)
        #expect(try await newcomer.sync(at: place).quarantined.isEmpty)
        #expect(try newcomer.store.roots() == author.store.roots())
    }

    @Test func `that is not there yet, since its store was stopped, loses nothing when a place is emptied`()
        async throws
    {
        var (author, other, third) = (
            try PackingVisitor(seed: 1), try PackingVisitor(seed: 2), try PackingVisitor(seed: 3)
        )
        try author.store.write(2)
        try await author.sync(at: place)
        try place.delete(try Self.catalog(of: author.replica))
        author.cache = RemoteCache()
        #expect(try await other.sync(at: place, isPushing: false, isFull: true).received.appendedCount == 2)
        // Others would find it by a catalog alone.
        #expect(try await third.sync(at: place, isFull: true).sentEvents == 2)
        for name in try place.contents().keys { try place.delete(name) }
        try await author.push(1, at: place)
        #expect(try await other.sync(at: place).received.appendedCount == 1)
        #expect(try other.store.roots() == author.store.roots())
    }

    @Test func `that its store could not read, and not replace, is there again, and no event is missing`() async throws
    {
        var author = try PackingVisitor(seed: 1)
        try await author.push(20, at: place)
        let name = try Self.catalog(of: author.replica)
        let whole = try #require(try place.get(name, range: nil, limit: .max))
        // A read that ends early, and then a connection that does.
        try place.replace(name, Array(whole.prefix(9)))
        try author.store.write(1)
        let failing = HookedPlace(place: place) { (request, _) throws(TransportError) in
            if case .replace = request { throw .unreachable("cut") }
        }
        await #expect(throws: TransportError.self) { try await author.sync(at: failing) }
        try place.replace(name, whole)
        try await author.sync(at: place)
        try await author.sync(at: place, isFull: true)
        var newcomer = try PackingVisitor(seed: 2)
        #expect(try await newcomer.sync(at: place).quarantined.isEmpty)
        #expect(try newcomer.store.roots() == author.store.roots())
    }

    @Test func `of another store, or by another key, is not believed`() async throws {
        var visitors = try (1...3).map { try PackingVisitor(seed: $0) }
        for who in 0..<2 { try await visitors[who].push(3, at: place) }
        let names = try visitors.map { try Self.catalog(of: $0.replica) }
        let other = try #require(try place.get(names[1], range: nil, limit: .max))
        try place.replace(names[0], other)
        var report = try await visitors[2].sync(at: place)
        #expect(report.quarantined.keys.elementsEqual([visitors[0].replica]))
        // The key of another one in it: the signature is not by that key, and the key not of that replica.
        var mixed = other
        mixed.replaceSubrange(24..<56, with: visitors[2].store.identity.publicKey)
        try place.replace(names[0], Self.summed(mixed))
        report = try await visitors[2].sync(at: place)
        #expect(report.quarantined[visitors[0].replica]?.contains("signature") == true)
    }

    private static func summed(_ bytes: [UInt8]) -> [UInt8] {
        var rest = UInt32.max
        for byte in bytes.dropLast(4) {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? (rest >> 1) ^ 0x82F6_3B78 : rest >> 1 }
        }
        return bytes.dropLast(4) + (0..<4).map { UInt8(truncatingIfNeeded: ~rest >> (8 * UInt32($0))) }
    }

    @Test func `that names more than there is waits for it, and asks for it when the day is over`() async throws {
        var (author, other) = (try PackingVisitor(seed: 1), try PackingVisitor(seed: 2))
        try await author.push(2, at: place)
        try await other.sync(at: place)
        try await author.push(2, at: place)
        // A program that copies files brings the catalog first.
        let third = try #require(ObjectName("stores/\(author.replica)/00000000000000000003.segment"))
        let bytes = try #require(try place.get(third, range: nil, limit: .max))
        try place.delete(third)
        #expect(try await other.sync(at: place, isPushing: false).received.appendedCount == 0)
        #expect(try await other.sync(at: place, isPushing: false).quarantined.isEmpty)
        _ = try place.putIfAbsent(third, bytes)
        #expect(try await other.sync(at: place, isPushing: false).received.appendedCount == 2)
        #expect(try other.store.roots() == author.store.roots())
    }

    @Test func `of a place that was put back to an earlier state tells each device, and each repairs it`() async throws
    {
        var visitors = try (1...3).map { try PackingVisitor(seed: $0) }
        for who in 0..<3 { try await visitors[who].push(2, at: place) }
        for who in 0..<3 { try await visitors[who].sync(at: place) }
        let backup = try place.contents()
        for who in 0..<2 { try await visitors[who].push(9, at: place) }
        for who in 0..<3 { try await visitors[who].sync(at: place) }
        let roots = try visitors[0].store.roots()
        try place.restore(backup)
        for who in 0..<3 {
            #expect(try await visitors[who].sync(at: place).wasEmptied, "device \(who) says so")
            #expect(try visitors[who].store.roots() == roots, "and keeps everything")
        }
        for _ in 0..<2 { for who in 0..<3 { try await visitors[who].sync(at: place) } }
        // Nobody goes on repairing.
        for who in 0..<3 {
            let report = try await visitors[who].sync(at: place)
            #expect(!report.wasEmptied && report.sentBytes == 0 && report.receivedBytes == 0)
        }
        var newcomer = try PackingVisitor(seed: 9)
        try await newcomer.sync(at: place)
        #expect(try newcomer.store.roots() == roots)
    }

    @Test func `of a place that was put back tells a device that comes when it was repaired and has grown`()
        async throws
    {
        var (author, other) = (try PackingVisitor(seed: 1), try PackingVisitor(seed: 2))
        try await author.push(3, at: place)
        let backup = try place.contents()
        try await author.push(3, at: place)
        try await other.sync(at: place, isPushing: false)
        try place.restore(backup)
        // What was lost is one segment now, and the sixth segment has new events.
        try await author.push(6, at: place)
        let report = try await other.sync(at: place, isPushing: false)
        #expect(report.wasEmptied)
        #expect(try other.store.roots() == author.store.roots())
    }

    @Test func `of a place that was emptied and filled again while a device read it for the first time`() async throws {
        var (author, other) = (try PackingVisitor(seed: 1), try PackingVisitor(seed: 2))
        try await author.push(5, at: place)
        let rest = Countdown(7)
        let failing = HookedPlace(place: place) { (_, _) throws(TransportError) in
            if !rest.next() { throw .unreachable("The cable is out.") }
        }
        await #expect(throws: TransportError.self) { try await other.sync(at: failing) }
        #expect((1...4).contains(try other.store.log.vector()[author.replica]), "it has read some of them")
        place.empty()
        try author.store.write(1)
        try await author.sync(at: place)
        try await other.sync(at: place)
        #expect(try other.store.roots() == author.store.roots())
    }

    @Test func `of a place with two histories tells each device, and nothing is lost`() async throws {
        let places = [MemoryTransport(), MemoryTransport()]
        var visitors = try (1...2).map { try PackingVisitor(seed: $0) }
        for who in 0..<2 { try await visitors[who].push(3, at: places[0]) }
        try await visitors[0].sync(at: places[0])
        try places[1].restore(try places[0].contents())
        // From here on each device is shown another one.
        for who in 0..<2 { try await visitors[who].push(5, at: places[who]) }
        for who in 0..<2 {
            #expect(try await visitors[who].sync(at: places[1 - who]).wasEmptied, "device \(who) was shown the other")
        }
        for round in 0..<4 { for who in 0..<2 { try await visitors[who].sync(at: places[round / 2]) } }
        #expect(try visitors[0].store.roots() == visitors[1].store.roots())
        #expect(try visitors[0].store.log.vector()[visitors[1].replica] == 8)
        #expect(try visitors[1].store.log.vector()[visitors[0].replica] == 8)
        var newcomer = try PackingVisitor(seed: 9)
        try await newcomer.sync(at: places[1])
        #expect(try newcomer.store.roots() == visitors[0].store.roots())
    }
}

@Suite struct `Objects of a store that is gone for ever` {
    private let place = MemoryTransport()

    @Test func `are taken over by another one, and nobody takes that for a loss`() async throws {
        var visitors = try (1...3).map { try PackingVisitor(seed: $0) }
        for who in 0..<3 { try await visitors[who].push(9, at: place) }
        for _ in 0..<2 { for who in 0..<3 { try await visitors[who].sync(at: place) } }
        let gone = visitors[2].replica
        visitors[0].abandoned = [gone]
        #expect(try await visitors[0].sync(at: place, isFull: true).quarantined.isEmpty)
        #expect(try place.names(of: gone) == [])
        let report = try await visitors[1].sync(at: place)
        #expect(!report.wasEmptied && report.quarantined.isEmpty)
        #expect(try await !visitors[1].sync(at: place, isFull: true).wasEmptied)
        var newcomer = try PackingVisitor(seed: 9)
        #expect(try await newcomer.sync(at: place).quarantined.isEmpty)
        #expect(try newcomer.store.roots() == visitors[0].store.roots())
        // It was not gone: it goes on, and nothing was lost.
        visitors[0].abandoned = []
        try visitors[2].store.write(1)
        #expect(try await !visitors[2].sync(at: place).wasEmptied)
        for _ in 0..<2 { for who in 0..<3 { #expect(try await !visitors[who].sync(at: place).wasEmptied) } }
        #expect(Set(try visitors.map { try $0.store.roots() }).count == 1)
        #expect(try visitors[1].store.log.vector()[gone] == 10)
    }

    @Test func `are there, or taken over, wherever the device is stopped that does it`() async throws {
        var (isDone, stop) = (false, 0)
        while !isDone {
            stop += 1
            place.empty()
            var visitors = try (1...3).map { try PackingVisitor(seed: $0) }
            for who in 0..<3 { try await visitors[who].push(2, at: place) }
            for _ in 0..<2 { for who in 0..<3 { try await visitors[who].sync(at: place) } }
            visitors[0].abandoned = [visitors[2].replica]
            let place = place
            let rest = Countdown(stop)
            let failing = HookedPlace(place: place) { (_, _) throws(TransportError) in
                if !rest.next() { throw .unreachable("The cable is out.") }
            }
            do {
                try await visitors[0].sync(at: failing, isFull: true)
                isDone = true
            } catch is TransportError {}
            var newcomer = try PackingVisitor(seed: 9)
            try await newcomer.sync(at: place, isPushing: false)
            #expect(try newcomer.store.roots() == visitors[1].store.roots(), "stopped at \(stop)")
            #expect(try await !visitors[1].sync(at: place).wasEmptied, "stopped at \(stop)")
            #expect(try await !visitors[0].sync(at: place, isFull: true).wasEmptied)
            #expect(try place.names(of: visitors[2].replica) == [], "stopped at \(stop)")
        }
        #expect(stop > 12)
    }
}
