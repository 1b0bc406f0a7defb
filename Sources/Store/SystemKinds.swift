import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveRecovery

/// The record of each replica: its public key and the name of its device, written by its first event; and the replica
/// that it continues, if the store was copied or restored from a backup.
package enum ReplicaKind: RecordKind {
    package static let name = "replica"
    package static let schema = KindSchema(
        name: name,
        fields: [FieldSchema(1, "KEY"), FieldSchema(2, "DEVICE"), FieldSchema(3, "PROGRAM"), FieldSchema(4, "FORMER")])
}

/// The record of each import. It closes every batch of the import, so that these are found together.
package enum ImportKind: RecordKind {
    package static let name = "import"
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "FILE"), FieldSchema(2, "SOURCE"), FieldSchema(3, "PROGRAM"), FieldSchema(4, "RECORDS"),
            FieldSchema(5, "IMPORTED"), FieldSchema(6, "UPDATED"), FieldSchema(7, "REJECTED"), FieldSchema(8, "ABSENT"),
        ])
}

/// The record of each merge of all duplicates. It closes every batch of the merge, so that these are undone together.
package enum MergeKind: RecordKind {
    package static let name = "merge"
    package static let schema = KindSchema(name: name, fields: [FieldSchema(1, "KEPT"), FieldSchema(2, "HIDDEN")])
}

/// The record of each undo. It closes the batch that takes other events back, and lists these events. It also states
/// whether the undo is a step of its own, which the next undo takes back, or a step back.
package enum RevertKind: RecordKind {
    package static let name = "revert"
    package static let schema = KindSchema(name: name, fields: [FieldSchema(1, "EVENTS"), FieldSchema(2, "STEP")])

    /// Returns the change that closes a batch which takes back `events`.
    package static func closing(_ events: EventSet, as id: RecordID, isStep: Bool) -> Change {
        let step = isStep ? [Assignment("STEP", text: "1")] : []
        return Change(
            kind: name, record: id,
            operations: schema.operations(assigning: [Assignment("EVENTS", text: events.text)] + step, to: nil))
    }

    /// Returns whether the undo of `record` is a step of its own.
    package static func isStep(_ record: Record) -> Bool { schema.value(of: "STEP", in: record) != nil }

    /// Returns the events that `record` lists as taken back.
    package static func events(of record: Record, in log: EventLog) throws -> EventSet {
        try EventSet(valueOf: "EVENTS", in: record, schema, log)
    }

    /// The kinds of the records that only describe other batches, and are not themselves taken back.
    package static let bookkeeping: Set<String> = [
        ReplicaKind.name, ImportKind.name, MergeKind.name, name, ErasureKind.name, ErasedIDKind.name, ArchiveKind.name,
        RecoveryKind.name,
    ]
}

/// The ids by which an erased record would be known again, such as those made from the keys that a contact had. They are
/// erased with it, and are ids of nothing else: who is about to add a record looks here first.
package enum ErasedIDKind: RecordKind {
    package static let name = "erased-id"
    package static let schema = KindSchema(name: name, fields: [])
}

