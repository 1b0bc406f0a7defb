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
// | index | kind, 0, number of the index (1), search key, record id (16) | CRC-32C of the key (4) |
// | unread | position (8) | CRC-32C of key and rest (4), then why the event there is not folded: 1 unknown or 2 malformed, then a description |
// | blocks, cells | see BlockRow.swift | |
// | meta | `checkpoint`, `names` | see Checkpoint and Records.Names, each with a CRC-32C before it |

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

/// The key of an entry of a secondary index.
struct IndexKey {
    static func prefix(kind: String, index: UInt8) -> [UInt8] { RecordKey.prefix(kind: kind) + [index] }

    static func of(kind: String, _ index: UInt8, _ key: RawSpan, _ record: RecordID) -> [UInt8] {
        var writer = ByteWriter(capacity: kind.utf8.count + 2 + key.byteCount + 16)
        writer.append(indexKey: key, in: index, of: kind, record)
        return writer.bytes
    }
}

extension ByteWriter {
    /// Appends the key of an entry of a secondary index.
    mutating func append(indexKey key: RawSpan, in index: UInt8, of kind: String, _ record: RecordID) {
        for byte in kind.utf8 { append(byte) }
        append(UInt8(0))
        append(index)
        append(contentsOf: key)
        append(record)
    }
}

struct ViewTables {
    static let count = 8

    let records: Table<[UInt8]>
    let index: Table<[UInt8]>
    let unread: Table<UInt64>
    let blocks: Table<[UInt8]>
    let cells: Table<[UInt8]>
    let meta: Table<[UInt8]>

    /// Creates the tables.
    init(creatingIn transaction: borrowing WriteTransaction) throws {
        records = try transaction.openOrCreate("records")
        index = try transaction.openOrCreate("index")
        unread = try transaction.openOrCreate("unread")
        blocks = try transaction.openOrCreate("blocks")
        cells = try transaction.openOrCreate("cells")
        meta = try transaction.openOrCreate("meta")
    }

    init(in transaction: borrowing some ReadableTransaction & ~Copyable) throws {
        guard let records = try transaction.table("records", of: [UInt8].self),
            let index = try transaction.table("index", of: [UInt8].self),
            let unread = try transaction.table("unread", of: UInt64.self),
            let blocks = try transaction.table("blocks", of: [UInt8].self),
            let cells = try transaction.table("cells", of: [UInt8].self),
            let meta = try transaction.table("meta", of: [UInt8].self)
        else { throw ViewError.damaged("its tables are missing") }
        self.records = records
        self.index = index
        self.unread = unread
        self.blocks = blocks
        self.cells = cells
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
        case .meta: try transaction.count(of: meta) - 1
        }
    }
}

/// Why a view cannot be read. It is disposable: damaged and stale views are rebuilt from the log.
public enum ViewError: Error, Hashable, Sendable {
    /// A row or table is not what was written.
    case damaged(String)
    /// The view belongs to another log, another history of it, or another version of the kinds.
    case stale
    /// The log has late events that were not folded into the view yet.
    case behind
    /// The view cannot be brought up to date because the store is read-only.
    case readOnly
}

/// The progress of a view, and the log that it belongs to; written in the same transaction as the rows.
struct Checkpoint: Hashable {
    var log: LogID
    var epoch: UInt64
    /// The signature of the kinds and indexes that the rows were made for.
    var signature: UInt64
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
        log: LogID, epoch: UInt64, signature: UInt64, content: LogContent, position: Position = 0,
        checksum: UInt32 = 0
    ) {
        self.log = log
        self.epoch = epoch
        self.signature = signature
        self.content = content
        self.position = position
        self.checksum = checksum
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withSpan { bytes in
            Checkpoint(
                log: LogID(at: 0, of: bytes), epoch: bytes.uint64(at: 16), signature: bytes.uint64(at: 24),
                content: LogContent(at: 32, of: bytes), position: bytes.uint64(at: 56),
                checksum: bytes.uint32(at: 64))
        }
        sums = bytes.withSpan { TableSums(at: 68, of: $0) }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.append(log)
        writer.append(littleEndian: epoch)
        writer.append(littleEndian: signature)
        writer.append(content)
        writer.append(littleEndian: position)
        writer.append(littleEndian: checksum)
        sums.append(to: &writer)
        return writer.bytes
    }
}

/// Rows begin with a checksum: of key and value, or, in the meta table, of the value alone.
enum CheckedRow {
    /// Throws unless the row of a record, block, cell or unread event is as it was written under `key`.
    static func check(_ key: RawSpan, _ row: RawSpan) throws {
        let isSound =
            row.byteCount >= 4
            && CRC32C.checksum(row.extracting(4..<row.byteCount), continuing: CRC32C.checksum(key)) == row.uint32(at: 0)
        guard isSound else { throw ViewError.damaged("the checksum of a row is wrong") }
    }

    /// Throws unless an index entry is as written.
    static func checkEntry(_ key: RawSpan, _ value: RawSpan) throws {
        guard value.byteCount == 4, CRC32C.checksum(key) == value.uint32(at: 0) else {
            throw ViewError.damaged("the checksum of an index entry is wrong")
        }
    }

    /// Returns the row with the content `bytes` under `key`.
    static func seal(_ bytes: [UInt8], under key: some TableKey) -> [UInt8] {
        let start = key.withKeyBytes { CRC32C.checksum($0) }
        var writer = ByteWriter(capacity: bytes.count + 4)
        writer.append(littleEndian: bytes.withSpan { CRC32C.checksum($0, continuing: start) })
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
