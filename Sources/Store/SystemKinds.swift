import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveMembership
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveRecovery

/// The record of each replica: its public key and the name of its device, written by its first event; the replica that it
/// continues, if the store was copied or restored from a backup, or its clock was wrong; the log's key for ids, if the device
/// had the log already; the last that was known of it when somebody retired it; since when its clock was wrong; and the
/// public key for which the keys of a sealed log are wrapped.
package enum ReplicaKind: RecordKind {
    package static let name = ClockDeclaration.kind
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "KEY"), FieldSchema(2, "DEVICE"), FieldSchema(3, "PROGRAM"), FieldSchema(4, "FORMER"),
            FieldSchema(5, "IDKEY", isInternal: true), FieldSchema(6, "RETIRED"),
            FieldSchema(ClockDeclaration.field, "CLOCK", .union), FieldSchema(receives, "RECEIVES", isInternal: true),
        ])

    /// The number of the field with the public key for which the keys of a sealed log are wrapped.
    package static let receives: UInt32 = 8
    /// The number of bytes of the log's key for ids.
    static let idKeyBytes = 32
}

extension ViewReader {
    /// Returns the log's own random key, under which ids are made of what a record says; empty if no first event of a replica
    /// has one any more.
    ///
    /// If there are several, all stores take the one that was written first by somebody who belongs to the log.
    ///
    /// - Parameter roster: Who belongs; `nil` if all do.
    package func idKey(by roster: Roster?) throws -> [UInt8] {
        var first: Record.Head?
        try forEachRecord(of: ReplicaKind.name) { record in
            let heads = record[ReplicaKind.schema.key(for: "IDKEY")]?.heads ?? []
            first =
                ((first.map { [$0] } ?? []) + heads.filter { $0.value != nil && roster?.counts($0.id.event) ?? true })
                .min(by: Record.Head.shows)
            return true
        }
        return first?.value ?? []
    }
}

/// The record of each import. It closes every batch of the import, so that these are found together.
package enum ImportKind: RecordKind {
    package static let name = "import"
    package static let schema = KindSchema(
        name: name,
        fields: [
            FieldSchema(1, "FILE"), FieldSchema(2, "SOURCE"), FieldSchema(3, "PROGRAM"), FieldSchema(4, "RECORDS"),
            FieldSchema(5, "IMPORTED"), FieldSchema(6, "UPDATED"), FieldSchema(7, "REJECTED"), FieldSchema(8, "ABSENT"),
            FieldSchema(9, "CABRILLO"),
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
        ReplicaKind.name, ImportKind.name, MergeKind.name, name, ErasureKind.name, ArchiveKind.name, RecoveryKind.name,
        WriteKind.name, KindDescription.name, RosterKind.name,
    ]
}

/// The record of each erasure. It closes the batch, and lists what was erased: records, for ever, or some events of a
/// record that stays. It holds ids and numbers only.
package enum ErasureKind: RecordKind {
    package static let name = "erasure"
    package static let schema = KindSchema(
        name: name, fields: [FieldSchema(1, "EVENTS"), FieldSchema(2, "RECORDS"), FieldSchema(3, "ALSO")])

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
    ///
    /// - Parameter related: The ids that were erased with them: see ``StoreComponent/relatedIDs``.
    package static func closing(
        _ records: [RecordID], related: [RecordID], of kind: String, as id: RecordID
    ) -> Change {
        func text(_ ids: [RecordID]) -> String { ([kind] + ids.map { "\($0)" }).joined(separator: " ") }
        let also = related.isEmpty ? [] : [Assignment("ALSO", text: text(related))]
        return Change(
            kind: name, record: id,
            operations: schema.operations(assigning: [Assignment("RECORDS", text: text(records))] + also, to: nil))
    }

    /// Passes what `record` lists as erased to `body`, each with the event that says so: events of records that stay, or
    /// records, among them those that were erased with them.
    static func forEachErase(
        of record: Record, in log: EventLog,
        _ body: (_ head: Record.Head, _ events: EventSet, _ records: [WriteBatch.RecordName]) throws -> Void
    ) throws {
        for field in record.fields {
            for head in field.heads {
                guard let text = head.value.map({ String(decoding: $0, as: UTF8.self) }) else { continue }
                if field.key == schema.key(for: "EVENTS") {
                    try body(head, log.events(EventSet(text: text), meantAt: head.position), [])
                } else {
                    try body(head, EventSet(), records(text))
                }
            }
        }
    }

    /// Returns the records in the text of such a field.
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
