import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// A filter for the events of a history.
public struct HistoryQuery: Hashable, Sendable {
    /// Only events of this record.
    public var record: (kind: String, id: RecordID)? {
        get { recordName.map { ($0.kind, $0.id) } }
        set { recordName = newValue.map { WriteBatch.RecordName(kind: $0.kind, id: $0.id) } }
    }
    private var recordName: WriteBatch.RecordName?
    /// Only events that touched this field.
    public var field: String?
    /// Only events of this replica.
    public var replica: ReplicaID?
    /// Only events of this author; upper and lower case are equal.
    public var author: String?
    /// Only events on records of this kind.
    public var kind: String?
    /// Only events whose stamp counts as these milliseconds or later.
    public var since: Int64?
    /// Only events whose stamp counts as before these milliseconds.
    public var until: Int64?
    /// The maximum number of events.
    public var limit: Int?
    /// Whether to include events that only renew a device's lease on a meter: one a minute.
    public var isWithRenewals = false

    /// Creates a query for all events.
    public init() {}

    /// Creates a query for the events of one record.
    public init(of kind: String, _ id: RecordID) { record = (kind, id) }

    func matches(_ entry: AuditEntry, _ components: [StoreComponent]) -> Bool {
        if let recordName, entry.kind != recordName.kind || entry.record != recordName.id { return false }
        if let field, !entry.changes.contains(where: { $0.field == field || $0.field.isEmpty }) { return false }
        if let replica, entry.event.replica != replica { return false }
        if let author, entry.note.author.uppercased() != author.uppercased() { return false }
        if let kind, entry.kind != kind { return false }
        if let since, entry.counted.milliseconds < since { return false }
        if let until, entry.counted.milliseconds >= until { return false }
        return isWithRenewals || !components.contains { $0.isRoutine?(entry.kind, entry.changes) ?? false }
    }
}

extension Reading {
    /// Calls `body` with the events of `query`, newest first, until it returns `false`.
    ///
    /// The history of one record is read from its row, whatever the size of the log.
    ///
    /// - Throws: As ``read(_:)``; the errors of `body` pass unchanged.
    /// - Complexity: A few look-ups for each event; without a record, all events are looked at until `body` returns
    ///   `false`.
    public func forEachHistoryEntry(_ query: HistoryQuery, _ body: (AuditEntry) throws -> Bool) throws {
        try passing {
            let audit = try audit.knowingClocks()
            var left = query.limit ?? .max
            func handOut(_ position: Position) throws -> Bool {
                guard left > 0 else { return false }
                guard let entry = try audit.entry(at: position), query.matches(entry, components) else { return true }
                left -= 1
                return try body(entry)
            }
            if let (kind, id) = query.record {
                for position in try positions(of: kind, id).reversed() where try !handOut(position) { return }
            } else {
                var position = try audit.lastPosition()
                while position > 0, try handOut(position) { position -= 1 }
            }
        }
    }

    /// Returns the events of `query`, newest first.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: As ``forEachHistoryEntry(_:_:)``: give a limit, or a record.
    public func history(_ query: HistoryQuery) throws -> [AuditEntry] {
        var entries: [AuditEntry] = []
        try forEachHistoryEntry(query) { entry in
            entries.append(entry)
            return true
        }
        return entries
    }

    /// Returns, for each field of a record, why it shows its value.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such record.
    /// - Complexity: A read of the record, and a few look-ups for each value that stands or was superseded by it.
    public func blame(_ kind: String, _ id: RecordID) throws -> [Blame] {
        try describing {
            guard let record = try record(kind, id) else { throw WriteBatch.noRecord(kind, id) }
            return try audit.knowingClocks().blame(record, schema: try schema(of: kind))
        }
    }

    /// Returns the records with conflicts: fields with several values, or an edit that met a delete.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: About a microsecond for each record.
    public func conflicts() throws -> [Record] { try records { $0.hasConflict } }

    /// Returns the records in which an import source contradicts what is shown: the shown value was written by a person, or
    /// said by another source before.
    ///
    /// No decision is needed (``MergePolicy/sources``), but there may be a mistake to be found.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: About a microsecond for each record.
    public func contradictions() throws -> [Record] {
        try records { $0.fields.contains { !$0.contradictions.isEmpty } }
    }

    private func records(where isWanted: (Record) -> Bool) throws -> [Record] {
        var records: [Record] = []
        try read { view in
            // Two versions of a program may describe a kind in two ways: nobody has to decide that.
            for kind in try view.kindsWithRecords() where kind != KindDescription.name {
                try view.forEachShown(of: kind) { id, values in
                    // Of almost all records the row tells that there is nothing to choose between.
                    guard values.state.hasSeveral else { return true }
                    let record = values.record(kind, id)
                    if isWanted(record) { records.append(record) }
                    return true
                }
            }
        }
        return records
    }
}
