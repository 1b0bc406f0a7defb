import GroundwaveSeededNumbers
import GroundwaveStore
import Testing

@testable import GroundwaveLook

@Suite struct `Steps of time` {
    private static func milliseconds(_ year: Int, _ month: Int = 1, _ day: Int = 1) -> Int64 {
        // Days since 1970, counted year by year and month by month.
        func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        var days = 0
        for other in min(year, 1970)..<max(year, 1970) { days += (isLeap(other) ? 366 : 365) * (year < 1970 ? -1 : 1) }
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return Int64(days + lengths.prefix(month - 1).reduce(0, +) + day - 1) * 86_400_000
    }

    @Test func `are of the calendar: months for some years`() {
        let grid = TimeGrid(Self.milliseconds(2023, 2, 14)...Self.milliseconds(2026, 3, 3))
        #expect(grid.step == .months(1))
        #expect(grid.bounds.first == Self.milliseconds(2023, 2))
        #expect(grid.bounds.last == Self.milliseconds(2026, 4))
        #expect(grid.bounds.contains(Self.milliseconds(2024, 3)))
        #expect(grid.label(0) == "2023-02")
        #expect(grid.stepName == "month")
    }

    @Test func `are weeks from Monday on, days, hours, and milliseconds at last`() {
        let year = TimeGrid(Self.milliseconds(2026)...Self.milliseconds(2026, 11, 28))
        #expect(year.step == .milliseconds(7 * 86_400_000))
        #expect(year.label(0) == "2025-12-29", "a Monday")
        let day = TimeGrid(Self.milliseconds(2026, 5, 1)...Self.milliseconds(2026, 5, 2) - 1)
        #expect(day.step == .milliseconds(900_000))
        #expect(day.count == 96)
        #expect(day.label(1) == "2026-05-01 00:15")
        let instant = TimeGrid(1000...1001)
        #expect(instant.step == .milliseconds(1))
        #expect(instant.count == 2)
    }

    @Test(arguments: UInt64(1)...300)
    func `cover a span without a hole, in order, and are not too many`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let start = Int64.random(in: Self.milliseconds(1)...Self.milliseconds(9000), using: &numbers)
        let width = Int64(1) << Int64.random(in: 0...47, using: &numbers)
        let end = max(start, min(start + Int64.random(in: 0...width, using: &numbers), Self.milliseconds(9999)))
        let grid = TimeGrid(start...end)
        #expect(grid.bounds[0] <= start && grid.bounds[grid.count] > end)
        #expect(zip(grid.bounds, grid.bounds.dropFirst()).allSatisfy { $0 < $1 })
        #expect((1...TimeGrid.limit).contains(grid.count))
        #expect(grid.bounds[1] > start && grid.bounds[grid.count - 1] <= end, "no step is empty of the span")
        #expect(grid.place(of: start) >= 0 && grid.place(of: end) <= grid.count * 1000)
    }
}
