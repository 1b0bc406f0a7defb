import Events
import Projections
import Radio
import Records

extension Store {
    /// The record of `kind` that `text` names: a whole id, any unambiguous prefix, `last`, or for a contact its call.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where there is none, or where several fit; they are listed then.
    public func resolve(_ text: String, kind: String) throws -> RecordID {
        if let id = RecordID(text: text) {
            guard try read({ try $0.record(kind, id) }) != nil else { throw WriteBatch.noRecord(kind, id) }
            return id
        }
        let candidates = try read { view in
            if text.lowercased() == "last" { return try Self.last(of: kind, in: view).map { [$0] } ?? [] }
            var found: [RecordID] = []
            if kind == QSOKind.name {
                var query = ContactQuery.contacts.worked(text)
                query.includesMetadata = true
                query.limit = 20
                found = try view.all(query).map(\.id)
            }
            return found.isEmpty ? try Self.prefixed(text.uppercased(), kind, in: view) : found
        }
        if candidates.count == 1 { return candidates[0] }
        if candidates.isEmpty {
            throw StoreError(
                .notFound, "There is no \(kind) called \(text).",
                hint: kind == QSOKind.name ? "groundwave qso list shows ids and calls." : nil)
        }
        throw StoreError(
            .notFound, "\(text) may be any of these: \(candidates.map(\.short).joined(separator: ", ")).",
            hint: "Name one by its id.")
    }

    private static func last(of kind: String, in view: borrowing ViewReader) throws -> RecordID? {
        if kind == QSOKind.name {
            var query = ContactQuery.contacts
            query.limit = 1
            return try view.all(query).first?.id
        }
        var last: (position: Position, id: RecordID)?
        try view.forEachRecord(of: kind) { record in
            if record.isVisible, record.firstPosition > last?.position ?? 0 { last = (record.firstPosition, record.id) }
            return true
        }
        return last?.id
    }

    /// The records whose id starts with `prefix`, at most 20.
    private static func prefixed(_ prefix: String, _ kind: String, in view: borrowing ViewReader) throws -> [RecordID] {
        var found: [RecordID] = []
        try view.forEachRecordID(of: kind, textPrefix: prefix) { id in
            found.append(id)
            return found.count < 20
        }
        return found
    }
}
