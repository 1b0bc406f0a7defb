import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveRecords

/// One event as the audit tells it: who did what, when, why, and what stood there before.
public struct AuditEntry: Hashable, Sendable {
    /// What became of one field.
    public struct FieldChange: Hashable, Sendable {
        /// The field by its name; empty where the whole record was deleted or restored.
        public let field: String
        /// What the author was looking at; `nil` where there was nothing.
        public let before: [UInt8]?
        /// What they wrote; `nil` for a clear, a removal, a delete.
        public let after: [UInt8]?
        /// What was done.
        public let operation: OperationCode
        /// Why a value that belongs here is not there.
        public let withheld: Withholding?
        /// Why what stood there before is not there.
        public let withheldBefore: Withholding?
    }

    /// The event.
    public let event: EventID
    /// Where it stands in this store.
    public let position: Position
    /// When it was written.
    public let stamp: Stamp
    /// How many events of its batch follow.
    public let rest: Int
    /// Who and why, as the batch says.
    public let note: AuditNote
    /// Why the words of the batch are not here; `nil` where they are.
    public let noteWithheld: Withholding?
    /// The kind of the record it touched.
    public let kind: String
    /// The record it touched.
    public let record: RecordID
    /// Whether an import wrote it.
    public let isImported: Bool
    /// What became of each field, in the order of the event; registers as their members. None where an import's source
    /// only said what was known.
    public let changes: [FieldChange]
}

/// Reads events as a person wants to see them. Nothing is folded: an event names what it superseded, so what stood
/// there before is found in the events it names.
public struct Audit: Sendable {
    package let log: EventLog
    /// Which events count.
    package let filter: EventFilter
    private let kinds: Kinds

    /// The audit of `log`, or of those of its events that `filter` counts.
    public init(of log: EventLog, kinds: Kinds, counting filter: EventFilter = EventFilter()) {
        self.log = log
        self.filter = filter
        self.kinds = kinds
    }

    /// The position of the last event that may count; 0 for none.
    package func lastPosition() throws -> Position {
        try filter.vector.map { try log.lastPosition(of: $0) } ?? log.lastPosition()
    }

    /// The event at `position`; `nil` where there is none that counts, where it is of a type that this version does not
    /// know, or where it adds to a series: nobody has changed anything by that.
    ///
    /// Cost: a look-up for the event, one for its batch's note, and one for each head it superseded.
    public func entry(at position: Position) throws -> AuditEntry? {
        let event = try log.withEvent(at: position) { frame, bytes -> (Frame, Change)? in
            guard filter.includes(frame.id),
                let change = try? Change(
                    shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                    isWithheld: frame.isWithheld, by: frame.names(in: bytes)), change.block == nil
            else { return nil }
            return (frame, change)
        }
        guard let event, let (frame, change) = event else { return nil }
        let words = try words(at: position + UInt64(frame.rest))
        return AuditEntry(
            event: frame.id, position: position, stamp: frame.stamp, rest: frame.rest,
            note: words.note, noteWithheld: words.withheld, kind: change.kind, record: change.record,
            isImported: change.source != nil,
            changes: try change.operations.flatMap { operation in
                try changes(operation, in: change, frame.isWithheld ? log.withholding(of: frame.id) : nil)
            })
    }

    /// Who and why: the words in the event at `position`, the last one of a batch.
    public func note(at position: Position) throws -> AuditNote { try words(at: position).note }

    /// The note of the batch that the event at `position` belongs to.
    public func noteOfBatch(with position: Position) throws -> AuditNote { try wordsOfBatch(with: position).note }

    /// The words of a batch, or why they are not here.
    typealias Words = (note: AuditNote, withheld: Withholding?)

    func wordsOfBatch(with position: Position) throws -> Words {
        guard let rest = try log.withEvent(at: position, { frame, _ in frame.rest }) else { return (AuditNote(), nil) }
        return try words(at: position + UInt64(rest))
    }

