/// The constants of apache/parquet-format's `parquet.thrift` that are used here.
enum Parquet {
    static let magic = Array("PAR1".utf8)
    static let int64 = 2
    static let required = 0
    static let optional = 1
    static let dataPage = 0
    static let runLengths = 3
    static let deltaBinaryPacked = 5
    static let uncompressed = 0
    static let zstd = 6
}

/// The footer of a Parquet file: its columns, and the positions of its row groups.
struct ParquetFooter {
    private var groups: [[UInt8]] = []
    private(set) var rowCount = 0

    /// Adds a row group that begins at byte `offset`.
    mutating func append(_ chunks: [ParquetColumn.Chunk], rowCount: Int, at offset: Int, byteCount: Int) {
        var group = ThriftStruct()
        group.set(1, structs: chunks.map(\.about))
        group.set(2, int64: chunks.reduce(0) { $0 + $1.plainByteCount })
        group.set(3, int64: rowCount)
        group.set(5, int64: offset)
        group.set(6, int64: byteCount)
        groups.append(group.finish())
        self.rowCount += rowCount
    }

    /// Returns the bytes, without the length and the magic word after them. They contain no program version. A calibration
    /// is the value of the key `calibrated`.
    func bytes(_ columns: [ParquetColumn], calibration: String = "") -> [UInt8] {
        var root = ThriftStruct()
        root.set(4, Array("schema".utf8))
        root.set(5, int32: columns.count)
        // ColumnOrder: minimum and maximum use the order of the type.
        var order = ThriftStruct()
        order.set(1, ThriftStruct())
        var file = ThriftStruct()
        file.set(1, int32: 2)
        file.set(2, structs: [root.finish()] + columns.map(Self.schema))
        file.set(3, int64: rowCount)
        file.set(4, structs: groups)
        if !calibration.isEmpty {
            var pair = ThriftStruct()
            pair.set(1, Array("calibrated".utf8))
            pair.set(2, Array(calibration.utf8))
            file.set(5, structs: [pair.finish()])
        }
        file.set(6, Array("Groundwave".utf8))
        file.set(7, structs: Array(repeating: order.finish(), count: columns.count))
        return file.finish()
    }

    // Each type is given twice: older readers use the converted type (field 6), newer ones the logical type (field
    // 10).
    private static func schema(_ column: ParquetColumn) -> [UInt8] {
        var element = ThriftStruct()
        element.set(1, int32: Parquet.int64)
        element.set(3, int32: column.isOptional ? Parquet.optional : Parquet.required)
        element.set(4, Array(column.name.utf8))
        var logical = ThriftStruct()
        switch column.kind {
        case .integer: return element.finish()
        case .time:
            element.set(6, int32: 9)
            var unit = ThriftStruct()
            unit.set(1, ThriftStruct())
            var type = ThriftStruct()
            type.set(1, true)
            type.set(2, unit)
            logical.set(8, type)
        case .count:
            element.set(6, int32: 14)
            var type = ThriftStruct()
            type.set(1, byte: 64)
            type.set(2, false)
            logical.set(10, type)
        case .decimal(let scale):
            element.set(6, int32: 5)
            element.set(7, int32: scale)
            element.set(8, int32: ParquetColumn.decimalDigits)
            var type = ThriftStruct()
            type.set(1, int32: scale)
            type.set(2, int32: ParquetColumn.decimalDigits)
            logical.set(5, type)
        }
        element.set(10, logical)
        return element.finish()
    }
}
