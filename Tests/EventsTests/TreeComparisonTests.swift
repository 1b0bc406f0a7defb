import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@Suite struct `A comparison of two stores' trees` {
    private static let replica = ReplicaID(high: 7, low: 7)
    private static let other = ReplicaID(high: 9, low: 9)
    /// 100,000 events; each with a leaf of its own.
    private static let large = (0..<100_000).map { leaf($0) }

    private static func leaf(_ number: Int) -> Hash256 {
        RFC6962.leaf((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    private static func range(_ first: Int, _ last: Int) -> EventRange {
        EventRange(replica, UInt64(first), through: UInt64(last))
    }

    @Test func `of equal stores takes one exchange`() throws {
        for size in [0, 1, 2, 15, 16, 17, 256, 1000] {
            let store = SimulatedStore([Self.replica: Array(Self.large[..<size]), Self.other: [Self.leaf(-1)]])
            let found = try store.compare(with: store)
            #expect(found.isSame && found.exchanges == 1)
        }
    }

    @Test(arguments: [0, 1, 50_000, 65_535, 65_536, 98_303, 99_998, 99_999])
    func `names one altered event among 100,000 within 20 exchanges and 20 KB`(place: Int) throws {
        let here = SimulatedStore([Self.replica: Self.large])
        var there = here
        there[Self.replica][place] = Self.leaf(-1)
        let found = try here.compare(with: there)
        #expect(found.differing.map(\.id) == [EventID(Self.replica, UInt64(place) + 1)])
        #expect(found.differing.map(\.here) == [Self.leaf(place)] && found.differing.map(\.there) == [Self.leaf(-1)])
        #expect(found.onlyHere.isEmpty && found.onlyThere.isEmpty && found.undecided.isEmpty && !found.isSame)
        #expect(found.exchanges <= 6 && found.bytes <= 3_000, "\(found.exchanges) exchanges, \(found.bytes) bytes")
    }

    @Test(arguments: [0, 1, 50_000, 65_535, 65_536, 98_303, 99_998])
    func `names one missing event among 100,000 within 20 exchanges and 20 KB`(place: Int) throws {
        let here = SimulatedStore([Self.replica: Self.large])
        var there = here
        there[Self.replica][place] = nil
        for (one, two) in [(here, there), (there, here)] {
            let found = try one.compare(with: two)
            let missing = EventSet([Self.range(place + 1, place + 1)])
            #expect(found.onlyHere == (one[Self.replica][place] == nil ? EventSet() : missing))
            #expect(found.onlyThere == (two[Self.replica][place] == nil ? EventSet() : missing))
            #expect(found.differing.isEmpty && found.undecided.isEmpty)
            #expect(found.exchanges <= 6 && found.bytes <= 3_000, "\(found.exchanges) exchanges, \(found.bytes) bytes")
        }
        #expect(try there.compare(with: there).differing.isEmpty)
    }

    @Test func `needs no descent for what one side lacks at the end, or of whole replicas`() throws {
        let here = SimulatedStore([Self.replica: Array(Self.large[..<900]), Self.other: [Self.leaf(-1)]])
        let there = SimulatedStore([Self.replica: Array(Self.large[..<1000])])
        let found = try here.compare(with: there)
        #expect(found.onlyHere.ranges == [EventRange(Self.other, 1, through: 1)])
        #expect(found.onlyThere.ranges == [Self.range(901, 1000)])
        #expect(found.differing.isEmpty && found.exchanges == 1)
        #expect(found.vectorThere == there.vector)
        let back = try there.compare(with: here)
        #expect(back.onlyHere == found.onlyThere && back.onlyThere == found.onlyHere && back.exchanges == 1)
    }

    /// Two stores, and what a comparison has to say of them.
    private struct DifferentStores {
        var here: SimulatedStore
        var there: SimulatedStore
        var differing: [EventID]
        var onlyHere: EventSet
        var onlyThere: EventSet
    }

    /// Stores that differ in some places by chance.
    private static func randomStores(_ generator: inout SeededGenerator) -> DifferentStores {
        var (here, there) = (SimulatedStore(), SimulatedStore())
        var (onlyHere, onlyThere) = (EventSet(), EventSet())
        var differing: [EventID] = []
        for number in 0..<Int.random(in: 1...3, using: &generator) {
            let replica = ReplicaID(high: 5, low: UInt64(number))
            let size = Int.random(in: 1...2000, using: &generator)
            let base = (0..<size).map { leaf($0 << 8 + number) }
            var (one, two): ([Hash256?], [Hash256?]) = (base, base)
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                let place = Int.random(in: 0..<size, using: &generator)
                switch Int.random(in: 0...3, using: &generator) {
                case 0: one[place] = nil
                case 1: two[place] = nil
                case 2: (one[place], two[place]) = (nil, nil)
                default: two[place] = leaf(-1 - place)
                }
            }
            // A hole at the very end is a shorter store: the vector says so.
            two.removeLast(Int.random(in: 0..<min(size, 30), using: &generator))
            if one.last == .some(nil) { one[size - 1] = base[size - 1] }
            if two.last == .some(nil) { two[two.count - 1] = base[two.count - 1] }
            (here[replica], there[replica]) = (one, two)
            for place in 0..<size {
                let event = EventRange(replica, UInt64(place) + 1, through: UInt64(place) + 1)
                switch (one[place], place < two.count ? two[place] : nil) {
                // What is behind the other's last event is told by the vectors alone, holes included.
                case _ where place >= two.count: onlyHere.insert(event)
                case (.some, nil): onlyHere.insert(event)
                case (nil, .some): onlyThere.insert(event)
                case (let a, let b) where a != b: differing.append(EventID(replica, event.first))
                default: break
                }
            }
        }
        return DifferentStores(
            here: here, there: there, differing: differing, onlyHere: onlyHere, onlyThere: onlyThere)
    }

    @Test(arguments: UInt64(1)...200)
    func `finds exactly what differs, wherever it lies`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pair = Self.randomStores(&generator)
        let found = try pair.here.compare(with: pair.there)
        #expect(found.onlyHere == pair.onlyHere)
        #expect(found.onlyThere == pair.onlyThere)
        #expect(found.differing.map(\.id) == pair.differing)
        #expect(found.undecided.isEmpty)
        #expect(found.exchanges <= 4, "the levels of 2,000 leaves")
        let back = try pair.there.compare(with: pair.here)
        #expect(back.onlyHere == pair.onlyThere && back.onlyThere == pair.onlyHere)
        #expect(back.differing.map(\.id) == pair.differing)
    }

    @Test func `finds a difference in every place of every small tree`() throws {
        for size in 1...70 {
            let here = SimulatedStore([Self.replica: Array(Self.large[..<size])])
            for place in 0..<size {
                var there = here
                there[Self.replica][place] = Self.leaf(-1)
                let found = try here.compare(with: there)
                #expect(found.differing.map(\.id.sequence) == [UInt64(place) + 1])
            }
        }
    }

    @Test func `of a fork stops where many differ, with the first events named and the rest as ranges`() throws {
        let here = SimulatedStore([Self.replica: Self.large])
        let there = SimulatedStore([
            Self.replica: Self.large.indices.map { $0 < 1234 ? Self.large[$0] : Self.leaf(-$0) }
        ])
        let found = try here.compare(with: there, exchangeLimit: 20)
        #expect(found.exchanges == 20)
        #expect(found.bytes <= 20 * (32 * 16 * 33 + 800))
        #expect(found.differing.count > 1000)
        let named = found.differing.map { Int($0.id.sequence) }
        #expect(named == Array(1235..<1235 + named.count), "the first ones, without a gap")
        #expect(found.undecided.ranges == [Self.range(1235 + named.count, 100_000)])
        #expect(!found.isSame)
    }

    @Test func `of another log is refused, and tells that side nothing but its name`() throws {
        let here = SimulatedStore([Self.replica: Array(Self.large[..<10])])
        var there = here
        there.log = LogID(high: 2, low: 2)
        #expect(throws: ComparisonError.otherLog(there.log)) { try here.compare(with: there) }
        var comparison = TreeComparison(log: here.log, vector: here.vector)
        #expect(try there.answer(#require(comparison.question)) == there.log.bytes)
        comparison = TreeComparison(log: there.log, vector: VersionVector())
        #expect(try there.answer(#require(comparison.question)).count == 16 + 1 + 16 + 1 + 1)
    }
}
