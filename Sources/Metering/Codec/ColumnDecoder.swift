import ByteCoding

/// Reads what a ``ColumnEncoder`` has written. No bytes trap it, or have it take more memory than the rows need.
struct ColumnDecoder {
    /// How many rows the block has; at least one.
    let rowCount: Int
    /// The columns before this one.
    let columns: [[Int64]]

    /// The values.
    func decode(_ bytes: RawSpan) throws -> [Int64] {
        var reader = ByteReader()
        switch try reader.byte(in: bytes) {
        case 0:
            let value = unzigzag(try reader.varint(in: bytes))
            try reader.finish(in: bytes)
            return [Int64](repeating: value, count: rowCount)
        case 1:
            let plan = try ColumnPlan(&reader, in: bytes, columnCount: columns.count)
            var dictionary: [Int64] = []
            if plan.tokens == nil { dictionary = try ResidualDictionary.read(&reader, in: bytes) }
            let (low, slots) = try Self.slots(&reader, in: bytes, tableCount: plan.thresholds.count + 1)
            let symbols = try reader.lengthPrefixed(in: bytes)
            guard let symbolReader = SymbolReader(at: symbols.lowerBound, end: symbols.upperBound, in: bytes) else {
                throw BlockError.malformed
            }
            var rows = RowReader(plan, symbolReader, BitReader(at: reader.offset, end: bytes.byteCount), low: low)
            var values = [Int64](repeating: plan.first, count: rowCount)
            let other = plan.hold?.reference.map { ColumnEncoder.held(columns[$0]) } ?? []
            var span = values.mutableSpan
            rows.read(into: &span, slots.span, dictionary.span, other.span, in: bytes)
            guard rows.isAtEnd else { throw BlockError.malformed }
            plan.integral?.apply(to: &values, of: columns, isAdding: true)
            return values
        default: throw BlockError.malformed
        }
    }

    /// The slots of all tables, 4,096 each.
    private static func slots(
        _ reader: inout ByteReader, in bytes: RawSpan, tableCount: Int
    ) throws -> (low: Int, slots: [UInt32]) {
        let low = try reader.count(in: bytes, limit: 1 << 10)
        let count = try reader.count(in: bytes, limit: ResidualDictionary.limit)
        let byteCount = (count * tableCount * FrequencyTable.codeWidth + 7) / 8
        let range = try reader.skip(byteCount, in: bytes)
        var bits = BitReader(at: range.lowerBound, end: range.upperBound)
        var slots: [UInt32] = []
        slots.reserveCapacity(tableCount * FrequencyTable.total)
        for _ in 0..<tableCount {
            let codes = (0..<count).map { _ in UInt8(bits.read(FrequencyTable.codeWidth, in: bytes)) }
            guard let table = FrequencyTable(codes: codes) else {
                // In this context nothing comes; whoever reads it nonetheless is told at the end.
                slots.append(contentsOf: repeatElement(0, count: FrequencyTable.total))
                continue
            }
            table.appendSlots(to: &slots)
        }
        return (low, slots)
    }
}

/// Reads the rows of one column.
private struct RowReader {
    private let plan: ColumnPlan
    private var symbols: SymbolReader
    private var bits: BitReader
    private let low: Int
    private var isWrong = false

    init(_ plan: ColumnPlan, _ symbols: SymbolReader, _ bits: BitReader, low: Int) {
        (self.plan, self.symbols, self.bits, self.low) = (plan, symbols, bits, low)
    }

    /// Whether everything was read, and nothing was missing or wrong.
    var isAtEnd: Bool { !isWrong && symbols.isAtEnd && !bits.isExhausted }

    /// Reads the rows behind the first one, which is there.
    ///
    /// - Parameter other: For each row whether the column is held that the holding of this one is told by.
    mutating func read(
        into values: inout MutableSpan<Int64>, _ slots: Span<UInt32>, _ dictionary: Span<Int64>, _ other: Span<Bool>,
        in bytes: RawSpan
    ) {
        var prediction = Prediction(plan.predictor, start: plan.first)
        let tokens = plan.tokens
        let hold = plan.hold
        let parts = plan.holdCodes.map(HoldModel.part)
        var (context, run) = (0, 0)
        var value = plan.first
        for row in 1..<values.count {
            if let hold {
                let place = hold.context(run: run, isReferenceHeld: hold.reference != nil && other[row])
                if symbols.isFirst(part: parts[place], in: bytes) {
                    run &+= 1
                    values[row] = value
                    continue
                }
                run = 0
            }
            let symbol = symbols.symbol(slots, table: context, in: bytes) &+ low
            let residual: Int64
            if let tokens {
                let (base, width) = tokens.value(of: symbol)
                // A token of more than 64 bits is none.
                if width > 63 {
                    isWrong = true
                    return
                }
                residual = unzigzag(base | bits.read(width, in: bytes))
            } else if symbol < dictionary.count {
                residual = dictionary[symbol]
            } else {
                isWrong = true
                return
            }
            value = prediction.next &+ residual
            prediction.take(value)
            context = plan.context(after: bitLength(zigzag(residual)))
            values[row] = value
        }
    }
}
