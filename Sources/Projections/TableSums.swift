import GroundwaveByteCoding

/// The tables of a view whose rows are counted and summed.
enum SummedTable: Int, CaseIterable, Sendable {
    case records, index, unread, blocks, cells, behind
    /// All rows of `meta` but the checkpoint, which holds the sums.
    case meta

    /// Returns the table called `name`; `nil` if a view has none of that name.
    init?(name: String) {
        guard let table = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = table
    }

    /// The name of the table in the file.
    var name: String { "\(self)" }
}

/// The contribution of one row to a sum: 64 bits that depend on its key and value.
struct RowMark: Hashable, Sendable {
    fileprivate let bits: UInt64

    /// Creates the mark of a row with this checksum, whose key and value have `byteCount` bytes together.
    ///
    /// The finaliser of splitmix64 (Steele, Lea and Flood, 2014) is a bijection, so rows with different checksums or
    /// lengths have different marks, and their sums are equal only by chance.
    init(checksum: UInt32, byteCount: Int) {
        var word = UInt64(truncatingIfNeeded: byteCount) << 32 | UInt64(checksum)
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        bits = word ^ word >> 31
    }

    /// Creates the mark of a row that begins with its checksum, as all rows of views do; `nil` if it is too short for
    /// one.
    init?(key: RawSpan, row: RawSpan) {
        guard row.byteCount >= 4 else { return nil }
        self.init(checksum: row.uint32(at: 0), byteCount: key.byteCount + row.byteCount)
    }
}

/// The number of rows of each table of a view, and the sum of their marks modulo 2⁶⁴; part of the checkpoint.
///
/// The checksum of a row proves that the row was once written, but not that it is current: a page that has fallen
/// back to its content of some commits ago has only correct checksums. The sums change with every row that is added,
/// changed or removed, do not depend on the order, and cost one addition per row. A check of the file adds up all
/// rows and compares.
struct TableSums: Hashable, Sendable {
    /// The sum over one table.
    struct Sum: Hashable, Sendable {
        /// The number of rows.
        var rows: UInt64 = 0
        /// The sum of the marks of the rows.
        var total: UInt64 = 0
    }

    static let byteCount = SummedTable.allCases.count * 16

    // Separate properties instead of an array, so that each row costs only an addition.
    private var records = Sum()
    private var index = Sum()
    private var unread = Sum()
    private var blocks = Sum()
    private var cells = Sum()
    private var behind = Sum()
    private var meta = Sum()

    /// Creates the sums of empty tables.
    init() {}

    /// - Parameter offset: The offset of the sums in `bytes`, which has at least ``byteCount`` bytes from there.
    init(at offset: Int, of bytes: RawSpan) {
        for table in SummedTable.allCases {
            let start = offset + table.rawValue * 16
            self[table] = Sum(rows: bytes.uint64(at: start), total: bytes.uint64(at: start + 8))
        }
    }

    func append(to writer: inout ByteWriter) {
        for table in SummedTable.allCases {
            writer.append(littleEndian: self[table].rows)
            writer.append(littleEndian: self[table].total)
        }
    }

    private(set) subscript(table: SummedTable) -> Sum {
        get {
            switch table {
            case .records: records
            case .index: index
            case .unread: unread
            case .blocks: blocks
            case .cells: cells
            case .behind: behind
            case .meta: meta
            }
        }
        set {
            switch table {
            case .records: records = newValue
            case .index: index = newValue
            case .unread: unread = newValue
            case .blocks: blocks = newValue
            case .cells: cells = newValue
            case .behind: behind = newValue
            case .meta: meta = newValue
            }
        }
    }

    /// Counts an added row.
    mutating func add(_ mark: RowMark, to table: SummedTable) {
        self[table].rows &+= 1
        self[table].total &+= mark.bits
    }

    /// Counts a removed row.
    mutating func subtract(_ mark: RowMark, from table: SummedTable) {
        self[table].rows &-= 1
        self[table].total &-= mark.bits
    }

    /// Describes the first table whose sum differs from that in `found`; `nil` if all are equal.
    func difference(fromFound found: TableSums) -> String? {
        for table in SummedTable.allCases where self[table] != found[table] {
            let (wanted, there) = (self[table].rows, found[table].rows)
            return wanted == there
                ? "the rows of its table \(table.name) are not those of its last commit"
                : "its table \(table.name) has \(there) rows, but its checkpoint counts \(wanted)"
        }
        return nil
    }
}
