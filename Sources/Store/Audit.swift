import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// One event for the audit trail: author, time, reason, and the values before and after.
public struct AuditEntry: Hashable, Sendable {
    /// The change of one field.
    public struct FieldChange: Hashable, Sendable {
        /// The name of the field; empty if the whole record was deleted or restored.
        public let field: String
        /// The value that the author saw; `nil` if there was none.
        public let before: [UInt8]?
        /// The value written; `nil` for a clear, a removal or a delete.
        public let after: [UInt8]?
        /// The operation.
        public let operation: OperationCode
        /// Why the new value is missing, if it is.
        public let withheld: Withholding?
        /// Why the previous value is missing, if it is.
        public let withheldBefore: Withholding?

        /// A change of these parts.
        package init(
            field: String, before: [UInt8]?, after: [UInt8]?, operation: OperationCode, withheld: Withholding?,
            withheldBefore: Withholding?
        ) {
            (self.field, self.before, self.after, self.operation) = (field, before, after, operation)
            (self.withheld, self.withheldBefore) = (withheld, withheldBefore)
        }
    }

    /// The ID of the event.
    public let event: EventID
    /// The position of the event in this store.
    public let position: Position
    /// When the event was written, by the clock of its device.
    public let stamp: Stamp
    /// The stamp that counts: before ``stamp`` if that clock was declared as wrong.
    public let counted: Stamp
    /// The author and the reason, from the note of the batch.
    public let note: AuditNote
    /// Why the note of the batch is missing; `nil` if it is present.
    public let noteWithheld: Withholding?
    /// The kind of the record that the event touched.
    public let kind: String
    /// The record that the event touched.
    public let record: RecordID
    /// The source that an import, or a country file, spoke for; `nil` for what a person wrote.
    public let source: SourceID?
    /// The change of each field, in the order of the event, with registers split into their members. Empty if an
    /// import only asserted values that were already known.
    public let changes: [FieldChange]

    /// Whether an import wrote it.
    public var isImported: Bool { source != nil }
}

/// Describes events for people. Nothing is folded: an event lists the events it superseded, which contain the
/// previous values.
public struct Audit: Sendable {
    package let log: EventLog
    /// The events that count.
    package let filter: EventFilter
    private let views: Views
    /// The declarations of wrong clocks, if they were read before.
    private var declared: ClockDeclarations?

    /// Creates the audit of those events of the views' log that `filter` counts; by default of all.
    package init(of views: Views, counting filter: EventFilter = EventFilter()) {
        log = views.log
        self.filter = filter
        self.views = views
    }

    /// Returns the schema by which records of `kind` are read: see ``ViewReader/schema(of:)``.
    package func schema(of kind: String) throws -> KindSchema? { try views.schema(of: kind) }

    /// Returns the position of the last event that may count; 0 if there is none.
    package func lastPosition() throws -> Position {
        try filter.vector.map { try log.lastPosition(of: $0) } ?? log.lastPosition()
    }

    /// Returns the event at `position`; `nil` if there is none that counts, if its type is unknown to this version,
    /// or if it adds to a series, which changes no field.
    ///
    /// Cost: a look-up for the event, one for its batch's note, and one for each head it superseded.
    ///
    /// - Throws: An error of the log if an event cannot be read: it is no ``StoreError``.
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
            event: frame.id, position: position, stamp: frame.stamp, counted: try counted(frame.stamp, of: frame.id),
            note: words.note, noteWithheld: words.withheld, kind: change.kind, record: change.record,
            source: change.source,
            changes: try change.operations.flatMap { operation in
                try changes(operation, in: change, frame.isWithheld ? log.withholding(of: frame.id) : nil)
            })
    }

    /// Returns the same, for many events: it reads only now which clocks are declared as wrong.
    package func knowingClocks() throws -> Audit {
        var audit = self
        audit.declared = try views.declaredClocks()
        return audit
    }

    /// Returns the stamp that counts now for an event with `stamp`.
    func counted(_ stamp: Stamp, of event: EventID) throws -> Stamp {
        try (declared ?? views.declaredClocks()).stamp(stamp, of: event.replica)
    }

    /// Returns the note in the event at `position`, the last one of a batch.
    ///
    /// - Throws: An error of the log if an event cannot be read: it is no ``StoreError``.
    /// - Complexity: A look-up.
    public func note(at position: Position) throws -> AuditNote { try words(at: position).note }

    /// Returns the note of the batch that contains the event at `position`.
    ///
    /// - Throws: An error of the log if an event cannot be read: it is no ``StoreError``.
    /// - Complexity: Two look-ups.
    public func noteOfBatch(with position: Position) throws -> AuditNote { try wordsOfBatch(with: position).note }

    /// The note of a batch, or why it is missing.
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
        let schema = try schema(of: change.kind)
        if [.delete, .erase, .revive].contains(operation.code) {
            return [
                .init(
                    field: "", before: nil, after: nil, operation: operation.code, withheld: nil,
                    withheldBefore: nil)
            ]
        }
        if operation.code.isAssertion { return [] }
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

    /// Returns whether `event` deleted a record; `false` if the event is not in the log.
    ///
    /// - Throws: An error of the log if an event cannot be read: it is no ``StoreError``.
    /// - Complexity: Two look-ups.
    public func isDeletion(_ event: EventID) throws -> Bool {
        guard let position = try log.position(of: event) else { return false }
        return try log.withEvent(at: position) { frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            return change?.operations.contains { $0.code == .delete } ?? false
        } ?? false
    }

    /// Returns why the value that the head `id` wrote to `field` is missing; `nil` if it is present, or if it wrote
    /// none.
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

    /// Returns the value that the head `id` wrote to `field`, from its event; `nil` if it is missing or there is
    /// none.
    ///
    /// - Throws: An error of the log if an event cannot be read: it is no ``StoreError``.
    /// - Complexity: Two look-ups.
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
    /// Returns the operation that wrote the head `index` of `field`.
    public func operation(writing index: UInt32, field: FieldKey) -> FieldOperation? {
        if index > 0 {
            return Int(index) < operations.count && operations[Int(index)].field == field ? operations[Int(index)] : nil
        }
        return operations.first { $0.field == field }
    }
}
