import GroundwaveMeterProtocols
import GroundwaveMetering

/// The rows of a recording that are not in a block yet, in order, and the rule for when a block has enough of them.
struct ReceivedRows: Sendable {
    private enum Run: Sendable {
        case decoded(DecodedRows.Run, times: [Int64])
        case recorded(TraceRows)
    }

    /// The age of the first row of a block at which the block is sealed.
    static let blockMilliseconds: Int64 = 600_000

    private var runs: [Run] = []
    /// The number of rows of the first decoded run that are in a block.
    private var takenCount = 0

    /// The layout of the next row; `nil` if there is none.
    var layout: Layout? {
        switch runs.first {
        case .decoded(let run, _): run.layout
        case .recorded(let rows): rows.layout
        case nil: nil
        }
    }

    /// Appends decoded rows with the times of `times`, and advances `times` behind them.
    mutating func append(_ rows: DecodedRows, _ times: inout RowTimes) {
        for run in rows.runs {
            let ofRun = (0..<run.count).map { times.next(tick: run.tick($0), of: run.layout) }
            runs.append(.decoded(run, times: ofRun))
        }
    }

    /// Appends rows that were recorded elsewhere.
    mutating func append(recorded rows: TraceRows) {
        if rows.count > 0 { runs.append(.recorded(rows)) }
    }

    /// Moves rows into `block`, which has the layout of the next row and room for it.
    ///
    /// - Returns: Whether the block is to be sealed before the next row.
    mutating func move(into block: inout OpenBlock) -> Bool {
        switch runs.first {
        case .decoded(let run, let times): return move(run, times, into: &block)
        case .recorded(let rows):
            let (head, rest) = rows.split(at: min(SampleBlock.rowLimit - block.rows.count, rows.count))
            _ = block.append(head)
            if rest.count > 0 { runs[0] = .recorded(rest) } else { runs.removeFirst() }
            return block.rows.count >= SampleBlock.rowLimit
        case nil: return false
        }
    }

    private mutating func move(_ run: DecodedRows.Run, _ times: [Int64], into block: inout OpenBlock) -> Bool {
        var isEnough = false
        while takenCount < run.count, !isEnough {
            let time = times[takenCount]
            block.append(run.row(takenCount), tick: run.tick(takenCount), at: time)
            takenCount += 1
            if let first = block.rows.times.first, time &- first >= Self.blockMilliseconds { isEnough = true }
            if block.rows.count >= SampleBlock.rowLimit { isEnough = true }
        }
        if takenCount == run.count {
            runs.removeFirst()
            takenCount = 0
        }
        return isEnough
    }
}

extension DecodedRows.Run {
    /// Returns the meter's counter of row `index`; `nil` if the layout has none.
    fileprivate func tick(_ index: Int) -> UInt32? { ticks.isEmpty ? nil : ticks[index] }
}
