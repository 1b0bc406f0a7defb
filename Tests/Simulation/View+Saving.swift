import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// A view as it lies on the disk: it may lag behind the log.
struct SavedView {
    fileprivate let rows: [RecordID: [UInt8]]
    fileprivate let names: [UInt8]
    fileprivate let view: View
    /// How far it had come, and the leaf of the event there: a number alone would not say of which history.
    let position: Position
    let leaf: Hash256?
    /// By which readings of names it was folded.
    let resolutionsCount: UInt64

    init(_ view: View, leaf: Hash256?, resolutionsCount: UInt64) {
        rows = view.states.mapValues { state in
            var writer = ByteWriter()
            state.encode(into: &writer)
            return writer.bytes
        }
        names = view.names.encode()
        position = view.position
        self.view = view.withoutRecords
        self.leaf = leaf
        self.resolutionsCount = resolutionsCount
    }
}

extension View {
    /// The view that was saved.
    init(_ saved: SavedView) throws {
        let names = try saved.names.withSpan { try Names(decoding: $0) }
        let states = try saved.rows.mapValues { row in
            var state = RecordState()
            try row.withSpan { try state.decode($0, names: names) }
            return state
        }
        self = saved.view.with(states, names)
    }

    /// A hash of all that is shown, and of what is in conflict: the same for the same events in any order.
    func digest() -> Hash256 {
        var writer = ByteWriter(capacity: 4096)
        writer.append(varint: unknownCount)
        for (event, events) in erasures.sorted(by: { $0.key < $1.key }) {
            writer.append(event)
            for range in events.ranges {
                writer.append(range.replica)
                writer.append(littleEndian: range.first)
                writer.append(littleEndian: range.last)
            }
        }
        for record in records {
            if let record = self[record], record.eventCount > 0 { writer.append(record) }
        }
        return writer.withSpan { Hash256(hashing: $0) }
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ event: EventID) {
        append(event.replica)
        append(littleEndian: event.sequence)
    }

    fileprivate mutating func append(_ record: Record) {
        append(record.id)
        append(UInt8(record.isErased ? 2 : record.isVisible ? 1 : 0))
        append(varint: record.eventCount)
        append(varint: record.fields.count)
        for field in record.fields {
            append(text: field.key.plainName)
            append(varint: field.heads.count)
            // In order: the one that is shown is last.
            for head in field.heads {
                append(head.id.event)
                append(littleEndian: head.id.index)
                append(littleEndian: head.stamp.rawValue)
                append(littleEndian: head.source?.rawValue ?? 0)
                append(UInt8(head.isWithheld ? 2 : head.value == nil ? 0 : 1))
                append(lengthPrefixed: head.value ?? [])
            }
        }
        append(varint: record.deletions.count)
        for deletion in record.deletions {
            append(deletion.event)
            append(varint: deletion.covered.count)
            for event in deletion.covered { append(event) }
        }
    }
}
