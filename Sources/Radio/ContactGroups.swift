import GroundwaveADIF
import GroundwaveProjections
import GroundwaveRecords

/// The number of contacts with each combination of values: of a property of ``ContactCounts``, or of any field.
public struct ContactGroups: Hashable, Sendable {
    /// What contacts are grouped by.
    public enum Key: Hashable, Sendable {
        /// A property that contacts are counted by.
        case property(ContactCounts.Key)
        /// The value of a field, in upper case; of a list of parks each one.
        case field(FieldName)

        /// The key called `name`: a property, else a field.
        ///
        /// - Throws: ``EntryProblem`` if it is neither.
        public init(named name: String) throws(EntryProblem) {
            if let property = ContactCounts.Key(rawValue: name.lowercased()) {
                self = .property(property)
                return
            }
            var remarks: [String] = []
            self = .field(try FieldNameInput.name(name, in: nil, remarks: &remarks))
        }

        /// The name of the property or field.
        public var name: String {
            switch self {
            case .property(let property): property.rawValue
            case .field(let field): field.name
            }
        }
    }

    /// A group of contacts.
    public struct Group: Hashable, Sendable {
        /// What they have in common, in order of the keys; empty texts for what they do not have.
        public let values: [String]
        /// The number of contacts.
        public let count: Int
    }

    /// What contacts are grouped by.
    public let keys: [Key]
    /// The number of all contacts; one with several parks is in several groups.
    public private(set) var total = 0
    private var counts: [[UInt8]: Int] = [:]

    /// Separates the values of a combination; no value that a file or a person gives can hide in another one.
    private static let separator: UInt8 = 0

    init(by keys: [Key]) { self.keys = keys }

    /// The groups: of one key in its usual order, else by descending count.
    public var groups: [Group] {
        if keys.count == 1, case .property(let property) = keys[0] {
            var counted = ContactCounts(by: [property])
            for (value, count) in counts { counted.add(String(decoding: value, as: UTF8.self), count, of: property) }
            return counted.groups(by: property).map { Group(values: [$0.key], count: $0.count) }
        }
        let groups = counts.map { value, count in
            Group(
                values: value.split(separator: Self.separator, omittingEmptySubsequences: false).map {
                    ValueText(decoding: $0).string
                }, count: count)
        }
        return groups.sorted {
            $0.count == $1.count ? $0.values.lexicographicallyPrecedes($1.values) : $0.count > $1.count
        }
    }

    mutating func add(_ contact: borrowing ShownValues) {
        var facts: ContactFacts?
        var values: [[[UInt8]]] = []
        for key in keys {
            switch key {
            case .field(let field): values.append(Self.values(of: field, in: contact))
            case .property(let property):
                let known = facts ?? ContactFacts(contact)
                facts = known
                values.append(Self.values(of: property, in: known))
            }
        }
        add(values, 1)
    }

    /// Counts `count` contacts that have these facts in common; all keys are properties.
    mutating func add(_ facts: ContactFacts, _ count: Int) {
        add(
            keys.map { key in
                guard case .property(let property) = key else { preconditionFailure("A field is read from a row.") }
                return Self.values(of: property, in: facts)
            }, count)
    }

    /// Counts `count` contacts for each combination of these values of the keys.
    private mutating func add(_ values: [[[UInt8]]], _ count: Int) {
        total += count
        var combinations: [[UInt8]] = [[]]
        for (place, values) in values.enumerated() {
            combinations = combinations.flatMap { start in
                values.map { place > 0 ? start + [Self.separator] + $0 : $0 }
            }
        }
        for combination in combinations { counts[combination, default: 0] += count }
    }

    private static func values(of property: ContactCounts.Key, in facts: ContactFacts) -> [[UInt8]] {
        ContactCounts.values(of: property, in: facts).map { Array($0.utf8) }
    }

    /// The values of a field by which a contact counts: without blanks around them, in upper case; an empty one if it has
    /// none.
    private static func values(of field: FieldName, in contact: borrowing ShownValues) -> [[UInt8]] {
        let value = contact.value(field) ?? []
        if QSOKind.collectionNames.contains(field) {
            let parts = Set(value.split(separator: UInt8(ascii: ",")).map { ContactKey.folded($0) })
            return parts.isEmpty ? [[]] : Array(parts)
        }
        return [ContactKey.folded(value).map { $0 == separator ? UInt8(ascii: " ") : $0 }]
    }
}

extension ViewReader {
    /// Counts the contacts that match `query` by each combination of the values of `keys`.
    ///
    /// - Complexity: About 50 ns for each contact if all keys are in the index of times and the query asks for no more; else
    ///   about a microsecond.
    package func groups(_ query: ContactQuery, by keys: [ContactGroups.Key]) throws -> ContactGroups {
        var groups = ContactGroups(by: keys)
        let properties = keys.compactMap { key in if case .property(let property) = key { property } else { nil } }
        if properties.count == keys.count {
            try forEachTally(query, of: properties) { groups.add($0, $1) }
            return groups
        }
        try forEachShownContact(query) { _, values in
            groups.add(values)
            return true
        }
        return groups
    }
}
