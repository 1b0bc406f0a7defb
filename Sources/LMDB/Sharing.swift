import GroundwaveCLMDB

extension ReadTransaction {
    /// Creates a second reference to the same transaction, for a type that wraps it and is itself lent only while
    /// `other` is.
    ///
    /// The caller must ensure that it does not outlive the closure that `other` was lent to: the state that it reads,
    /// and every span of it, is invalid after that.
    @unsafe
    public init(sharing other: borrowing ReadTransaction) {
        unsafe self.init(other.transactionReference)
    }

    /// Returns the position of `bytes`, which this transaction has lent, for ``withBytes(at:_:)``.
    public func place(of bytes: RawSpan) -> Place {
        // Only the address is kept. It is valid as long as this transaction holds its state of the map.
        unsafe bytes.withUnsafeBytes { unsafe Place(start: $0.baseAddress, byteCount: UInt32($0.count)) }
    }

    /// Lends the bytes at a position that this very transaction returned.
    ///
    /// - Precondition: `place` came from ``place(of:)`` of this transaction; its pages do not move or change while it
    ///   is open (LMDB documentation, "Copy-on-write").
    @inlinable
    public func withBytes<R>(at place: Place, _ body: (RawSpan) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(start: place.start, count: Int(place.byteCount)).bytes)
    }

    /// Asks the processor for the first 512 bytes at a position that this very transaction returned: they are read soon.
    @inlinable
    public func prefetch(at place: Place) {
        unsafe groundwave_prefetch(place.start, Swift.min(Int(place.byteCount), 512))
    }
}

/// The position of bytes in the map, valid for one open transaction: 12 bytes that save a second look-up.
@safe
public struct Place {
    @usableFromInline let start: UnsafeRawPointer?
    @usableFromInline let byteCount: UInt32

    init(start: UnsafeRawPointer?, byteCount: UInt32) {
        unsafe self.start = unsafe start
        self.byteCount = byteCount
    }
}

extension LMDBError {
    /// Whether the operation may have left bytes in the file although it failed; then check the file before writing
    /// more.
    public var mayHaveWritten: Bool {
        switch reason {
        case .diskFull, .inputOutput, .mustReopen: true
        case .other, .system: operation == .commit
        default: false
        }
    }

    /// Whether the file is not what LMDB wrote.
    public var meansDamage: Bool {
        switch reason {
        case .empty, .truncated, .notLMDB, .versionMismatch, .damaged: true
        default: false
        }
    }

    /// Whether the file can be read though not written.
    public var meansReadOnly: Bool {
        switch reason {
        case .readOnlyFileSystem, .permission: true
        default: false
        }
    }
}
