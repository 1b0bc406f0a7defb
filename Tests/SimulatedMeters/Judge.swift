/// Compares what was recorded of a simulated meter with what it did.
public struct Judge: Sendable {
    /// What is wrong, in words; at most some of each kind.
    public private(set) var faults: [String] = []
    /// The number of places at which rows are estimated to be missing, and none is.
    public private(set) var falseAlarmCount = 0

    private let meter: MeterScript
    private let recorded: Recorded
    /// The part of charge and energy that may be wrong.
    private let tolerance: Double
    /// Whether charge and energy are summed over the times of the recorded rows.
    private let sumsRecordedTimes: Bool
    /// When each row was read.
    private let reads: [Int64]

    /// Judges the rows, what is missing and repeated between them, and the totals.
    ///
    /// - Parameters:
    ///   - tolerance: The part of charge and energy that may be wrong.
    ///   - sumsRecordedTimes: Whether charge and energy of a meter without a counter are summed over the recorded times
    ///     instead of the true ones. For a recorder in real time, which knows no more than when it could read: how late
    ///     that may be, ``judgeTimes(start:slack:)`` judges.
    ///   - read: Returns when a row was read, by the number of bytes that had come then; `nil` if nobody knows, and each
    ///     byte counts as read when it came.
    public init(
        _ meter: MeterScript, _ recorded: Recorded, tolerance: Double = 0.001, sumsRecordedTimes: Bool = false,
        read: ((Int) -> Int64)? = nil
    ) {
        (self.meter, self.recorded, self.tolerance) = (meter, recorded, tolerance)
        self.sumsRecordedTimes = sumsRecordedTimes && !meter.family.hasCounter
        reads = meter.truth.rows.map { row in read.map { $0(row.byteCount) } ?? row.delivered }
        judgeRows()
        guard faults.isEmpty else { return }
        judgeGaps()
        judgeTotals()
        judgeSteps()
    }

    private var truth: [Truth.Row] { meter.truth.rows }
    private var witness: Witness { meter.family.witness(on: meter.line) }

    private mutating func complain(_ sentence: String) { faults.append(sentence) }

    private mutating func judgeRows() {
        if recorded.rows.count != truth.count { complain("\(recorded.rows.count) rows for \(truth.count)") }
        if let row = zip(recorded.rows, truth).enumerated().first(where: { $1.0.values != $1.1.values }) {
            complain("row \(row.offset) is \(row.element.0.values) for \(row.element.1.values)")
        }
        let offset = (recorded.rows.first?.tick ?? 0) - (truth.first?.tick ?? 0)
        if meter.family.hasCounter,
            let row = zip(recorded.rows, truth).map({ $0.tick == $1.tick.map { $0 + offset } }).firstIndex(of: false)
        {
            complain("the counter of row \(row) is \(String(describing: recorded.rows[row].tick))")
        }
        if let row = zip(recorded.rows, recorded.rows.dropFirst()).map({ $0.time <= $1.time }).firstIndex(of: false) {
            complain("row \(row + 1) is earlier than the one before it")
        }
    }

    private mutating func judgeGaps() {
        var index = 0
        while index < truth.count {
            let next = witness == .counter ? index + 1 : place(of: index).upperBound
            judgeGap(before: index..<next)
            index = next
        }
    }

    /// The rows that were read at once with this one: between which of them others are missing, nobody can tell.
    private func place(of index: Int) -> Range<Int> {
        let first = (0..<index).reversed().first { reads[$0] != reads[index] }.map { $0 + 1 } ?? 0
        return first..<((index..<truth.count).first { reads[$0] != reads[index] } ?? truth.count)
    }

    private mutating func judgeGap(before rows: Range<Int>) {
        let told = rows.reduce(into: [:]) { $0.merge(recorded.gaps[$1] ?? [:], uniquingKeysWith: +) }
        let missing = rows.reduce(0) { $0 + recorded.rows[$1].missing }
        let repeated = rows.reduce(0) { $0 + recorded.rows[$1].repeated }
        let row = rows.reduce(into: Truth.Gap()) { $0.add(truth[$1].gap) }
        let isRepeated = repeated == (witness == .counter || witness == .requests ? row.repeated : 0)
        if told.values.reduce(0, +) == missing, isRepeated, isRight(told, row) { return }
        complain(
            "before row \(rows.lowerBound), measured at \(truth[rows.lowerBound].measured): \(told), \(repeated) repeated; "
                + "\(row.lost) lost, \(row.unasked) not asked for, \(row.repeated) repeated")
    }

