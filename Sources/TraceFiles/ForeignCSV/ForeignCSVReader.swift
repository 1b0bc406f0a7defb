import GroundwaveByteCoding
import GroundwaveMetering

/// Reads the rows of a CSV file of others that was surveyed: see ``ForeignSurvey``.
///
/// Rows come in order, with numbers from 0. Where rows are missing by the time that passed, a mark says so, as for a
/// meter that neither counts its rows nor is asked for them. The way the file is cut into pieces makes no difference.
package struct ForeignCSVReader {
    /// The number of rows that are returned together.
    private static let pieceCount = 4096
    /// The number of rows that are kept back, since what is missing before them may turn out later.
    private static let openCount = 1024

    /// What is left out, so far.
    package var leftOut: ForeignLeftOut { taken.leftOut }

    private let plan: ForeignPlan
    /// Milliseconds that are added to the times of the file.
    private let start: Int64
    private let all: RowPattern
    private var lines = CSVLines()
    private var fields = CSVFields()
    private var taken: ForeignRows
    private var rows: TraceRows
    private var finder = RateFinder()
    private var changes: [MarkChange] = []

    /// Creates a reader of the file that `plan` is of.
    ///
    /// - Parameter start: When the recording began, in milliseconds since 1970; ignored if the file says so.
    package init(_ plan: ForeignPlan, start: Int64) {
        self.plan = plan
        self.start = plan.isDated ? 0 : start
        all = RowPattern(all: plan.layout)
        taken = ForeignRows(plan.table, rate: plan.rate)
        rows = TraceRows(plan.layout, first: 0)
    }

    /// Reads `bytes`, which follow those before, and returns rows that are complete.
    ///
    /// - Throws: ``ForeignCSVError`` if a line is too long: the file has changed since it was surveyed.
    package mutating func append(_ bytes: [UInt8]) throws(ForeignCSVError) -> [TraceRows] {
        lines.append(bytes)
        var pieces: [TraceRows] = []
        while let line = try lines.nextOfOthers() {
            read(line)
            if rows.count >= Self.pieceCount + Self.openCount { pieces.append(takeRows(Self.pieceCount)) }
        }
        return pieces
    }

    /// Ends the input, and returns the last rows.
    ///
    /// - Throws: ``ForeignCSVError/changed`` if the file has changed since it was surveyed.
    package mutating func finish() throws(ForeignCSVError) -> TraceRows {
        if let line = lines.takeUnfinished() { read(line) }
        let (now, then) = (taken.leftOut, plan.leftOut)
        guard taken.count == plan.rowCount, now.withoutTime == then.withoutTime,
            now.withoutValues == then.withoutValues, now.earlier == then.earlier
        else { throw .changed }
        finder.settle(&changes)
        makeChanges()
        return takeRows(rows.count)
    }

    private mutating func takeRows(_ count: Int) -> TraceRows {
        let (head, rest) = rows.split(at: count)
        rows = rest
        return head
    }

    private mutating func read(_ line: CSVLines.Line) {
        if lines.number < plan.table.firstLine { return }
        let table = plan.table
        fields.split(line, by: table.delimiter)
        guard let row = taken.next(ForeignRow(fields, table.time, table.channels, table.delimiter)) else { return }
        judge(row.time)
        append(row)
    }

    private mutating func append(_ row: ForeignRows.Row) {
        var present: [Int] = []
        for (index, field) in row.values.enumerated() {
            let value = value(field, of: index)
            rows.columns[index].append(value ?? 0)
            if value != nil { present.append(index) }
        }
        rows.times.append(start &+ CivilDate.floorDivided(row.time, 1_000_000).quotient)
        if let tick = plan.layout.tick {
            rows.ticks.append((row.time &- plan.firstNanoseconds) / (1_000_000_000 / Int64(tick.hertz)))
        }
        let pattern = RowPattern(channels: present, tick: plan.layout.tick != nil)
        rows.append(pattern: pattern, all: all)
    }

    /// Returns the integer of a field of a channel; `nil` if it has none.
    private mutating func value(_ field: LooseDecimal.Field, of channel: Int) -> Int64? {
        guard case .number(let number) = field else { return nil }
        let unit = plan.table.channels[channel].column.unit
        guard let (value, isExact) = unit.converted(number, decimals: plan.layout.channels[channel].decimals) else {
            taken.leaveOut(valueOf: channel)
            return nil
        }
        if !isExact { taken.round(valueOf: channel) }
        return value
    }

    /// Tells what is missing before the row that comes next. Rows at a rate have no times to tell it by.
    private mutating func judge(_ time: Int64) {
        if plan.table.time == nil { return }
        finder.arrived(1, at: time, row: rows.first + UInt64(rows.count), &changes)
        makeChanges()
    }

    private mutating func makeChanges() {
        for change in changes {
            guard change.kind == .rate else {
                _ = rows.make(change)
                continue
            }
            // The finder judges nanoseconds.
            let unit = plan.layout.tick.map { 1_000_000_000 / Int64($0.hertz) } ?? 1_000_000
            _ = rows.make(MarkChange(.rate, before: change.row, by: max(1, change.change / unit)))
        }
        changes.removeAll(keepingCapacity: true)
    }
}