/// The record of each erasure. It closes the batch, and lists what was erased: records, for ever, or some events of a
/// record that stays. It holds ids and numbers only.
package enum ErasureKind: RecordKind {
    package static let name = "erasure"
    package static let schema = KindSchema(name: name, fields: [FieldSchema(1, "EVENTS"), FieldSchema(2, "RECORDS")])

    /// The maximum number of ranges in one record, so that its value stays below ``ChangeLimits/valueBytes``.
    static let rangeLimit = 8192

    /// Splits `events` into parts that fit into one record each.
    package static func parts(of events: EventSet) -> [EventSet] {
        let ranges = events.ranges
        return stride(from: 0, to: ranges.count, by: rangeLimit).map { start in
            EventSet(ranges[start..<Swift.min(start + rangeLimit, ranges.count)])
        }
    }

    /// Returns the change that records the erasure of `events`, one part.
    package static func closing(_ events: EventSet, as id: RecordID) -> Change {
        Change(
            kind: name, record: id,
            operations: schema.operations(assigning: [Assignment("EVENTS", text: events.text)], to: nil))
    }

    /// Returns the change that records the erasure of `records` of `kind`.
    package static func closing(_ records: [RecordID], of kind: String, as id: RecordID) -> Change {
        let text = ([kind] + records.map { "\($0)" }).joined(separator: " ")
        return Change(
            kind: name, record: id,
            operations: schema.operations(assigning: [Assignment("RECORDS", text: text)], to: nil))
    }

    /// Returns the events that `record` lists as erased, without those of records that it lists.
    static func events(of record: Record, in log: EventLog) throws -> EventSet {
        try EventSet(valueOf: "EVENTS", in: record, schema, log)
    }

    /// Returns the records that `record` lists as erased.
    static func records(of record: Record) -> [WriteBatch.RecordName] {
        records(schema.value(of: "RECORDS", in: record).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// Returns the records in the text of a `RECORDS` field.
    package static func records(_ text: String) -> [WriteBatch.RecordName] {
        let words = text.split(separator: " ").map(String.init)
        guard let kind = words.first else { return [] }
        return words.dropFirst().compactMap(RecordID.init(text:)).map { WriteBatch.RecordName(kind: kind, id: $0) }
    }
}

/// The record of each recovery: what was recovered from a damaged log, and which events were lost with it. It holds
/// numbers only.
package enum RecoveryKind: RecordKind {
    package static let name = "recovery"
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "EVENTS"), FieldSchema(2, "WAY"), FieldSchema(3, "APPENDED"), FieldSchema(4, "RECOVERED"),
            FieldSchema(5, "LOST"),
        ])

    /// Returns the change that records what was recovered, and what was lost.
    package static func closing(_ way: Choice.Action, _ receipt: Receipt?, as id: RecordID) -> Change {
        var assignments = [Assignment("WAY", text: way.rawValue)]
        if let receipt {
            // If there are very many lost ranges, only the first ones are listed; LOST counts all events.
            let lost = EventSet(receipt.lost.prefix(ErasureKind.rangeLimit).compactMap(\.events))
            assignments += [
                Assignment("APPENDED", text: "\(receipt.appended)"),
                Assignment("RECOVERED", text: "\(receipt.recovered)"),
                Assignment("LOST", text: "\(receipt.lostCount)"),
            ]
            if !lost.isEmpty { assignments.append(Assignment("EVENTS", text: lost.text)) }
        }
        return Change(kind: name, record: id, operations: schema.operations(assigning: assignments, to: nil))
    }
}

/// The record of each archive: the events that it covers, and the hashes of its file and of its archive snapshot.
package enum ArchiveKind: RecordKind {
    package static let name = "archive"
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "EVENTS"), FieldSchema(2, "FILE"), FieldSchema(3, "SNAPSHOT"), FieldSchema(4, "COUNT"),
        ])

    /// Returns the events that the archive of `record` covers.
    package static func events(of record: Record, in log: EventLog) throws -> EventSet {
        try EventSet(valueOf: "EVENTS", in: record, schema, log)
    }

    /// Returns the change that records that the events of `vector` are in `file`, represented by an archive snapshot.
    package static func closing(
        _ vector: VersionVector, _ file: ArchiveInformation, snapshotHash: Hash256, as id: RecordID
    ) -> Change {
        let events = EventSet(vector.entries.map { EventRange($0.replica, 1, through: $0.sequence) })
        return Change(
            kind: name, record: id,
            operations: schema.operations(
                assigning: [
                    Assignment("EVENTS", text: events.text), Assignment("FILE", text: "\(file.hash)"),
                    Assignment("SNAPSHOT", text: "\(snapshotHash)"), Assignment("COUNT", text: "\(file.eventCount)"),
                ], to: nil))
    }
}

extension EventSet {
    /// Reads the events that a field of `record` lists, as the author of the record's first event meant them.
    fileprivate init(valueOf field: String, in record: Record, _ schema: KindSchema, _ log: EventLog) throws {
        let text = schema.value(of: field, in: record).map { String(decoding: $0, as: UTF8.self) } ?? ""
        self = try log.events(EventSet(text: text), meantAt: record.firstPosition)
    }
}
