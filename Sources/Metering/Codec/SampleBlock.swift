import ByteCoding

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
    /// - Complexity: O(values), about 50 ns each.
    public static func encoded(_ columns: [[Int64]], sums: [Int: Sum] = [:]) -> [UInt8] {
        let rowCount = columns.first?.count ?? 0
        precondition(
            rowCount >= 1 && rowCount <= rowLimit && columns.count <= columnLimit, "A block has rows and columns.")
        precondition(columns.allSatisfy { $0.count == rowCount }, "All columns of a block have as many rows.")
        var writer = ByteWriter(capacity: rowCount * columns.count / 2 + 64)
        writer.append(varint: rowCount)
        writer.append(varint: columns.count)
        var references: [[Bool]] = []
        for (index, column) in columns.enumerated() {
            var bytes = ColumnEncoder(column, integral: nil, references: references).encoded()
            if let sum = sums[index], sum.first < index, sum.second ?? 0 < index,
                let integral = Integral.fitting(column, to: columns, sum.first, sum.second)
            {
                var rest = column
                integral.apply(to: &rest, of: columns, isAdding: false)
                let shorter = ColumnEncoder(rest, integral: integral, references: references).encoded()
                if shorter.count < bytes.count { bytes = shorter }
            }
            writer.append(lengthPrefixed: bytes)
            references.append(ColumnEncoder.held(column))
        }
        return writer.bytes
    }

    /// The columns that ``encoded(_:sums:)`` was given.
    ///
    /// - Throws: ``BlockError`` or `ByteCodingError` for bytes that it did not write.
    public static func decoded(_ bytes: RawSpan) throws -> [[Int64]] {
        var reader = ByteReader()
        let rowCount = try reader.count(in: bytes, limit: rowLimit)
        let columnCount = try reader.count(in: bytes, limit: columnLimit)
        guard rowCount >= 1 else { throw BlockError.malformed }
        var columns: [[Int64]] = []
        for _ in 0..<columnCount {
            let range = try reader.lengthPrefixed(in: bytes)
            columns.append(try ColumnDecoder(rowCount: rowCount, columns: columns).decode(bytes.extracting(range)))
        }
        try reader.finish(in: bytes)
        return columns
    }
}
