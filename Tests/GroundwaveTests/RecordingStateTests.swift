import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMeters

private let volts = Layout([Channel("voltage", .volt, decimals: 3)])
private let voltsAndAmperes = Layout([Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 3)])
/// No block has rows of these channels and of those above: a name has another unit.
private let others = Layout([Channel("voltage", .none, decimals: 0), Channel("mode", .none, decimals: 0)])

/// Rows with these numbers as the values of their channels.
private func decoded(_ numbers: Range<Int>, of layout: Layout = volts) -> DecodedRows {
    var rows = DecodedRows()
    for number in numbers { rows.append(layout.channels.map { _ in Int64(number) }, of: layout) }
    return rows
}

private func recorded(_ numbers: Range<Int>, of layout: Layout = volts, at time: Int64) -> TraceRows {
    var rows = TraceRows(layout, first: 77)
    rows.times = numbers.map { _ in time }
    rows.columns = layout.channels.map { _ in numbers.map { Int64($0) } }
    return rows
}

private func bytes(_ count: Int, at time: Int64 = 0) -> CapturedBytes {
    CapturedBytes(.received, at: time, [UInt8](repeating: 1, count: count))
}

/// A recording whose log and tail are in memory.
private struct MemoryRecording {
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

@Suite struct `The state of a recording` {
    @Test func `has a block sealed at the row limit, and not one row earlier`() throws {
        var recording = MemoryRecording()
        recording.receive(decoded(0..<SampleBlock.rowLimit - 1), at: 0)
        #expect(try recording.perform() == [])
        recording.receive(decoded(SampleBlock.rowLimit - 1..<SampleBlock.rowLimit + 10), at: 0)
        guard case .sealRows(_, let count) = recording.state.next() else {
            Issue.record("the block is not sealed")
            return
        }
        #expect(count <= SampleBlock.rowLimit && recording.state.openRows?.count == SampleBlock.rowLimit)
        #expect(try recording.perform() == ["rows", "tail"])
        #expect(recording.log.count == count && recording.open.count == SampleBlock.rowLimit + 10 - count)
        #expect(recording.state.rowCount == UInt64(SampleBlock.rowLimit + 10))
    }

    @Test func `has recorded rows sealed at the row limit, whatever their age`() throws {
        var recording = MemoryRecording()
        recording.receive(decoded(0..<1), at: 0)
        recording.state.receive(recorded: recorded(1..<SampleBlock.rowLimit - 1, at: 10_000_000))
        #expect(try recording.perform() == [])
        recording.state.receive(
            recorded: recorded(SampleBlock.rowLimit - 1..<SampleBlock.rowLimit * 2, at: 10_000_000))
        #expect(try recording.perform().prefix(2) == ["rows", "tail"])
        #expect(recording.open.count < SampleBlock.rowLimit)
        let all = recording.all
        #expect(all.map(\.values) == (0..<SampleBlock.rowLimit * 2).map { [Int64($0)] })
        #expect(all.map(\.number) == Array(0..<UInt64(SampleBlock.rowLimit * 2)))
    }

    @Test func `has a block sealed when its first row is ten minutes old, and not a millisecond earlier`() throws {
        var recording = MemoryRecording()
        recording.receive(decoded(0..<1), at: 1_000)
        recording.receive(decoded(1..<2), at: 600_999)
        #expect(try recording.perform() == [])
        recording.receive(decoded(2..<4), at: 601_000)
        #expect(try recording.perform() == ["rows", "tail"])
        #expect(recording.log.map(\.number) == [0, 1, 2] && recording.open.map(\.number) == [3])
    }

    @Test func `has rows of several layouts in one block, each with the channels that it has`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(decoded(0..<2), at: 0, of: [bytes(5)])
        recording.receive(decoded(2..<4, of: voltsAndAmperes), at: 0, of: [bytes(7)])
        recording.receive(decoded(4..<5), at: 0)
        #expect(try recording.perform() == [], "a block has the channels of all of its rows")
        #expect(recording.open.map(\.values) == [[0], [1], [2, 2], [3, 3], [4]])
        #expect(recording.state.openRows?.layout == voltsAndAmperes)
        recording.state.flush()
        #expect(try recording.perform() == ["keep"])
        #expect(recording.tail == recording.open)
        recording.state.end(.finished)
        #expect(try recording.perform() == ["capture", "tail", "rows", "tail", "end"])
        #expect(recording.log.map(\.values) == [[0], [1], [2, 2], [3, 3], [4]])
    }

