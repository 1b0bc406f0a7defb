import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveLogFormat
import GroundwaveRecords

// The tables of views.mdb. They are folded from the log, and disposable.
//
// | table | key | value |
// |---|---|---|
// | records | kind, 0, record id (16) | the record's row: see RecordState+Encoding.swift |
// | index | number of the derivation (2), of the index (1), key, record id (16); of sums without the record | CRC-32C of key and rest (4), then the value |
// | behind | number of the derivation (2), kind, 0, record id (16) | CRC-32C of key and rest (4), then the row of the record that the derivation was made of; empty if there was none |
// | unread | position (8) | CRC-32C of key and rest (4), then why the event there is not folded: 1 unknown or 2 malformed, then a description |
// | blocks, cells | see BlockRow.swift | |
// | meta | `checkpoint`, `names`, `derivations`, `clocks` | see Checkpoint, Records.Names, DerivationDirectory and Records.ClockDeclarations, each with a CRC-32C before it |

/// The key of a record, or the prefix of the keys of a kind.
struct RecordKey {
    static func of(kind: String, _ record: RecordID) -> [UInt8] {
        var writer = ByteWriter(capacity: kind.utf8.count + 17)
        for byte in kind.utf8 { writer.append(byte) }
        writer.append(UInt8(0))
        writer.append(record)
        return writer.bytes
    }

    static func prefix(kind: String) -> [UInt8] { [UInt8](kind.utf8) + [0] }

    /// Makes `key` that of another record of the same kind.
    static func change(_ key: inout [UInt8], to record: RecordID) {
        let start = key.count - 16
        for byte in 0..<8 {
            let shift = UInt64(56 - 8 * byte)
            key[start + byte] = UInt8(truncatingIfNeeded: record.high >> shift)
            key[start + 8 + byte] = UInt8(truncatingIfNeeded: record.low >> shift)
        }
    }

    /// Returns the kind and the id in a key, or `nil` if it is not the key of a record.
    static func parse(_ key: RawSpan) -> (kind: String, record: RecordID)? {
        guard key.byteCount > 17, key.byte(at: key.byteCount - 17) == 0 else { return nil }
        let kind = String(decoding: key.extracting(0..<(key.byteCount - 17)).toArray(), as: UTF8.self)
        return (kind, RecordID(at: key.byteCount - 16, of: key))
    }
}

/// The key of a row of a derivation.
struct DerivedKey {
    static func prefix(of derivation: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: derivation >> 8), UInt8(truncatingIfNeeded: derivation)]
    }

    static func prefix(of derivation: UInt16, index: UInt8) -> [UInt8] { prefix(of: derivation) + [index] }

    static func of(_ derivation: UInt16, _ index: UInt8, _ key: RawSpan, _ record: RecordID) -> [UInt8] {
        var writer = ByteWriter(capacity: 3 + key.byteCount + 16)
        writer.append(derivedKey: key, in: index, of: derivation, record)
        return writer.bytes
    }
}

extension ByteWriter {
    /// Appends the key of a row of a derivation. Those of sums are without the record.
    mutating func append(derivedKey key: RawSpan, in index: UInt8, of derivation: UInt16, _ record: RecordID) {
        append(bigEndian: derivation)
        append(index)
        append(contentsOf: key)
        if index != IndexEntries.sums { append(record) }
    }
}

struct ViewTables {
    static let count = 8

    let records: Table<[UInt8]>
    let index: Table<[UInt8]>
    let unread: Table<UInt64>
    let blocks: Table<[UInt8]>
    let cells: Table<[UInt8]>
    let behind: Table<[UInt8]>
    let meta: Table<[UInt8]>

    /// Creates the tables.
    init(creatingIn transaction: borrowing WriteTransaction) throws {
        records = try transaction.openOrCreate("records")
        index = try transaction.openOrCreate("index")
        unread = try transaction.openOrCreate("unread")
        blocks = try transaction.openOrCreate("blocks")
        cells = try transaction.openOrCreate("cells")
        behind = try transaction.openOrCreate("behind")
        meta = try transaction.openOrCreate("meta")
    }

    init(in transaction: borrowing some ReadableTransaction & ~Copyable) throws {
        guard let records = try transaction.table("records", of: [UInt8].self),
            let index = try transaction.table("index", of: [UInt8].self),
            let unread = try transaction.table("unread", of: UInt64.self),
            let blocks = try transaction.table("blocks", of: [UInt8].self),
            let cells = try transaction.table("cells", of: [UInt8].self),
            let behind = try transaction.table("behind", of: [UInt8].self),
            let meta = try transaction.table("meta", of: [UInt8].self)
        else { throw ViewError.damaged("its tables are missing") }
        self.records = records
        self.index = index
        self.unread = unread
        self.blocks = blocks
        self.cells = cells
        self.behind = behind
        self.meta = meta
    }

