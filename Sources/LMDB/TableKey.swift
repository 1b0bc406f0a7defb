/// A key of a table: a value with a byte form whose order is the order of the keys.
///
/// LMDB compares keys byte by byte, shorter first when one is a prefix of the other (lmdb.h, `mdb_cmp`). A conformance
/// therefore writes numbers big-endian. The byte form has 1 to ``maximumKeyByteCount`` bytes; calls with a key of
/// another length throw ``LMDBError/Reason/keySize(byteCount:)``.
public protocol TableKey: Sendable {
    /// Lends the byte form of this key to `body`.
    func withKeyBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R
    /// The key with the byte form `keyBytes`, or `nil` if no key has that form.
    init?(keyBytes: RawSpan)
}

extension UInt64: TableKey {
    /// Lends the eight bytes of this number, most significant first, so that byte order is numeric order.
    @inlinable
    public func withKeyBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        // The bytes are those of a copy on this frame, which outlives the call of body.
        try unsafe withUnsafeBytes(of: bigEndian) { try unsafe body($0.bytes) }
    }

    /// The number whose big-endian form is `keyBytes`, or `nil` unless there are exactly eight bytes.
    @inlinable
    public init?(keyBytes: RawSpan) {
        guard keyBytes.byteCount == 8 else { return nil }
        // Eight bytes are there, and every bit pattern is a UInt64.
        self = UInt64(bigEndian: unsafe keyBytes.unsafeLoadUnaligned(as: UInt64.self))
    }
}

extension [UInt8]: TableKey {
    /// Lends the bytes themselves.
    @inlinable
    public func withKeyBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        // The raw view of a span is unsafe only for types with padding, and bytes have none.
        try unsafe body(span.bytes)
    }

    /// A copy of `keyBytes`; never `nil`.
    @inlinable
    public init?(keyBytes: RawSpan) {
        self.init(copying: keyBytes)
    }

    /// A copy of `bytes`.
    @inlinable
    init(copying bytes: RawSpan) {
        // The buffer is read only during the closure, while the span is alive.
        self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }
}
