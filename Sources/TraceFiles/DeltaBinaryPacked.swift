import GroundwaveByteCoding

/// Encodes integers as Parquet's DELTA_BINARY_PACKED (apache/parquet-format, `Encodings.md`): the first integer, then
/// differences in blocks of 128. Each block has its least difference and four runs of 32, each with its own bit
/// width.
///
/// Differences wrap around, so any sequence of integers can be encoded.
enum DeltaBinaryPacked {
    private static let blockLength = 128
    private static let runLength = 32
    private static let runCount = 4

    /// Appends `values`.
    static func append(_ values: [Int64], to writer: inout ByteWriter) {
        writer.append(varint: blockLength)
        writer.append(varint: runCount)
        writer.append(varint: values.count)
        writer.append(varint: ThriftStruct.zigzag(values.first ?? 0))
        var place = 1
        while place < values.count {
            let count = min(blockLength, values.count - place)
            appendBlock(values, place, count, to: &writer)
            place += count
        }
    }

    private static func appendBlock(_ values: [Int64], _ start: Int, _ count: Int, to writer: inout ByteWriter) {
        var least = values[start] &- values[start - 1]
        for place in start..<start + count { least = min(least, values[place] &- values[place - 1]) }
        // Unused places at the end are zeros, which do not widen a run.
        var rests = InlineArray<128, UInt64>(repeating: 0)
        var widths = InlineArray<4, Int>(repeating: 0)
        for run in 0..<runCount {
            var bits: UInt64 = 0
            for index in run * runLength..<max(run * runLength, min(count, (run + 1) * runLength)) {
                let place = start + index
                rests[index] = UInt64(bitPattern: values[place] &- values[place - 1] &- least)
                bits |= rests[index]
            }
            widths[run] = 64 - bits.leadingZeroBitCount
        }
        writer.append(varint: ThriftStruct.zigzag(least))
        for run in 0..<runCount { writer.append(UInt8(widths[run])) }
        for run in 0..<runCount where widths[run] > 0 {
            pack(rests, from: run * runLength, width: widths[run], to: &writer)
        }
    }

    // Writes 32 numbers of `width` bits, the lowest bit of each byte first.
    private static func pack(
        _ rests: InlineArray<128, UInt64>, from start: Int, width: Int, to writer: inout ByteWriter
    ) {
        var pending: UInt64 = 0
        var filled = 0
        for index in start..<start + runLength {
            let rest = rests[index]
            pending |= rest << UInt64(filled)
            filled += width
            if filled >= 64 {
                writer.append(littleEndian: pending)
                filled -= 64
                pending = filled == 0 ? 0 : rest >> UInt64(width - filled)
            }
        }
        // 32 numbers take a multiple of 32 bits.
        if filled > 0 { writer.append(littleEndian: UInt32(truncatingIfNeeded: pending)) }
    }
}
