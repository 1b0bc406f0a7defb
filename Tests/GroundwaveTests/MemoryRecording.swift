import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMeters

extension Layout {
    static let volts = Layout([Channel("voltage", .volt, decimals: 3)])
    static let voltsAndAmperes = Layout(volts.channels + [Channel("current", .ampere, decimals: 3)])
    /// No block has rows of these channels and of those above: a name has another unit.
    static let others = Layout([Channel("voltage", .none, decimals: 0), Channel("mode", .none, decimals: 0)])
}

extension DecodedRows {
    /// Rows with these numbers as the values of their channels.
    static func numbered(_ numbers: Range<Int>, of layout: Layout = .volts) -> DecodedRows {
        var rows = DecodedRows()
        for number in numbers { rows.append(layout.channels.map { _ in Int64(number) }, of: layout) }
        return rows
    }
}

/// A recording whose log and tail are in memory.
struct MemoryRecording {
    /// A row of a block or of the tail, with the values that it has, by channel.
    struct Row: Equatable {
        var number: UInt64
        var time: Int64
        var values: [Int64]
        var channels: [Channel]
    }

    let isKeepingCapture: Bool
    var state: RecordingState
    var now: Int64 = 0
    /// The actions so far: `keep`, `rows`, `capture`, `tail`, `end`.
    var actions: [String] = []
    var (log, tail) = ([Row](), [Row]())
    var (logBytes, tailBytes) = ([CapturedBytes](), [CapturedBytes]())
    var end: (TraceEnd, Int64?)?
    /// Charge and energy of the blocks in the log, and their marks, with the numbers of rows in the trace.
    var totals = Totals()
    var marks: [MarkChange] = []
    var layouts: [Layout] = []

    init(isKeepingCapture: Bool = false) {
        self.isKeepingCapture = isKeepingCapture
        var generator = SeededGenerator(seed: 1)
        let trace = RecordID.random(using: &generator)
        state = RecordingState(
            of: trace, RowSource(.live), envelope: SealedBlock.envelope, isKeepingCapture: isKeepingCapture, at: 0)
    }

    /// The rows of the open block.
    var open: [Row] { state.openRows.map(Self.rows) ?? [] }
    /// The rows of all blocks.
    var all: [Row] { log + open }
    /// The captured bytes on the disk.
    var durableBytes: [CapturedBytes] { logBytes + tailBytes }

    mutating func receive(_ rows: DecodedRows, at time: Int64, of pieces: [CapturedBytes] = []) {
        state.receive(rows, by: Reception(ReadMoment(time)), of: pieces)
    }

    /// Performs what is due, and returns the names of these actions.
    @discardableResult
    mutating func perform() throws -> [String] {
        let before = actions.count
        while let action = state.next() {
            try perform(action)
            state.succeeded(at: now)
        }
        return Array(actions[before...])
    }

    mutating func perform(_ action: RecordingState.Action) throws {
        switch action {
        case .keep(let rows, let capture):
            actions.append("keep")
            tail += rows.map(Self.rows) ?? []
            tailBytes += capture?.pieces ?? []
        case .sealRows(let change, let count):
            actions.append("rows")
            let block = try #require(change.block)
            let rows = try TraceRows(block.content.span.bytes, of: BlockSummary(block.summary.span.bytes))
            #expect(block.count == count && rows.count == count && block.first == rows.first)
            log += Self.rows(rows)
            let summary = try BlockSummary(block.summary.span.bytes)
            totals.append(summary.totals)
            layouts.append(summary.layout)
            marks += summary.marks.map {
                MarkChange($0.kind, before: summary.first + UInt64($0.row), by: Int64($0.count))
            }
        case .sealCapture(let change):
            actions.append("capture")
            let block = try #require(change.block)
            let first = UInt64(logBytes.reduce(0) { $0 + $1.bytes.count })
            #expect(block.first == first)
            logBytes +=
                try Capture(block.content.span.bytes, summary: block.summary.span.bytes, first: block.first).pieces
        case .beginTail(let rows, let capture):
            actions.append("tail")
            (tail, tailBytes) = (rows.map(Self.rows) ?? [], capture?.pieces ?? [])
        case .end(let end, let time):
            actions.append("end")
            self.end = (end, time)
        }
    }

    private static func rows(_ rows: TraceRows) -> [Row] {
        rows.times.indices.map { row in
            let channels = rows.columns.indices.filter { rows.has($0, at: row) }
            return Row(
                number: rows.first + UInt64(row), time: rows.times[row], values: channels.map { rows.columns[$0][row] },
                channels: channels.map { rows.layout.channels[$0] })
        }
    }
}
