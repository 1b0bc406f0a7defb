import Events
import Records

/// The record of each replica: its public key and the name of its device, told by its first event.
enum ReplicaKind: RecordKind {
    static let name = "replica"
    static let schema = KindSchema(
        name: name, fields: [FieldSchema(1, "KEY"), FieldSchema(2, "DEVICE"), FieldSchema(3, "PROGRAM")])
}

/// The record of each import: it closes every batch of it, so that the batches of one import are found together.
enum ImportKind: RecordKind {
    static let name = "import"
    static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "FILE"), FieldSchema(2, "SOURCE"), FieldSchema(3, "PROGRAM"), FieldSchema(4, "RECORDS"),
            FieldSchema(5, "IMPORTED"), FieldSchema(6, "UPDATED"), FieldSchema(7, "REJECTED"), FieldSchema(8, "ABSENT"),
        ])
}

/// The record of each merge of all duplicates: it closes every batch of it, so that they are taken back together.
enum MergeKind: RecordKind {
    static let name = "merge"
    static let schema = KindSchema(name: name, fields: [FieldSchema(1, "KEPT"), FieldSchema(2, "HIDDEN")])
}

/// The record of each undo: it closes the batch that takes another one back, and says which.
enum RevertKind: RecordKind {
    static let name = "revert"
    static let schema = KindSchema(name: name, fields: [FieldSchema(1, "BATCH")])

    /// The change that closes a batch which takes back the one that starts with event `first`.
    static func closing(_ first: EventID, as id: RecordID) -> Change {
        Change(
            kind: name, record: id,
            operations: schema.operations(assigning: [Assignment("BATCH", text: String(first.sequence))], to: nil))
    }

    /// The first event of the batch that `change`, the last one of its batch, says was taken back: one of the same
    /// replica.
    static func origin(of change: Change) -> SequenceNumber? {
        guard change.kind == name, let value = change.operations.first?.value else { return nil }
        return SequenceNumber(String(decoding: value, as: UTF8.self))
    }

    /// The names of the records that only say something of other batches, and are not themselves taken back.
    static let bookkeeping: Set<String> = [ReplicaKind.name, ImportKind.name, MergeKind.name, name]
}
