import ADIF
import Records

/// The differences between two contacts.
public struct ContactComparison: Hashable, Sendable {
    /// A field whose values differ in any byte. An empty value counts as none.
    public struct Difference: Hashable, Sendable {
        /// The ADIF field.
        public let field: String
        /// The value of the first contact; `nil` if it has none.
        public let first: [UInt8]?
        /// The value of the second contact; `nil` if it has none.
        public let second: [UInt8]?
    }

    /// The differing fields in the order of the first contact, then those that only the second one has.
    public let differences: [Difference]

    /// Compares the shown values of two contacts, without internal fields.
    public init(_ first: Record, _ second: Record) {
        let left = first.adifFields.filter { !$0.value.isEmpty }
        let right = second.adifFields.filter { !$0.value.isEmpty }
        let names = Set(left.map(\.name))
        let others = Dictionary(right.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        differences =
            left.filter { others[$0.name] != $0.value }.map {
                Difference(field: $0.name.name, first: $0.value, second: others[$0.name])
            }
            + right.filter { !names.contains($0.name) }.map {
                Difference(field: $0.name.name, first: nil, second: $0.value)
            }
    }
}
