/// Tables of the views that are made of what records show: the indexes of a kind, the summaries of its series, or a
/// ``Projection``.
public struct DerivedTable: Hashable, Sendable {
    /// What it is, such as `the indexes of qso`.
    public let name: String
    /// The kinds of the records that it is made of.
    public let kinds: [String]
    /// The number of records that have changed since a program with its code has used the store last; that program follows
    /// them at once when it opens the store.
    public let behind: Int
}

extension ViewReader {
    /// The tables that these views have beside the records, those of other programs included, in the order in which they were
    /// made.
    package var derivedTables: [DerivedTable] {
        derivations.directory.items.map {
            DerivedTable(name: $0.role.description(of: $0.name), kinds: $0.kinds, behind: $0.behind)
        }
    }
}
