import GroundwaveByteCoding
import GroundwaveEvents

/// What an operation does to its field or record.
///
/// The raw values are stored on disk.
public enum OperationCode: UInt8, Sendable {
    /// Writes a head with a value.
    case set = 0
    /// Writes a head without one.
    case clear = 1
    /// Adds an element to a collection.
    case add = 2
    /// Removes elements from a collection: those whose heads it supersedes.
    case remove = 3
    /// Hides the record, as far as the heads of the events that it names are concerned.
    case delete = 4
    /// Shows the record again.
    case revive = 5
    /// Restores one of several values: a set whose head is identified by its index in the event, so that one event
    /// may write several heads of one field. Used by reverts only.
    case candidate = 6
    /// Stores an assertion of an import's source and does not change what is shown: the source asserts what others
    /// asserted before, or what a person has corrected. The next import can then compare with the source's last
    /// assertion.
    case assert = 7
    /// Stores an assertion, like ``assert``, of an element of a collection.
    case assertElement = 8
    /// Erases the record for ever: whatever was or will be written to it, earlier, at the same time or later, by
    /// anybody, shows nothing.
    case erase = 9

    /// Whether the operation has a value.
    public var hasValue: Bool { self == .set || self == .add || self == .candidate || isAssertion }

    /// Whether the operation writes a head.
    var writesHead: Bool { self != .remove && !concernsWholeRecord && !isAssertion }

    /// Whether it is about the record and not a field: then it is the only operation of its event.
    var concernsWholeRecord: Bool { self == .delete || self == .erase }

    /// Whether the operation only stores an assertion of a source.
    public var isAssertion: Bool { self == .assert || self == .assertElement }

    /// Whether its head is identified by the index of the operation in its event; if not, by 0, and the field occurs
    /// once.
    var isNamedByPlace: Bool { self == .add || self == .candidate }
}

/// One step of a change, and the heads that it replaces: exactly those that its author saw.
public struct FieldOperation: Hashable, Sendable {
    /// What the operation does.
    public var code: OperationCode
    /// The field; ``FieldKey/life`` for delete, revive and erase.
    public var field: FieldKey
    /// The heads that it replaces; for a delete, the events whose heads it covers (with index 0).
    public var supersedes: [HeadID]
    /// The new value of a set or an added element; `nil` for all others.
    public var value: [UInt8]?
    /// When the import source of the change first wrote to the field, if that was before this change: a correction takes
    /// the place of what it corrects (``MergePolicy/sources``). `nil` for a change by a person.
    public var since: Stamp?

    /// An operation of these parts.
    public init(
        _ code: OperationCode, _ field: FieldKey, supersedes: [HeadID] = [], value: [UInt8]? = nil, since: Stamp? = nil
    ) {
        self.code = code
        self.field = field
        self.supersedes = supersedes
        self.value = value
        self.since = since
    }
}

/// A run of items of a record's series, such as the samples of a trace.
///
/// A series only grows, and by many items a second, so its items are not fields. The summary stays when the items
/// themselves are withheld.
public struct SeriesBlock: Hashable, Sendable {
    /// The number of the first item within the series.
    public var first: UInt64
    /// The number of items, at least 1.
    public var count: UInt64
    /// The summary of the items, without personal text; at most 64 KiB.
    public var summary: [UInt8]
    /// The items, at most 1 MiB; empty if they are withheld.
    public var content: [UInt8]

    /// A block of these parts.
    public init(first: UInt64, count: UInt64, summary: [UInt8], content: [UInt8]) {
        (self.first, self.count, self.summary, self.content) = (first, count, summary, content)
    }
}

/// What one event does to one record.
///
/// In one change a field occurs once (an element of a collection once), and a delete or an erase is the only operation.
/// A change with a block has no operations.
public struct Change: Hashable, Sendable {
    /// The kind of the record, such as `qso`.
    public var kind: String
    /// The id of the record.
    public var record: RecordID
    /// The import source of the change; `nil` for a change by a person.
    public var source: SourceID?
    /// Whether what the source says counts as what a person says. Only of a change with a source.
    public var isTrusted = false
    /// Other records of the kind that the change is about; at most 4,096. Of an erase, those that it
    /// erases, too. Of any other change, those whose values it repeats: once one of them is erased, the values of this change
    /// are erased with it. A change of a series has none.
    public var related: [RecordID] = []
    /// The steps, in order.
    public var operations: [FieldOperation]
    /// The block that is added to the record's series; then there are no operations.
    public var block: SeriesBlock?

    /// A change of these parts.
    public init(
        kind: String, record: RecordID, source: SourceID? = nil, isTrusted: Bool = false, related: [RecordID] = [],
        operations: [FieldOperation]
    ) {
        self.kind = kind
        self.record = record
        self.source = source
        self.isTrusted = isTrusted
        self.related = related
        self.operations = operations
    }

    /// A change that adds `block` to the series of a record.
    public init(kind: String, record: RecordID, block: SeriesBlock) {
        self.init(kind: kind, record: record, operations: [])
        self.block = block
    }
}

/// Who made a change, and why: stored once a batch, in its last event.
public struct AuditNote: Hashable, Sendable {
    /// The operator, if known.
    public var author: String
    /// The reason in the user's words, such as "Corrected frequency"; empty when none was given.
    public var text: String
    /// What the batch belongs to, in the words of the application: the id of a job or a request, the same in each batch
    /// of it; empty if there is none.
    public var correlation: String
    /// What made the application write the batch: the id of an event or a message; empty if there is none.
    public var causation: String

    /// A note of these parts.
    public init(author: String = "", text: String = "", correlation: String = "", causation: String = "") {
        self.author = author
        self.text = text
        self.correlation = correlation
        self.causation = causation
    }

    /// Whether it says anything.
    package var isEmpty: Bool { self == AuditNote() }

    /// Whether it says what the batch belongs to, or what made it.
    package var isTraced: Bool { !correlation.isEmpty || !causation.isEmpty }

    /// The number of bytes of all its texts.
    var byteCount: Int {
        author.utf8.count + text.utf8.count + correlation.utf8.count + causation.utf8.count
    }
}

/// The limits of a change: anything larger is refused before memory is allocated for it.
public enum ChangeLimits {
    /// The maximum size of the name of a kind or field, in bytes.
    public static let nameBytes = 255
    /// The maximum size of one value, in bytes: 1 MiB.
    public static let valueBytes = 1 << 20
    /// The maximum number of operations in one change.
    public static let operationCount = 8192
    /// The maximum number of related records of one change.
    public static let relatedCount = 4096
    /// The maximum size of the summary of a block, in bytes.
    public static let summaryBytes = 1 << 16
    /// The number of random bytes before the values, so that their hash reveals nothing about a short value.
    static let nonceBytes = 16
}
