import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

/// The other side of a comparison may send anything.
@Suite struct `A comparison with a hostile side` {
    private static let replica = ReplicaID(high: 7, low: 7)
    private static let leaves = RFC6962.leaves(1000)

    private static let stores: (here: SimulatedStore, there: SimulatedStore) = {
        let here = SimulatedStore([replica: leaves])
        var there = here
        there[replica][600] = leaves[0]
        return (here, there)
    }()

    private static func refused(_ lie: (_ exchange: Int, _ answer: [UInt8]) -> [UInt8]) -> ComparisonError? {
        do {
            _ = try stores.here.compare(with: stores.there, lie)
            return nil
        } catch { return error as? ComparisonError }
    }

    @Test func `refuses an answer cut short anywhere, or with anything behind it`() throws {
        let exchanges = try Self.stores.here.compare(with: Self.stores.there).exchanges
        #expect(exchanges == 4)
        for exchange in 0..<exchanges {
            var length = 0
            _ = Self.refused {
                if $0 == exchange { length = $1.count }; return $1
            }
            for count in 0..<length {
                let error = Self.refused { $0 == exchange ? Array($1.prefix(count)) : $1 }
                #expect(error == .malformed, "exchange \(exchange), \(count) bytes")
            }
            #expect(Self.refused { $0 == exchange ? $1 + [0] : $1 } == .malformed)
        }
    }

    @Test func `refuses parts that do not make the whole that was sent before`() {
        for exchange in 1..<4 {
            for place in stride(from: 0, to: 16 * 33, by: 5) {
                let error = Self.refused { number, answer in
                    var answer = answer
                    if number == exchange, place < answer.count { answer[place] ^= 1 }
                    return answer
                }
                let isExpected = if case .contradictory(Self.replica, _) = error { true } else { error == .malformed }
                // Of 1,000 leaves the first question has only four parts.
                #expect(isExpected || exchange == 1 && place >= 4 * 33, "exchange \(exchange), byte \(place)")
            }
        }
    }

    /// An answer to the first question, in pieces.
    private static func trees(_ parts: [UInt8]...) -> [UInt8] { LogID(high: 1, low: 1).bytes + parts.joined() }

