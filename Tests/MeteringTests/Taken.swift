import GroundwaveMetering

/// Rows of one layout that an intake took, with the marks between them.
struct Taken {
    var intake: RowIntake
    var block: OpenBlock
    private let layout: Layout

    init(of layout: Layout, _ source: RowSource = RowSource(.live)) {
        (intake, self.layout) = (RowIntake(source), layout)
        block = OpenBlock(layout, first: 0)
    }

    /// Receives rows with these values, and counters if the layout has one.
    mutating func receive(_ values: [[Int64]], _ ticks: [UInt32] = [], by reception: Reception) {
        intake.begin(reception, [RowIntake.Run(count: values.count, tick: layout.tick, ticks: ticks)])
        for (index, values) in values.enumerated() {
            let number = block.rows.first + UInt64(block.rows.count)
            let tick = ticks.isEmpty ? nil : ticks[index]
            if let row = intake.next(values[...], tick: tick, of: layout, number: number) {
                block.append(values[...], tick: row.tick, at: row.time)
            }
        }
        makeChanges()
    }

    /// Receives rows with these counters.
    mutating func receive(_ ticks: [UInt32], at time: Int64, hasMore: Bool = false, isNewConnection: Bool = false) {
        let reception = Reception(ReadMoment(time), hasMore: hasMore, isNewConnection: isNewConnection)
        receive(ticks.map { _ in layout.channels.map { _ in 5_000 } }, ticks, by: reception)
    }

    /// Receives `count` rows without a counter.
    mutating func receive(_ count: Int, at time: Int64, hasMore: Bool = false) {
        let values = (0..<count).map { _ in layout.channels.map { _ in Int64(5_000) } }
        receive(values, by: Reception(ReadMoment(time), hasMore: hasMore))
    }

    mutating func end() {
        intake.end(number: block.rows.first + UInt64(block.rows.count))
        makeChanges()
    }

    private mutating func makeChanges() { for change in intake.takeChanges() { _ = block.make(change) } }

    /// The sum of the counts of the marks of `kind`.
    func count(_ kind: Mark.Kind) -> UInt64 { block.rows.marks.reduce(0) { $1.kind == kind ? $0 + $1.count : $0 } }

    /// The counts of the marks of `kind`, by the row behind them.
    func marks(_ kind: Mark.Kind) -> [Int: UInt64] {
        block.rows.marks.reduce(into: [:]) { if $1.kind == kind { $0[$1.row, default: 0] += $1.count } }
    }

    /// Whether no row is earlier than the one before it.
    var isInOrder: Bool { zip(block.rows.times, block.rows.times.dropFirst()).allSatisfy { $0 <= $1 } }
}

/// The layout of a counter that the KM003C has, and one without a counter.
let tickedLayout = Layout([Channel("voltage", .volt, decimals: 3)], tick: Layout.Tick(hertz: 1000, modulus: 65_536))
let plainLayout = Layout([Channel("voltage", .volt, decimals: 3)])
