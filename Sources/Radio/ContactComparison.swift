import GroundwaveADIF
import GroundwaveRecords

/// What two contacts say differently.
public struct ContactComparison: Hashable, Sendable {
    /// A field of which they do not say the same, byte for byte; an empty value counts as none.
    public struct Difference: Hashable, Sendable {
        /// The ADIF field.
        public let field: String
        /// What the first one says; `nil` where it says nothing.
        public let first: [UInt8]?
        /// What the second one says; `nil` where it says nothing.
        public let second: [UInt8]?
    }

    /// The fields in the order of the first contact, then those that only the second one has.
    public let differences: [Difference]

    /// Compares what two contacts show; bookkeeping is left out.
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
