import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// A record that two states of a store show differently.
public struct RecordDifference: Hashable, Sendable {
    /// How the record differs from the first state to the second.
    public enum What: String, Hashable, Sendable {
        /// It shows only in the second state.
        case added
        /// It shows only in the first state: it was hidden, or does not exist in the second.
        case removed
        /// It shows in both states, with different values.
        case changed
    }

    /// A field whose values differ.
    public struct Field: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The value shown in the first state; `nil` if the field is empty.
        public let before: [UInt8]?
        /// The value shown in the second state; `nil` if the field is empty.
        public let after: [UInt8]?
    }

    /// The kind.
    public let kind: String
    /// The record.
    public let record: RecordID
    /// How it differs.
    public let what: What
    /// The fields whose values differ, by name; for an added or removed record, all fields that have a value.
    public let fields: [Field]
}

extension ViewReader {
    fileprivate func names(of kind: String) throws -> [WriteBatch.RecordName] {
        var names: [WriteBatch.RecordName] = []
        try forEachState(of: kind) { id, _ in
            names.append(.init(kind: kind, id: id))
            return true
        }
        return names
    }
}

extension Store {
    /// Calls `body` with each record that `second` shows differently from `first`, until `body` returns `false`. Both
    /// are states of this store.
    ///
    /// Records come in the order of the last differing event that touched them, then the other records of `kinds` by
    /// ID. Records that only keep books (devices, imports, undos) are skipped.
    ///
    /// - Parameters:
    ///   - first: The earlier state.
    ///   - second: The later state.
    ///   - kinds: Kinds of which every record is compared, since their values are chosen by another policy.
    ///   - body: Is given each difference, and returns whether to go on.
    /// - Throws: As ``read(_:)``; the errors of `body` pass unchanged.
    /// - Complexity: O(events of the records touched by an event that counts in only one of the two states).
    public func forEachDifference(
        from first: some Reading, to second: some Reading, policiesOf kinds: Set<String> = [],
        _ body: (RecordDifference) throws -> Bool
    ) throws {
        try passing {
            let all = try log.vector()
            let ranges = first.audit.filter.differing(from: second.audit.filter, of: all)
            let every = try kinds.isEmpty ? [] : read { view in try kinds.flatMap { try view.names(of: $0) } }
            let restamped = try views.eventsRestamped(from: first.audit.filter, to: second.audit.filter)
            let touched = try records(touchedBy: EventSet(ranges + restamped))
            for name in touched + Set(every).subtracting(touched).sorted(by: { $0.id < $1.id }) {
                let (before, after) = try (first.record(name.kind, name.id), second.record(name.kind, name.id))
                guard let difference = try difference(name, before, after) else { continue }
                guard try body(difference) else { return }
            }
        }
    }

    /// Returns how one record differs between the states; `nil` if both show the same.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: As two reads of the record.
    public func difference(
        of record: RecordID, kind: String, from first: some Reading, to second: some Reading
    ) throws -> RecordDifference? {
        try difference(
            .init(kind: kind, id: record), try first.record(kind, record), try second.record(kind, record))
    }

    private func difference(
        _ name: WriteBatch.RecordName, _ before: Record?, _ after: Record?
    ) throws -> RecordDifference? {
        let (old, new) = try (shown(before), shown(after))
        guard old != nil || new != nil else { return nil }
        let fields = try Set((old ?? [:]).keys).union((new ?? [:]).keys).sorted().compactMap { field in
            let (before, after) = (old?[field], new?[field])
            // An element that was removed and added again moves to the end of its list, which is not a difference.
            let lists = try (elements(before, of: name.kind, field), elements(after, of: name.kind, field))
            let isSame = before == after || lists.0 != nil && lists.0 == lists.1
            return isSame ? nil : RecordDifference.Field(name: field, before: before, after: after)
        }
        if old != nil, new != nil, fields.isEmpty { return nil }
        let what: RecordDifference.What = old == nil ? .added : new == nil ? .removed : .changed
        return RecordDifference(kind: name.kind, record: name.id, what: what, fields: fields)
    }

    /// The elements of what a collection shows; `nil` for nothing, and for another field.
    private func elements(_ value: [UInt8]?, of kind: String, _ name: String) throws -> Set<[UInt8]>? {
        guard let field = try schema(of: kind)?.field(named: name), field.policy == .union else { return nil }
        return value.map { Set(field.list.split($0)) }
    }

    /// Returns the values that a record shows, by field name; `nil` if the record is hidden.
    private func shown(_ record: Record?) throws -> [String: [UInt8]]? {
        guard let record, record.isVisible else { return nil }
        let schema = try schema(of: record.kind) ?? KindSchema(name: record.kind, fields: [])
        return Dictionary(
            schema.values(of: record).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
