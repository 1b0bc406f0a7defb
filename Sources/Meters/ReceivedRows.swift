import GroundwaveMeterProtocols
import GroundwaveMetering

/// The rows of a recording that are not in a block yet, in order, and the rule for when a block has enough of them.
struct ReceivedRows: Sendable {
    private enum Entry: Sendable {
        /// What is known of the rows behind it, up to the next reception.
        case reception(Reception, [RowIntake.Run])
        case decoded(DecodedRows.Run)
        case recorded(TraceRows)
    }

    /// The age of the first row of a block at which the block is sealed.
    static let blockMilliseconds: Int64 = 600_000

    private var entries: [Entry] = []
    /// The number of rows of the first entry, if they are decoded ones, that were taken.
    private var takenCount = 0
    private var hasEnded = false

    /// The layout of the next row; `nil` if there is none, or a reception is to begin before it.
    var layout: Layout? {
        switch entries.first {
        case .decoded(let run): run.layout
        case .recorded(let rows): rows.layout
        case .reception, nil: nil
        }
    }

    /// Appends decoded rows and what is known of their reception.
    mutating func append(_ rows: DecodedRows, by reception: Reception) {
        if hasEnded { return }
        let runs = rows.runs.map { RowIntake.Run(count: $0.count, tick: $0.layout.tick, ticks: $0.ticks) }
        entries.append(.reception(reception, runs))
        entries += rows.runs.map { .decoded($0) }
    }

    /// Appends rows that were recorded elsewhere.
    mutating func append(recorded rows: TraceRows) {
        if rows.count > 0, !hasEnded { entries.append(.recorded(rows)) }
    }

    /// Removes all rows, and takes no more.
    mutating func end() {
        (entries, takenCount) = ([], 0)
        hasEnded = true
    }

    /// Begins the receptions before the next row.
    mutating func begin(_ intake: inout RowIntake) {
        while case .reception(let reception, let runs) = entries.first {
            intake.begin(reception, runs)
            entries.removeFirst()
        }
    }

    /// What became of the next rows.
    enum Move {
        /// Some are in the block, and more may be there.
        case moved
        /// The block has enough rows.
        case full
        /// The block cannot hold the next one, with its channels or values.
        case refused
    }

    /// Moves the next rows into `block`, which has room for one.
    mutating func move(into block: inout OpenBlock, by intake: inout RowIntake) -> Move {
        switch entries.first {
        case .decoded(let run): return move(run, into: &block, &intake)
        case .recorded(let rows):
            let (head, rest) = rows.split(at: min(SampleBlock.rowLimit - block.rows.count, rows.count))
            guard block.append(head) else { return .refused }
            if let last = head.times.last { intake.follow(last) }
            if rest.count > 0 { entries[0] = .recorded(rest) } else { entries.removeFirst() }
            return block.rows.count >= SampleBlock.rowLimit ? .full : .moved
        case .reception, nil: return .moved
        }
    }

    private mutating func move(
        _ run: DecodedRows.Run, into block: inout OpenBlock, _ intake: inout RowIntake
    ) -> Move {
        guard block.adopt(run.layout) else { return .refused }
        var move = Move.moved
        while takenCount < run.count, move == .moved {
            let values = run.row(takenCount)
            guard block.holds(values) else { return .refused }
            let tick = run.ticks.isEmpty ? nil : run.ticks[takenCount]
            takenCount += 1
            let number = block.rows.first + UInt64(block.rows.count)
            guard let row = intake.next(values, tick: tick, of: run.layout, number: number) else { continue }
            let time = row.time
            block.append(values, tick: row.tick, at: time)
            if let first = block.rows.times.first, time &- first >= Self.blockMilliseconds { move = .full }
            if block.rows.count >= SampleBlock.rowLimit { move = .full }
        }
        if takenCount == run.count {
            entries.removeFirst()
            takenCount = 0
        }
        return move
    }
}
