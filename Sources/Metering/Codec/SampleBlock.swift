import GroundwaveByteCoding

/// The samples of some rows of a trace, column by column: what one event holds.
///
/// | part | what |
/// |---|---|
/// | rows, columns | varints |
/// | for each column | count of bytes (varint), bytes: see ``ColumnEncoder`` |
public enum SampleBlock {
    /// The most rows of a block.
    public static let rowLimit = 4096
    /// The most columns.
    public static let columnLimit = 64

    /// What a column may be foretold by: the column that it is the sum of, or the two that it is the sum of the product of.
    public struct Sum: Hashable, Sendable {
        /// The column that is summed.
        public let first: Int
        /// The column that it is multiplied by, row by row, before; `nil` for none.
        public let second: Int?

        /// A column is the running sum of column `first`, times column `second` where there is one; both stand before it.
        public init(of first: Int, times second: Int? = nil) {
            (self.first, self.second) = (first, second)
        }
    }

    /// The bytes of `columns`, all of one length from 1 to ``rowLimit``.
    ///
    /// - Parameter sums: By column, what it may be the running sum of; used where that takes fewer bytes.
    /// - Complexity: O(values), about 20 ns each.
    public static func encoded(_ columns: [[Int64]], sums: [Int: Sum] = [:]) -> [UInt8] {
        let rowCount = columns.first?.count ?? 0
        precondition(
            rowCount >= 1 && rowCount <= rowLimit && columns.count <= columnLimit, "A block has rows and columns.")
        precondition(columns.allSatisfy { $0.count == rowCount }, "All columns of a block have as many rows.")
        var writer = ByteWriter(capacity: rowCount * columns.count / 2 + 64)
        writer.append(varint: rowCount)
        writer.append(varint: columns.count)
        for (index, column) in columns.enumerated() {
            var bytes: [UInt8] = []
            if let sum = sums[index], sum.first < index, sum.second ?? 0 < index,
                let integral = Integral.fitting(column, to: columns, sum.first, sum.second)
            {
                var rest = column
                integral.apply(
                    to: &rest, of: columns[sum.first], times: sum.second.map { columns[$0] }, isAdding: false)
                bytes = ColumnEncoder(rest, integral: integral).encoded()
            }
            // What is foretold within a fraction of a bit needs no other way.
            if bytes.isEmpty || bytes.count * 32 > rowCount {
                let alone = ColumnEncoder(column).encoded()
                if bytes.isEmpty || alone.count <= bytes.count { bytes = alone }
            }
            writer.append(lengthPrefixed: bytes)
        }
        return writer.bytes
    }

    /// The columns that ``encoded(_:sums:)`` was given.
    ///
    /// - Parameter isWanted: By number; a column that is not wanted comes empty. The first one always comes.
    /// - Throws: ``BlockError`` or `ByteCodingError` for bytes that it did not write.
    /// - Complexity: O(values of the columns that are wanted, and of those that they are sums of), about 3 ns each.
    public static func decoded(_ bytes: RawSpan, where isWanted: (Int) -> Bool = { _ in true }) throws -> [[Int64]] {
        var reader = ByteReader()
        let rowCount = try reader.count(in: bytes, limit: rowLimit)
        let columnCount = try reader.count(in: bytes, limit: columnLimit)
        guard rowCount >= 1 else { throw BlockError.malformed }
        let ranges = try (0..<columnCount).map { _ in try reader.lengthPrefixed(in: bytes) }
        try reader.finish(in: bytes)
        var columns = DecodedColumns(rowCount: rowCount, ranges: ranges)
        return try ranges.indices.map { $0 == 0 || isWanted($0) ? try columns.column($0, in: bytes) : [] }
    }
}

/// The columns of a block that have been decoded.
private struct DecodedColumns {
    private let rowCount: Int
    /// Where the bytes of each stand.
    private let ranges: [Range<Int>]
    private var columns: [[Int64]?]

    init(rowCount: Int, ranges: [Range<Int>]) {
        (self.rowCount, self.ranges) = (rowCount, ranges)
        columns = ranges.map { _ in nil }
    }

    /// Column `index`, decoded when it is asked for first. One that is a sum asks for others, which stand before it.
    mutating func column(_ index: Int, in bytes: RawSpan) throws -> [Int64] {
        if let known = columns[index] { return known }
        let decoder = ColumnDecoder(rowCount: rowCount, columnCount: index)
        var (values, integral) = try decoder.decode(bytes.extracting(ranges[index]))
        if let integral {
            let ones = try column(integral.first, in: bytes)
            let factors = try integral.second.map { try column($0, in: bytes) }
            integral.apply(to: &values, of: ones, times: factors, isAdding: true)
        }
        columns[index] = values
        return values
    }
}
