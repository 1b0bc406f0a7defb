import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// A field with concurrent values, or a record that one device deleted and another edited concurrently.
public struct Conflict: Hashable, Sendable {
    /// One of the values.
    public struct Candidate: Hashable, Sendable {
        /// The head of the write, which identifies the candidate.
        public let head: HeadID
        /// The value that it wrote; `nil` if it cleared the field.
        public let value: [UInt8]?
        /// When it was written.
        public let stamp: Stamp
        /// The author and the reason.
        public let note: AuditNote
        /// Whether it is the value that shows now.
        public let isShown: Bool
    }

    /// The field name that stands for the whole record: deleted on one device, edited on another.
    public static let wholeRecord = "RECORD"

    /// The kind of the record.
    public let kind: String
    /// The record.
    public let record: RecordID
    /// The field; for a register, its members, separated by `+`.
    public let field: String
    /// The values; the one that shows now is last.
    public let candidates: [Candidate]
    /// The names of the elements of a register's value; empty for a plain field.
    public let members: [String]
}

extension Reading {
    /// Returns the conflicts in `record`.
    public func conflicts(in record: Record) throws -> [Conflict] {
        try describing {
            var conflicts = try fields(of: record) { $0.isConflict && $0.key != .life }
            if !record.deletions.isEmpty, record.isVisible {
                let covered = Set(record.deletions.flatMap(\.covered))
                let edits = record.fields.flatMap(\.heads).filter { !covered.contains($0.id.event) }
                let deletes = try record.deletions.map { deletion in
                    Conflict.Candidate(
                        head: HeadID(deletion.event), value: Array("hidden".utf8), stamp: deletion.stamp,
                        note: try audit.noteOfBatch(with: deletion.position), isShown: false)
                }
                let shows = try Dictionary(grouping: edits, by: \.id.event).values.compactMap(\.first).map { head in
                    Conflict.Candidate(
                        head: HeadID(head.id.event), value: Array("shown".utf8), stamp: head.stamp,
                        note: try audit.noteOfBatch(with: head.position), isShown: true)
                }
                conflicts.append(
                    Conflict(
                        kind: record.kind, record: record.id, field: Conflict.wholeRecord,
                        candidates: deletes + shows.sorted { $0.stamp < $1.stamp }, members: []))
            }
            return conflicts
        }
    }

    /// Returns the fields of `record` in which an import source contradicts what is shown, in the form of conflicts: one of
    /// the values can be chosen, too.
    public func contradictions(in record: Record) throws -> [Conflict] {
        try describing { try fields(of: record) { !$0.contradictions.isEmpty } }
    }

    private func fields(of record: Record, where isWanted: (Record.Field) -> Bool) throws -> [Conflict] {
        let schema = try schema(of: record.kind) ?? KindSchema(name: record.kind, fields: [])
        return try record.fields.filter(isWanted).map { field in
            let members = schema.members(of: field.key)
            let candidates = try field.heads.map { head in
                Conflict.Candidate(
                    head: head.id, value: head.value, stamp: head.stamp,
                    note: try audit.noteOfBatch(with: head.position), isShown: head == field.shown)
            }
            return Conflict(
                kind: record.kind, record: record.id,
                field: members.isEmpty ? schema.name(of: field.key) : members.joined(separator: "+"),
                candidates: candidates, members: members)
        }
    }
}

extension Store {
    /// Resolves `conflict` in favour of one of its candidates, with a write that supersedes all of them, so that
    /// every device shows it.
    ///
    /// - Throws: ``StoreError`` with code `conflict` if the field has changed since the conflict was read.
    public func choose(
        _ candidate: Conflict.Candidate, in conflict: Conflict, note: String? = nil, author: String? = nil
    ) async throws -> Written<Void> {
        try await write(note: note ?? "Chosen", author: author) { batch in
            guard let record = try batch.record(conflict.kind, conflict.record) else {
                throw WriteBatch.noRecord(conflict.kind, conflict.record)
            }
            let heads = Set(conflict.candidates.map(\.head))
            let changed = StoreError(
                .conflict, "The record \(conflict.record.short) has changed in the meantime.",
                hint:
                    "To see its values now: \(.showConflict(kind: conflict.kind, id: conflict.record.short))")
            if conflict.field == Conflict.wholeRecord {
                guard Set(record.deletions.map { HeadID($0.event) }).isSubset(of: heads) else { throw changed }
                if candidate.isShown {
                    try batch.restore(conflict.kind, conflict.record)
                } else {
                    try batch.remove(conflict.kind, conflict.record)
                }
                return
            }
            guard let field = record.fields.first(where: { Set($0.heads.map(\.id)) == heads }) else { throw changed }
            let superseded = record.superseded(by: field.key)
            let operation =
                candidate.value.map { FieldOperation(.set, field.key, supersedes: superseded, value: $0) }
                ?? FieldOperation(.clear, field.key, supersedes: superseded)
            let related = try batch.related(to: field.heads.filter { $0.id == candidate.head })
            try batch.append(
                Change(kind: conflict.kind, record: conflict.record, related: related, operations: [operation]))
        }
    }
}
