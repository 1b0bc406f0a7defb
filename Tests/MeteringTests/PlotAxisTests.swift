import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveMetering
@testable import GroundwaveTracePlot

@Suite struct `An axis of values` {
    private func labels(
        _ values: ClosedRange<Int128>?, _ decimals: Int, _ unit: Channel.Unit, steps: Int = 5
    ) -> ([String], String) {
        let axis = ValueAxis(values, decimals: decimals, unit: unit, stepLimit: steps)
        return (axis.ticks.map(\.label), axis.unit)
    }

    @Test func `has ticks at round values, and the prefix that reads best`() {
        #expect(labels(0...650_000, 6, .ampere) == (["0", "200", "400", "600"], "mA"))
        #expect(labels(120...480, 6, .ampere) == (["200", "300", "400"], "µA"))
        #expect(labels(47_000...51_000, 4, .volt) == (["4.7", "4.8", "4.9", "5.0", "5.1"], "V"))
        #expect(labels(-5...5, 0, .celsius) == (["-4", "-2", "0", "2", "4"], "°C"))
        #expect(labels(0...9_999_999, 1, .ohm) == (["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], "MΩ"))
        #expect(labels(nil, 3, .watt) == (["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], "W"))
    }

    @Test func `of a channel that does not change has it in the middle`() {
        #expect(labels(0...0, 0, .none) == (["-1", "0", "1"], ""))
        #expect(labels(5000...5000, 3, .volt) == (["4.8", "4.9", "5.0", "5.1", "5.2"], "V"))
    }

    @Test func `writes large numbers without a unit as powers of ten`() {
        let axis = labels(0...4_294_967_295, 0, .none)
        #expect(axis == (["0", "1", "2", "3", "4"], "×10^9"))
        #expect(labels(0...86_400, 0, .second).1 == "s")
        #expect(labels(0...40_000_000, 0, .second).1 == "×10^6 s")
        #expect(labels(0...4, 3, .second).1 == "ms")
    }

    @Test(arguments: UInt64(1)...400)
    func `has from two ticks on, each at its place and with a short label of its own, whatever the values are`(
        seed: UInt64
    ) throws {
        var numbers = SeededGenerator(seed: seed)
        func value() -> Int64 {
            let any = Int64(bitPattern: numbers.next())
            return numbers.chance(0.1)
                ? [.min, .max, 0].randomElement(using: &numbers)! : any >> Int.random(in: 0...63, using: &numbers)
        }
        let one = value()
        let other = numbers.chance(0.3) ? one &+ Int64.random(in: 0...9, using: &numbers) : value()
        let decimals = Int.random(in: 0...9, using: &numbers)
        // A channel of fewer decimals beside it makes the integers larger.
        let factor: Int128 = numbers.chance(0.3) ? 1_000_000_000 : 1
        let range = Int128(min(one, other)) * factor...Int128(max(one, other)) * factor
        let steps = Int.random(in: 1...10, using: &numbers)
        let unit = Channel.Unit.allCases.randomElement(using: &numbers)!
        let axis = ValueAxis(range, decimals: decimals, unit: unit, stepLimit: steps)
        let ticks = axis.ticks
        #expect(ticks.count >= 2 && ticks.count <= steps + 3)
        #expect(Set(ticks.map(\.label)).count == ticks.count)
        #expect(ticks.allSatisfy { $0.label.count <= 10 }, "\(ticks)")
        #expect(axis.low <= range.lowerBound * 100 && range.upperBound * 100 <= axis.high)
        let places = ticks.map { axis.offset(of: $0.value, in: 40_000) }
        #expect(places == places.sorted() && Set(places).count == places.count)
        #expect(places.allSatisfy { (0...40_000).contains($0) })
    }
}

@Suite struct `An axis of time` {
    private func ticks(_ start: Int64, _ end: Int64, width: Int = 600) -> [TimeAxis.Tick] {
        TimeAxis(start: start, end: end, width: width) { $0.count * 7 + 22 }.ticks
    }

    @Test func `has ticks at round times of UTC, and the date once and where a day begins`() {
        // 23:00 on 22 November 2026.
        let evening: Int64 = 1_795_388_400_000
        let hours = ticks(evening, evening + 7_200_000)
        #expect(
            hours.map(\.label) == ["23:00", "23:15", "23:30", "23:45", "00:00", "00:15", "00:30", "00:45", "01:00"])
        #expect(hours.map(\.date) == ["2026-11-22", nil, nil, nil, "2026-11-23", nil, nil, nil, nil])
        let moment = ticks(evening - 3, evening + 7)
        #expect(
            moment.map(\.label) == ["22:59:59.998", "23:00:00.000", "23:00:00.002", "23:00:00.004", "23:00:00.006"])
        let days = ticks(evening, evening + 10 * 86_400_000)
        #expect(days.map(\.label) == ["2026-11-23", "2026-11-25", "2026-11-27", "2026-11-29", "2026-12-01"])
        #expect(days.allSatisfy { $0.date == nil })
    }

    @Test func `knows the days of leap years, of before 1970, and of the ends of time`() {
        #expect(TimeAxis.date(0) == "1970-01-01")
        #expect(TimeAxis.date(-1) == "1969-12-31")
        #expect(TimeAxis.date(11_016) == "2000-02-29")
        #expect(TimeAxis.date(47_540) == "2100-02-28")
        #expect(TimeAxis.date(47_541) == "2100-03-01")
        #expect(TimeAxis.date(-719_528) == "0000-01-01")
        #expect(TimeAxis.date(-719_529) == "-0001-12-31")
        #expect(ticks(.min, .max).count >= 1)
    }

    @Test(arguments: UInt64(1)...300)
    func `has a tick or more, whose labels do not meet, whatever the times are`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let one = Int64(bitPattern: numbers.next()) >> Int.random(in: 0...63, using: &numbers)
        let other = one &+ Int64(bitPattern: numbers.next()) >> Int.random(in: 0...63, using: &numbers)
        // Two times that are one are no room to draw in.
        let (start, end) = one == other ? (one & ~1, one | 1) : (min(one, other), max(one, other))
        let width = Int.random(in: 96...3000, using: &numbers)
        let ticks = ticks(start, end, width: width)
        #expect(!ticks.isEmpty)
        let span = Int128(end) - Int128(start)
        for (tick, next) in zip(ticks, ticks.dropFirst()) {
            let apart = (Int128(next.milliseconds) - Int128(tick.milliseconds)) * Int128(width) / span
            #expect(apart >= tick.label.count * 7 + 8)
        }
    }
}
