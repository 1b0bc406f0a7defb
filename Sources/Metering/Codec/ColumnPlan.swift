import ByteCoding

/// How one column of a block is encoded; the header of its bytes.
///
/// | part | what |
/// |---|---|
/// | 1 byte | predictor (bits 0–2), threshold count (3–4), integral (5: of one column, 6: of two), dictionary (7) |
/// | 1 byte | mantissa bits of the tokens (bits 0–2), and of the run tokens plus 1 (3–5; 0 without runs) |
/// | integral, if any | columns (1 each), factor, offset (zigzag varints), shift (1) |
/// | thresholds | 1 byte each |
/// | value of the first row | zigzag varint |
struct ColumnPlan {
    var integral: Integral?
    var predictor: Predictor
    /// The tokens of the run lengths; `nil` if each row has a residual.
    var runs: Tokens?
    /// The tokens of the residuals; `nil` if a dictionary numbers them.
    var tokens: Tokens?
    /// The bit lengths of the previous residual from which the next table is used: 0 to 3 of them, ascending.
    var thresholds: [Int]
    /// The value of the first row, or its difference from the integral.
    var first: Int64

    /// Returns the index of the table for a residual that follows a residual of `length` bits.
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
        writer.append(UInt8(tokens?.mantissa ?? 0) | UInt8(runs.map { $0.mantissa + 1 } ?? 0) << 3)
        if let integral {
            writer.append(UInt8(integral.first))
            if let second = integral.second { writer.append(UInt8(second)) }
            writer.append(varint: zigzag(integral.factor))
            writer.append(varint: zigzag(integral.offset))
            writer.append(UInt8(integral.shift))
        }
        for threshold in thresholds { writer.append(UInt8(threshold)) }
        writer.append(varint: zigzag(first))
    }

    /// Reads the plan of a column that has `columnCount` columns before it.
    init(_ reader: inout ByteReader, in bytes: RawSpan, columnCount: Int) throws {
        let flags = try reader.byte(in: bytes)
        let alphabet = try reader.byte(in: bytes)
        guard let predictor = Predictor(code: flags & 7), alphabet < 1 << 6, flags & 0x60 != 0x60 else {
            throw BlockError.malformed
        }
        self.predictor = predictor
        tokens = flags & 1 << 7 != 0 ? nil : Tokens(mantissa: Int(alphabet & 7))
        if alphabet >> 3 > 0 { runs = Tokens(mantissa: Int(alphabet >> 3) - 1) }
        if flags & 0x60 != 0 {
            let first = Int(try reader.byte(in: bytes))
            let second = flags & 1 << 6 != 0 ? Int(try reader.byte(in: bytes)) : nil
            let factor = unzigzag(try reader.varint(in: bytes))
            let offset = unzigzag(try reader.varint(in: bytes))
            let shift = Int(try reader.byte(in: bytes))
            guard first < columnCount, second ?? 0 < columnCount, shift <= 126 else { throw BlockError.malformed }
            integral = Integral(first: first, second: second, factor: factor, offset: offset, shift: shift)
        }
        thresholds = []
        for _ in 0..<Int(flags >> 3 & 3) { thresholds.append(Int(try reader.byte(in: bytes))) }
        first = unzigzag(try reader.varint(in: bytes))
    }

    init(
        integral: Integral?, predictor: Predictor, runs: Tokens?, tokens: Tokens?, thresholds: [Int], first: Int64
    ) {
        (self.integral, self.predictor, self.runs) = (integral, predictor, runs)
        (self.tokens, self.thresholds, self.first) = (tokens, thresholds, first)
    }
}

/// The reason why the bytes of a block cannot be read.
public enum BlockError: Error, Hashable, Sendable {
    /// The bytes are not in the form that this module writes.
    case malformed
}
