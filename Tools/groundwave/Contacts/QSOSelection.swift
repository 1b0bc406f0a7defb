import Groundwave
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords

/// The contacts that a command changes: named one by one, or chosen by filters.
struct QSOSelection {
    /// The contacts, the earliest first.
    let records: [Record]
    /// Whether exactly one contact was named, so that the answer describes that contact.
    let isSingle: Bool

    /// The contact, if there is only one: what is done to it is said of it by name.
    var single: Record? { records.count == 1 ? records[0] : nil }

    /// - Throws: ``StoreError`` where neither names nor filters are given, or both.
    init(_ names: [String], _ filters: QSOFilters, in store: any Reading, among scope: ResolveScope = .all) throws {
        guard names.isEmpty || filters.isEmpty else {
            throw StoreError(
                .usage, "Contacts can be named or chosen by filters, but not both.", hint: "Leave out one of them.")
        }
        guard !names.isEmpty || !filters.isEmpty else {
            throw StoreError(
                .usage, "No contact was specified.",
                hint: "Name it by id, call or last, or use filters such as --call.")
        }
        isSingle = names.count == 1
        if names.isEmpty {
            var query = try filters.query(store)
            query.isHidden = scope == .hidden
            let chosen = query
            records = try store.read { try $0.all(chosen) }
        } else {
            var seen: Set<RecordID> = []
            let ids = try names.map { try store.resolve($0, kind: "qso", among: scope) }
            records = try store.read { view in
                try ids.filter { seen.insert($0).inserted }.compactMap { try view.record("qso", $0) }
            }
        }
    }

    /// Shows the contacts if there are several, and requires `--yes`.
    func confirm(_ verb: String, yes: Bool, dryRun: Bool, json: Bool) throws {
        guard records.count > 1 || dryRun else { return }
        if !json {
            var table = ContactTable()
            records.forEach { table.append($0) }
            try Terminal.print(lines: table.lines)
        }
        guard yes || dryRun else {
            throw StoreError(
                .usage, "This would \(verb) \(records.count) contacts.",
                hint: "Add --yes to do it, in one batch that can be undone.")
        }
    }
}

/// The JSON answer of a command that changes several contacts.
struct BulkResult: Encodable {
    var changed: Int
    var ids: [String]
    var event: String?
    var position: UInt64?
}
