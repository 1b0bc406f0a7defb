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
        /// The square of four characters that the other station is in, or each of those that meet there.
        case grid

        /// The key called `name`: a property, `grid`, `zone` for CQZ, else a field.
        ///
        /// - Throws: ``EntryProblem`` if it is neither.
        public init(named name: String) throws(EntryProblem) {
            if let property = ContactCounts.Key(rawValue: name.lowercased()) {
                self = .property(property)
                return
            }
            switch name.lowercased() {
            case "grid":
                self = .grid
                return
            case "zone":
                self = .field(.cqz)
                return
            default: break
            }
            var remarks: [String] = []
            self = .field(try FieldNameInput.name(name, in: nil, remarks: &remarks))
        }

        /// The name of the property or field.
        public var name: String {
            switch self {
            case .property(let property): property.rawValue
            case .field(let field): field.name
            case .grid: "grid"
            }
        }
    }

    /// How many contacts there are, and how many of them are confirmed by whom.
    public struct Counts: Hashable, Sendable {
        /// All contacts.
        public internal(set) var all = 0
        /// Those that anybody confirmed.
        public internal(set) var confirmed = 0
        /// Those that ARRL's Logbook of the World confirmed: LOTW_QSL_RCVD is Y or V.
        public internal(set) var lotw = 0
        /// Those that eQSL confirmed: EQSL_QSL_RCVD is Y or V.
        public internal(set) var eqsl = 0
        /// Those that a card confirmed: QSL_RCVD is Y or V.
        public internal(set) var paper = 0

        /// Adds the counts of others.
        static func += (left: inout Counts, right: Counts) {
            left.all += right.all
            left.confirmed += right.confirmed
            left.lotw += right.lotw
            left.eqsl += right.eqsl
            left.paper += right.paper
        }

        init(all: Int) { self.all = all }

        /// Counts one contact.
        package init(of contact: borrowing ShownValues) {
            func isConfirmed(_ name: FieldName) -> Bool {
                guard let value = contact.value(name), value.count == 1, let letter = value.first else { return false }
                return letter & 0xDF == UInt8(ascii: "Y") || letter & 0xDF == UInt8(ascii: "V")
            }
            let marks = (isConfirmed("LOTW_QSL_RCVD"), isConfirmed("EQSL_QSL_RCVD"), isConfirmed("QSL_RCVD"))
            all = 1
            (lotw, eqsl, paper) = (marks.0 ? 1 : 0, marks.1 ? 1 : 0, marks.2 ? 1 : 0)
            confirmed = marks.0 || marks.1 || marks.2 ? 1 : 0
        }
    }

    /// A group of contacts.
    public struct Group: Hashable, Sendable {
        /// What they have in common, in order of the keys; empty texts for what they do not have.
        public let values: [String]
        /// The number of contacts. Confirmations are counted only if they were asked for.
        public let counts: Counts
    }

    /// What contacts are grouped by.
    public let keys: [Key]
    /// All contacts; one with several parks is in several groups.
    public private(set) var total = Counts(all: 0)
    private var counts: [[UInt8]: Counts] = [:]

    /// Separates the values of a combination; no value that a file or a person gives can hide in another one.
    private static let separator: UInt8 = 0

    private let countsConfirmations: Bool

    init(by keys: [Key], countsConfirmations: Bool) {
        (self.keys, self.countsConfirmations) = (keys, countsConfirmations)
    }

    /// The groups: of one key in its usual order, else by descending count.
    public var groups: [Group] {
        if keys.count == 1, case .property(let property) = keys[0] {
            let known = counts.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
            var counted = ContactCounts(by: [property])
            for (value, counts) in known { counted.add(value, counts.all, of: property) }
            let byValue = Dictionary(known, uniquingKeysWith: { first, _ in first })
            return counted.groups(by: property).compactMap { group in
                byValue[group.key].map { Group(values: [group.key], counts: $0) }
            }
        }
        let groups = counts.map { value, counts in
            Group(
                values: value.split(separator: Self.separator, omittingEmptySubsequences: false).map {
                    ValueText(decoding: $0).string
                }, counts: counts)
        }
        return groups.sorted {
            $0.counts.all == $1.counts.all
                ? $0.values.lexicographicallyPrecedes($1.values) : $0.counts.all > $1.counts.all
        }
    }

    mutating func add(_ contact: borrowing ShownValues) {
        var facts: ContactFacts?
        var values: [[[UInt8]]] = []
        for key in keys {
            switch key {
            case .field(let field): values.append(Self.values(of: field, in: contact))
            case .grid: values.append(Self.squares(of: contact))
            case .property(let property):
                let known = facts ?? ContactFacts(contact)
                facts = known
                values.append(Self.values(of: property, in: known))
            }
        }
        add(values, countsConfirmations ? Counts(of: contact) : Counts(all: 1))
    }

    /// Counts `count` contacts that have these facts in common; all keys are properties.
    mutating func add(_ facts: ContactFacts, _ count: Int) {
        add(
            keys.map { key in
                guard case .property(let property) = key else { preconditionFailure("A field is read from a row.") }
                return Self.values(of: property, in: facts)
            }, Counts(all: count))
    }

    /// Adds `counts` for each combination of these values of the keys.
    private mutating func add(_ values: [[[UInt8]]], _ counts: Counts) {
        total += counts
        var combinations: [[UInt8]] = [[]]
        for (place, values) in values.enumerated() {
            combinations = combinations.flatMap { start in
                values.map { place > 0 ? start + [Self.separator] + $0 : $0 }
            }
        }
        for combination in combinations { self.counts[combination, default: Counts(all: 0)] += counts }
    }

    private static func values(of property: ContactCounts.Key, in facts: ContactFacts) -> [[UInt8]] {
        ContactCounts.values(of: property, in: facts).map { Array($0.utf8) }
    }

    private static func squares(of contact: borrowing ShownValues) -> [[UInt8]] {
        StationPlace.ofOther(contact).map { place in place.squares.map { Array("\($0)".utf8) } } ?? [[]]
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
    /// - Complexity: About 50 ns for each contact if all keys are in the index of times and neither the query nor
    ///   confirmations ask for more; else about a microsecond.
    package func groups(
        _ query: ContactQuery, by keys: [ContactGroups.Key], countsConfirmations: Bool
    ) throws -> ContactGroups {
        var groups = ContactGroups(by: keys, countsConfirmations: countsConfirmations)
        let properties = keys.compactMap { key in if case .property(let property) = key { property } else { nil } }
        if properties.count == keys.count, !countsConfirmations {
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
