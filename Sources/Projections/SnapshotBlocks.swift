import ByteCoding
import EventLog
import Events
import Records

/// A block of a series in a snapshot, without its items. Blocks follow one another in order of kind, record, first
/// item and event:
///
/// | part | format |
/// |---|---|
/// | kind | text |
/// | record | 16 bytes |
/// | event | replica (16 bytes), number (varint) |
/// | items | number of the first one, count (varints) |
/// | summary | length (varint), bytes |
struct SnapshotBlock {
    var kind: String
    var record: RecordID
    var block: StoredBlock
    var summary: [UInt8]
}

extension ByteWriter {
    mutating func append(
        _ block: StoredBlock, of kind: String, _ record: RecordID, summary: RawSpan
    ) {
        append(text: kind)
        append(record)
        append(block.event.replica)
        append(varint: block.event.sequence)
        append(varint: block.first)
        append(varint: block.count)
        append(varint: summary.byteCount)
        append(contentsOf: summary)
    }
}

extension SnapshotBlock {
    /// Reads the blocks of one part of a snapshot, with their positions in the log of `runs`.
    static func read(_ content: [UInt8], _ runs: RunIndex) throws(SnapshotError) -> [SnapshotBlock] {
        do {
            return try content.withSpan { bytes in
                var reader = ByteReader()
                var blocks: [SnapshotBlock] = []
                while reader.offset < bytes.byteCount {
                    let kind = try reader.text(in: bytes)
                    let record = RecordID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
                    let replica = ReplicaID(at: try reader.skip(16, in: bytes).lowerBound, of: bytes)
                    let event = EventID(replica, try reader.varint(in: bytes))
                    let (first, count) = (try reader.varint(in: bytes), try reader.varint(in: bytes))
                    let summary = try reader.lengthPrefixed(in: bytes)
                    let block = StoredBlock(
                        event: event, position: runs.position(of: event.replica, event.sequence), first: first,
                        count: count)
                    blocks.append(
                        SnapshotBlock(
                            kind: kind, record: record, block: block, summary: bytes.extracting(summary).toArray()))
                }
                return blocks
            }
        } catch { throw .damaged("blocks of a series") }
    }
}
