import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Synchronization
import Testing

@testable import GroundwaveReplication

/// A snapshot of made-up bytes, which the objects at a remote carry without looking into them.
private struct MadeUp {
    static let log = LogID(high: 7, low: 8)
    static let now: Int64 = 1_767_225_600_000
    let identity = Identity()
    let head: PlacedSnapshotHead
    let bytes: [UInt8]

    /// - Parameter size: In bytes; of more than 4 MiB there are several parts.
    init(size: Int = 1000, created: Int64 = now, seed: UInt64 = 1) throws {
        var generator = SeededGenerator(seed: seed)
        bytes = (0..<(size + 7) / 8).flatMap { _ in
            let word = generator.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }.prefix(size).map { $0 }
        let parts = stride(from: 0, to: size, by: 4 << 20).map { [bytes] start in
            Array(bytes[start..<min(size, start + (4 << 20))]).withSpan { Hash256(hashing: $0) }
        }
        var vector = VersionVector()
        vector[identity.replica] = 3
        head = try #require(
            PlacedSnapshotHead(
                log: Self.log, created: created, layout: 9, vector: vector, byteCount: size,
                hash: bytes.withSpan { Hash256(hashing: $0) }, parts: parts))
    }

    func part(_ number: Int) -> [UInt8] {
        Array(bytes[(number - 1) * (4 << 20)..<min(bytes.count, number * (4 << 20))])
    }

    func leave(at transport: any Transport) async throws {
        try await PlacedSnapshots(of: Self.log, at: transport).leave(head, signedBy: identity, part: part)
    }
}

@Suite struct `The head of a snapshot at a remote` {
    @Test func `is read back as it was signed`() throws {
        let made = try MadeUp(size: (4 << 20) + 1)
        let bytes = made.head.bytes(signedBy: made.identity)
        let read = try PlacedSnapshotHead(reading: bytes, as: made.head.name, of: MadeUp.log)
        #expect(read == made.head && read.parts.count == 2 && read.size(ofPart: 2) == 1)
        // By the table in the documentation: 116 bytes, 64 of fixed length, two parts, one replica, a checksum.
        #expect(bytes.count == 116 + 64 + 2 * 32 + 24 + 4)
        #expect("\(made.head.name)".count == 48 && "\(made.head.name)".hasPrefix("001767225600000-"))
    }

    @Test func `is refused with any byte changed, also where the checksum was made to fit`() throws {
        let made = try MadeUp()
        let bytes = made.head.bytes(signedBy: made.identity)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1 << (place % 8)
            #expect(throws: PlacedSnapshotError.self, "byte \(place)") {
                try PlacedSnapshotHead(reading: changed, as: made.head.name, of: MadeUp.log)
            }
            if place >= bytes.count - 4 { continue }
            var writer = ByteWriter()
            writer.append(contentsOf: Array(changed.dropLast(4)))
            writer.appendChecksum(from: 0)
            #expect(throws: PlacedSnapshotError.self, "byte \(place), with its checksum") {
                try PlacedSnapshotHead(reading: writer.bytes, as: made.head.name, of: MadeUp.log)
            }
        }
    }

    @Test func `is refused cut short at any length, and with bytes added`() throws {
        let made = try MadeUp()
        let bytes = made.head.bytes(signedBy: made.identity)
        for count in bytes.indices {
            #expect(throws: PlacedSnapshotError.self, "\(count) bytes") {
                try PlacedSnapshotHead(reading: Array(bytes.prefix(count)), as: made.head.name, of: MadeUp.log)
            }
        }
        #expect(throws: PlacedSnapshotError.self) {
            try PlacedSnapshotHead(reading: bytes + [0], as: made.head.name, of: MadeUp.log)
        }
    }

    @Test func `is refused under another name, in another log, and signed by who is not in it`() throws {
        let (made, other) = (try MadeUp(), try MadeUp(created: MadeUp.now + 1))
        let bytes = made.head.bytes(signedBy: made.identity)
        #expect(throws: PlacedSnapshotError.otherName) {
            try PlacedSnapshotHead(reading: bytes, as: other.head.name, of: MadeUp.log)
        }
        #expect(throws: PlacedSnapshotError.otherLog(MadeUp.log)) {
            try PlacedSnapshotHead(reading: bytes, as: made.head.name, of: LogID(high: 1, low: 1))
        }
        #expect(throws: PlacedSnapshotError.wrongSignature) {
            try PlacedSnapshotHead(
                reading: made.head.bytes(signedBy: Identity()), as: made.head.name, of: MadeUp.log)
        }
    }

    @Test func `cannot be made of more than its numbers can state`() throws {
        let made = try MadeUp()
        func head(_ byteCount: Int, parts: Int, created: Int64 = MadeUp.now) -> PlacedSnapshotHead? {
            PlacedSnapshotHead(
                log: MadeUp.log, created: created, layout: 9, vector: made.head.vector, byteCount: byteCount,
                hash: made.head.hash, parts: Array(repeating: made.head.hash, count: parts))
        }
        #expect(head(4 << 30, parts: 1024) != nil && head((4 << 30) + 1, parts: 1025) == nil)
        #expect(head(0, parts: 0) == nil && head(1, parts: 2) == nil && head(.max, parts: 1) == nil)
        #expect(head(1, parts: 1, created: -1) == nil && head(1, parts: 1, created: .max) == nil)
    }
}

