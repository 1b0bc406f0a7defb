import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

// The tables of series in views.mdb.
//
// | table | key | value |
// |---|---|---|
// | blocks | kind, 0, record id (16), number of the first item (8), replica (16), number of the event (8) | CRC-32C of the key and the rest (4), position (8), count of items (8), then what is said of them |
// | cells | kind, 0, record id (16), level (1), number of the cell (8) | CRC-32C of the key and the rest (4), then what is said of the blocks that begin in it |
//
// Numbers in keys are big-endian, so that they are in order.

/// A block of a series as the views have it: all but the items.
public struct StoredBlock: Hashable, Sendable {
    /// The event that brought it.
    public let event: EventID
    /// Where that stands; 0 where it is not here.
    public let position: Position
    /// The number of its first item.
    public let first: UInt64
    /// How many items there are.
    public let count: UInt64
}

enum BlockRow {
    /// The key of a block, or the start of those that begin with item `first`.
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

    /// The block under `key`, which was checked; `nil` where it is none of the record that `prefix` is the key of.
    static func block(_ key: RawSpan, _ row: RawSpan, of prefix: [UInt8]) -> StoredBlock? {
        guard key.byteCount == prefix.count + 32, row.byteCount >= 20, ViewReader.key(key, hasPrefix: prefix) else {
            return nil
        }
        return StoredBlock(
            event: EventID(
                ReplicaID(at: prefix.count + 8, of: key), key.bigEndianUInt64(at: prefix.count + 24)),
            position: row.uint64(at: 4), first: key.bigEndianUInt64(at: prefix.count), count: row.uint64(at: 12))
    }

    /// Where it is said of the items of a block, in its row.
    static func summary(of row: RawSpan) -> Range<Int> { 20..<row.byteCount }

    /// The key of a cell.
    static func key(kind: String, _ record: RecordID, level: Int, cell: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: kind.utf8.count + 26)
        writer.append(contentsOf: RecordKey.of(kind: kind, record))
        writer.append(UInt8(level))
        writer.append(bigEndian: cell)
        return writer.bytes
    }
}
