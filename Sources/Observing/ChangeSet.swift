import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore

/// One batch as it came into the log: what it changed in what records show, who did it, and the token to resume after it.
///
/// A set without changes stands for batches of which none matches: its token is behind them.
public struct ChangeSet: Hashable, Sendable {
    /// How a record stands.
    public enum Standing: Hashable, Sendable {
        /// There is no such record, or nothing of it can be read.
        case absent
        /// It is shown.
        case shown
        /// It is hidden, and can be restored.
        case hidden
        /// It was erased: nothing of it is left, and nothing of it may be kept elsewhere.
        case erased
    }

    /// What a batch changed in what one record shows. A write that loses against a concurrent one changes nothing but
    /// ``conflicts``.
    public struct RecordChange: Hashable, Sendable {
        /// The first event of the batch that touched the record.
        public let event: EventID
        /// The kind of the record.
        public let kind: String
        /// The record.
        public let record: RecordID
        /// Whether an import wrote it.
        public let isImported: Bool
        /// How the record stood before.
        public let before: Standing
        /// How it stands now.
        public let after: Standing
        /// The fields that show another value, in order of their keys, registers as their members. First comes one without a
        /// name if the record was hidden, shown again or erased.
        public let fields: [AuditEntry.FieldChange]
        /// The fields with several values that nobody has decided between, by name.
        public let conflicts: Set<String>
        /// Those of ``conflicts`` that are new, and those that are settled.
        public let changedConflicts: Set<String>
    }

    /// The token to pass to ``Store/changes(since:through:matching:)`` to resume after this batch.
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
    /// What the batch belongs to, such as the id of a job; empty if the author named nothing.
    public let correlation: String
    /// What made the application write it; empty if the author named nothing.
    public let causation: String
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
    /// Only changes of one of these fields, by name, and those that hide, restore or erase a record; empty for all.
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
        // An empty field name stands for the whole record: hidden, shown again, or erased.
        matches(kind: change.kind)
            && (fields.isEmpty || change.fields.contains { $0.field.isEmpty || fields.contains($0.field) }
                || !fields.isDisjoint(with: change.changedConflicts))
    }

    func matches(kind other: String) -> Bool {
        if let kind { return other == kind }
        return !excludesBookkeeping || !RevertKind.bookkeeping.contains(other)
    }
}
