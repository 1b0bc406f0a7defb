import Events
import Projections
import Records

/// One batch as it came into the log: what changed, who did it, and the token to resume after it.
public struct ChangeSet: Hashable, Sendable {
    /// The changes that one event made to one record.
    public struct RecordChange: Hashable, Sendable {
        /// The event.
        public let event: EventID
        /// The kind of the record.
        public let kind: String
        /// The record.
        public let record: RecordID
        /// Whether an import wrote it.
        public let isImported: Bool
        /// The changed fields, with their values before and after.
        public let fields: [AuditEntry.FieldChange]
    }

    /// The token to pass to ``Store/changes(since:matching:)`` to resume after this batch.
    public let token: ChangeToken
    /// When it was written.
    public let stamp: Stamp
    /// Which replica wrote it.
    public let replica: ReplicaID
    /// The name of its device.
    public let device: String
    /// The operator; empty if none was named.
    public let author: String
    /// The reason, in the author's words; empty if none was given.
    public let note: String
    /// Whether this store's own replica wrote it.
    public let isLocal: Bool
    /// The changes that pass the filter, in order.
    public let changes: [RecordChange]
}

/// A filter for the changes to observe.
///
/// ```swift
/// store.changes(since: token, matching: .contacts([\.frequency, \.mode]).excludingThisDevice())
/// ```
public struct ChangeFilter: Hashable, Sendable {
    /// Only records of this kind.
    public var kind: String?
    /// Only changes that touch one of these fields, by name, and those that hide or restore a record; empty for all.
    public var fields: Set<String> = []
    /// Whether changes written by this store's own replica are left out.
    public var excludesThisDevice = false
    /// Whether bookkeeping records are left out, which only describe other batches: replicas, imports, reverts. Has
    /// no effect if ``kind`` is set.
    public var excludesBookkeeping = true

    /// Creates a filter for all changes but bookkeeping.
    public init() {}

    /// All changes but bookkeeping.
    public static var all: ChangeFilter { ChangeFilter() }

    /// Matches changes of records of one kind; if `fields` are named, only changes of these fields.
    public static func kind(_ kind: String, fields: Set<String> = []) -> ChangeFilter {
        var filter = ChangeFilter()
        filter.kind = kind
        filter.fields = fields
        return filter
    }

    /// Returns the same filter without the changes written by this device.
    public func excludingThisDevice() -> ChangeFilter {
        var copy = self
        copy.excludesThisDevice = true
        return copy
    }

    func matches(_ change: ChangeSet.RecordChange) -> Bool {
        if let kind, change.kind != kind { return false }
        if kind == nil, excludesBookkeeping, RevertKind.bookkeeping.contains(change.kind) { return false }
        // An empty field name stands for the whole record: hidden, or shown again.
        return fields.isEmpty || change.fields.contains { $0.field.isEmpty || fields.contains($0.field) }
    }
}
