import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering

@Suite struct `A union of layouts` {
    private let counter = Layout.Tick(hertz: 1000, modulus: 65_536)

    @Test func `has the channels of both in order of first appearance, in the finer decimals, and a counter`() throws {
        let queue = Layout([Channel("voltage", .volt, decimals: 6), Channel("cc1", .volt, decimals: 3)], tick: counter)
        let reading = Layout([
            Channel("temperature", .celsius, decimals: 2), Channel("cc1", .volt, decimals: 4),
            Channel("voltage", .volt, decimals: 5),
        ])
        let union = try #require(queue.union(reading))
        #expect(
            union
                == Layout(
                    [
                        Channel("voltage", .volt, decimals: 6), Channel("cc1", .volt, decimals: 4),
                        Channel("temperature", .celsius, decimals: 2),
                    ], tick: counter))
        #expect(union.sources(in: queue).map { $0?.column } == [0, 1, nil])
        #expect(union.sources(in: queue).map { $0?.factor } == [1, 10, nil])
        #expect(union.sources(in: reading).map { $0?.column } == [2, 1, 0])
        #expect(union.sources(in: reading).map { $0?.factor } == [10, 1, 1])
        #expect(reading.union(queue)?.tick == counter)
        #expect(queue.union(queue) == queue)
    }

    @Test func `is none where a name has two units, counters differ, or channels are too many`() {
        let one = Layout([Channel("cc1", .volt, decimals: 3)], tick: counter)
        #expect(one.union(Layout([Channel("cc1", .none, decimals: 3)])) == nil)
        #expect(one.union(Layout(one.channels, tick: .init(hertz: 50, modulus: 65_536))) == nil)
        let many = Layout((0..<Layout.channelLimit).map { Channel("x\($0)", .none, decimals: 0) })
        #expect(many.union(many) == many)
        #expect(many.union(one) == nil)
    }

    @Test func `takes nothing from a channel with more decimals, or another unit`() {
        let coarse = Layout([Channel("a", .volt, decimals: 3), Channel("b", .volt, decimals: 3)])
        let fine = Layout([Channel("a", .volt, decimals: 4), Channel("b", .ampere, decimals: 3)])
        #expect(coarse.sources(in: fine).allSatisfy { $0 == nil })
        #expect(fine.sources(in: coarse).map { $0?.factor } == [10, nil])
        #expect(Layout.channels(of: [coarse, fine]) == [fine.channels[0], coarse.channels[1], fine.channels[1]])
    }

    @Test(arguments: UInt64(1)...100)
    func `scales values exactly, whatever the layouts and their order`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let names = ["voltage", "current", "d+", "d-", "mode"]
        let layouts = (0..<Int.random(in: 1...5, using: &numbers)).map { _ in
            let some = names.filter { _ in numbers.chance(0.6) }.shuffled(using: &numbers)
            return Layout(
                (some.isEmpty ? ["mode"] : some).map {
                    Channel($0, .volt, decimals: Int.random(in: 0...9, using: &numbers))
                }, tick: numbers.chance(0.5) ? counter : nil)
        }
        let union = try layouts.dropFirst().reduce(layouts[0]) { try #require($0.union($1)) }
        let other = try layouts.reversed().dropFirst().reduce(layouts[layouts.count - 1]) { try #require($0.union($1)) }
        #expect(Set(union.channels) == Set(other.channels) && union.tick == other.tick)
        #expect(union.channels == Layout.channels(of: layouts))
        for layout in layouts {
            var found = 0
            for (channel, source) in zip(union.channels, union.sources(in: layout)) {
                guard let source else {
                    #expect(!layout.channels.contains { $0.name == channel.name })
                    continue
                }
                found += 1
                let part = layout.channels[source.column]
                #expect(part.name == channel.name && part.decimals <= channel.decimals)
                // value / 10^decimals is the same number before and after.
                let value = Int64.random(in: -9_000_000_000...9_000_000_000, using: &numbers)
                func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
                let scaled = Int128(value) * Int128(source.factor)
                #expect(scaled * power(part.decimals) == Int128(value) * power(channel.decimals))
            }
            #expect(found == layout.channels.count)
        }
    }

    @Test(arguments: UInt64(1)...50)
    func `has the cell of scaled values`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let factor = [Int64(1), 10, 1_000_000_000].randomElement(using: &numbers)!
        let values = (0..<9).map { _ in Int64.random(in: -9_000_000_000...9_000_000_000, using: &numbers) }
        #expect(Cell(values)?.scaled(by: factor) == Cell(values.map { $0 * factor }))
        let extremes = try #require(Cell([Int64.max, .min, 3])).scaled(by: 10)
        #expect(extremes.first == .max && extremes.least == .min && extremes.last == 30 && extremes.sum == 20)
    }
}
