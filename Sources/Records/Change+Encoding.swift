import GroundwaveByteCoding
import GroundwaveEvents

// The shape of a change, all of it without personal text:
//
// | | |
// |---|---|
// | type | 1 byte: 1, a change |
// | version | varint: 1 |
// | kind | length, UTF-8 |
// | record | 16 bytes |
// | flags | 1 byte: bit 0, a source follows; bit 1, a block of a series instead of operations; bit 2, the source is |
// | | trusted; bit 3, related records follow |
// | source | 8 bytes |
// | related | count, at least 1, then 16 bytes each |
// | replicas | count, then 16 bytes each: the replicas of the superseded heads, other than the event's own |
// | operations | count, then each: code and flags (1 byte), field, heads |
// | block | number of the first item (varint), count of items (varint), summary (length, bytes) |
//
// An operation's first byte: bits 0–3 the code, bit 4 a value follows among the values, bit 5 heads carry an index, bit 6
// the stamp since when (8 bytes) follows the field. A field: varint 2n for number n; 2k+1 and k bytes for a name. Heads:
// count, then each: replica (0 = the event's own, k = the k-th of the table), sequence, and the index if bit 5 is set. A
// replica of one more than the table has stands for an event of the same batch: then the sequence is how many events it is
// before this one, since a batch is composed before it has numbers. All numbers are varints.
//
// The values: 16 random bytes, author, note, then the values in the order of their operations, or the items of the
// block, each with its length. The length of the author is doubled; bit 0 is set if correlation and causation follow the
// note.

extension DraftBatch {
    /// Appends `change` as the next event of the batch.
    ///
    /// - Parameters:
    ///   - replica: The author of the event; its own heads are written without a replica.
    ///   - event: The event's own provisional name, if the change supersedes heads of the same batch.
    ///   - note: Empty except in the last event of a batch.
    public mutating func append(
        _ change: Change, by replica: ReplicaID, as event: ProvisionalEvent? = nil, note: AuditNote = AuditNote(),
        using generator: inout some RandomNumberGenerator
    ) {
        let nonce = (generator.next(), generator.next())
        append(
            shape: { $0.append(shapeOf: change, by: replica, as: event) },
            values: { writer in
                writer.append(littleEndian: nonce.0)
                writer.append(littleEndian: nonce.1)
                writer.append(note)
                for operation in change.operations {
                    if let value = operation.value { writer.append(lengthPrefixed: value) }
                }
                if let block = change.block { writer.append(lengthPrefixed: block.content) }
            })
    }

    /// Appends a change that writes first values to `record` as the next event of the batch: the same bytes as for a
    /// ``Change`` of these operations, which is not made.
    ///
    /// - Parameter forEachValue: Passes the code of each operation (set or add), its field and its value; the same ones
    ///   whenever it is called.
    package mutating func append(
        firstValuesOf record: RecordID, _ kind: String, source: SourceID?, isTrusted: Bool,
        _ forEachValue: ((OperationCode, FieldKey, RawSpan) -> Void) -> Void,
        using generator: inout some RandomNumberGenerator
    ) {
        let nonce = (generator.next(), generator.next())
        var count = 0
        forEachValue { _, _, _ in count += 1 }
        append(
            shape: { writer in
                writer.append(changeOf: record, kind, source, isTrusted: isTrusted, hasBlock: false, related: [])
                // No heads, and so no replicas.
                writer.append(varint: 0)
                writer.append(varint: count)
                forEachValue { code, field, _ in
                    writer.append(code.rawValue | 0x10)
                    writer.append(field: field)
                    writer.append(varint: 0)
                }
            },
            values: { writer in
                writer.append(littleEndian: nonce.0)
                writer.append(littleEndian: nonce.1)
                writer.append(AuditNote())
                forEachValue { _, _, value in writer.append(lengthPrefixed: value) }
            })
    }

