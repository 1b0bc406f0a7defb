/// How the heads of a field become the one value that is shown.
///
/// Nothing is ever lost by it: the other heads stay.
public enum MergePolicy: String, Hashable, Sendable {
    /// Of several heads the greatest stamp is shown, then the greatest replica and number.
    case latest
    /// As `latest`; and a local write that was not sent yet gives way to a concurrent one that arrives, visibly.
    case yields
    /// A collection whose elements are all shown; an element lives while some addition of it is not removed.
    case union
    /// A claim with a term: the greatest term is shown, then the least stamp.
    case lease
    /// Of several heads the least stamp is shown: whoever came first. No field is kept so; it is there to ask "what if".
    case established
}

/// A field of a kind, as its schema declares it.
public struct FieldSchema: Sendable {
    /// The number on disk, from 1.
    ///
    /// It never changes its meaning and is never given to another field.
    public let number: UInt32
    /// The name people and files use, such as `CALL`.
    public let name: String
    /// How concurrent writes meet.
    public let policy: MergePolicy
    /// The fields that are written together because they say one thing, in order; empty for a plain field.
    ///
    /// The value of such a register is the values of its members: see ``Register``.
    public let members: [String]
    /// For a collection: the form in which two elements are the same one, such as upper case and trimmed.
    public let identity: @Sendable (String) -> String
    /// Whether the field is bookkeeping that no listing shows.
    public let isInternal: Bool

    /// A field of these parts.
    public init(
        _ number: UInt32, _ name: String, _ policy: MergePolicy = .latest, members: [String] = [],
        isInternal: Bool = false, identity: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.number = number
        self.name = name
        self.policy = policy
        self.members = members
        self.isInternal = isInternal
        self.identity = identity
    }
}

/// One entry of a secondary index: what to find a record by, in byte order.
public struct IndexEntry: Hashable, Sendable {
    /// The index, by its number within the kind, from 1.
    public var index: UInt8
    /// What to find the record by; at most 400 bytes, the rest is cut off.
    public var key: [UInt8]

    /// The entry `key` of the index `index`.
    public init(index: UInt8, key: [UInt8]) {
        self.index = index
        self.key = key.count <= 400 ? key : Array(key.prefix(400))
    }
}

/// What a kind of record is: its fields, how they merge, and what its records are found by.
///
/// A kind that nobody registered is folded all the same, by the numbers and names in its events; what it lacks is
/// names for its numbers, policies other than `latest`, and indexes.
public struct KindSchema: Sendable {
    /// The name on disk, such as `qso`.
    public let name: String
    /// Raised when fields or indexes change their meaning: views of another version are rebuilt.
    public let version: UInt32
    /// The fields.
    public let fields: [FieldSchema]
    /// What a record is found by.
    ///
    /// Called once whenever a record has changed; must be a pure function.
    public let indexEntries: @Sendable (ShownValues) -> [IndexEntry]

    /// What is kept of the records' series; `nil` where they have none.
    public let series: SeriesSchema?

    private let numbers: [String: Int]
    private let places: [UInt32: Int]
    private let registers: [String: Int]

    /// A kind of these parts; traps where two fields share a number or a name.
    public init(
        name: String, version: UInt32 = 1, fields: [FieldSchema], series: SeriesSchema? = nil,
        indexEntries: @escaping @Sendable (ShownValues) -> [IndexEntry] = { _ in [] }
    ) {
        precondition(
            name.utf8.count <= 64 && !name.utf8.contains(0) && !name.isEmpty, "The name of a kind has 1 to 64 bytes.")
        self.name = name
        self.version = version
        self.fields = fields
        self.series = series
        self.indexEntries = indexEntries
        numbers = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
        places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.number, $0) })
        registers = Dictionary(
            uniqueKeysWithValues: fields.enumerated().flatMap { place, field in field.members.map { ($0, place) } })
    }

    /// The same kind with one field, or the register it is a member of, read by another policy; `nil` where there is no
    /// such field, or where it is no field of one value.
    public func reading(_ name: String, by policy: MergePolicy) -> KindSchema? {
        guard let field = field(named: name) ?? register(of: name), ![.union, .lease].contains(field.policy) else {
            return nil
        }
        let other = FieldSchema(
            field.number, field.name, policy, members: field.members, isInternal: field.isInternal,
            identity: field.identity)
        return KindSchema(
            name: self.name, version: version, fields: fields.map { $0.number == field.number ? other : $0 },
            series: series, indexEntries: indexEntries)
    }

    /// The field with this number.
    public func field(number: UInt32) -> FieldSchema? { places[number].map { fields[$0] } }

    /// The field with this name: a plain field or a whole register.
    public func field(named name: String) -> FieldSchema? { numbers[name].map { fields[$0] } }

    /// The register that `name` is a member of.
    public func register(of name: String) -> FieldSchema? { registers[name].map { fields[$0] } }

    /// The key under which `name` is written: its number, that of its register, or the name itself.
    public func key(for name: String) -> FieldKey {
        if let field = field(named: name) ?? register(of: name) { return .number(field.number) }
        return .name(name)
    }

    /// The name that `key` is shown by; a number that this version does not know shows as `#n`.
    public func name(of key: FieldKey) -> String {
        if case .number(let number) = key, let field = field(number: number) { return field.name }
        return key.plainName
    }

    /// The policy that `key` is read by.
    public func policy(of key: FieldKey) -> MergePolicy {
        if case .number(let number) = key, let field = field(number: number) { return field.policy }
        return .latest
    }
}

/// A type whose values are records of one kind: an application's own kinds are registered by it.
public protocol RecordKind: Sendable {
    /// The kind.
    static var schema: KindSchema { get }
}
