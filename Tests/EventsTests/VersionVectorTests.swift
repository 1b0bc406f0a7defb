import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@Suite struct `A version vector` {
    private static let replicas = (0..<6).map { ReplicaID(high: UInt64($0 % 3), low: UInt64($0)) }

    /// A vector and the dictionary that it must behave as, after random assignments.
    private static func random(using generator: inout SeededGenerator) -> (VersionVector, [ReplicaID: SequenceNumber]) {
        var vector = VersionVector()
        var model: [ReplicaID: SequenceNumber] = [:]
        for _ in 0..<Int.random(in: 0...10, using: &generator) {
            let replica = replicas.randomElement(using: &generator)!
            let sequence = SequenceNumber.random(in: 0...4, using: &generator)
            vector[replica] = sequence
            model[replica] = sequence == 0 ? nil : sequence
        }
        return (vector, model)
    }

    private static func joined(_ left: VersionVector, _ right: VersionVector) -> VersionVector {
        var result = left
        result.join(right)
        return result
    }

    @Test(arguments: UInt64(0)..<300)
    func `is a dictionary in order of replica, without zeros`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (vector, model) = Self.random(using: &generator)
        #expect(vector.entries.map(\.replica) == model.keys.sorted())
        for replica in Self.replicas { #expect(vector[replica] == model[replica] ?? 0) }
        #expect(vector.eventCount == model.values.reduce(0, +))
        for replica in Self.replicas {
            for sequence in SequenceNumber(1)...5 {
                #expect(vector.contains(EventID(replica, sequence)) == (sequence <= model[replica] ?? 0))
            }
        }
        #expect(vector[ReplicaID(high: 99, low: 0)] == 0)
    }

    @Test(arguments: UInt64(0)..<300)
    func `joins in any order, any grouping and any number of times to the same`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ((a, left), (b, right)) = (Self.random(using: &generator), Self.random(using: &generator))
        let (c, _) = Self.random(using: &generator)
        let join = Self.joined(a, b)
        #expect(join == Self.joined(b, a))
        #expect(Self.joined(join, c) == Self.joined(a, Self.joined(b, c)))
        #expect(Self.joined(a, a) == a)
        #expect(Self.joined(join, b) == join)
        #expect(Self.joined(a, VersionVector()) == a)
        let model = left.merging(right) { Swift.max($0, $1) }
        for replica in Self.replicas { #expect(join[replica] == model[replica] ?? 0) }
    }

    @Test(arguments: UInt64(0)..<300)
    func `covers exactly what joining would add nothing of`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ((a, left), (b, right)) = (Self.random(using: &generator), Self.random(using: &generator))
        #expect(a.covers(b) == right.allSatisfy { (left[$0.key] ?? 0) >= $0.value })
        #expect(a.covers(b) == (Self.joined(a, b) == a))
        #expect((a.covers(b) && b.covers(a)) == (a == b))
        #expect(Self.joined(a, b).covers(a) && Self.joined(a, b).covers(b))
        #expect(a.covers(a) && a.covers(VersionVector()))
    }

    @Test(arguments: UInt64(0)..<300)
    func `offers exactly the events that the other lacks, as one range a replica`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ((a, left), (b, right)) = (Self.random(using: &generator), Self.random(using: &generator))
        let ranges = a.ranges(missingFrom: b)
        #expect(ranges.map(\.replica) == ranges.map(\.replica).sorted())
        #expect(Set(ranges.map(\.replica)).count == ranges.count)
        let offered = Set(ranges.flatMap { range in (range.first...range.last).map { EventID(range.replica, $0) } })
        let missing = left.flatMap { replica, last in
            (1...last).map { EventID(replica, $0) }.filter { $0.sequence > right[replica] ?? 0 }
        }
        #expect(offered == Set(missing))
        #expect(ranges.reduce(0) { $0 + $1.count } == UInt64(missing.count))
        #expect(ranges.isEmpty == b.covers(a))
        // Taking in what was offered is joining.
        var after = b
        for range in ranges { after[range.replica] = range.last }
        #expect(after == Self.joined(a, b))
    }

    @Test func `of a peer that claims every number there is can be counted and compared`() {
        var vector = VersionVector()
        vector[Self.replicas[0]] = .max
        vector[Self.replicas[1]] = 5
        #expect(vector.eventCount == .max)
        #expect(vector.ranges(missingFrom: VersionVector()).map(\.count) == [.max, 5])
        #expect(vector.contains(EventID(Self.replicas[0], .max)))
    }
}