@Suite struct `Leaving a snapshot at a remote` {
    @Test func `stores its head last, and what is read back is what was left`() async throws {
        let made = try MadeUp(size: 9 << 20)
        let memory = MemoryTransport()
        let puts = Mutex<[String]>([])
        let place = HookedPlace(place: memory) { request, _ in
            if case .put(let name) = request { puts.withLock { $0.append("\(name)") } }
        }
        try await made.leave(at: place)
        #expect(
            puts.withLock { $0 } == (1...3).map { "snapshots/parts/\(made.head.name)-000\($0).part" }
                + ["snapshots/heads/\(made.head.name).head"])
        let placed = PlacedSnapshots(of: MadeUp.log, at: memory)
        #expect(try await placed.names() == [made.head.name])
        let head = try await placed.head(made.head.name)
        var bytes: [UInt8] = []
        for number in 1...3 { bytes += try await placed.part(number, of: head) }
        #expect(bytes == made.bytes)
        #expect(try await placed.usage() == (1, 9 << 20))
    }

    @Test(arguments: 0..<6)
    func `broken off at any request goes on there, and sends no part twice`(answered: Int) async throws {
        let made = try MadeUp(size: 9 << 20)
        let memory = MemoryTransport()
        let requests = Mutex(0)
        let parts = Mutex<[ObjectName: Int]>([:])
        let broken = HookedPlace(place: memory) { (request, _) throws(TransportError) in
            let number = requests.withLock { requests in
                requests += 1
                return requests
            }
            if number > answered { throw .unreachable("The stick was pulled out.") }
            if case .put(let name) = request { parts.withLock { $0[name, default: 0] += 1 } }
        }
        // The list, three parts, the head.
        if answered < 5 {
            await #expect(throws: TransportError.self) { try await made.leave(at: broken) }
            let placed = PlacedSnapshots(of: MadeUp.log, at: memory)
            #expect(try await placed.newest(now: MadeUp.now) == nil, "without a head there is none")
        } else {
            try await made.leave(at: broken)
        }
        let whole = HookedPlace(place: memory) { request, _ in
            if case .put(let name) = request { parts.withLock { $0[name, default: 0] += 1 } }
        }
        try await made.leave(at: whole)
        let sent = parts.withLock { $0 }.filter { $0.key.description.hasSuffix(".part") }
        #expect(sent.count == 3 && sent.values.allSatisfy { $0 == 1 }, "\(sent)")
        #expect(try await PlacedSnapshots(of: MadeUp.log, at: memory).newest(now: MadeUp.now) == made.head)
    }

    @Test func `replaces a part that a writer without whole objects has left a piece of`() async throws {
        let made = try MadeUp(size: 5 << 20)
        let memory = MemoryTransport()
        let name = try #require(ObjectName("snapshots/parts/\(made.head.name)-0001.part"))
        _ = try memory.putIfAbsent(name, Array(made.part(1).prefix(100)))
        try await made.leave(at: memory)
        #expect(try memory.get(name, range: nil, limit: 8 << 20) == made.part(1))
    }

    @Test func `is given up if the file is another one by now, or may not be shown any more`() async throws {
        let made = try MadeUp()
        let memory = MemoryTransport()
        let placed = PlacedSnapshots(of: MadeUp.log, at: memory)
        await #expect(throws: PlacedSnapshotError.changedHere) {
            try await placed.leave(made.head, signedBy: made.identity) { _ in [1] }
        }
        let sent = try await placed.leave(
            made.head, signedBy: made.identity, mayFinish: { false }, part: made.part)
        #expect(sent == nil)
        #expect(try await placed.names().isEmpty)
    }

    @Test func `is no use with a part that is gone, changed, too long or cut short`() async throws {
        let made = try MadeUp(size: 5 << 20)
        let name = try #require(ObjectName("snapshots/parts/\(made.head.name)-0002.part"))
        for bytes in [nil, made.part(1), made.part(2) + [0], Array(made.part(2).dropLast())] as [[UInt8]?] {
            let memory = MemoryTransport()
            try await made.leave(at: memory)
            try memory.delete(name)
            if let bytes { _ = try memory.putIfAbsent(name, bytes) }
            await #expect(throws: PlacedSnapshotError.self) {
                try await PlacedSnapshots(of: MadeUp.log, at: memory).part(2, of: made.head)
            }
        }
    }
}

