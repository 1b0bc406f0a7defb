import GroundwaveEvents
import GroundwaveRecords

/// Why a field shows what it shows.
public struct Blame: Hashable, Sendable {
    /// What made the shown value win.
    public enum Reason: String, Hashable, Sendable {
        /// Nobody else wrote the field.
        case only
        /// It was written by somebody who had the value before in view.
        case causal
        /// It settled several values that stood side by side.
        case chosen
        /// Several values stand side by side, and its stamp is the greatest.
        case stamp
        /// Several values stand side by side with one stamp; the order of replicas decided.
        case tie
    }

    /// A write, and who is behind it.
    public struct Write: Hashable, Sendable {
        /// The event.
        public let event: EventID
        /// Where it stands in this store.
        public let position: Position
        /// When it was written.
        public let stamp: Stamp
        /// Who and why.
        public let note: AuditNote
        /// Why the words of its batch are not here; `nil` where they are.
        public let noteWithheld: Withholding?
        /// Whether an import wrote it.
        public let isImported: Bool
        /// The value; `nil` for a clear.
        public let value: [UInt8]?
        /// Why the value is not there.
        public let withheld: Withholding?
    }

    /// The field, or the member of a register, by its name.
    public let field: String
    /// The write whose value is shown.
    public let winner: Write
    /// Why it is shown.
    public let reason: Reason
    /// What it won against: the values beside it, else those it replaced.
    public let losers: [Write]
}

extension Audit {
    /// Why each field of `record` shows what it shows, in order of the fields; those that were cleared included.
    ///
    /// - Parameter schema: The record's kind, where it is registered.
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
                    field.heads.dropLast().contains { $0.stamp == field.shown.stamp } ? .tie : .stamp
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
            return members(definition, winner, reason, losers)
        }
    }

    /// One line for each member of a register that has or had a value.
    private func members(
        _ field: FieldSchema, _ winner: Blame.Write, _ reason: Blame.Reason, _ losers: [Blame.Write]
    ) -> [Blame] {
        field.members.indices.compactMap { place in
            func member(_ write: Blame.Write) -> Blame.Write {
                let register = Register(decoding: write.value ?? [], memberCount: field.members.count)
                return write.with(value: register.values[place])
            }
            let lost = losers.map(member)
            let won = member(winner)
            guard won.value != nil || lost.contains(where: { $0.value != nil }) else { return nil }
            return Blame(field: field.members[place], winner: won, reason: reason, losers: lost)
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
            event: head.id.event, position: head.position, stamp: head.stamp,
            note: words.note, noteWithheld: words.withheld, isImported: head.source != nil, value: head.value,
            withheld: head.isWithheld ? log.withholding(of: head.id.event) : nil)
    }

    /// A write that something has superseded, out of its event; `nil` for a delete, which brought no value.
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
            event: id.event, position: position, stamp: stamp, note: words.note, noteWithheld: words.withheld,
            isImported: change.source != nil, value: operation.value,
            withheld: isWithheld ? log.withholding(of: id.event) : nil)
    }
}

extension Blame.Write {
    fileprivate func with(value: [UInt8]?) -> Self {
        Self(
            event: event, position: position, stamp: stamp, note: note, noteWithheld: noteWithheld,
            isImported: isImported, value: value, withheld: withheld)
    }
}