    private func words(at position: Position) throws -> Words {
        let found = try log.withEvent(at: position) { frame, bytes -> (note: AuditNote, withheld: EventID?) in
            if frame.isWithheld { return (AuditNote(), frame.id) }
            guard
                var reader = try? ChangeReader(
                    shape: bytes.extracting(frame.shape), isWithheld: false, by: frame.names(in: bytes))
            else { return (AuditNote(), nil) }
            return ((try? reader.note(in: bytes.extracting(frame.values))) ?? AuditNote(), nil)
        }
        guard let found else { return (AuditNote(), nil) }
        return (found.note, try found.withheld.map { try log.withholding(of: $0) })
    }

    private func changes(
        _ operation: FieldOperation, in change: Change, _ withheld: Withholding?
    ) throws -> [AuditEntry.FieldChange] {
        let schema = kinds[change.kind]
        if operation.code == .delete || operation.code == .revive {
            return [
                .init(
                    field: "", before: nil, after: nil, operation: operation.code, withheld: nil,
                    withheldBefore: nil)
            ]
        }
        if operation.code.isWord { return [] }
        let field: FieldSchema? =
            if case .number(let number) = operation.field { schema?.field(number: number) } else { nil }
        if field?.isInternal == true { return [] }
        let before = try operation.supersedes.compactMap { try value(of: $0, field: operation.field) }.last
        let withheldBefore = try operation.supersedes.last.flatMap { try withholding(of: $0, field: operation.field) }
        let withheld = operation.code.hasValue ? withheld : nil
        guard let field, !field.members.isEmpty else {
            let name = schema?.name(of: operation.field) ?? operation.field.plainName
            return [
                .init(
                    field: name, before: before, after: operation.value, operation: operation.code,
                    withheld: withheld, withheldBefore: withheldBefore)
            ]
        }
        let old = Register(decoding: before ?? [], memberCount: field.members.count)
        let new = Register(decoding: operation.value ?? [], memberCount: field.members.count)
        return zip(field.members, zip(old.values, new.values)).compactMap { name, values in
            if values.0 == values.1, withheld == nil, withheldBefore == nil { return nil }
            return .init(
                field: name, before: values.0, after: values.1, operation: operation.code, withheld: withheld,
                withheldBefore: withheldBefore)
        }
    }

    /// Whether `event` deleted a record; `false` where it is not here.
    public func isDeletion(_ event: EventID) throws -> Bool {
        guard let position = try log.position(of: event) else { return false }
        return try log.withEvent(at: position) { frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            return change?.operations.contains { $0.code == .delete } ?? false
        } ?? false
    }

    /// Why the value that the head `id` brought to `field` is not here; `nil` where it is, or where it brought none.
    private func withholding(of id: HeadID, field: FieldKey) throws -> Withholding? {
        guard let position = try log.position(of: id.event) else { return .absent }
        let isWithheld = try log.withEvent(at: position) { frame, bytes in
            guard frame.isWithheld else { return false }
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values), isWithheld: true,
                by: frame.names(in: bytes))
            return change?.operation(writing: id.index, field: field)?.code.hasValue ?? false
        }
        return isWithheld == true ? try log.withholding(of: id.event) : nil
    }

    /// The value that the head `id` brought to `field`, as its event says it; `nil` where it is not here or has none.
    public func value(of id: HeadID, field: FieldKey) throws -> [UInt8]? {
        guard let position = try log.position(of: id.event) else { return nil }
        return try log.withEvent(at: position) { frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            return change?.operation(writing: id.index, field: field)?.value
        } ?? nil
    }
}

extension Change {
    /// The operation that wrote the head `index` of `field`.
    public func operation(writing index: UInt32, field: FieldKey) -> FieldOperation? {
        if index > 0 {
            return Int(index) < operations.count && operations[Int(index)].field == field ? operations[Int(index)] : nil
        }
        return operations.first { $0.field == field }
    }
}
