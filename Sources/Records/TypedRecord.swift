/// A kind whose records are values of the type: they are read as such values, and written from them.
///
/// ```swift
/// struct Inspection: TypedRecord {
///     enum Result: String, RecordValue, CaseIterable { case passed, failed }
///
///     var device = ""
///     var day: CalendarDay?
///     var result = Result.passed
///     var labels: [String] = []
///
///     static let name = "inspection"
///     static let fields = [
///         Field(1, "DEVICE", \.device), Field(2, "DAY", \.day), Field(3, "RESULT", \.result),
///         Field(4, "LABELS", \.labels),
///     ]
///     static let byDay = Index(1, "day") { $0.day.map { [.text("\($0)")] } }
///     static let indexes = [byDay]
/// }
/// ```
///
/// Numbers and names are on the disk: a field keeps its number for ever. Fields that the type does not know stay as they are
/// when a record is written.
public protocol TypedRecord: RecordKind {
    /// A field of the kind.
    typealias Field = RecordField<Self>
    /// An index of the kind.
    typealias Index = RecordIndex<Self>

    /// The name of the kind, 1 to 64 bytes.
    static var name: String { get }
    /// Increased when fields change their meaning, or indexes make other keys of the same fields: these are then built anew.
    static var version: UInt32 { get }
    /// The fields, in any order.
    static var fields: [Field] { get }
    /// The indexes.
    static var indexes: [Index] { get }

    /// A value as it is without any fields: what a field has here is read where a record does not show it.
    init()

    /// Throws if the value must not be written; nothing of the batch is written then, and ``Store/write(_:)`` throws the
    /// error unchanged.
    ///
    /// It judges what this program writes, never what others have written: values that are read may be invalid.
    func validate() throws
}

extension TypedRecord {
    /// The first version.
    public static var version: UInt32 { 1 }
    /// No indexes.
    public static var indexes: [Index] { [] }
    /// Accepts every value.
    public func validate() throws {}

    /// The kind with these fields and indexes, as the engine sees it; traps if two fields or two indexes share a number, or
    /// two fields a name. Cost: it is made at each call.
    public static var schema: KindSchema {
        let indexes = indexes
        return KindSchema(
            name: name, version: version, fields: fields.map(\.schema), indexes: indexes.map(\.schema),
            indexEntries: { shown, entries in
                guard shown.isVisible, !indexes.isEmpty else { return }
                let value = Self(shown)
                for index in indexes {
                    for key in index.keys(value) { entries.add(key.bytes[...], to: index.schema.number) }
                }
            })
    }

    /// The value that `record` shows; what cannot be read is as in ``init()``.
    public init(_ record: Record) { self = Self.reading { record.content(of: $0) }.value }

    /// The value that a record shows, for a ``Projection``; what cannot be read is as in ``init()``.
    public init(_ shown: borrowing ShownValues) { self = Self.reading { shown.content(of: $0) }.value }

    static func reading(_ content: (FieldSchema) -> FieldContent?) -> (value: Self, problems: [FieldProblem]) {
        var value = Self()
        var problems: [FieldProblem] = []
        for field in fields {
            if let reason = field.read(content, &value) {
                problems.append(FieldProblem(field: field.schema.name, reason: reason))
            }
        }
        return (value, problems)
    }

    /// The assignments of the fields in which the value differs from `former`; of all fields that have a value if that is
    /// `nil`.
    package func assignments(since former: Self?) -> [Assignment] {
        Self.fields.compactMap { field in
            let value = field.write(self)
            let isSame = former.map { field.write($0) == value } ?? (value == nil)
            return isSame ? nil : Assignment(field.schema.name, value)
        }
    }
}

/// A field of which a ``TypedRecord`` does not have what the record shows.
public struct FieldProblem: Hashable, Sendable {
    /// Why the value cannot be read.
    public enum Reason: Hashable, Sendable {
        /// It is not of the type of the field: another program wrote it, or another version. These are the bytes of it.
        case unreadable([UInt8])
        /// It was erased, or is not on this device.
        case withheld
    }

    /// The name of the field.
    public let field: String
    /// Why the value cannot be read.
    public let reason: Reason
}
