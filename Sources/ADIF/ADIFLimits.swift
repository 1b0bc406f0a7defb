/// How large the parts of a file may be, so that a reader's memory stays bounded whatever it is fed.
///
/// A part above its limit is rejected with its reason, and reading goes on after it.
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

    /// The limits that the documentation promises: 64 KiB, 1 MiB, 4,096 fields, 1 MiB and 256 MiB.
    public init() {}
}
