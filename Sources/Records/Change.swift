import GroundwaveByteCoding
import GroundwaveEvents

/// What an operation does to its field or record.
///
/// The numbers are on disk.
public enum OperationCode: UInt8, Sendable {
    /// Writes a head with a value.
    case set = 0
    /// Writes a head without one.
    case clear = 1
    /// Adds an element to a collection.
    case add = 2
    /// Takes the elements it names out of a collection.
    case remove = 3
    /// Hides the record as far as the heads of the events it names go.
    case delete = 4
    /// Shows the record again.
    case revive = 5
    /// Puts back one of several values: a set that is named by its place in the event, so that one event may write
    /// several heads of one field. Only a revert does.
    case candidate = 6
    /// Keeps the word of an import's source and leaves what is shown as it is: the source says what others said before,
    /// or what a person had corrected. So the next import knows what this source said last.
    case say = 7
    /// As ``say``, of an element of a collection.
    case sayElement = 8

    /// Whether the operation brings a value.
    public var hasValue: Bool { self == .set || self == .add || self == .candidate || isWord }

    /// Whether the operation leaves a head.
    var writesHead: Bool { self != .remove && self != .delete && !isWord }

    /// Whether the operation only keeps the word of a source.
    public var isWord: Bool { self == .say || self == .sayElement }

    /// Whether its head is named by the place of the operation in its event; else by 0, and the field occurs once.
    var isNamedByPlace: Bool { self == .add || self == .candidate }
}

/// One step of a change, and the heads it replaces: exactly those its author was looking at.
public struct FieldOperation: Hashable, Sendable {
    /// What is done.
    public var code: OperationCode
    /// The field it is done to; ``FieldKey/life`` for delete and revive.
    public var field: FieldKey
    /// The heads it replaces; for a delete, the events whose heads it covers (with index 0).
    public var supersedes: [HeadID]
    /// The new value of a set or an added element; `nil` for all others.
    public var value: [UInt8]?

    /// An operation of these parts.
    public init(_ code: OperationCode, _ field: FieldKey, supersedes: [HeadID] = [], value: [UInt8]? = nil) {
        self.code = code
        self.field = field
        self.supersedes = supersedes
        self.value = value
    }
}

/// A run of items of a record's series, such as the samples of a trace.
///
/// A series only grows, and by many items a second: its items are no fields. What is said of them stays when the items
/// themselves are withheld.
public struct SeriesBlock: Hashable, Sendable {
    /// The number of the first item within the series.
    public var first: UInt64
    /// How many items there are, at least 1.
    public var count: UInt64
    /// What is said of the items, without personal text; at most ``ChangeLimits/summaryBytes``.
    public var summary: [UInt8]
    /// The items, at most ``ChangeLimits/valueBytes``; empty where they are withheld.
    public var content: [UInt8]

    /// A block of these parts.
    public init(first: UInt64, count: UInt64, summary: [UInt8], content: [UInt8]) {
        (self.first, self.count, self.summary, self.content) = (first, count, summary, content)
    }
}

/// What one event does to one record.
///
/// In one change a field occurs once (an element of a collection once), and a delete stands alone. A change that brings a
/// block has no operations.
public struct Change: Hashable, Sendable {
    /// The kind of the record, such as `qso`.
    public var kind: String
    /// Which record.
    public var record: RecordID
    /// Which import says so; `nil` for what a person did.
    public var source: SourceID?
    /// The steps, in order.
    public var operations: [FieldOperation]
    /// What is added to the record's series; then there are no operations.
    public var block: SeriesBlock?

    /// A change of these parts.
    public init(kind: String, record: RecordID, source: SourceID? = nil, operations: [FieldOperation]) {
        self.kind = kind
        self.record = record
        self.source = source
        self.operations = operations
    }

    /// A change that adds `block` to the series of a record.
    public init(kind: String, record: RecordID, block: SeriesBlock) {
        self.init(kind: kind, record: record, operations: [])
        self.block = block
    }
}

/// The words of the audit, kept once a batch, in its last event: who, and why.
public struct AuditNote: Hashable, Sendable {
    /// The operator, where one is known.
    public var author: String
    /// The reason in the user's words, such as "Corrected frequency"; empty when none was given.
    public var text: String

    /// A note of these parts.
    public init(author: String = "", text: String = "") {
        self.author = author
        self.text = text
    }
}

/// The limits of a change: what exceeds them is refused before anything is allocated.
public enum ChangeLimits {
    /// The most bytes of a kind's or field's name.
    public static let nameBytes = 255
    /// The most bytes of one value: 1 MiB.
    public static let valueBytes = 1 << 20
    /// The most operations of one change.
    public static let operationCount = 8192
    /// The most bytes of what is said of a block.
    public static let summaryBytes = 1 << 16
    /// The most bytes of an author or a note.
    public static let noteBytes = 8192
    /// Random bytes before the values, so that their hash says nothing about a short value.
    static let nonceBytes = 16
}
