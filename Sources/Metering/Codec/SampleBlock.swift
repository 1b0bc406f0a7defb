import GroundwaveByteCoding

/// The samples of consecutive rows of a trace, encoded column by column: the payload of one event.
///
/// | part | what |
/// |---|---|
/// | rows, columns | varints |
/// | for each column | byte count (varint), bytes: see ``ColumnEncoder`` |
public enum SampleBlock {
    /// The most rows of a block.
    public static let rowLimit = 4096
    /// The most columns of a block.
    public static let columnLimit = 64

    /// The prediction of a column as the running sum of one column, or of the product of two.
    public struct Sum: Hashable, Sendable {
        /// The column that is summed.
        public let first: Int
        /// The column that multiplies it row by row before the sum; `nil` for none.
        public let second: Int?

        /// Declares a column as the running sum of column `first`, times column `second` if given. Both precede that
        /// column.
        public init(of first: Int, times second: Int? = nil) {
            (self.first, self.second) = (first, second)
        }
    }

    /// Encodes `columns`, all of one length from 1 to ``rowLimit``.
    ///
    /// - Parameter sums: For each column, the running sum that it may be; used if that takes fewer bytes.
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
            // A column predicted to within a fraction of a bit per row needs no alternative.
            if bytes.isEmpty || bytes.count * 32 > rowCount {
                let separate = ColumnEncoder(column).encoded()
                if bytes.isEmpty || separate.count <= bytes.count { bytes = separate }
            }
            writer.append(lengthPrefixed: bytes)
        }
        return writer.bytes
    }

    /// Decodes the columns written by ``encoded(_:sums:)``.
    ///
    /// - Parameter isWanted: Whether to decode the column with this index; other columns are returned empty. Column 0
    ///   is always decoded.
    /// - Throws: ``BlockError`` or `ByteCodingError` for malformed bytes.
    /// - Complexity: O(values of the wanted columns and of the columns that they are sums of), about 3 ns each.
    public static func decoded(_ bytes: RawSpan, where isWanted: (Int) -> Bool = { _ in true }) throws -> [[Int64]] {
        var reader = ByteReader()
        let rowCount = try reader.count(in: bytes, limit: rowLimit)
        let columnCount = try reader.count(in: bytes, limit: columnLimit)
        guard rowCount >= 1 else { throw BlockError.malformed }
        let ranges = try (0..<columnCount).map { _ in try reader.lengthPrefixed(in: bytes) }
        try reader.finish(in: bytes)
        var decoders: [ColumnDecoder?] = ranges.map { _ in nil }
        // The columns that a column is the sum of precede it.
        var addends: Set<Int> = []
        for index in ranges.indices.reversed() where index == 0 || isWanted(index) || addends.contains(index) {
            let decoder = try ColumnDecoder(ranges[index], of: bytes, columnCount: index)
            if let integral = decoder.integral {
                addends.formUnion([integral.first, integral.second ?? integral.first])
            }
            decoders[index] = decoder
        }
        var tables = ColumnTables()
        var columns: [[Int64]] = []
        columns.reserveCapacity(columnCount)
        for index in decoders.indices {
            var values = try decoders[index]?.values(of: bytes, rowCount: rowCount, &tables) ?? []
            if let integral = decoders[index]?.integral {
                let factors = integral.second.map { columns[$0] }
                integral.apply(to: &values, of: columns[integral.first], times: factors, isAdding: true)
            }
            columns.append(values)
        }
        for index in addends where index > 0 && !isWanted(index) { columns[index] = [] }
        return columns
    }
}