@Suite struct `The snapshots that stay at a remote` {
    private let day: Int64 = 86_400_000

    private func names(at transport: MemoryTransport) async throws -> [Int64] {
        try await PlacedSnapshots(of: MadeUp.log, at: transport).names().map(\.created)
    }

    @Test func `are the last three, and the last one of each month`() async throws {
        let memory = MemoryTransport()
        // 2026-01-01 is MadeUp.now; the days from there: four in January, two in February, four in March.
        let days: [Int64] = [0, 10, 20, 30, 31, 58, 59, 60, 61, 62]
        for number in days { try await MadeUp(created: MadeUp.now + number * day).leave(at: memory) }
        let placed = PlacedSnapshots(of: MadeUp.log, at: memory)
        let count = try await placed.prune(now: MadeUp.now + 63 * day)
        #expect(count == 5)
        #expect(try await names(at: memory) == [30, 58, 60, 61, 62].map { MadeUp.now + $0 * day })
        // Five heads and five parts.
        #expect(memory.objectCount == 10)
        #expect(try await placed.prune(now: MadeUp.now + 63 * day) == 0)
    }

    @Test(arguments: UInt64(1)...30)
    func `are those of a simple model`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let hash = [UInt8(1)].withSpan { Hash256(hashing: $0) }
        let days = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            Int64.random(in: 0...400, using: &generator)
        }
        let created = Set(days).sorted().map { MadeUp.now + $0 * day }
        let names = try created.map { try #require(PlacedSnapshotName(created: $0, hash: hash)) }
        // The months of 2026 and early 2027 by their first days, counted by hand from 2026-01-01.
        let starts: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365, 396]
        let kept = names.enumerated().filter { place, name in
            if place >= names.count - 3 { return true }
            let month = starts.last { MadeUp.now + $0 * day <= name.created }
            return !names[(place + 1)...].contains { later in
                starts.last { MadeUp.now + $0 * day <= later.created } == month
            }
        }.map(\.element)
        let dropped = PlacedSnapshotRule.superfluous(names.shuffled(using: &generator))
        #expect(Set(names).subtracting(dropped) == Set(kept))
    }

    @Test func `are not pushed out by what nobody can read, nor by one of a time to come`() async throws {
        let memory = MemoryTransport()
        for number in 0..<3 { try await MadeUp(created: MadeUp.now + Int64(number)).leave(at: memory) }
        let future = try MadeUp(created: MadeUp.now + 400 * day)
        try await future.leave(at: memory)
        let hash = [UInt8(2)].withSpan { Hash256(hashing: $0) }
        for number in 3..<9 {
            let name = try #require(PlacedSnapshotName(created: MadeUp.now + Int64(number), hash: hash))
            _ = try memory.putIfAbsent(name.head, [1, 2, 3])
        }
        let placed = PlacedSnapshots(of: MadeUp.log, at: memory)
        #expect(try await placed.newest(now: MadeUp.now)?.created == MadeUp.now + 2)
        try await placed.prune(now: MadeUp.now + 10)
        let young = try await names(at: memory)
        #expect(young.count == 10, "what is younger than a day may become whole")
        try await placed.prune(now: MadeUp.now + 2 * day)
        let old = try await names(at: memory)
        #expect(old == [0, 1, 2].map { MadeUp.now + $0 } + [future.head.created])
    }

    @Test func `lose an upload that was not finished within a day`() async throws {
        let memory = MemoryTransport()
        let made = try MadeUp()
        _ = try memory.putIfAbsent(made.head.name.part(1), made.part(1))
        let placed = PlacedSnapshots(of: MadeUp.log, at: memory)
        try await placed.prune(now: MadeUp.now + day)
        #expect(memory.objectCount == 1)
        try await placed.prune(now: MadeUp.now + day + 1)
        #expect(memory.objectCount == 0)
    }

    @Test func `go with the data of the remote, also what nobody can read`() async throws {
        let memory = MemoryTransport()
        try await MadeUp().leave(at: memory)
        _ = try memory.putIfAbsent(try #require(ObjectName("snapshots/heads/odd")), [1])
        let count = try await RemoteInventory.delete(at: memory)
        // A head, a part, the odd object and the log mark.
        #expect(count == 4 && memory.objectCount == 0)
    }

    @Test func `have names that nothing else has`() {
        let digits = String(repeating: "a", count: 32)
        for text in [
            "", "1-\(digits)", "001767225600000_\(digits)", "00176722560000x-\(digits)", "001767225600000-\(digits)a",
            "001767225600000-\(digits.uppercased())", "-01767225600000-\(digits)",
            "001767225600000-\(digits.dropLast())é",
        ] { #expect(PlacedSnapshotName(text) == nil, "\(text)") }
        #expect(PlacedSnapshotName("001767225600000-\(digits)")?.created == 1_767_225_600_000)
    }
}

@Suite struct `When a snapshot is due at a remote` {
    private let hour: Int64 = 3_600_000
    private let now: Int64 = MadeUp.now

    private func isDue(age: Int64?, isSame: Bool = false, events: UInt64 = 1) -> Bool {
        var vector = VersionVector()
        vector[ReplicaID(high: 1, low: 1)] = events
        return PlacedSnapshotRule.isDue(
            newest: age.map { (now - $0, isSame) }, vector: vector, now: now)
    }

    @Test func `is after six hours, if something changed`() {
        #expect(isDue(age: nil) && isDue(age: 6 * hour) && isDue(age: 1000 * hour))
        #expect(!isDue(age: 6 * hour - 1) && !isDue(age: 0))
        #expect(!isDue(age: 6 * hour, isSame: true) && !isDue(age: nil, events: 0))
    }

    @Test func `is not put off by a clock that is more than a day ahead`() {
        #expect(!isDue(age: -24 * hour) && isDue(age: -24 * hour - 1))
        #expect(isDue(age: .min / 2))
    }
}
