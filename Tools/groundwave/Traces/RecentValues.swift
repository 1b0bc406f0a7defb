import GroundwaveMetering

/// The values of one channel over the last minutes, the least and the greatest of each step of time.
struct RecentValues {
    /// The number of steps: more than a terminal has columns of dots, so that any number of columns can be made of them.
    private static let stepCount: Int64 = 2_048

    /// The name of the channel.
    let name: String
    /// How long a time is kept, in milliseconds.
    let span: Int64
    private let stepMilliseconds: Int64
    private var steps: [Step] = []
    private var nextRow: UInt64 = 0
    /// Whether rows are missing behind the last one with the channel.
    private var isBehindGap = false

    private struct Step {
        var number: Int64
        var values: ClosedRange<Double>
        /// The last value.
        var last: Double
        /// Whether no row is known to be missing before the first one of this step.
        var isJoined: Bool
    }

    /// Keeps the values of the channel `name` over `span` milliseconds.
    init(of name: String, span: Int64) {
        (self.name, self.span) = (name, span)
        stepMilliseconds = max(1, span / Self.stepCount)
    }

    /// Takes the rows that were not taken before; they follow those before.
    mutating func take(_ rows: TraceRows) {
        let start = rows.first < nextRow ? Int(min(nextRow - rows.first, UInt64(rows.count))) : 0
        nextRow = max(nextRow, rows.first + UInt64(rows.count))
        var gaps = rows.marks.filter { $0.kind.isGap && $0.row >= start }.map(\.row)[...]
        if let column = rows.layout.channels.firstIndex(where: { $0.name == name }) {
            let scale = (0..<rows.layout.channels[column].decimals).reduce(1.0) { scale, _ in scale * 10 }
            for row in start..<max(start, rows.count) where rows.has(column, at: row) {
                isBehindGap = isBehindGap || gaps.first.map { $0 <= row } ?? false
                gaps = gaps.drop { $0 <= row }
                append(Double(rows.columns[column][row]) / scale, at: rows.times[row], isJoined: !isBehindGap)
                isBehindGap = false
            }
        }
        // The next row with the channel is behind it.
        isBehindGap = isBehindGap || !gaps.isEmpty
        // Columns of whole milliseconds may begin a little earlier than the time does.
        if let last = steps.last?.number { steps.removeAll { $0.number < last - 2 * Self.stepCount } }
    }

    private mutating func append(_ value: Double, at time: Int64, isJoined: Bool) {
        let number = time.flooredQuotient(by: stepMilliseconds)
        if let last = steps.indices.last, steps[last].number >= number, isJoined {
            let values = steps[last].values
            steps[last].values = min(values.lowerBound, value)...max(values.upperBound, value)
            steps[last].last = value
        } else {
            steps.append(Step(number: number, values: value...value, last: value, isJoined: isJoined))
        }
    }

    /// Returns `count` columns of equal time, the last of them with the moment `end`: the range of the values in each.
    ///
    /// A column without a row between two rows has the value of the first of these, unless rows are missing between them;
    /// then it has none. Columns begin at multiples of their width, so that a value stays in its column from frame to frame.
    func columns(_ count: Int, to end: Int64) -> [ClosedRange<Double>?] {
        let width = max(1, (span + Int64(count) - 1) / Int64(count))
        let first = end.flooredQuotient(by: width) - Int64(count) + 1
        var columns = [ClosedRange<Double>?](repeating: nil, count: count)
        var before: (column: Int64, last: Double)?
        for step in steps {
            let column = (step.number * stepMilliseconds).flooredQuotient(by: width) - first
            if let before, step.isJoined {
                let empty = (from: max(0, before.column + 1), to: min(column, Int64(count)))
                for column in stride(from: empty.from, to: empty.to, by: 1) {
                    columns[Int(column)] = before.last...before.last
                }
            }
            before = (column, step.last)
            guard column >= 0, column < count else { continue }
            let values = columns[Int(column)] ?? step.values
            columns[Int(column)] =
                min(values.lowerBound, step.values.lowerBound)...max(values.upperBound, step.values.upperBound)
        }
        return columns
    }
}

extension Int64 {
    /// Returns the quotient, rounded down.
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
