import GroundwaveEvents
import GroundwaveRecords

/// The explanation of a field's shown value.
public struct Blame: Hashable, Sendable {
    /// Why the shown value won.
    public enum Reason: String, Hashable, Sendable {
        /// There is no other write to the field.
        case only
        /// Its author had seen the previous value.
        case causal
        /// It resolved several concurrent values.
        case chosen
        /// There are several concurrent values, and its stamp is the greatest.
        case stamp
        /// There are several concurrent values with the same stamp, and the order of replicas decided.
        case tie
        /// A person wrote it, and import sources say something about the field.
        case hand
        /// A file of a source that is trusted has it, and other sources say something about the field.
        case trusted
        /// No import source says anything finer, and none contradicts it.
        case finest
        /// Import sources contradict each other, and this one said it first.
        case first
    }

    /// A write, with its author.
    public struct Write: Hashable, Sendable {
        /// The event of the write.
        public let event: EventID
        /// The position of the event in this store.
        public let position: Position
        /// When the event was written, by the clock of its device.
        public let stamp: Stamp
        /// The stamp that counts: before ``stamp`` if that clock was declared as wrong.
        public let counted: Stamp
        /// The author and the reason.
        public let note: AuditNote
        /// Why the note of the batch is missing; `nil` if it is present.
        public let noteWithheld: Withholding?
        /// Whether an import wrote it.
        public let isImported: Bool
        /// The value; `nil` for a clear.
        public let value: [UInt8]?
        /// Why the value is missing, if it is.
        public let withheld: Withholding?
    }

    /// The name of the field, or of the member of a register.
    public let field: String
    /// The write whose value is shown.
    public let winner: Write
    /// Why that value is shown.
    public let reason: Reason
    /// The writes that lost: those of the concurrent values, or else those that it superseded.
    public let losers: [Write]
}

extension Audit {
    /// Explains the shown value of each field of `record`, in order of the fields, including cleared ones.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - schema: The schema of the record's kind, if registered.
    /// - Throws: An error of the log if an event cannot be read: it is no ``StoreError``.
    /// - Complexity: A few look-ups for each value that stands or was superseded by it.
    public func blame(_ record: Record, schema: KindSchema?) throws -> [Blame] {
        try record.fields.filter { $0.key != .life }.flatMap { field -> [Blame] in
            let definition: FieldSchema? =
                if case .number(let number) = field.key { schema?.field(number: number) } else { nil }
            if definition?.isInternal == true { return [] }
            guard field.policy != .union else { return try elements(field, name: definition?.name ?? "") }
            let superseded = try supersededHeads(by: field.shown, field.key)
            var losers = try field.heads.dropLast().reversed().map { try write($0) }
            let reason: Blame.Reason =
                if field.heads.count > 1 {
                    reason(among: field)
                } else if superseded.count > 1 {
                    .chosen
                } else {
                    superseded.isEmpty ? .only : .causal
                }
            if field.heads.count == 1 {
                losers = try superseded.compactMap { try write($0, field: field.key) }
            }
            let winner = try write(field.shown)
            guard let definition, !definition.members.isEmpty else {
                let name = schema?.name(of: field.key) ?? field.key.plainName
                return [Blame(field: name, winner: winner, reason: reason, losers: losers)]
            }
            return members(definition, field, winner, reason, losers)
        }
    }

    /// Returns why the shown one of several heads is shown.
    private func reason(among field: Record.Field) -> Blame.Reason {
        let others = field.heads.dropLast()
        if field.policy == .sources, others.contains(where: { !$0.isDecision }) {
            guard field.shown.isDecision else { return field.contradictions.isEmpty ? .finest : .first }
            return field.shown.isTrusted ? .trusted : .hand
        }
        return others.contains { $0.stamp == field.shown.stamp } ? .tie : .stamp
    }

    /// Returns one entry for each member of a register that has or had a value.
    private func members(
        _ definition: FieldSchema, _ field: Record.Field, _ winner: Blame.Write, _ reason: Blame.Reason,
        _ losers: [Blame.Write]
    ) -> [Blame] {
        definition.members.indices.compactMap { index in
            func member(_ write: Blame.Write) -> Blame.Write {
                let register = Register(decoding: write.value ?? [], memberCount: definition.members.count)
                return write.with(value: register.values[index])
            }
            var (won, lost, reason) = (member(winner), losers.map(member), reason)
            let shown = field.shown(member: index)
            if shown.id != field.shown.id, let place = lost.firstIndex(where: { $0.event == shown.id.event }) {
                // Another source fills in what the shown head lacks, or says it more finely.
                (won, lost[place], reason) = (lost[place], won, .finest)
            }
            guard won.value != nil || lost.contains(where: { $0.value != nil }) else { return nil }
            return Blame(field: definition.members[index], winner: won, reason: reason, losers: lost)
        }
    }

    private func elements(_ field: Record.Field, name: String) throws -> [Blame] {
        try field.heads.map {
            Blame(field: name, winner: try write($0), reason: .only, losers: [])
        }
    }

    private func supersededHeads(by head: Record.Head, _ key: FieldKey) throws -> [HeadID] {
        try log.withEvent(at: head.position) { frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            return change?.operation(writing: head.id.index, field: key)?.supersedes ?? []
        } ?? []
    }

    private func write(_ head: Record.Head) throws -> Blame.Write {
        let words = try wordsOfBatch(with: head.position)
        return try Blame.Write(
            event: head.id.event, position: head.position,
            stamp: log.stamp(of: head.id.event) ?? head.stamp, counted: head.stamp, note: words.note,
            noteWithheld: words.withheld, isImported: head.source != nil, value: head.value,
            withheld: head.isWithheld ? log.withholding(of: head.id.event) : nil)
    }

    /// Reads a superseded write from its event; `nil` for a delete, which writes no value.
    private func write(_ id: HeadID, field: FieldKey) throws -> Blame.Write? {
        guard let position = try log.position(of: id.event) else { return nil }
        let found = try log.withEvent(at: position) { frame, bytes -> (Stamp, Change, Bool)? in
            guard
                let change = try? Change(
                    shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                    isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            else { return nil }
            return (frame.stamp, change, frame.isWithheld)
        }
        guard let found, let (stamp, change, isWithheld) = found,
            let operation = change.operation(writing: id.index, field: field)
        else { return nil }
        let words = try wordsOfBatch(with: position)
        return try Blame.Write(
            event: id.event, position: position, stamp: stamp, counted: counted(stamp, of: id.event),
            note: words.note, noteWithheld: words.withheld, isImported: change.source != nil, value: operation.value,
            withheld: isWithheld ? log.withholding(of: id.event) : nil)
    }
}

extension Blame.Write {
    fileprivate func with(value: [UInt8]?) -> Self {
        Self(
            event: event, position: position, stamp: stamp, counted: counted, note: note,
            noteWithheld: noteWithheld, isImported: isImported, value: value, withheld: withheld)
    }
}
