/// How the heads of a field are merged into the one value that is shown.
///
/// No policy loses data: the other heads stay.
public enum MergePolicy: String, Hashable, Sendable {
    /// Shows the head with the greatest stamp, then the greatest replica and number.
    case latest
    /// Like `latest`, but a local write that was not sent yet visibly gives way to a concurrent one that arrives.
    case yields
    /// Shows all elements of a collection; an element lives while any of its additions is not removed.
    case union
    /// Shows the lease with the greatest term, then the least stamp.
    case lease
    /// Shows what a person wrote, before what any import source says. Of sources the finest value is shown, of values that
    /// contradict each other the one that was said first; what a register lacks is filled in from other sources that
    /// contradict nothing of it.
    case sources
    /// Shows the head with the least stamp, the first one written. No field is stored so; it serves "what if"
    /// questions.
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
    /// How concurrent writes are merged.
    public let policy: MergePolicy
    /// The fields that are written together because they express one fact, in order; empty for a plain field.
    ///
    /// The value of such a register is the values of its members: see ``Register``.
    public let members: [String]
    /// What its values are; of a collection, what its elements are. Of registers only ``ValueType/any``.
    public let type: ValueType
    /// For a collection: the form in which equal elements are the same, such as upper case and trimmed.
    public let identity: @Sendable (String) -> String
    /// For a collection: how its elements are written as one text.
    public let list: ListSyntax
    /// Whether the field is bookkeeping that no listing shows.
    public let isInternal: Bool

    /// A field of these parts.
    public init(
        _ number: UInt32, _ name: String, _ policy: MergePolicy = .latest, type: ValueType = .any,
        members: [String] = [], isInternal: Bool = false, list: ListSyntax = .quoted,
        identity: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.number = number
        self.name = name
        self.policy = policy
        self.type = type
        self.members = members
        self.isInternal = isInternal
        self.list = list
        self.identity = identity
    }
}

/// The schema of a kind of records: its fields, how they merge, and the indexes of its records.
///
/// A kind without a registered schema is folded too, by the numbers and names in its events. It then has no names for
/// its numbers, no policy other than `latest`, and no indexes.
public struct KindSchema: Sendable {
    /// The name on disk, such as `qso`.
    public let name: String
    /// Increased when fields change their meaning: what was derived from them is then built anew.
    public let version: UInt32
    /// The fields.
    public let fields: [FieldSchema]
    /// The indexes that ``indexEntries`` fills.
    public let indexes: [IndexSchema]
    /// Adds the entries of a record to ``indexes``.
    ///
    /// Called for every change of a record; must be a pure function. Entries of an index that is not declared are not
    /// stored.
    public let indexEntries: @Sendable (borrowing ShownValues, inout IndexEntries) -> Void

    /// The policy of fields that have a name and no number.
    public let namedPolicy: MergePolicy
    /// Returns whether one value of the field or member `name` says all that another says, for ``MergePolicy/sources``.
    ///
    /// Must be a pure function, true for equal values, and transitive.
    public let covers: @Sendable (_ name: String, _ value: [UInt8], _ other: [UInt8]) -> Bool
    /// The summaries of the records' series; `nil` if they have none.
    public let series: SeriesSchema?

    private let numbers: [String: Int]
    private let places: [UInt32: Int]
    private let registers: [String: Int]
    /// Whether the text of a collection with one element may differ from that element.
    let hasQuotedLists: Bool

    /// A kind of these parts; traps if two fields or two indexes share a number, or two fields a name.
    public init(
        name: String, version: UInt32 = 1, fields: [FieldSchema], namedPolicy: MergePolicy = .latest,
        covers: @escaping @Sendable (_ name: String, _ value: [UInt8], _ other: [UInt8]) -> Bool = { $1 == $2 },
        series: SeriesSchema? = nil, indexes: [IndexSchema] = [],
        indexEntries: @escaping @Sendable (borrowing ShownValues, inout IndexEntries) -> Void = { _, _ in }
    ) {
        precondition(
            name.utf8.count <= 64 && !name.utf8.contains(0) && !name.isEmpty, "The name of a kind has 1 to 64 bytes.")
        self.name = name
        self.version = version
        self.fields = fields
        self.namedPolicy = namedPolicy
        self.covers = covers
        self.series = series
        precondition(
            Set(indexes.map(\.number)).count == indexes.count && !indexes.contains { $0.number == 0 },
            "The indexes of a kind have different numbers, from 1.")
        self.indexes = indexes
        self.indexEntries = indexEntries
        hasQuotedLists = fields.contains { $0.policy == .union && $0.list == .quoted }
        numbers = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
        places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.number, $0) })
        registers = Dictionary(
            uniqueKeysWithValues: fields.enumerated().flatMap { place, field in field.members.map { ($0, place) } })
    }

    /// The same kind with another policy for one field, or for the register that it is a member of; `nil` if there is
    /// no such field, or if it is a collection or a lease.
    public func reading(_ name: String, by policy: MergePolicy) -> KindSchema? {
        guard let field = field(named: name) ?? register(of: name), ![.union, .lease].contains(field.policy) else {
            return nil
        }
        let other = FieldSchema(
            field.number, field.name, policy, type: field.type, members: field.members, isInternal: field.isInternal,
            list: field.list, identity: field.identity)
        return KindSchema(
            name: self.name, version: version, fields: fields.map { $0.number == field.number ? other : $0 },
            namedPolicy: namedPolicy, covers: covers, series: series, indexes: indexes, indexEntries: indexEntries)
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

    /// The name under which `key` is shown; a number that this version does not know is shown as `#n`.
    public func name(of key: FieldKey) -> String {
        if case .number(let number) = key, let field = field(number: number) { return field.name }
        return key.plainName
    }

    /// The members of the register `key`; none if it is a plain field.
    public func members(of key: FieldKey) -> [String] {
        guard case .number(let number) = key else { return [] }
        return field(number: number)?.members ?? []
    }

    /// Whether `key` is bookkeeping that no listing shows.
    package func isInternal(_ key: FieldKey) -> Bool {
        guard case .number(let number) = key else { return false }
        return field(number: number)?.isInternal ?? false
    }

    /// The merge policy of `key`.
    public func policy(of key: FieldKey) -> MergePolicy {
        guard case .number(let number) = key else { return namedPolicy }
        return field(number: number)?.policy ?? .latest
    }
}

/// A kind of records: applications register their own kinds with it. See ``TypedRecord`` for one whose records are values
/// of a type.
public protocol RecordKind: Sendable {
    /// The kind.
    static var schema: KindSchema { get }
}
