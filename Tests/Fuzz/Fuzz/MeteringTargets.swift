import GroundwaveByteCoding
import GroundwaveMetering

@testable import GroundwaveMeterProtocols
@testable import GroundwaveTraceFiles

extension Target {
    /// A sample block: what is read can be written, and is the same when it is read again.
    static let samples = Target(name: "samples", byteLimit: 4096) { input in
        guard let columns = try? input.withSpan({ try SampleBlock.decoded($0) }) else { return }
        require(columns.count <= SampleBlock.columnLimit, "the columns of a block are bounded")
        guard let rows = columns.first?.count else { return }
        require(rows >= 1 && rows <= SampleBlock.rowLimit, "so are its rows")
        require(columns.allSatisfy { $0.count == rows }, "each column has as many rows")
        var sums: [Int: SampleBlock.Sum] = [:]
        for column in columns.indices.dropFirst() {
            sums[column] = SampleBlock.Sum(of: 0, times: column.isMultiple(of: 2) ? column - 1 : nil)
        }
        let bytes = SampleBlock.encoded(columns, sums: sums)
        let again = mustNotThrow("what was written is read") { try bytes.withSpan { try SampleBlock.decoded($0) } }
        require(again == columns, "a block gives back what it was made from")
    }

    /// What is said of blocks: what is read is the same when it was written and is read again, and may be joined.
    static let summary = Target(name: "summary", byteLimit: 2048) { input in
        guard let all = try? input.withSpan({ try BlockSummary.all(in: $0) }) else { return }
        let joined = all.reduce(into: JoinedSummary()) { $0.append(JoinedSummary($1)) }
        let read = mustNotThrow("what was joined is read") { try joined.bytes.withSpan { try JoinedSummary($0) } }
        require(read == joined, "it is what it was")
        for summary in all {
            let again = mustNotThrow("what was written is read") {
                try summary.bytes.withSpan { try BlockSummary($0) }
            }
            require(again == summary, "it is what it was")
            for other in all where other.layout == summary.layout {
                let joined = summary.joined(with: other)
                require(joined.cells.count == summary.cells.count, "what is joined has the same channels")
                _ = (summary.layout.ampereHours(joined.totals), summary.layout.wattHours(joined.totals))
            }
        }
    }

    /// What went over the line, as a block: a summary of as many bytes as the first one says, then its content.
    static let capture = Target(name: "capture", byteLimit: 2048) { input in
        guard let count = input.first.map({ Int($0) }), input.count > count else { return }
        let (summary, content) = (Array(input[1..<1 + count]), Array(input[(1 + count)...]))
        let found = content.withSpan { content in summary.withSpan { try? Capture(content, summary: $0, first: 7) } }
        guard let found, !found.pieces.isEmpty else { return }
        let block = found.block
        let again = mustNotThrow("what was written is read") {
            try block.content.withSpan { content in
                try block.summary.withSpan { try Capture(content, summary: $0, first: block.first) }
            }
        }
        require(again == found, "it is what it was")
        require(block.count == UInt64(found.byteCount), "its items are its bytes")
    }

    /// A trace as CSV: however its bytes are cut, the same rows come, or the same refusal.
    static let table = Target(name: "table", byteLimit: 4096) { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let whole = read(bytes, piece: Swift.max(1, bytes.count))
        let cut = read(bytes, piece: Int(first) % 50 + 1)
        require(whole.error == cut.error, "it is refused for the same reason")
        require(whole.error != nil || whole.rows == cut.rows, "the same rows come")
        for rows in whole.rows { require(rows.columns.allSatisfy { $0.count == rows.count }, "columns are as long") }
    }

    private static func read(_ bytes: [UInt8], piece: Int) -> (rows: [TraceRows], error: CSVTraceError?) {
        var reader = CSVTraceReader()
        var rows: [TraceRows] = []
        do {
            for start in stride(from: 0, to: bytes.count, by: piece) {
                for next in try reader.append(Array(bytes[start..<Swift.min(start + piece, bytes.count)])) {
                    if rows.isEmpty || !rows[rows.count - 1].append(next) { rows.append(next) }
                }
            }
            try reader.finish()
            return (rows, nil)
        } catch { return (rows, error as? CSVTraceError) }
    }

