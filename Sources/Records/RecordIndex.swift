import GroundwaveEvents

/// An index of a ``TypedRecord``: finds records that show, in the order of keys that are made of their values.
public struct RecordIndex<Kind: TypedRecord>: Sendable {
    /// The index as the engine sees it.
    public let schema: IndexSchema
    /// Whether two records with one key are probably one thing: see ``keys``.
    public let isUnique: Bool
    /// The keys of a value, in any order.
    let keys: @Sendable (Kind) -> [ProjectionKey]

    /// An index with one key for each record, or none: `nil` leaves a record out.
    ///
    /// - Parameters:
    ///   - number: The number on the disk, from 1 to 255. It is never given to another index.
    ///   - name: The name people see, such as `day`.
    ///   - version: Increased when other keys are made of the same values: the index is then built anew.
    ///   - isUnique: Whether two records with one key are probably one thing. This is a hint: since devices write without
    ///     asking each other, nothing can be refused for it. `repeated` lists such records.
    ///   - key: The key of a value. Must be a pure function.
    public init(
        _ number: UInt8, _ name: String, version: UInt32 = 1, isUnique: Bool = false,
        key: @escaping @Sendable (Kind) -> ProjectionKey?
    ) {
        self.init(number, name, version: version, isUnique: isUnique, keys: { key($0).map { [$0] } ?? [] })
    }

    /// An index with any number of keys for each record, such as the words of a text.
    ///
    /// The parameters are those of the other initializer.
    public init(
        _ number: UInt8, _ name: String, version: UInt32 = 1, isUnique: Bool = false,
        keys: @escaping @Sendable (Kind) -> [ProjectionKey]
    ) {
        schema = IndexSchema(number, name, version: version)
        self.isUnique = isUnique
        self.keys = keys
    }
}

/// A record of a ``TypedRecord`` as it was read.
@dynamicMemberLookup
public struct Saved<Kind: TypedRecord>: Identifiable, Sendable {
    /// The value.
    public let value: Kind
    /// The record that it was read from, with all its fields, conflicts and authors.
    public let record: Record
    /// The fields of which ``value`` does not have what the record shows, in the order of the kind's fields.
    public let problems: [FieldProblem]

    /// The id of the record.
    public var id: RecordID { record.id }

    /// Reads the value that `record`, one of the kind, shows.
    public init(_ record: Record) {
        self.record = record
        (value, problems) = Kind.reading { record.content(of: $0) }
    }

    /// A property of the value.
    public subscript<Value>(dynamicMember property: KeyPath<Kind, Value>) -> Value { value[keyPath: property] }
}

extension Saved: Equatable {
    /// Whether both are the same state of one record.
    public static func == (left: Saved, right: Saved) -> Bool { left.record == right.record }
}

extension Saved: Hashable {
    /// Hashes the record.
    public func hash(into hasher: inout Hasher) { hasher.combine(record) }
}
