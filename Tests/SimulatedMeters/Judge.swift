/// Compares what was recorded of a simulated meter with what it did.
public struct Judge: Sendable {
    /// What is wrong, in words; at most some of each kind.
    public private(set) var faults: [String] = []
    /// The number of places at which rows are estimated to be missing, and none is.
    public private(set) var falseAlarmCount = 0

    private let meter: SimulatedMeter
    private let recorded: Recorded

    /// Judges the rows, and what is missing and repeated between them.
    public init(_ meter: SimulatedMeter, _ recorded: Recorded) {
        (self.meter, self.recorded) = (meter, recorded)
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
            print("DEBUG", meter.family, meter.line, zip(recorded.rows[(row-2)...], truth[(row-2)...]).prefix(4).map { "\($0.tick!) \($0.time) \($1.tick!) \($1.measured) \($1.lost) \($1.repeated); " }.joined(), offset)
            complain("the counter of row \(row) is \(String(describing: recorded.rows[row].tick))")
        }
        if let row = zip(recorded.rows, recorded.rows.dropFirst()).map({ $0.time <= $1.time }).firstIndex(of: false) {
            complain("row \(row + 1) is earlier than the one before it")
        }
    }

    private mutating func judgeGaps() {
        for (index, row) in truth.enumerated() {
            let told = recorded.gaps[index] ?? [:]
            let isTold = told.reduce(0) { $0 + $1.value } == recorded.rows[index].missing
            let repeated = witness == .counter || witness == .requests ? row.repeated : 0
            if isTold, repeated == recorded.rows[index].repeated, isRight(told, row) { continue }
            complain(
                "before row \(index), measured at \(row.measured): \(told), \(recorded.rows[index].repeated) repeated; "
                    + "\(row.lost) lost, \(row.unasked) not asked for, \(row.repeated) repeated")
        }
    }

    private mutating func isRight(_ told: [Recorded.Telling: Int], _ row: Truth.Row) -> Bool {
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
        for index in truth.indices.dropFirst() where recorded.gaps[index] == nil {
            let rows = [truth[index - 1], truth[index]]
            let hours = duration(rows) / 3_600_000
            let currents = rows.map { value($0.values[1], scale.current) }
            let voltages = rows.map { value($0.values[0], scale.voltage) }
            charge += (currents[0] + currents[1]) / 2 * hours
            energy += (currents[0] * voltages[0] + currents[1] * voltages[1]) / 2 * hours
        }
        for (name, told, sum) in [("charge", recorded.charge, charge), ("energy", recorded.energy, energy)] {
            if let told, abs(told - sum) <= abs(sum) / 1_000 { continue }
            let off = truth.indices.dropFirst().filter { recorded.gaps[$0] == nil }.map { i in (i, Double(recorded.rows[i].time - recorded.rows[i-1].time) - duration([truth[i-1], truth[i]])) }.sorted { abs($0.1) > abs($1.1) }.prefix(12)
            print("DEBUG", meter.family, meter.line, off.sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" })
            complain("\(name) \(told.map { "\($0)" } ?? "not told") for \(sum)")
        }
    }

    /// The milliseconds between two rows: a file without a counter has only a rate.
    private func duration(_ rows: [Truth.Row]) -> Double {
        guard witness == .none else { return rows[1].measured - rows[0].measured }
        return Double(meter.family.interval) / Double(meter.family.rowsPerFrame)
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
    ///   - read: Returns when a row was read, by the number of bytes that had come then.
    public mutating func judgeTimes(start: Int64, slack: Int64, read: (Int) -> Int64) {
        guard faults.isEmpty, meter.line != .file else { return }
        var count = 0
        for (index, row) in truth.enumerated() {
            let time = recorded.rows[index].time - start
            let last = max(read(row.byteCount), row.delivered) + slack
            if Double(time) >= row.measured - row.spacing / 2 - Double(slack), time <= last { continue }
            count += 1
            if count < 4 { complain("row \(index) is of \(time), measured at \(row.measured), read at \(last - slack)") }
        }
        if count > 0 { complain("\(count) rows have a wrong time") }
    }
}
