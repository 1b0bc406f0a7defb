import ByteCoding

/// The tables of a view whose rows are counted and summed.
enum SummedTable: Int, CaseIterable, Sendable {
    case records, index, unread, blocks, cells
    /// All of its rows but the checkpoint, which holds the sums.
    case meta

    /// The table called `name`; `nil` where a view has none of that name.
    init?(name: String) {
        guard let table = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = table
    }

    /// What it is called in the file.
    var name: String { "\(self)" }
}

/// One row in a sum: 64 bits that its key and its value decide.
struct RowMark: Hashable, Sendable {
    fileprivate let bits: UInt64

    /// The mark of a row of `byteCount` bytes, key and value together, whose checksum is `checksum`.
    ///
    /// The finaliser of splitmix64 (Steele, Lea and Flood, 2014) takes no two inputs to one output, so rows with different
    /// checksums or lengths have different marks, and sums of them meet by chance alone.
    init(checksum: UInt32, byteCount: Int) {
        var word = UInt64(truncatingIfNeeded: byteCount) << 32 | UInt64(checksum)
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        bits = word ^ word >> 31
    }

    /// The mark of a row that begins with its checksum, as all rows of views do; `nil` where it is too short for one.
    init?(key: RawSpan, row: RawSpan) {
        guard row.byteCount >= 4 else { return nil }
        self.init(checksum: row.uint32(at: 0), byteCount: key.byteCount + row.byteCount)
    }
}

/// How many rows each table of a view has, and the sum of their marks modulo 2⁶⁴; part of the checkpoint.
///
/// The checksum of a row says that the row was written once, and not that it is the one that counts now: a page that says
/// again what it said some commits ago has checksums that are all right. The sum changes with every row that comes, changes
/// or goes, in whatever order, and costs an addition each. A walk through all rows adds them up again, and compares.
struct TableSums: Hashable, Sendable {
    /// The rows of one table.
    struct Sum: Hashable, Sendable {
        /// How many there are.
        var rows: UInt64 = 0
        /// The sum of their marks.
        var total: UInt64 = 0
    }

    static let byteCount = SummedTable.allCases.count * 16

    // One by one and not in an array: an addition for each row is all that they cost.
    private var records = Sum()
    private var index = Sum()
    private var unread = Sum()
    private var blocks = Sum()
    private var cells = Sum()
    private var meta = Sum()

    /// The sums of empty tables.
    init() {}

    /// - Parameter offset: Where the sums begin in `bytes`, which has ``byteCount`` more from there on.
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
            case .meta: meta = newValue
            }
        }
    }

    /// Counts a row that came.
    mutating func add(_ mark: RowMark, to table: SummedTable) {
        self[table].rows &+= 1
        self[table].total &+= mark.bits
    }

    /// Counts a row that went.
    mutating func subtract(_ mark: RowMark, from table: SummedTable) {
        self[table].rows &-= 1
        self[table].total &-= mark.bits
    }

    /// In which table these are not `other`, in plain words, as of what was `found`; `nil` where they are the same.
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
