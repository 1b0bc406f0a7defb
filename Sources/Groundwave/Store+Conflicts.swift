import Events
import Projections
import Records

/// A field whose values no other write has seen together, or a record that one device deleted and another edited.
public struct Conflict: Hashable, Sendable {
    /// One of the values.
    public struct Candidate: Hashable, Sendable {
        /// The write: what `choose` takes.
        public let head: HeadID
        /// What it wrote; `nil` for a clear.
        public let value: [UInt8]?
        /// When.
        public let stamp: Stamp
        /// Who and why.
        public let note: AuditNote
        /// Whether it is what is shown now.
        public let isShown: Bool
    }

    /// The field that stands for the whole record: deleted here, edited there.
    public static let wholeRecord = "RECORD"

    /// The kind of the record.
    public let kind: String
    /// The record.
    public let record: RecordID
    /// The field; of a register the members, separated by `+`.
    public let field: String
    /// The values, the one that is shown last.
    public let candidates: [Candidate]
    /// What an element of a register's value is called.
    public let members: [String]
}

extension Reading {
    /// What waits for a decision in `record`.
    public func conflicts(in record: Record) throws -> [Conflict] {
        try describing {
            let schema = kinds[record.kind] ?? KindSchema(name: record.kind, fields: [])
            func candidate(_ head: Record.Head, _ isShown: Bool) throws -> Conflict.Candidate {
                Conflict.Candidate(
                    head: head.id, value: head.value, stamp: head.stamp,
                    note: try audit.noteOfBatch(with: head.position), isShown: isShown)
            }
            var conflicts = try record.fields.filter { $0.isConflict && $0.key != .life }.map { field in
                let members = schema.fields.first { schema.key(for: $0.name) == field.key }?.members ?? []
                return Conflict(
                    kind: record.kind, record: record.id,
                    field: members.isEmpty ? schema.name(of: field.key) : members.joined(separator: "+"),
                    candidates: try field.heads.map { try candidate($0, $0 == field.shown) }, members: members)
            }
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
}

extension Store {
    /// Decides `conflict` for one of its candidates: a write that names all of them, so that every device shows it.
    ///
    /// - Throws: ``StoreError`` with code `busy` where the field has changed since the conflict was read.
    public func choose(
        _ candidate: Conflict.Candidate, in conflict: Conflict, note: String? = nil, author: String? = nil
    ) async throws -> Written<Void> {
        try await write(note: note ?? "Chosen", author: author) { batch in
            guard let record = try batch.record(conflict.kind, conflict.record) else {
                throw WriteBatch.noRecord(conflict.kind, conflict.record)
            }
            let heads = Set(conflict.candidates.map(\.head))
            let changed = StoreError(
                .busy, "The record \(conflict.record.short) has changed in the meantime.",
                hint: "Run groundwave conflicts show again, and choose again.")
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
                candidate.value.map { Operation(.set, field.key, supersedes: superseded, value: $0) }
                ?? Operation(.clear, field.key, supersedes: superseded)
            try batch.append(Change(kind: conflict.kind, record: conflict.record, operations: [operation]))
        }
    }
}
