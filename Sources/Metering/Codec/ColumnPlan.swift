import ByteCoding

/// How one column of a block is written: what its reader is told first.
///
/// | part | what |
/// |---|---|
/// | 1 byte | predictor (bits 0–2), thresholds (bits 3–4: how many), integral (5: one column, 6: two), dictionary (7) |
/// | 1 byte | bits of tokens (0–2), lengths of ``HoldModel`` (3–5: 0 none, else 1 + log2), another column's holding (6) |
/// | of an integral | columns (1 each), factor, offset (zigzag varints), shift (1) |
/// | of holding | the other column (1), a code for each case (1 each) |
/// | thresholds | 1 byte each |
/// | value of the first row | zigzag varint |
struct ColumnPlan {
    var integral: Integral?
    var predictor: Predictor
    /// `nil` where each row has a residual.
    var hold: HoldModel?
    /// The codes of its cases.
    var holdCodes: [UInt8] = []
    /// `nil` where the residuals are numbered by a dictionary.
    var tokens: Tokens?
    /// Bit lengths of the residual before, from which on another table is used: none to three, in order.
    var thresholds: [Int]
    /// The value of the first row, or what the integral leaves of it.
    var first: Int64

    /// Which table the residual behind one of `length` bits is written by.
    @inline(__always)
    func context(after length: Int) -> Int {
        var context = 0
        for threshold in thresholds where length >= threshold { context &+= 1 }
        return context
    }

    func append(to writer: inout ByteWriter) {
        var flags = predictor.code | UInt8(thresholds.count) << 3
        if let integral { flags |= integral.second == nil ? 1 << 5 : 1 << 6 }
        if tokens == nil { flags |= 1 << 7 }
        writer.append(flags)
        var alphabet = UInt8(tokens?.mantissa ?? 0)
        if let hold {
            alphabet |= UInt8(1 + hold.lengths.trailingZeroBitCount) << 3
            if hold.reference != nil { alphabet |= 1 << 6 }
        }
        writer.append(alphabet)
        if let integral {
            writer.append(UInt8(integral.first))
            if let second = integral.second { writer.append(UInt8(second)) }
            writer.append(varint: zigzag(integral.factor))
            writer.append(varint: zigzag(integral.offset))
            writer.append(UInt8(integral.shift))
        }
        if let reference = hold?.reference { writer.append(UInt8(reference)) }
        for code in holdCodes { writer.append(code) }
        for threshold in thresholds { writer.append(UInt8(threshold)) }
        writer.append(varint: zigzag(first))
    }

    /// Reads a plan for a column behind `columnCount` others.
    init(_ reader: inout ByteReader, in bytes: RawSpan, columnCount: Int) throws {
        let flags = try reader.byte(in: bytes)
        let alphabet = try reader.byte(in: bytes)
        guard let predictor = Predictor(code: flags & 7), alphabet < 1 << 7, flags & 0x60 != 0x60 else {
            throw BlockError.malformed
        }
        self.predictor = predictor
        tokens = flags & 1 << 7 != 0 ? nil : Tokens(mantissa: Int(alphabet & 7))
        if flags & 0x60 != 0 {
            let first = Int(try reader.byte(in: bytes))
            let second = flags & 1 << 6 != 0 ? Int(try reader.byte(in: bytes)) : nil
            let factor = unzigzag(try reader.varint(in: bytes))
            let offset = unzigzag(try reader.varint(in: bytes))
            let shift = Int(try reader.byte(in: bytes))
            guard first < columnCount, second ?? 0 < columnCount, shift <= 126 else { throw BlockError.malformed }
            integral = Integral(first: first, second: second, factor: factor, offset: offset, shift: shift)
        }
        let lengths = Int(alphabet >> 3 & 7)
        if lengths > 0 {
            let reference = alphabet & 1 << 6 != 0 ? Int(try reader.byte(in: bytes)) : nil
            guard lengths <= 5, reference ?? -1 < columnCount else { throw BlockError.malformed }
            let hold = HoldModel(lengths: 1 << (lengths - 1), reference: reference)
            for _ in 0..<hold.count { holdCodes.append(try reader.byte(in: bytes)) }
            self.hold = hold
        }
        thresholds = []
        for _ in 0..<Int(flags >> 3 & 3) { thresholds.append(Int(try reader.byte(in: bytes))) }
        first = unzigzag(try reader.varint(in: bytes))
    }

    init(
        integral: Integral?, predictor: Predictor, hold: HoldModel?, holdCodes: [UInt8], tokens: Tokens?,
        thresholds: [Int], first: Int64
    ) {
        (self.integral, self.predictor, self.hold) = (integral, predictor, hold)
        (self.holdCodes, self.tokens, self.thresholds, self.first) = (holdCodes, tokens, thresholds, first)
    }
}

/// Why the bytes of a block cannot be read.
public enum BlockError: Error, Hashable, Sendable {
    /// They are not what a writer of blocks writes.
    case malformed
    /// They say that there are more rows or columns than a block has.
    case tooLarge
}
