import GroundwaveByteCoding
import GroundwaveCompression

/// One column of a Parquet file: the values of the open page, and the finished pages of its row group.
///
/// All columns are 64-bit integers. A page (version 1) is its header, for an optional column the definition levels,
/// and the values as ``DeltaBinaryPacked``.
struct ParquetColumn {
    /// The meaning of the integers.
    enum Kind: Hashable {
        /// Milliseconds since 1970, UTC.
        case time
        /// Integers.
        case integer
        /// Unsigned integers.
        case count
        /// Integers times ten to the minus this, which is at least 1.
        case decimal(Int)
    }

    /// The number of digits of a 64-bit decimal.
    static let decimalDigits = 18
    private static let decimalLimit: UInt64 = 1_000_000_000_000_000_000

    let name: String
    let kind: Kind
    let isOptional: Bool
    /// The compression level of zstd; `nil` for no compression.
    let level: Int32?

    /// The values of the open page, without nulls.
    var values: [Int64] = []
    // Runs of rows with or without a value.
    private var runs: [(isPresent: Bool, count: Int)] = []
    private var pages = ByteWriter()
    private var plainByteCount = 0
    private var valueCount = 0
    private var nullCount = 0
    private var least: Int64?
    private var greatest: Int64?

    init(_ name: String, _ kind: Kind, isOptional: Bool, level: Int32?) {
        (self.name, self.kind, self.isOptional, self.level) = (name, kind, isOptional, level)
    }

    /// The size of the finished pages in bytes.
    var byteCount: Int { pages.count }

    /// Records that the next `count` rows have values, or are null.
    mutating func note(isPresent: Bool, count: Int) {
        if let last = runs.last, last.isPresent == isPresent {
            runs[runs.count - 1].count += count
        } else {
            runs.append((isPresent, count))
        }
    }

    /// Ends the open page.
    ///
    /// - Throws: ``Overflow`` with the row in the page whose value has more digits than a 64-bit decimal.
    mutating func closePage() throws(Overflow) {
        let rowCount = runs.reduce(0) { $0 + $1.count }
        try measure()
        var page = ByteWriter(capacity: values.count * 2 + 64)
        if isOptional { appendLevels(to: &page) }
        DeltaBinaryPacked.append(values, to: &page)
        let body = level.map { level in page.withSpan { Zstd.compress($0, level: level) } } ?? page.bytes
        let header = Self.header(rowCount: rowCount, byteCount: body.count, plainByteCount: page.count)
        pages.append(contentsOf: header)
        pages.append(contentsOf: body)
        plainByteCount += header.count + page.count
        valueCount += rowCount
        nullCount += rowCount - values.count
        values.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
    }

    /// A value has too many digits.
    struct Overflow: Error {
        /// The row within the page.
        let row: Int
    }

    private mutating func measure() throws(Overflow) {
        guard let first = values.first else { return }
        var (low, high) = (first, first)
        if kind == .count {
            for value in values {
                if UInt64(bitPattern: value) < UInt64(bitPattern: low) { low = value }
                if UInt64(bitPattern: value) > UInt64(bitPattern: high) { high = value }
            }
            least = least.map { UInt64(bitPattern: $0) < UInt64(bitPattern: low) ? $0 : low } ?? low
            greatest = greatest.map { UInt64(bitPattern: $0) > UInt64(bitPattern: high) ? $0 : high } ?? high
            return
        }
        for value in values { (low, high) = (min(low, value), max(high, value)) }
        if case .decimal = kind, max(low.magnitude, high.magnitude) >= Self.decimalLimit {
            throw Overflow(row: row(of: values.firstIndex { $0.magnitude >= Self.decimalLimit } ?? 0))
        }
        least = least.map { min($0, low) } ?? low
        greatest = greatest.map { max($0, high) } ?? high
    }

    /// Returns the row of value `index` in the open page.
    private func row(of index: Int) -> Int {
        var (row, left) = (0, index)
        for run in runs {
            if run.isPresent {
                if left < run.count { return row + left }
                left -= run.count
            }
            row += run.count
        }
        return row
    }

    // Writes runs of one-bit levels, after their length in bytes: RLE of the hybrid encoding in Encodings.md.
    private func appendLevels(to page: inout ByteWriter) {
        var levels = ByteWriter()
        for run in runs {
            levels.append(varint: run.count << 1)
            levels.append(run.isPresent ? 1 : 0)
        }
        page.append(littleEndian: UInt32(levels.count))
        page.append(contentsOf: levels.bytes)
    }

    private static func header(rowCount: Int, byteCount: Int, plainByteCount: Int) -> [UInt8] {
        var page = ThriftStruct()
        page.set(1, int32: rowCount)
        page.set(2, int32: Parquet.deltaBinaryPacked)
        page.set(3, int32: Parquet.runLengths)
        page.set(4, int32: Parquet.runLengths)
        var header = ThriftStruct()
        header.set(1, int32: Parquet.dataPage)
        header.set(2, int32: plainByteCount)
        header.set(3, int32: byteCount)
        header.set(5, page)
        return header.finish()
    }

    /// Removes and returns the finished pages, which are written from byte `offset` of the file on, and their footer
    /// entry.
    mutating func takeChunk(at offset: Int) -> (pages: [UInt8], chunk: Chunk) {
        var statistics = ThriftStruct()
        statistics.set(3, int64: nullCount)
        if let least, let greatest {
            statistics.set(5, Self.bytes(greatest))
            statistics.set(6, Self.bytes(least))
        }
        var about = ThriftStruct()
        about.set(1, int32: Parquet.int64)
        about.set(2, int32s: [Parquet.runLengths, Parquet.deltaBinaryPacked])
        about.set(3, texts: [name])
        about.set(4, int32: level == nil ? Parquet.uncompressed : Parquet.zstd)
        about.set(5, int64: valueCount)
        about.set(6, int64: plainByteCount)
        about.set(7, int64: pages.count)
        about.set(9, int64: offset)
        about.set(12, statistics)
        var column = ThriftStruct()
        // The metadata is in the footer only.
        column.set(2, int64: 0)
        column.set(3, about)
        let chunk = Chunk(about: column.finish(), plainByteCount: plainByteCount)
        let bytes = pages.bytes
        pages.removeAll()
        (plainByteCount, valueCount, nullCount, least, greatest) = (0, 0, 0, nil, nil)
        return (bytes, chunk)
    }

    /// The footer entry for the pages of one row group.
    struct Chunk {
        let about: [UInt8]
        let plainByteCount: Int
    }

    private static func bytes(_ value: Int64) -> [UInt8] {
        var writer = ByteWriter(capacity: 8)
        writer.append(littleEndian: value)
        return writer.bytes
    }
}
