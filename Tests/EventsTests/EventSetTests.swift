import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@Suite struct `A set of events` {
    private let replicas = [ReplicaID(high: 1, low: 1), ReplicaID(high: 1, low: 2)]

    @Test(arguments: UInt64(1)...60)
    func `has what was put in, and nothing else, as runs that do not touch`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var set = EventSet()
        var model: Set<EventID> = []
        for _ in 0..<30 {
            let replica = replicas.randomElement(using: &numbers) ?? replicas[0]
            let first = SequenceNumber.random(in: 1...60, using: &numbers)
            let range = EventRange(replica, first, through: first + .random(in: 0...6, using: &numbers))
            set.insert(range)
            for sequence in range.first...range.last { model.insert(EventID(replica, sequence)) }
            for replica in replicas {
                for sequence in SequenceNumber(0)...70 {
                    let event = EventID(replica, sequence)
                    #expect(set.contains(event) == model.contains(event))
                }
            }
            #expect(set.count == UInt64(model.count))
            let ranges = set.ranges
            #expect(ranges.allSatisfy { set.contains($0) })
            for (left, right) in zip(ranges, ranges.dropFirst()) where left.replica == right.replica {
                #expect(left.last + 1 < right.first)
            }
            #expect(EventSet(ranges.reversed()) == set)
        }
    }

    @Test(arguments: UInt64(1)...60)
    func `without those of another has what is in the one alone`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var sets = [EventSet(), EventSet()]
        for _ in 0..<12 {
            let replica = replicas.randomElement(using: &numbers) ?? replicas[0]
            let first = SequenceNumber.random(in: 1...60, using: &numbers)
            let range = EventRange(replica, first, through: first + .random(in: 0...9, using: &numbers))
            sets[Int.random(in: 0...1, using: &numbers)].insert(range)
        }
        let rest = sets[0].subtracting(sets[1])
        for replica in replicas {
            for sequence in SequenceNumber(1)...75 {
                let event = EventID(replica, sequence)
                #expect(rest.contains(event) == (sets[0].contains(event) && !sets[1].contains(event)))
            }
        }
    }

    @Test func `may have the greatest number there is, as a set from elsewhere may`() {
        let all = EventSet(replicas.map { EventRange($0, 1, through: .max) })
        #expect(all.count == .max)
        #expect(all.contains(EventID(replicas[0], .max)))
        let end = EventSet([EventRange(replicas[0], 5, through: .max)])
        #expect(all.subtracting(end).ranges == [EventRange(replicas[0], 1, through: 4), all.ranges[1]])
        #expect(end.subtracting(all).isEmpty)
    }

    @Test func `that is empty has none, and a union has both`() {
        let range = EventRange(replicas[0], 1, through: .max)
        var set = EventSet()
        #expect(set.isEmpty && set.count == 0 && set.ranges.isEmpty && !set.contains(range))
        set.formUnion(EventSet([EventRange(replicas[0], 2, through: .max)]))
        #expect(!set.contains(range))
        set.insert(EventRange(replicas[0], 1, through: 1))
        #expect(set.ranges == [range])
    }
}