    @Test func `has everything sealed before rows that no layout has beside the others, whose numbers go on`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(decoded(0..<3), at: 0, of: [bytes(5)])
        recording.receive(decoded(3..<6), at: 0, of: [bytes(6)])
        #expect(try recording.perform() == [], "the layout is the same")
        recording.receive(decoded(6..<8, of: others), at: 0, of: [bytes(7)])
        #expect(try recording.perform() == ["capture", "tail", "rows", "tail"])
        #expect(recording.log.map(\.number) == Array(0..<6) && recording.logBytes.map(\.bytes.count) == [5, 6, 7])
        #expect(recording.open.map(\.number) == [6, 7] && recording.open.map(\.values) == [[6, 6], [7, 7]])
        #expect(recording.tail.isEmpty && recording.tailBytes.isEmpty)
    }

    @Test func `has values in the finer decimals of later rows, and a block ended by one that exceeds 64 bits there`()
        throws
    {
        let fine = Layout([Channel("voltage", .volt, decimals: 4)])
        var recording = MemoryRecording()
        recording.receive(decoded(7..<8), at: 0)
        recording.receive(decoded(70..<71, of: fine), at: 0)
        recording.receive(decoded(8..<9), at: 0)
        #expect(try recording.perform() == [])
        #expect(recording.open.map(\.values) == [[70], [70], [80]])
        #expect(recording.open.allSatisfy { $0.channels == fine.channels })
        var great = DecodedRows()
        for value in [9, .max / 10, .max / 10 + 1, 10] as [Int64] { great.append([value] as [Int64], of: volts) }
        recording.receive(great, at: 0)
        #expect(try recording.perform() == ["rows", "tail"])
        #expect(recording.log.map(\.values) == [[70], [70], [80], [90], [.max / 10 * 10]])
        #expect(recording.open.map(\.values) == [[.max / 10 + 1], [10]])
        #expect(recording.open[0].channels == volts.channels)
        // Nor can the values that are there already be scaled.
        recording.receive(decoded(3..<4, of: fine), at: 0)
        #expect(try recording.perform() == ["rows", "tail"])
        #expect(recording.log.last?.values == [10] && recording.open.map(\.values) == [[3]])
    }

    @Test func `that was widened by channels has blocks without those that no row of theirs has`() throws {
        var recording = MemoryRecording()
        recording.receive(decoded(0..<1, of: voltsAndAmperes), at: 0)
        recording.receive(decoded(1..<2), at: 600_000)
        recording.receive(decoded(2..<3), at: 600_001)
        recording.receive(decoded(3..<4), at: 1_200_001)
        try recording.perform()
        #expect(recording.layouts == [voltsAndAmperes, volts])
        #expect(recording.log.map(\.values) == [[0, 0], [1], [2], [3]])
    }

    @Test func `has captured bytes sealed at their size, and not one byte earlier`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(decoded(0..<1), at: 0, of: [bytes(Capture.sealedByteCount - 1)])
        #expect(try recording.perform() == [])
        recording.receive(decoded(1..<2), at: 0, of: [bytes(1)])
        #expect(try recording.perform() == ["capture", "tail"])
        #expect(recording.logBytes.count == 2 && recording.tail.map(\.number) == [0])
        recording.state.flush()
        #expect(try recording.perform() == ["keep"])
        #expect(recording.tail.map(\.number) == [0, 1] && recording.tailBytes.isEmpty)
    }

    @Test func `has new rows kept half a second after the tail was last written, or when asked`() throws {
        var recording = MemoryRecording()
        recording.receive(decoded(0..<2), at: 0)
        recording.state.flush(ifDueAt: 499)
        #expect(try recording.perform() == [])
        recording.now = 520
        recording.state.flush(ifDueAt: 500)
        #expect(try recording.perform() == ["keep"])
        recording.receive(decoded(2..<3), at: 0)
        recording.state.flush(ifDueAt: 1_019)
        #expect(try recording.perform() == [])
        recording.state.flush()
        #expect(try recording.perform() == ["keep"])
        #expect(recording.tail == recording.open && recording.tail.count == 3)
        recording.state.flush()
        #expect(try recording.perform() == [], "nothing is new")
    }

    @Test func `has the bytes of rows in the tail before it seals the rows, and in the one after`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(decoded(0..<1), at: 0, of: [bytes(1)])
        recording.receive(decoded(1..<3), at: 600_000, of: [bytes(2)])
        guard case .keep(let rows, let capture) = recording.state.next() else {
            Issue.record("the bytes are not kept first")
            return
        }
        #expect(rows?.count == 2 && capture?.pieces.map(\.bytes.count) == [1, 2])
        #expect(try recording.perform() == ["keep", "rows", "tail"])
        #expect(recording.log.map(\.number) == [0, 1])
        #expect(recording.tailBytes.map(\.bytes.count) == [1, 2], "they are not in the log")
        recording.receive(decoded(3..<4), at: 1_200_000)
        #expect(try recording.perform() == ["rows", "tail"], "no bytes are new")
    }

    @Test func `has a mark that changes behind it in the tail, too`() throws {
        var recording = MemoryRecording()
        // Ten rows, 100 ms apart; then one after a silence; then those that were late.
        for row in 0..<10 { recording.receive(decoded(row..<row + 1), at: Int64(row) * 100) }
        recording.receive(decoded(10..<11), at: 1_900)
        recording.state.flush()
        #expect(try recording.perform() == ["keep"])
        #expect(recording.state.openRows?.marks == [Mark(.estimated, before: 10, count: 9)])
        recording.receive(decoded(11..<16), at: 1_905)
        #expect(try recording.perform() == [])
        #expect(recording.state.openRows?.marks == [Mark(.estimated, before: 10, count: 4)])
        recording.state.flush()
        #expect(try recording.perform() == ["tail"], "the rows of the tail have another mark")
        #expect(recording.tail == recording.open)
    }

    @Test func `has a gap told also where the channels change with each row`() throws {
        var recording = MemoryRecording()
        for row in Array(0..<30) + Array(39..<50) {
            let layout = row.isMultiple(of: 2) ? volts : voltsAndAmperes
            recording.receive(decoded(row..<row + 1, of: layout), at: Int64(row) * 100)
            try recording.perform()
        }
        recording.state.end(.finished)
        try recording.perform()
        #expect(recording.marks == [MarkChange(.estimated, before: 30, by: 9)])
    }

    @Test func `counts charge on over blocks of different channels and decimals`() throws {
        let amperes = Channel("current", .ampere, decimals: 3)
        var recording = MemoryRecording()
        // 2 A, a row in five minutes: three blocks of which each has other channels, the last of them finer decimals.
        for row in 0...7 {
            var rows = DecodedRows()
            switch row {
            case 0...2: rows.append([2_000] as [Int64], of: Layout([amperes]))
            case 3...5: rows.append([9, 2_000] as [Int64], of: Layout([Channel("mode", .none, decimals: 0), amperes]))
            default: rows.append([20_000] as [Int64], of: Layout([Channel("current", .ampere, decimals: 4)]))
            }
            recording.receive(rows, at: Int64(row) * 300_000)
            try recording.perform()
        }
        recording.state.end(.finished)
        try recording.perform()
        #expect(recording.layouts.map(\.channels.count) == [1, 2, 1])
        #expect(recording.totals.covered == 2_100_000)
        // Charges are in the decimals of their blocks: 25 minutes in thousandths, 10 in the finer.
        #expect(recording.totals.charge == 2 * 2_000 * 1_500_000 + 2 * 20_000 * 600_000)
    }

    @Test func `counts charge on where the channels change`() throws {
        let amperes = [Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 3)]
        let more = Layout(amperes + [Channel("temperature", .celsius, decimals: 1)])
        var recording = MemoryRecording()
        // 2 A and 2 V for ten seconds, with another channel in every second row.
        for row in 0...10 {
            var rows = DecodedRows()
            let layout = row.isMultiple(of: 2) ? Layout(amperes) : more
            rows.append(layout.channels.map { _ in 2_000 }, of: layout)
            recording.receive(rows, at: Int64(row) * 1_000)
            try recording.perform()
        }
        recording.state.end(.finished)
        try recording.perform()
        #expect(recording.totals.covered == 10_000 && recording.totals.charge == 2 * 2_000 * 10_000)
    }

    @Test func `returns an action that failed again, and has changed nothing`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(decoded(0..<1), at: 0, of: [bytes(1)])
        recording.receive(decoded(1..<2, of: others), at: 5)
        recording.state.flush()
        while let action = recording.state.next() {
            let (count, open) = (recording.state.rowCount, recording.state.openRows)
            for _ in 1...2 { #expect(recording.state.next() == action) }
            #expect(recording.state.rowCount == count && recording.state.openRows == open)
            try recording.perform(action)
            recording.state.succeeded(at: 0)
        }
        #expect(recording.actions == ["capture", "tail", "rows", "tail", "keep"])
        #expect(recording.log.map(\.number) == [0] && recording.tail.map(\.number) == [1])
    }

    @Test func `that ends after a failure seals the rows of the block, and drops those behind it`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(decoded(0..<1), at: 0)
        recording.receive(decoded(1..<4), at: 600_000, of: [bytes(3)])
        let failed = recording.state.next()
        recording.state.end(.stopped)
        #expect(recording.state.next() != failed)
        #expect(try recording.perform() == ["capture", "tail", "rows", "tail", "end"])
        #expect(recording.log.map(\.number) == [0, 1] && recording.logBytes.count == 1)
        #expect(recording.end?.0 == .stopped && recording.end?.1 == 600_000)
    }

    @Test func `that fails to begin the tail again has each row sealed once when it ends`() throws {
        var recording = MemoryRecording()
        recording.receive(decoded(0..<1), at: 0)
        recording.receive(decoded(1..<2), at: 600_000)
        let seal = recording.state.next()
        try recording.perform(#require(seal))
        recording.state.succeeded(at: 0)
        guard case .beginTail = recording.state.next() else {
            Issue.record("the tail has rows of the log")
            return
        }
        for _ in 1...2 { recording.state.end(.stopped) }
        #expect(try recording.perform() == ["end"])
        #expect(recording.log.map(\.number) == [0, 1] && recording.end?.1 == 600_000)
    }

    @Test func `has an end without a time where no row came, and nothing to do behind it`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.state.end(.finished)
        #expect(!recording.state.hasEnded)
        #expect(try recording.perform() == ["end"])
        #expect(recording.end?.0 == .finished && recording.end?.1 == nil && recording.state.hasEnded)
        #expect(recording.state.next() == nil)
    }

    @Test(arguments: UInt64(1)...30)
    func `has each row in one place, with the next number, whatever comes and whatever fails`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var recording = MemoryRecording(isKeepingCapture: generator.chance(0.7))
        var (rows, pieces) = ([MemoryRecording.Row](), [CapturedBytes]())
        var (layout, time) = (volts, Int64(1_700_000_000_000))
        var lastWrite: Int64 = 0

        func perform() throws {
            while let action = recording.state.next() {
                // An action that fails is due again.
                if generator.chance(0.3) { #expect(recording.state.next() == action) }
                if case .sealRows = action {
                    #expect(recording.durableBytes == pieces, "bytes are on the disk before rows")
                }
                try recording.perform(action)
                recording.state.succeeded(at: recording.now)
                if ["keep", "tail"].contains(recording.actions.last) { lastWrite = recording.now }
                let all = recording.all
                #expect(all.map(\.values) == rows[..<all.count].map(\.values))
                #expect(all.map(\.number) == rows[..<all.count].map(\.number))
                #expect(all.map(\.channels) == rows[..<all.count].map(\.channels))
                #expect(zip(all, all.dropFirst()).allSatisfy { $0.time <= $1.time })
            }
            #expect(recording.all.count == rows.count && recording.all.last?.time == rows.last?.time)
            #expect(recording.open.count < SampleBlock.rowLimit)
            #expect(recording.state.rowCount == UInt64(rows.count))
        }

        for _ in 1...40 {
            recording.now += .random(in: 0...400, using: &generator)
            time += generator.chance(0.2) ? .random(in: 0...700_000, using: &generator) : 50
            if generator.chance(0.2) {
                let layouts = generator.chance(0.2) ? [others] : [volts, voltsAndAmperes]
                layout = layouts.randomElement(using: &generator) ?? volts
            }
            let isMany = generator.chance(0.05)
            let count = Int.random(in: isMany ? 3_000...9_000 : 0...60, using: &generator)
            let numbers = rows.count..<rows.count + count
            for number in numbers {
                let values = layout.channels.map { _ in Int64(number) }
                rows.append(
                    MemoryRecording.Row(
                        number: UInt64(number), time: time, values: values, channels: layout.channels))
            }
            if generator.chance(0.5) {
                recording.state.receive(recorded: recorded(numbers, of: layout, at: time))
            } else {
                let piece = bytes(.random(in: 1...30_000, using: &generator), at: time)
                if recording.isKeepingCapture { pieces.append(piece) }
                recording.receive(decoded(numbers, of: layout), at: time, of: [piece])
            }
            try perform()
            let isDue = generator.chance(0.3) || recording.now - lastWrite >= 500
            if recording.now - lastWrite < 500, isDue {
                recording.state.flush()
            } else {
                recording.state.flush(ifDueAt: recording.now)
            }
            try perform()
            let (tail, open) = (recording.tail, recording.open)
            if isDue { #expect(recording.durableBytes == pieces) }
            #expect(isDue ? tail == open : tail == Array(open.prefix(tail.count)), "it has what is not sealed")
        }
        recording.state.end(.finished)
        try perform()
        #expect(recording.log.map(\.values) == rows.map(\.values))
        #expect(recording.logBytes == pieces && recording.state.hasEnded)
        #expect(recording.end?.1 == rows.last?.time)
    }
}
