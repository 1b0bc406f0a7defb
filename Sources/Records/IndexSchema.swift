/// An index of the records of a kind, as its schema declares it.
public struct IndexSchema: Hashable, Sendable {
    /// The number by which it is asked, from 1.
    public let number: UInt8
    /// The name people see, such as `call`.
    public let name: String
    /// Increased when other keys are made of the same record: the index is then built anew.
    public let version: UInt32

    /// An index of these parts.
    public init(_ number: UInt8, _ name: String, version: UInt32 = 1) {
        (self.number, self.name, self.version) = (number, name, version)
    }
}