    /// The maximum number of bytes that such a change takes.
    package static func byteBound(
        ofFirstValues forEachValue: ((OperationCode, FieldKey, RawSpan) -> Void) -> Void, _ kind: String
    ) -> Int {
        var bound = 80 + kind.utf8.count
        forEachValue { _, field, value in
            bound += 40 + value.byteCount
            if case .name(let name) = field { bound += name.utf8.count }
        }
        return bound
    }

    /// The maximum number of bytes that shape and values of `change` take.
    public static func byteBound(of change: Change, note: AuditNote = AuditNote()) -> Int {
        var bound = 80 + change.kind.utf8.count + note.byteCount + (note.isTraced ? 20 : 0)
        if !change.related.isEmpty { bound += 3 + change.related.count * 16 }
        if let block = change.block { bound += 32 + block.summary.count + block.content.count }
        for operation in change.operations {
            bound += 40 + operation.supersedes.count * 34 + (operation.value?.count ?? 0)
            if case .name(let name) = operation.field { bound += name.utf8.count }
        }
        return bound
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ note: AuditNote) {
        let author = Array(note.author.utf8)
        append(varint: author.count << 1 | (note.isTraced ? 1 : 0))
        append(contentsOf: author.span.bytes)
        append(text: note.text)
        guard note.isTraced else { return }
        append(text: note.correlation)
        append(text: note.causation)
    }

    fileprivate mutating func append(shapeOf change: Change, by replica: ReplicaID, as event: ProvisionalEvent?) {
        append(
            changeOf: change.record, change.kind, change.source, isTrusted: change.isTrusted,
            hasBlock: change.block != nil, related: change.related)
        var others: [ReplicaID] = []
        for operation in change.operations {
            for head in operation.supersedes where head.event.replica != replica {
                if !others.contains(head.event.replica) { others.append(head.event.replica) }
            }
        }
        append(varint: others.count)
        for other in others { append(other) }
        append(varint: change.operations.count)
        for operation in change.operations {
            let hasIndexes = operation.supersedes.contains { $0.index != 0 }
            append(
                operation.code.rawValue | (operation.value == nil ? 0 : 0x10) | (hasIndexes ? 0x20 : 0)
                    | (operation.since == nil ? 0 : 0x40))
            append(field: operation.field)
            if let since = operation.since { append(littleEndian: since.rawValue) }
            append(varint: operation.supersedes.count)
            for head in operation.supersedes {
                if let distance = event?.distance(to: head.event) {
                    append(varint: others.count + 1)
                    append(varint: distance)
                } else {
                    append(varint: head.event.replica == replica ? 0 : 1 + others.firstIndex(of: head.event.replica)!)
                    append(varint: head.event.sequence)
                }
                if hasIndexes { append(varint: UInt64(head.index)) }
            }
        }
        if let block = change.block {
            append(varint: block.first)
            append(varint: block.count)
            append(lengthPrefixed: block.summary)
        }
    }

    /// Appends the beginning of a shape, up to the related records.
    fileprivate mutating func append(
        changeOf record: RecordID, _ kind: String, _ source: SourceID?, isTrusted: Bool, hasBlock: Bool,
        related: [RecordID]
    ) {
        append(ChangeReader.changeType)
        append(varint: ChangeReader.version)
        append(text: kind)
        append(record)
        append(
            UInt8((source == nil ? 0 : 1) | (hasBlock ? 2 : 0) | (isTrusted ? 4 : 0) | (related.isEmpty ? 0 : 8)))
        if let source { append(bigEndian: source.rawValue) }
        if !related.isEmpty {
            append(varint: related.count)
            for id in related { append(id) }
        }
    }

    /// Appends a field: twice its number, or twice the length of its name plus one and the name.
    package mutating func append(field: FieldKey) {
        switch field {
        case .number(let number): append(varint: UInt64(number) << 1)
        case .name(let name):
            let utf8 = [UInt8](name.utf8)
            append(varint: UInt64(utf8.count) << 1 | 1)
            append(contentsOf: utf8)
        }
    }
}