    /// A CSV file of another program: the first byte says how it is cut, the second how its columns are found. However it is
    /// cut, the same rows come; what was surveyed is what is read, and times never go back.
    static let foreignTable = Target(name: "foreign-table", byteLimit: 4096) { input in
        guard input.count >= 2 else { return }
        let bytes = Array(input.dropFirst(2))
        guard let survey = survey(Int(input[1])) else { return }
        let whole = readForeign(bytes, survey, piece: Swift.max(1, bytes.count))
        let cut = readForeign(bytes, survey, piece: Int(input[0]) % 50 + 1)
        require(whole.error == cut.error, "it is refused for the same reason")
        guard let rows = whole.rows, let read = whole.leftOut, let plan = whole.plan else { return }
        require(rows == cut.rows && read == cut.leftOut, "the same rows come, and as much is left out")
        require(rows.count > 0 && zip(rows.times, rows.times.dropFirst()).allSatisfy { $0 <= $1 }, "in order of time")
        require(zip(rows.ticks, rows.ticks.dropFirst()).allSatisfy { $0 <= $1 }, "and of the counter")
        require(rows.columns.allSatisfy { $0.count == rows.count }, "columns are as long")
        require(
            read.withoutTime == plan.leftOut.withoutTime && read.withoutValues == plan.leftOut.withoutValues
                && read.earlier == plan.leftOut.earlier, "what was surveyed is what is read")
        require(rows.marks.allSatisfy { (0...rows.count).contains($0.row) && $0.count > 0 }, "marks are at rows")
    }

    private static func survey(_ number: Int) -> ForeignSurvey? {
        var mapping = TraceMapping()
        switch number % 4 {
        case 0: return ForeignSurvey()
        case 1: mapping.times = [try? TimeColumn("t:date")].compactMap(\.self)
        case 2: mapping.times = [try? TimeColumn("1:h")].compactMap(\.self)
        default: mapping.rate = 1000
        }
        let texts = number % 4 == 1 ? ["x=x", "y=2:F"] : ["x=2:mV", "y=3:J"]
        mapping.channels = texts.compactMap { try? ChannelColumn($0) }
        return ForeignSurvey(mapping)
    }

    private static func readForeign(
        _ bytes: [UInt8], _ survey: ForeignSurvey, piece: Int
    ) -> (plan: ForeignPlan?, rows: TraceRows?, leftOut: ForeignLeftOut?, error: ForeignCSVError?) {
        let pieces = stride(from: 0, to: bytes.count, by: piece).map {
            Array(bytes[$0..<Swift.min($0 + piece, bytes.count)])
        }
        do throws(ForeignCSVError) {
            var survey = survey
            for piece in pieces { try survey.append(piece) }
            let plan = try survey.finish()
            var reader = ForeignCSVReader(plan, start: 1_777_636_800_000)
            var rows = TraceRows(plan.layout, first: 0)
            for piece in pieces { for next in try reader.append(piece) { _ = rows.append(next) } }
            _ = rows.append(try reader.finish())
            return (plan, rows, reader.leftOut, nil)
        } catch { return (nil, nil, nil, error) }
    }

    /// What a meter sends: the first byte says which one, the second how the bytes are cut.
    static let meter = Target(name: "meter", byteLimit: 4096) { input in
        var dice = Dice(input)
        let model = MeterModel.allCases[dice.number(below: MeterModel.allCases.count)]
        let piece = dice.number(below: 200) + 1
        let bytes = dice.rest
        for link in model.links {
            let whole = rows(of: bytes, model, link, piece: Swift.max(1, bytes.count))
            let cut = rows(of: bytes, model, link, piece: piece)
            require(whole.runs == cut.runs, "the same rows come, however the bytes are cut")
            require(whole.uncheckedFrameCount == cut.uncheckedFrameCount, "and as many of them are unchecked")
            let refused = whole.refusals.reduce(0) { $0 + $1.byteCount }
            require(refused <= bytes.count, "no byte is refused twice")
            for run in whole.runs {
                require(
                    run.values.count == run.count * run.layout.channels.count, "each row has a value for each channel")
                require(run.ticks.isEmpty || run.ticks.count == run.count, "and a tick, or none has")
            }
        }
    }

    private static func rows(
        of bytes: [UInt8], _ model: MeterModel, _ link: MeterModel.Link, piece: Int
    ) -> DecodedRows {
        var decoder = model.makeDecoder(over: link)
        var rows = DecodedRows()
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let end = Swift.min(start + piece, bytes.count)
            bytes.withSpan { decoder.consume($0.extracting(start..<end), into: &rows) }
        }
        decoder.finish(into: &rows)
        return rows
    }
}
