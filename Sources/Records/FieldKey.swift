import GroundwaveByteCoding
import GroundwaveEvents

/// The key of a field within its kind: a number from the kind's schema, or a name that is in no schema.
///
/// The log keeps both unchanged, so a field that this version does not know is stored, relayed and folded, and gets
/// its name in a version that knows it.
public enum FieldKey: Hashable, Sendable, Comparable {
    /// A field of the schema, from 1. The number is on disk and never changes its meaning.
    case number(UInt32)
    /// A field with a name: one of an application, or one from a file.
    case name(String)

    /// Whether the field has a name and no number.
    var isName: Bool { if case .name = self { true } else { false } }

    /// The field that holds whether a record lives: what hiding and showing a record write.
    public static let life = FieldKey.number(0)

    /// Names are equal if their UTF-8 bytes are: strings that merely look alike are two fields, as in every other
    /// program that reads the log. The order below agrees with this.
    public static func == (left: FieldKey, right: FieldKey) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a == b
        case (.name(let a), .name(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    /// Feeds the number, or the UTF-8 bytes of the name, into `hasher`.
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

/// The identifier of an import source: the first 8 bytes of the SHA-256 of its name.
///
/// It is in the shape, so that the last assertion of a source can be folded; the name itself is a value.
public struct SourceID: Hashable, Comparable, Sendable {
    /// The eight bytes, read big-endian; never 0.
    public let rawValue: UInt64

    /// The source with these eight bytes.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The source called `name`; case and the amount of white space are ignored.
    public init(name: String) {
        let folded = name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        rawValue = Swift.max(1, [UInt8](folded.utf8).withSpan { Hash256(hashing: $0) }.prefix)
    }

    /// Whoever clears a field because an undo took back all that was ever written to it: no person, so that a file may fill
    /// the field in later.
    static let undo = SourceID(rawValue: 1)

    /// Byte order.
    public static func < (left: SourceID, right: SourceID) -> Bool { left.rawValue < right.rawValue }
}

/// The identifier of one head of a field: the event that wrote it and, for elements of a collection, an index.
public struct HeadID: Hashable, Comparable, Sendable {
    /// The event that wrote it.
    public let event: EventID
    /// The index of the operation within its event for an element or a candidate; 0 for a plain
    /// value.
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
