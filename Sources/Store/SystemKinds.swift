import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveRecovery

/// The record of each replica: its public key and the name of its device, told by its first event; and the replica that
/// it goes on from, where the store was copied or put back.
package enum ReplicaKind: RecordKind {
    package static let name = "replica"
    package static let schema = KindSchema(
        name: name,
        fields: [FieldSchema(1, "KEY"), FieldSchema(2, "DEVICE"), FieldSchema(3, "PROGRAM"), FieldSchema(4, "FORMER")])
}

/// The record of each import: it closes every batch of it, so that the batches of one import are found together.
package enum ImportKind: RecordKind {
    package static let name = "import"
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "FILE"), FieldSchema(2, "SOURCE"), FieldSchema(3, "PROGRAM"), FieldSchema(4, "RECORDS"),
            FieldSchema(5, "IMPORTED"), FieldSchema(6, "UPDATED"), FieldSchema(7, "REJECTED"), FieldSchema(8, "ABSENT"),
        ])
}

/// The record of each merge of all duplicates: it closes every batch of it, so that they are taken back together.
package enum MergeKind: RecordKind {
    package static let name = "merge"
    package static let schema = KindSchema(name: name, fields: [FieldSchema(1, "KEPT"), FieldSchema(2, "HIDDEN")])
}

/// The record of each undo: it closes the batch that takes others back, and says which events these are; and whether it
/// is a step of its own, which the next undo takes back, or a step back.
package enum RevertKind: RecordKind {
    package static let name = "revert"
    package static let schema = KindSchema(name: name, fields: [FieldSchema(1, "EVENTS"), FieldSchema(2, "STEP")])

    /// The change that closes a batch which takes back `events`.
    package static func closing(_ events: EventSet, as id: RecordID, isStep: Bool) -> Change {
        let step = isStep ? [Assignment("STEP", text: "1")] : []
        return Change(
            kind: name, record: id,
            operations: schema.operations(assigning: [Assignment("EVENTS", text: events.text)] + step, to: nil))
    }

    /// Whether the undo that `record` is of is a step of its own.
    package static func isStep(_ record: Record) -> Bool { schema.value(of: "STEP", in: record) != nil }

    /// The events that `record` says were taken back.
    package static func events(of record: Record, in log: EventLog) throws -> EventSet {
        try EventSet(valueOf: "EVENTS", in: record, schema, log)
    }

    /// The names of the records that only say something of other batches, and are not themselves taken back.
    package static let bookkeeping: Set<String> = [
        ReplicaKind.name, ImportKind.name, MergeKind.name, name, ErasureKind.name, ArchiveKind.name, RecoveryKind.name,
    ]
}

/// The record of each erase: it closes the batch, and says which events have no values any more. It holds numbers alone.
package enum ErasureKind: RecordKind {
    package static let name = "erasure"
    package static let schema = KindSchema(name: name, fields: [FieldSchema(1, "EVENTS")])

    /// The most runs that one record names, so that its value stays below ``ChangeLimits/valueBytes``.
    static let rangeLimit = 8192

    /// `events` in parts that one record each can name.
    package static func parts(of events: EventSet) -> [EventSet] {
        let ranges = events.ranges
        return stride(from: 0, to: ranges.count, by: rangeLimit).map { start in
            EventSet(ranges[start..<Swift.min(start + rangeLimit, ranges.count)])
        }
    }

    /// The change that says that `events`, one part, are erased.
    package static func closing(_ events: EventSet, as id: RecordID) -> Change {
        Change(
            kind: name, record: id,
            operations: schema.operations(assigning: [Assignment("EVENTS", text: events.text)], to: nil))
    }

    /// The events that `record` says are erased.
    static func events(of record: Record, in log: EventLog) throws -> EventSet {
        try EventSet(valueOf: "EVENTS", in: record, schema, log)
    }
}

/// The record of each recovery: what was got out of a damaged log, and which events were lost with it. It holds numbers
/// alone.
package enum RecoveryKind: RecordKind {
    package static let name = "recovery"
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "EVENTS"), FieldSchema(2, "WAY"), FieldSchema(3, "APPENDED"), FieldSchema(4, "RECOVERED"),
            FieldSchema(5, "LOST"),
        ])

    /// The change that says what was recovered, and what was not.
    package static func closing(_ way: Choice.Way, _ receipt: Receipt?, as id: RecordID) -> Change {
        var assignments = [Assignment("WAY", text: way.rawValue)]
        if let receipt {
            // Of very many holes the first are named; the number says how many events there are in all.
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

/// The record of each archive: which events it covers, and the hashes of its file and of the snapshot that stands for
/// them.
package enum ArchiveKind: RecordKind {
    package static let name = "archive"
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "EVENTS"), FieldSchema(2, "FILE"), FieldSchema(3, "SNAPSHOT"), FieldSchema(4, "COUNT"),
        ])

    /// The events that the archive which `record` is of covers.
    package static func events(of record: Record, in log: EventLog) throws -> EventSet {
        try EventSet(valueOf: "EVENTS", in: record, schema, log)
    }

    /// The change that says that the events of `vector` are in `file`, and that a snapshot stands for them.
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
    /// What a record names that one event has made.
    fileprivate init(valueOf field: String, in record: Record, _ schema: KindSchema, _ log: EventLog) throws {
        let text = schema.value(of: field, in: record).map { String(decoding: $0, as: UTF8.self) } ?? ""
        self = try log.events(EventSet(text: text), meantAt: record.firstPosition)
    }
}
