import Crypto
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// The digest of a store's views, with IDs, heads and provenance. It is the same in every store with the same events,
/// in whatever order they were received.
public struct ViewDigest: Hashable, Sendable {
    /// The SHA-256 of all records in order of kind and id, then of all blocks of series, without their items.
    public let hash: Hash256
    /// The number of records.
    public let records: Int
}

extension ViewReader {
    /// Returns the digest of these views. Cost: about 3 us for each record, as every record is read.
    ///
    /// Excludes everything local: positions, local numbers, policies, and names of superseded heads that were not
    /// received yet.
    public func digest() throws -> ViewDigest {
        var hasher = SHA256()
        var writer = ByteWriter(capacity: 4096)
        var count = 0
        for kind in try kindsWithRecords() {
            try forEachRecord(of: kind) { record in
                if record.fields.isEmpty && record.deletions.isEmpty && !record.isErased { return true }
                count += 1
                writer.removeAll()
                writer.append(canonical: record)
                writer.bytes.span.bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
                return true
            }
        }
        try forEachBlock { kind, record, block, summary in
            writer.removeAll()
            writer.append(block, of: kind, record, summary: summary)
            writer.bytes.span.bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        }
        return ViewDigest(hash: Hash256(hasher.finalize()), records: count)
    }
}

extension ByteWriter {
    /// Appends one record in the canonical form, which is the same in every store.
    mutating func append(canonical record: Record) {
        append(text: record.kind)
        append(record.id)
        // Of an erased record only the id counts.
        if record.isErased { return append(varint: UInt64.max) }
        append(varint: record.fields.count)
        for field in record.fields {
            append(field: field.key)
            append(varint: field.heads.count)
            // Sorted by ID, not by policy, since policies belong to the reader.
            for head in field.heads.sorted(by: { $0.id < $1.id }) {
                append(head.id.event.replica)
                append(varint: head.id.event.sequence)
                append(varint: UInt64(head.id.index))
                append(littleEndian: head.stamp.rawValue)
                append(UInt8(head.isWithheld ? 2 : head.value == nil ? 0 : 1))
                if let value = head.value { append(lengthPrefixed: value) }
            }
        }
        append(varint: record.deletions.count)
        for deletion in record.deletions {
            append(deletion.event.replica)
            append(varint: deletion.event.sequence)
            append(littleEndian: deletion.stamp.rawValue)
            append(varint: deletion.covered.count)
            for event in deletion.covered {
                append(event.replica)
                append(varint: event.sequence)
            }
        }
    }
}