    private mutating func isRight(_ told: [Recorded.Telling: Int], _ row: Truth.Gap) -> Bool {
        let (counted, unanswered) = (told[.counted] ?? 0, told[.unanswered] ?? 0)
        let estimated = told[.estimated] ?? 0
        switch witness {
        case .none: return told.isEmpty
        case .counter: return counted == row.lost && told.count == (row.lost > 0 ? 1 : 0)
        case .requests:
            return unanswered == row.lost && counted == 0 && isNear(estimated, row.unasked)
        case .rate: return told.count == (estimated > 0 ? 1 : 0) && isNear(estimated, row.lost)
        }
    }

    /// Whether an estimate is right: a silence of four intervals or more to within a row, or a report of several, and
    /// of a shorter one no more. Counts an estimate where nothing is missing.
    private mutating func isNear(_ estimated: Int, _ missing: Int) -> Bool {
        let step = meter.family.rowsPerFrame
        if missing == 0 {
            if estimated > 0 { falseAlarmCount += 1 }
            return true
        }
        return missing < 3 * step ? estimated <= missing + step : abs(estimated - missing) <= step
    }

    /// Trapezoids over the rows, without the gaps that are told.
    private mutating func judgeTotals() {
        var (charge, energy) = (0.0, 0.0)
        let scale = meter.family.decimals
        func value(_ number: Int64, _ decimals: Int) -> Double {
            (0..<decimals).reduce(Double(number)) { value, _ in value / 10 }
        }
        let gaps = Set(recorded.gaps.keys.map(gapPlace))
        for index in truth.indices.dropFirst() where !gaps.contains(index) {
            let rows = [truth[index - 1], truth[index]]
            let hours = duration(before: index) / 3_600_000
            let currents = rows.map { value($0.values[1], scale.current) }
            let voltages = rows.map { value($0.values[0], scale.voltage) }
            charge += (currents[0] + currents[1]) / 2 * hours
            energy += (currents[0] * voltages[0] + currents[1] * voltages[1]) / 2 * hours
        }
        for (name, told, sum) in [("charge", recorded.charge, charge), ("energy", recorded.energy, energy)] {
            if let told, abs(told - sum) <= abs(sum) * tolerance { continue }
            complain("\(name) \(told.map { "\($0)" } ?? "not told") for \(sum)")
        }
    }

    /// The row before which rows are missing that are told before `index`: one that was read at the same time.
    private func gapPlace(_ index: Int) -> Int {
        guard witness != .counter, index < truth.count, truth[index].gap.lost == 0 else { return index }
        return place(of: index).first { truth[$0].gap.lost > 0 } ?? index
    }

    /// The milliseconds between a row and the one before it: a file without a counter has only a rate.
    private func duration(before index: Int) -> Double {
        if witness == .none { return Double(meter.family.interval) / Double(meter.family.rowsPerFrame) }
        if sumsRecordedTimes { return Double(recorded.rows[index].time - recorded.rows[index - 1].time) }
        return truth[index].measured - truth[index - 1].measured
    }

    private mutating func judgeSteps() {
        if let steps = recorded.wallSteps, steps != meter.truth.wallSteps {
            complain("the wall clock was set by \(meter.truth.wallSteps), and \(steps) is told")
        }
    }

    /// Judges when rows were: not before they were measured, and not after they were read.
    ///
    /// - Parameters:
    ///   - start: The beginning of the script, in milliseconds since 1970.
    ///   - slack: How much earlier or later a row may be, in milliseconds, beside half the time between two rows.
    public mutating func judgeTimes(start: Int64, slack: Int64) {
        guard faults.isEmpty, meter.line != .file else { return }
        var count = 0
        for (index, row) in truth.enumerated() {
            let time = recorded.rows[index].time - start
            // A counter tells the moment to the delay that a frame has at least, however late it was read.
            let last = meter.family.hasCounter ? min(reads[index], Int64(row.measured) + slack) : reads[index]
            if Double(time) >= row.measured - row.spacing / 2 - Double(slack), time <= last + slack { continue }
            count += 1
            if count > 3 { continue }
            complain("row \(index) is of \(time), measured at \(row.measured), read at \(reads[index])")
        }
        if count > 0 { complain("\(count) rows have a wrong time") }
    }
}
