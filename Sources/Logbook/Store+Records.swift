import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSettings
import GroundwaveStore

/// A record that was added.
public struct AddedRecord: Hashable, Sendable {
    /// The record.
    public let id: RecordID
    /// Whether a record with this natural identity was there already; then its fields were set.
    public let wasThere: Bool
    /// Remarks about unusual values, as sentences.
    public let remarks: [String]
}

extension WriteBatch {
    /// Adds a record of `kind`. If the kind has a natural identity, this determines the ID: two devices that add the
    /// same park, receiver or source write to the same record.
    ///
    /// - Throws: ``StoreError`` with code `usage` if a field of the identity is missing.
    public mutating func addNaturally(_ kind: String, _ assignments: [Assignment]) throws -> AddedRecord {
        let schema = try Self.editable(kind, in: kinds)
        try check(assignments, schema, record: nil)
        let (assignments, remarks) = try Radio.checked(assignments, of: schema)
        func text(_ name: String) -> String? {
            assignments.last { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
        }
        let given = assignments.filter { $0.value != nil }
        guard !given.isEmpty else { throw StoreError(.usage, "A new \(kind) needs at least one field: FIELD=VALUE.") }
        guard let id = Radio.naturalID(of: kind, text) else {
            let required = Radio.requiredFields(of: kind)
            if let missing = required.first(where: { text($0) == nil }) {
                throw StoreError(
                    .usage, "A new \(kind) needs \(missing).",
                    hint: "Fields that identify a \(kind): \(required.joined(separator: ", ")).")
            }
            return AddedRecord(id: try add(kind, given), wasThere: false, remarks: remarks)
        }
        let wasThere = try record(kind, id)?.isVisible ?? false
        try set(kind, id, given)
        return AddedRecord(id: id, wasThere: wasThere, remarks: remarks)
    }

    /// Sets or clears fields of a record as a user entered them; the fields of its natural identity cannot change.
    ///
    /// - Returns: Whether anything was written, and remarks about unusual values.
    public mutating func editNaturally(
        _ kind: String, _ id: RecordID, _ assignments: [Assignment]
    ) throws -> (isChanged: Bool, remarks: [String]) {
        let schema = try Self.editable(kind, in: kinds)
        guard let record = try record(kind, id) else { throw Self.noRecord(kind, id) }
        try check(assignments, schema, record: record)
        let (assignments, remarks) = try Radio.checked(assignments, of: schema)
        func before(_ name: String) -> String? {
            schema.value(of: name, in: record).map { String(decoding: $0, as: UTF8.self) }
        }
        func after(_ name: String) -> String? {
            guard let assignment = assignments.last(where: { $0.name == name }) else { return before(name) }
            return assignment.value.map { String(decoding: $0, as: UTF8.self) }
        }
        if Radio.naturalID(of: kind, before) == id, Radio.naturalID(of: kind, after) != id {
            throw StoreError(
                .usage,
                "The \(kind) is identified by \(Radio.identityFields(of: kind).joined(separator: " and ")), which cannot change.",
                hint: "Add a new record. Then \(.removeRecord(kind: kind, id: id.short))")
        }
        return (try set(kind, id, assignments), remarks)
    }

    private func check(_ assignments: [Assignment], _ schema: KindSchema, record: Record?) throws {
        for assignment in assignments {
            if let record, schema.value(of: assignment.name, in: record) != nil { continue }
            try Radio.check(field: assignment.name, of: schema)
        }
    }

    /// Returns the schema of a kind whose records users may write by hand.
    private static func editable(_ kind: String, in kinds: Kinds) throws -> KindSchema {
        switch kind {
        case QSOKind.name:
            throw StoreError(
                .usage, "Contacts are not edited as other records are.", hint: "Instead: \(.useFunctions(kind: kind))")
        case Radio.session.name:
            throw StoreError(
                .usage, "Sessions are not edited as other records are.", hint: "Instead: \(.useFunctions(kind: kind))")
        case Settings.setting.name:
            throw StoreError(
                .usage, "Settings are not edited as other records are.", hint: "Instead: \(.useFunctions(kind: kind))")
        case Radio.dismissal.name:
            throw StoreError(
                .usage, "Dismissals are not edited as other records are.", hint: "Instead: \(.dismissDuplicate)")
        case _ where RevertKind.bookkeeping.contains(kind):
            throw StoreError(.notPermitted, "Records of the kind \(kind) are written only by Groundwave itself.")
        default: break
        }
        guard let schema = kinds[kind] else {
            let meant = Spelling.nearest(to: kind, among: kinds.all.map(\.name))
            throw StoreError(
                .usage, "There is no kind of record called \(kind).",
                hint: meant.map { "Did you mean \($0)?" } ?? "To see them: \(.list(.kinds))")
        }
        return schema
    }
}

extension WriteBatch {
    /// Hides a record of a kind that users may write by hand; returns `false` if it is hidden already.
    public mutating func removeByHand(_ kind: String, _ id: RecordID) throws -> Bool {
        try Self.checkRemovable(kind)
        return try remove(kind, id)
    }

    /// Shows a hidden record of a kind that users may write by hand; returns `false` if it is not hidden.
    public mutating func restoreByHand(_ kind: String, _ id: RecordID) throws -> Bool {
        try Self.checkRemovable(kind)
        return try restore(kind, id)
    }

    private static func checkRemovable(_ kind: String) throws {
        // A session has no command of its own for this. Records of kinds that this version does not know may be
        // hidden too.
        switch kind {
        case QSOKind.name:
            throw StoreError(
                .usage, "Contacts are not edited as other records are.", hint: "Instead: \(.useFunctions(kind: kind))")
        case Settings.setting.name:
            throw StoreError(
                .usage, "Settings are not removed as other records are.", hint: "Instead: \(.unsetSetting)")
        case _ where RevertKind.bookkeeping.contains(kind):
            throw StoreError(.notPermitted, "Records of the kind \(kind) are written only by Groundwave itself.")
        default: break
        }
    }
}

/// The number of records of a kind.
public struct KindCount: Hashable, Sendable {
    /// The kind.
    public let kind: String
    /// The number of records that show.
    public var shown = 0
    /// The number of records that are hidden.
    public var hidden = 0
}

extension Reading {
    /// Returns all kinds that are registered or have records, by name.
    public func kindCounts() throws -> [KindCount] {
        try read { view in
            let names = Set(view.kinds.all.map(\.name)).union(try view.kindsWithRecords())
            return try names.sorted().map { name in
                var count = KindCount(kind: name)
                try view.forEachState(of: name) { _, state in
                    if state.isVisible { count.shown += 1 } else { count.hidden += 1 }
                    return true
                }
                return count
            }
        }
    }

    /// Returns the schema of a registered kind; `nil` if the kind only has records.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if the kind is not registered and has no records.
    public func knownKind(_ kind: String) throws -> KindSchema? {
        if let schema = try schema(of: kind) { return schema }
        let names = try read { try $0.kindsWithRecords() }
        if names.contains(kind) { return nil }
        let meant = Spelling.nearest(to: kind, among: kinds.all.map(\.name) + names)
        throw StoreError(
            .notFound, "There is no kind of record called \(kind).",
            hint: meant.map { "Did you mean \($0)?" } ?? "To see them: \(.list(.kinds))")
    }
}