    @Test func `refuses absurd counts, numbers and orders before memory is taken for them`() {
        let name = Self.replica.bytes
        let later = ReplicaID(high: 8, low: 8).bytes
        let most: [UInt8] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]
        let answers = [
            Self.trees(most), Self.trees([0xFF, 0xFF, 0xFF, 0x7F]), Self.trees([2], name, [1, 0]),
            // No event, more than is believed, one replica twice, in the wrong order, an unknown form.
            Self.trees([1], name, [0, 0]), Self.trees([1], name, most, [0]),
            Self.trees([1], name, [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0]),
            Self.trees([2], name, [1, 0], name, [1, 0]), Self.trees([2], later, [1, 0], name, [1, 0]),
            Self.trees([1], name, [1, 3]),
            // Part of one event; part of the events of somebody whom the asker does not know.
            Self.trees([1], name, [1, 1]), Self.trees([1], later, [1, 1]), [],
        ]
        for answer in answers {
            #expect(Self.refused { $0 == 0 ? answer : $1 } == .malformed, "\(answer)")
        }
        let long = [UInt8](repeating: 0, count: ComparisonLimits.messageBytes + 1)
        #expect(Self.refused { _, _ in long } == .tooLong(long.count))
    }

    @Test func `claims of the greatest numbers are told without trapping`() throws {
        let most: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]
        let answer = Self.trees([1], ReplicaID(high: 8, low: 8).bytes, most, [0])
        let found = try Self.stores.here.compare(with: Self.stores.there) { _, _ in answer }
        #expect(found.onlyThere.count == ComparisonLimits.sequence)
        #expect(found.onlyHere.ranges == [EventRange(Self.replica, 1, through: 1000)])
    }

    private static func question(_ bytes: [UInt8]) throws -> ComparisonQuestion {
        try bytes.withSpan { try ComparisonQuestion($0) }
    }

    @Test func `questions come back as they were, and any prefix of one is refused`() throws {
        var vector = VersionVector()
        vector[Self.replica] = 300
        vector[ReplicaID(high: 8, low: 8)] = 1 << 48
        var comparison = TreeComparison(log: LogID(high: 1, low: 1), vector: Self.stores.here.vector)
        let first = try Self.stores.there.answer(#require(comparison.question))
        try first.withSpan { try comparison.receive($0, here: Self.stores.here.subtree) }
        let parts = try #require(comparison.question)
        for bytes in [ComparisonQuestion.trees(LogID(high: 3, low: 4), vector).bytes, parts] {
            #expect(try Self.question(bytes).bytes == bytes)
            for count in 0..<bytes.count {
                #expect(throws: ComparisonError.malformed) { try Self.question(Array(bytes.prefix(count))) }
            }
            #expect(throws: ComparisonError.malformed) { try Self.question(bytes + [0]) }
        }
        let long = [UInt8](repeating: 1, count: ComparisonLimits.messageBytes + 1)
        #expect(throws: ComparisonError.tooLong(long.count)) { try Self.question(long) }
    }

    /// A question for the parts of subtrees, each size, level and block.
    private static func parts(_ subtrees: [(size: UInt64, level: UInt8, block: UInt64)], count: Int? = nil) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt8(2))
        writer.append(varint: count ?? subtrees.count)
        for subtree in subtrees {
            writer.append(replica)
            writer.append(varint: subtree.size)
            writer.append(subtree.level)
            writer.append(varint: subtree.block)
        }
        return writer.bytes
    }

    @Test func `questions for what is no subtree are refused, and none makes a store work more than one reading`()
        throws
    {
        #expect(try Self.question(Self.parts([(1000, 8, 0), (1000, 8, 3)])).bytes.count == 2 + 2 * 20)
        let refused: [[(UInt64, UInt8, UInt64)]] = [
            // No tree, a leaf, no level of parts, behind the end, too large, under the name of another level.
            [(0, 4, 0)], [(1, 4, 0)], [(17, 4, 1)], [(1000, 0, 0)], [(1000, 5, 0)], [(1000, 8, 4)],
            [(1000, 8, .max)], [(.max, 64, 0)], [(.max, 4, 0)], [(1 << 48 + 1, 4, 0)], [(1000, 52, 0)],
            [(1000, 255, 0)], [(1000, 16, 0)],
            // Twice, overlapping, in another order.
            [(1000, 8, 0), (1000, 8, 0)], [(1000, 8, 0), (1000, 4, 15)], [(1000, 8, 1), (1000, 8, 0)],
        ]
        for subtrees in refused {
            #expect(throws: ComparisonError.malformed, "\(subtrees)") { try Self.question(Self.parts(subtrees)) }
        }
        let many = (0..<33).map { (UInt64(1000), UInt8(4), UInt64($0)) }
        #expect(throws: ComparisonError.malformed) { try Self.question(Self.parts(many)) }
        #expect(try Self.question(Self.parts(Array(many.prefix(32)))).bytes.count == 2 + 32 * 20)
        #expect(throws: ComparisonError.malformed) { try Self.question(Self.parts([], count: .max)) }
        #expect(throws: ComparisonError.malformed) { try Self.question([3]) }
    }

    @Test(arguments: UInt64(1)...50)
    func `random bytes in place of any answer or question never trap`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let flips = Int.random(in: 0...6, using: &generator)
            let exchange = Int.random(in: 0...3, using: &generator)
            _ = Self.refused { number, answer in
                guard number == exchange, !answer.isEmpty else { return answer }
                var answer = answer
                for _ in 0..<flips {
                    answer[Int.random(in: 0..<answer.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
                return answer
            }
            var question = Self.parts([(1000, 8, 0), (1000, 8, 3)])
            for _ in 0..<flips {
                question[Int.random(in: 0..<question.count, using: &generator)] = UInt8.random(
                    in: 0...3, using: &generator)
            }
            _ = try? Self.stores.here.answer(question)
        }
    }
}
