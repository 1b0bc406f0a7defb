import GroundwaveByteCoding
import GroundwaveEvents

/// The name of a field within its kind: a number that the kind's schema gave it, or a name that no schema knows.
///
/// Both are kept in the log as they are, so a field that this version does not know is stored, relayed and folded, and
/// gets its name when a version comes that knows it.
public enum FieldKey: Hashable, Sendable, Comparable {
    /// A field of the schema, from 1. The number is on disk and never changes its meaning.
    case number(UInt32)
    /// A field by its name: an application's own, or one from a file.
    case name(String)

    /// Whether the field has a name and no number.
    var isName: Bool { if case .name = self { true } else { false } }

    /// The field that holds whether a record lives: what ``OperationCode/revive`` writes.
    public static let life = FieldKey.number(0)

    /// Names are equal where their UTF-8 bytes are: strings that merely look alike are two fields, as in every other
    /// program that reads the log, and the order below agrees with it.
    public static func == (left: FieldKey, right: FieldKey) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a == b
        case (.name(let a), .name(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    /// Feeds the number, or the UTF-8 bytes of the name.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .name(let name): for byte in name.utf8 { hasher.combine(byte) }
        }
    }

    /// The name without a schema: a number shows as `#n`.
    public var plainName: String {
        switch self {
        case .number(let number): "#\(number)"
        case .name(let name): name
        }
    }

    /// Numbers first, in order; then names, by their UTF-8 bytes.
    public static func < (left: FieldKey, right: FieldKey) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a < b
        case (.number, .name): true
        case (.name, .number): false
        case (.name(let a), .name(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        }
    }
}

/// Which importer wrote a change: the first 8 bytes of the SHA-256 of the source's name.
///
/// It stands in the shape, so that "what did this source say last time" is a fold; the name itself is a value.
public struct SourceID: Hashable, Comparable, Sendable {
    /// The eight bytes, read big-endian; never 0.
    public let rawValue: UInt64

    /// The source with these eight bytes.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The source called `name`; case and white space around it do not count.
    public init(name: String) {
        let folded = name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        rawValue = Swift.max(1, [UInt8](folded.utf8).withSpan { Hash256(hashing: $0) }.prefix)
    }

    /// Byte order.
    public static func < (left: SourceID, right: SourceID) -> Bool { left.rawValue < right.rawValue }
}

/// The name of one head of a field: the event that wrote it and, for elements of a collection, which of its additions.
public struct HeadID: Hashable, Comparable, Sendable {
    /// The event that wrote it.
    public let event: EventID
    /// The place of the operation within its event for an element; 0 for a plain value.
    public let index: UInt32

    /// The head that `event` wrote.
    public init(_ event: EventID, index: UInt32 = 0) {
        self.event = event
        self.index = index
    }

    /// By event, then by place.
    public static func < (left: HeadID, right: HeadID) -> Bool {
        left.event == right.event ? left.index < right.index : left.event < right.event
    }
}
