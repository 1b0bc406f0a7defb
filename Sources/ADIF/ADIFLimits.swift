/// The limits on the parts of a file, which bound the memory of a reader for any input.
///
/// A part that exceeds its limit is rejected with a reason, and reading continues after it.
public struct ADIFLimits: Sendable, Hashable {
    /// The largest value in bytes.
    public var fieldByteCount = 64 << 10
    /// The largest record in bytes, from its first tag to its end.
    public var recordByteCount = 1 << 20
    /// The most fields in a record.
    public var fieldCount = 4_096
    /// The largest header in bytes.
    public var headerByteCount = 1 << 20
    /// The largest ADX document in bytes; ADI has no such limit.
    public var documentByteCount = 256 << 20

    /// Makes the documented limits: 64 KiB, 1 MiB, 4,096 fields, 1 MiB and 256 MiB.
    public init() {}
}
