import ByteCoding
import Metering

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
            bytes.withSpan { decoder.take($0.extracting(start..<end), into: &rows) }
        }
        decoder.finish(into: &rows)
        return rows
    }
}
