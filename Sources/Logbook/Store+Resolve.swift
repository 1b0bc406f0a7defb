import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSettings
import GroundwaveStore

/// A name that matches several records: the cause of a ``StoreError`` with code `notFound`.
public struct AmbiguousName: Error, Sendable {
    /// The name that was given.
    public let text: String
    /// The records that it matches, at most ``limit``.
    public let candidates: [Record]
    /// Whether there are more.
    public let hasMore: Bool

    /// The maximum number of records that are listed.
    public static let limit = 20

    /// Returns the error that `text` matches `candidates`, which are of `kind`.
    package static func error(_ text: String, _ candidates: [Record], kind: String) -> StoreError {
        let hasMore = candidates.count > limit
        let count = hasMore ? "more than \(limit)" : "\(candidates.count)"
        return StoreError(
            .notFound, "\(text) matches \(count) \(kind == QSOKind.name ? "contacts" : "records of the kind \(kind)").",
            hint: "Specify one by its id.",
            cause: AmbiguousName(text: text, candidates: Array(candidates.prefix(limit)), hasMore: hasMore))
    }
}

/// The records among which a name is looked up.
public enum ResolveScope: Sendable {
    /// All records; for a call, hidden contacts only if none shows.
    case all
    /// Hidden records only.
    case hidden
}

extension Reading {
    /// Returns the record of `kind` that `text` names: a whole ID, `last`, the call of a contact, the name of a
    /// record of another kind, or any unambiguous prefix of an ID. The last contact is the one that this device logged or
    /// imported last; the last hidden one the one that it hid last.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is none, or if several match; then its cause is an
    ///   ``AmbiguousName``.
    public func resolve(_ text: String, kind: String, among scope: ResolveScope = .all) throws -> RecordID {
        if let id = RecordID(text: text) {
            guard try record(kind, id) != nil else { throw WriteBatch.noRecord(kind, id) }
            return id
        }
        if kind == QSOKind.name, text.lowercased() == "last" {
            if let id = try lastContact(scope) { return id }
            throw StoreError(
                .notFound, "No contact was \(scope == .hidden ? "hidden" : "logged") on this device.",
                hint: "To see all: \(.list(.records(kind: kind, areHidden: scope == .hidden)))")
        }
        if scope == .all, let id = try presentRecord(kind, idPrefix: text), try record(kind, id) != nil { return id }
        let candidates = try read { try Self.candidates(text, kind, scope, in: $0) }
        if candidates.count == 1 { return candidates[0].id }
        let noun = kind == QSOKind.name ? "contact" : kind
        if candidates.isEmpty {
            throw StoreError(
                .notFound, "There is no \(scope == .hidden ? "hidden " : "")\(noun) called \(text).",
                hint: "To see all: \(.list(.records(kind: kind, areHidden: scope == .hidden)))")
        }
        throw AmbiguousName.error(text, candidates, kind: kind)
    }

    /// For a past moment, returns the record whose ID starts with `text`, at least the eight characters that tables
    /// show, from the present records. No record ever goes away, so this needs no replay.
    private func presentRecord(_ kind: String, idPrefix text: String) throws -> RecordID? {
        guard let past = self as? PastStore, text.count >= 8 else { return nil }
        var ids: [RecordID] = []
        try past.store.read { view in
            try view.forEachRecordID(of: kind, textPrefix: text.uppercased()) { id in
                ids.append(id)
                return ids.count < 2
            }
        }
        return ids.count == 1 ? ids[0] : nil
    }

    private static func candidates(
        _ text: String, _ kind: String, _ scope: ResolveScope, in view: borrowing ViewReader
    ) throws -> [Record] {
        if text.isEmpty { return [] }
        if text.lowercased() == "last" { return try last(of: kind, scope, in: view).map { [$0] } ?? [] }
        let named = kind == QSOKind.name ? try called(text, scope, in: view) : try named(text, kind, scope, in: view)
        return named.isEmpty ? try prefixed(text.uppercased(), kind, scope, in: view) : named
    }

    private static func last(
        of kind: String, _ scope: ResolveScope, in view: borrowing ViewReader
    ) throws -> Record? {
        var last: Record?
        try view.forEachRecord(of: kind) { record in
            if record.isVisible != (scope == .hidden), record.firstPosition > last?.firstPosition ?? 0 { last = record }
            return true
        }
        return last
    }

    /// Returns the contacts with a call: those that show, or the hidden ones if none shows.
    private static func called(
        _ call: String, _ scope: ResolveScope, in view: borrowing ViewReader
    ) throws -> [Record] {
        var query = ContactQuery.contacts.worked(call)
        query.includesMetadata = true
        query.limit = AmbiguousName.limit + 1
        if scope == .all {
            let shown = try view.all(query)
            if !shown.isEmpty { return shown }
        }
        query.isHidden = true
        return try view.all(query)
    }

    /// Returns the records of a kind whose name is `text`.
    private static func named(
        _ text: String, _ kind: String, _ scope: ResolveScope, in view: borrowing ViewReader
    ) throws -> [Record] {
        if kind == Settings.setting.name {
            return try view.record(kind, Settings.recordID(of: text)).map { [$0] } ?? []
        }
        guard let field = Radio.nameField(of: kind), let schema = view.kinds[kind] else { return [] }
        var found: [Record] = []
        try view.forEachRecord(of: kind) { record in
            let name = schema.value(of: field, in: record).map { String(decoding: $0, as: UTF8.self).lowercased() }
            if name == text.lowercased(), scope == .all || !record.isVisible { found.append(record) }
            return found.count <= AmbiguousName.limit
        }
        return found
    }

    private static func prefixed(
        _ prefix: String, _ kind: String, _ scope: ResolveScope, in view: borrowing ViewReader
    ) throws -> [Record] {
        var ids: [RecordID] = []
        try view.forEachRecordID(of: kind, textPrefix: prefix) { id in
            ids.append(id)
            return ids.count <= 4 * AmbiguousName.limit
        }
        return try ids.compactMap { try view.record(kind, $0) }.filter { scope == .all || !$0.isVisible }
    }
}