    /// Returns the number of rows that LMDB counts in `table`, without the checkpoint.
    func count(of table: SummedTable, in transaction: borrowing some ReadableTransaction & ~Copyable) throws -> Int {
        switch table {
        case .records: try transaction.count(of: records)
        case .index: try transaction.count(of: index)
        case .unread: try transaction.count(of: unread)
        case .blocks: try transaction.count(of: blocks)
        case .cells: try transaction.count(of: cells)
        case .behind: try transaction.count(of: behind)
        case .meta: try transaction.count(of: meta) - 1
        }
    }
}

/// Why a view cannot be read. It is disposable: damaged and stale views are rebuilt from the log.
public enum ViewError: Error, Hashable, Sendable {
    /// A row or table is not what was written.
    case damaged(String)
    /// The view belongs to another log, another history of it, or is of another layout.
    case stale
    /// The log has late events that were not folded into the view yet, or something that this program derives from records is
    /// missing or behind.
    case behind
    /// The view cannot be brought up to date because the store is read-only.
    case readOnly
}

/// The progress of a view, and the log that it belongs to; written in the same transaction as the rows.
struct Checkpoint: Hashable {
    var log: LogID
    var epoch: UInt64
    /// The version of the layout of the rows: see ``Kinds/viewVersion``.
    var layout: UInt64
    /// The content of the log whose events were folded. The rows are valid for its generation; newer late events are
    /// still to be folded.
    var content: LogContent
    var position: Position
    /// The checksum of the frame at that position.
    var checksum: UInt32
    /// The counts and sums of the rows, as ``RowWriter`` keeps them.
    var sums = TableSums()

    private static let byteCount = 68 + TableSums.byteCount

    static let key = [UInt8]("checkpoint".utf8)

    init(
        log: LogID, epoch: UInt64, layout: UInt64 = Kinds.viewVersion, content: LogContent, position: Position = 0,
        checksum: UInt32 = 0
    ) {
        self.log = log
        self.epoch = epoch
        self.layout = layout
        self.content = content
        self.position = position
        self.checksum = checksum
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withSpan { bytes in
            Checkpoint(
                log: LogID(at: 0, of: bytes), epoch: bytes.uint64(at: 16), layout: bytes.uint64(at: 24),
                content: LogContent(at: 32, of: bytes), position: bytes.uint64(at: 56),
                checksum: bytes.uint32(at: 64))
        }
        sums = bytes.withSpan { TableSums(at: 68, of: $0) }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.append(log)
        writer.append(littleEndian: epoch)
        writer.append(littleEndian: layout)
        writer.append(content)
        writer.append(littleEndian: position)
        writer.append(littleEndian: checksum)
        sums.append(to: &writer)
        return writer.bytes
    }
}

/// Rows begin with a checksum: of key and value, or, in the meta table, of the value alone.
enum CheckedRow {
    /// Throws unless a row, of any table but `meta`, is as it was written under `key`.
    static func check(_ key: RawSpan, _ row: RawSpan) throws {
        let isSound =
            row.byteCount >= 4
            && CRC32C.checksum(row.extracting(4..<row.byteCount), continuing: CRC32C.checksum(key)) == row.uint32(at: 0)
        guard isSound else { throw ViewError.damaged("the checksum of a row is wrong") }
    }

    /// Returns the row with the content `bytes` under `key`.
    static func seal(_ bytes: [UInt8], under key: some TableKey) -> [UInt8] { seal(bytes.span.bytes, under: key) }

    /// Returns the row with the content `bytes` under `key`.
    static func seal(_ bytes: RawSpan, under key: some TableKey) -> [UInt8] {
        let start = key.withKeyBytes { CRC32C.checksum($0) }
        var writer = ByteWriter(capacity: bytes.byteCount + 4)
        writer.append(littleEndian: CRC32C.checksum(bytes, continuing: start))
        writer.append(contentsOf: bytes)
        return writer.bytes
    }

    static func seal(_ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.count + 4)
        writer.append(littleEndian: bytes.withSpan { CRC32C.checksum($0) })
        writer.append(contentsOf: bytes)
        return writer.bytes
    }

    static func open(_ row: [UInt8]) throws(ViewError) -> [UInt8] {
        let isSound =
            row.count >= 4 && row.withSpan { CRC32C.checksum($0.extracting(4..<$0.byteCount)) == $0.uint32(at: 0) }
        guard isSound else { throw .damaged("the checksum of its checkpoint is wrong") }
        return Array(row.dropFirst(4))
    }
}
