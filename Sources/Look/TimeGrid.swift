import GroundwaveByteCoding
import GroundwaveStore

/// A span of time in equal steps of the calendar: years, months, days or parts of a day, in UTC.
struct TimeGrid: Sendable, Equatable {
    /// How long a step is.
    enum Step: Sendable, Equatable {
        case milliseconds(Int64)
        case months(Int64)
    }

    /// The step.
    let step: Step
    /// Where each step begins, and where the last one ends, in milliseconds since 1970.
    let bounds: [Int64]

    /// The most steps.
    static let limit = 96

    private static let second: Int64 = 1000
    private static let day: Int64 = 86_400_000
    private static let steps: [Step] =
        ([1, 2, 5, 10, 20, 50, 100, 200, 500]
        + [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200].map { $0 * second })
        .map { .milliseconds($0) } + [day, 2 * day, 7 * day].map { .milliseconds($0) }
        + [1, 3, 6, 12, 60, 120, 600, 1200, 12_000].map { .months($0) }

    /// Divides `span` by the shortest step that gives no more than ``limit`` of them.
    init(_ span: ClosedRange<Int64>) {
        for step in Self.steps {
            let start = Self.start(of: step, at: span.lowerBound)
            if Self.count(of: step, start, through: span.upperBound) <= Self.limit {
                self.init(step, from: start, through: span.upperBound)
                return
            }
        }
        self.init(.months(12_000), from: Self.start(of: .months(12_000), at: span.lowerBound), through: span.upperBound)
    }

    private init(_ step: Step, from start: Int64, through end: Int64) {
        self.step = step
        var bounds = [start]
        repeat { bounds.append(Self.next(step, after: bounds[bounds.count - 1])) } while bounds[bounds.count - 1] <= end
        self.bounds = bounds
    }

    /// The number of steps.
    var count: Int { bounds.count - 1 }
    /// All of it.
    var span: ClosedRange<Int64> { bounds[0]...bounds[bounds.count - 1] - 1 }

    /// How many steps lie before `moment`, in thousandths.
    func place(of moment: Int64) -> Int {
        if moment < bounds[0] { return 0 }
        guard let index = bounds.lastIndex(where: { $0 <= moment }), index < count else { return count * 1000 }
        let width = bounds[index + 1] - bounds[index]
        return index * 1000 + Int((moment - bounds[index]) * 1000 / width)
    }

    /// The name of the step that begins at `bounds[index]`: no longer than needed to tell it from its neighbours.
    func label(_ index: Int) -> String {
        let text = UTCText.milliseconds(bounds[index])
        switch step {
        case .months(let months): return String(text.prefix(months % 12 == 0 ? 4 : 7))
        case .milliseconds(let length) where length >= Self.day: return String(text.prefix(10))
        case .milliseconds(let length) where length >= 60 * Self.second:
            return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
        case .milliseconds(let length) where length >= Self.second:
            return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
        case .milliseconds: return "\(text.prefix(10)) \(text.dropFirst(11).prefix(12))"
        }
    }

    /// What one step is called: `3 hours`.
    var stepName: String {
        switch step {
        case .months(let months) where months % 12 == 0: Self.name(months / 12, "year")
        case .months(let months): Self.name(months, "month")
        case .milliseconds(let length) where length % Self.day == 0: Self.name(length / Self.day, "day")
        case .milliseconds(let length) where length % 3_600_000 == 0: Self.name(length / 3_600_000, "hour")
        case .milliseconds(let length) where length % 60_000 == 0: Self.name(length / 60_000, "minute")
        case .milliseconds(let length) where length % 1000 == 0: Self.name(length / 1000, "second")
        case .milliseconds(let length): Self.name(length, "millisecond")
        }
    }

    private static func name(_ count: Int64, _ unit: String) -> String { count == 1 ? unit : "\(count) \(unit)s" }

    private static func start(of step: Step, at moment: Int64) -> Int64 {
        switch step {
        case .milliseconds(let length) where length == 7 * day:
            // Weeks begin on Mondays; 1970 began on a Thursday.
            let shifted = CivilDate.floorDivided(moment + 3 * day, length).quotient * length
            return shifted - 3 * day
        case .milliseconds(let length): return CivilDate.floorDivided(moment, length).quotient * length
        case .months(let months):
            let date = CivilDate.date(ofDay: CivilDate.floorDivided(moment, day).quotient)
            let number = CivilDate.floorDivided(date.year * 12 + date.month - 1, months).quotient * months
            return start(ofMonth: number)
        }
    }

    private static func next(_ step: Step, after start: Int64) -> Int64 {
        switch step {
        case .milliseconds(let length): return start + length
        case .months(let months):
            let date = CivilDate.date(ofDay: CivilDate.floorDivided(start, day).quotient)
            return Self.start(ofMonth: date.year * 12 + date.month - 1 + months)
        }
    }

    private static func start(ofMonth number: Int64) -> Int64 {
        let (year, month) = CivilDate.floorDivided(number, 12)
        return CivilDate.day(year: year, month: month + 1, day: 1) * day
    }

    /// How many steps there are from `start` on, so that `end` lies in the last one. More than ``limit`` are not counted.
    private static func count(of step: Step, _ start: Int64, through end: Int64) -> Int64 {
        switch step {
        case .milliseconds(let length): return (end - start) / length + 1
        case .months:
            var (count, bound): (Int64, Int64) = (0, start)
            while bound <= end, count <= limit { (count, bound) = (count + 1, next(step, after: bound)) }
            return count
        }
    }
}
