import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// The result of merging contacts into one.
public struct MergedContact: Hashable, Sendable {
    /// The contact that was kept.
    public let keep: RecordID
    /// The other contacts, in the order in which they were merged. They are hidden, and keep their content.
    public let dropped: [Dropped]

    /// A contact that was merged away: each of its values that are not empty is shown by the contact that was kept,
    /// or is among the differences.
    public struct Dropped: Hashable, Sendable {
        /// The contact.
        public let id: RecordID
        /// The ADIF fields that were taken over or completed, in the order of the record.
        public let taken: [String]
        /// The values that the contact that was kept does not show, in the order of the record.
        public let differences: [ContactMerge.Difference]
    }
}

extension WriteBatch {
    /// Merges several contacts into one: `keep` takes over values that it is missing, and `drop` are hidden.
    ///
    /// Nothing is lost: `keep` keeps its own values, and the hidden contacts keep theirs in the log and when they are
    /// restored. The result lists the values that `keep` does not show.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if one is not a contact, and `usage` if one is hidden, is a note
    ///   of an activation, or is named twice.
    public mutating func merge(_ drop: [RecordID], into keep: RecordID) throws -> MergedContact {
        var named: Set<RecordID> = []
        for id in [keep] + drop where !named.insert(id).inserted {
            throw StoreError(.usage, "The contact \(id.short) is named twice.", hint: "Name two contacts.")
        }
        let kept = try shownContact(keep)
        var merge = ContactMerge(keeping: kept)
        var deletes: [Change] = []
        var taken: [(record: Record, fields: [String])] = []
        for id in drop {
            let record = try shownContact(id)
            taken.append((record, merge.absorb(record)))
            let delete = FieldOperation(.delete, .life, supersedes: record.coveredByDelete)
            deletes.append(Change(kind: QSOKind.name, record: id, operations: [delete]))
        }
        // Values of a contact may come from others that were merged into it before.
        let heads = ([kept] + taken.map(\.record)).flatMap(\.fields).flatMap(\.heads)
        let former = try related(to: heads).filter { $0 != keep && !drop.contains($0) }
        try append(
            Change(kind: QSOKind.name, record: keep, related: drop + former, operations: merge.operations))
        for delete in deletes { try append(delete) }
        return MergedContact(
            keep: keep,
            dropped: taken.map {
                .init(id: $0.record.id, taken: $0.fields, differences: merge.differences(to: $0.record))
            })
    }

    /// Records that two possible duplicates are different contacts: they are not listed as duplicates again.
    ///
    /// - Returns: The record of the dismissal, the same on every device.
    /// - Throws: As ``merge(_:into:)``.
    public mutating func dismissDuplicate(_ one: RecordID, _ other: RecordID) throws -> RecordID {
        guard one != other else {
            throw StoreError(.usage, "The contact \(one.short) is named twice.", hint: "Name two contacts.")
        }
        let ids = [one, other].sorted()
        for id in ids { _ = try shownContact(id) }
        let dismissal = Radio.dismissalID(one, other)
        try set(
            Radio.dismissal.name, dismissal,
            [Assignment("A", text: "\(ids[0])"), Assignment("B", text: "\(ids[1])")])
        return dismissal
    }

    private mutating func shownContact(_ id: RecordID) throws -> Record {
        guard let record = try record(QSOKind.name, id) else { throw Self.noRecord(QSOKind.name, id) }
        guard record.isVisible else {
            throw StoreError(
                .usage, "The contact \(id.short) is hidden.",
                hint: "To show it again: \(.restoreContact(id: id.short))")
        }
        guard !ContactFacts(record).isMetadata else {
            throw StoreError(.usage, "The record \(id.short) is a note of an activation, not a contact.")
        }
        return record
    }
}
