import Events
import Radio
import Records

/// What came of merging contacts into one.
public struct MergedContact: Hashable, Sendable {
    /// The contact that stayed.
    public let keep: RecordID
    /// Those that went, in the order in which they were merged. They are hidden, and still say what they said.
    public let dropped: [Dropped]

    /// A contact that went: each of its values that are not empty is shown by the one that stayed, or is among the
    /// differences.
    public struct Dropped: Hashable, Sendable {
        /// The contact.
        public let id: RecordID
        /// The ADIF fields that were taken over or completed, in the order of the record.
        public let taken: [String]
        /// What the one that stayed does not show in the end, in the order of the record.
        public let differences: [ContactMerge.Difference]
    }
}

extension WriteBatch {
    /// Makes one contact of several: `keep` takes over what it lacks, and `drop` are hidden.
    ///
    /// Nothing is lost: what `keep` says stays as it is, and those that go still say in the log, and when they are
    /// restored, what they said. What the one that stays does not say is in the result; see ``ContactMerge`` for the rules.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where one is no contact, and `usage` where one is hidden, is a note
    ///   of an activation, or is named twice.
    public mutating func merge(_ drop: [RecordID], into keep: RecordID) throws -> MergedContact {
        var named: Set<RecordID> = []
        for id in [keep] + drop where !named.insert(id).inserted {
            throw StoreError(.usage, "The contact \(id.short) is named twice.", hint: "Name two contacts.")
        }
        var merge = ContactMerge(keeping: try shownContact(keep))
        var deletes: [Change] = []
        var taken: [(record: Record, fields: [String])] = []
        for id in drop {
            let record = try shownContact(id)
            taken.append((record, merge.take(record)))
            let delete = Operation(.delete, .life, supersedes: record.coveredByDelete)
            deletes.append(Change(kind: QSOKind.name, record: id, operations: [delete]))
        }
        try append(Change(kind: QSOKind.name, record: keep, operations: merge.operations))
        for delete in deletes { try append(delete) }
        return MergedContact(
            keep: keep,
            dropped: taken.map {
                .init(id: $0.record.id, taken: $0.fields, differences: merge.differences(to: $0.record))
            })
    }

    /// Notes that two contacts which may be one are two: they are not listed as duplicates again.
    ///
    /// - Returns: The record that says so, the same on every device.
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
                hint: "To show it again: groundwave qso restore \(id.short)")
        }
        guard !ContactFacts(record).isMetadata else {
            throw StoreError(.usage, "The record \(id.short) is a note of an activation, not a contact.")
        }
        return record
    }
}
