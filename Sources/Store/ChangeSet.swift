import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// One batch as it came into the log: what changed, who did it, and from where to go on.
public struct ChangeSet: Hashable, Sendable {
    /// What became of one record.
    public struct RecordChange: Hashable, Sendable {
        /// The event.
        public let event: EventID
        /// The kind of the record.
        public let kind: String
        /// The record.
        public let record: RecordID
        /// Whether an import wrote it.
        public let isImported: Bool
        /// The fields, with what stood there before and what stands there now.
        public let fields: [AuditEntry.FieldChange]
    }

    /// Pass it to ``Store/changes(since:matching:)`` to go on behind this batch.
    public let token: ChangeToken
    /// When it was written.
    public let stamp: Stamp
    /// Which replica wrote it.
    public let replica: ReplicaID
    /// The name of its device.
    public let device: String
    /// The operator; empty where nobody was named.
    public let author: String
    /// Why, in the author's words; empty where nothing was said.
    public let note: String
    /// Whether this store's own replica wrote it.
    public let isLocal: Bool
    /// The records that changed, in order; those that the filter leaves out are not here.
    public let changes: [RecordChange]
}

/// Which changes somebody wants to hear of.
///
/// ```swift
/// store.changes(since: token, matching: .contacts([\.frequency, \.mode]).excludingThisDevice())
/// ```
public struct ChangeFilter: Hashable, Sendable {
    /// Only records of this kind.
    public var kind: String?
    /// Only changes that touch one of these fields, by name, and those that hide or restore a record; empty for all.
    public var fields: Set<String> = []
    /// Whether what this store's own replica wrote is left out.
    public var excludesThisDevice = false
    /// Whether the records that only tell of other batches are left out: replicas, imports, reverts.
    public var excludesBookkeeping = true

    /// All changes but bookkeeping.
    public init() {}

    /// All changes but bookkeeping.
    public static var all: ChangeFilter { ChangeFilter() }

    /// Changes of records of one kind, and of these fields of it where any are named.
    public static func kind(_ kind: String, fields: Set<String> = []) -> ChangeFilter {
        var filter = ChangeFilter()
        filter.kind = kind
        filter.fields = fields
        return filter
    }

    /// The same, without what this device wrote itself.
    public func excludingThisDevice() -> ChangeFilter {
        var copy = self
        copy.excludesThisDevice = true
        return copy
    }

    func matches(_ change: ChangeSet.RecordChange) -> Bool {
        if let kind, change.kind != kind { return false }
        if kind == nil, excludesBookkeeping, RevertKind.bookkeeping.contains(change.kind) { return false }
        // An empty name is the whole record: hidden, or shown again.
        return fields.isEmpty || change.fields.contains { $0.field.isEmpty || fields.contains($0.field) }
    }
}
