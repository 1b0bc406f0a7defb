import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

// The tables of series in views.mdb.
//
// | table | key | value |
// |---|---|---|
// | blocks | kind, 0, record id (16), number of the first item (8), replica (16), number of the event (8) | CRC-32C of the key and the rest (4), position (8), count of items (8), then the summary of the items |
// | cells | number of the derivation (2), record id (16), level (1), number of the cell (8) | CRC-32C of the key and the rest (4), then the summary of the blocks that begin in the cell |
//
// Numbers in keys are big-endian, so that keys sort in numeric order.

/// A block of a series as stored in the views: everything but the items.
public struct StoredBlock: Hashable, Sendable {
    /// The event that added the block.
    public let event: EventID
    /// The position of the event; 0 if it is not in the log.
    public let position: Position
    /// The number of the first item.
    public let first: UInt64
    /// The number of items.
    public let count: UInt64
}

enum BlockRow {
    /// Returns the key of a block, or, without `event`, the prefix of the keys of the blocks that begin with item
    /// `first`.
    static func key(kind: String, _ record: RecordID, from first: UInt64, _ event: EventID? = nil) -> [UInt8] {
        var writer = ByteWriter(capacity: kind.utf8.count + 49)
        writer.append(contentsOf: RecordKey.of(kind: kind, record))
        writer.append(bigEndian: first)
        if let event {
            writer.append(event.replica)
            writer.append(bigEndian: event.sequence)
        }
        return writer.bytes
    }

    static func row(_ block: StoredBlock, _ summary: RawSpan, under key: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: summary.byteCount + 20)
        writer.append(littleEndian: block.position)
        writer.append(littleEndian: block.count)
        writer.append(contentsOf: summary)
        return CheckedRow.seal(writer.bytes, under: key)
    }

    /// Returns the block under `key`, whose checksum was verified; `nil` if it is not of the record with the key
    /// `prefix`.
    static func block(_ key: RawSpan, _ row: RawSpan, of prefix: [UInt8]) -> StoredBlock? {
        guard key.byteCount == prefix.count + 32, row.byteCount >= 20, ViewReader.key(key, hasPrefix: prefix) else {
            return nil
        }
        return StoredBlock(
            event: EventID(
                ReplicaID(at: prefix.count + 8, of: key), key.bigEndianUInt64(at: prefix.count + 24)),
            position: row.uint64(at: 4), first: key.bigEndianUInt64(at: prefix.count), count: row.uint64(at: 12))
    }

    /// Returns the byte range of the summary in the row of a block.
    static func summary(of row: RawSpan) -> Range<Int> { 20..<row.byteCount }

    /// Returns the key of a cell of the derivation `cells`.
    static func key(cells: UInt16, _ record: RecordID, level: Int, cell: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 27)
        writer.append(bigEndian: cells)
        writer.append(record)
        writer.append(UInt8(level))
        writer.append(bigEndian: cell)
        return writer.bytes
    }
}
