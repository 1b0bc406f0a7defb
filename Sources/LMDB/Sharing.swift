extension ReadTransaction {
    /// The same transaction once more, for a type that wraps it and is itself only lent while `other` is.
    ///
    /// Whoever makes one sees to it that it does not outlive the closure `other` was lent to: the state it reads, and
    /// every span of it, is gone then.
    @unsafe
    public init(sharing other: borrowing ReadTransaction) {
        unsafe self.init(other.transactionReference)
    }

    /// Where `bytes`, lent by this transaction, lie: to be found again with ``withBytes(at:_:)``.
    public func place(of bytes: RawSpan) -> Place {
        // Only the address is kept. It means something as long as this transaction holds its state of the map.
        unsafe bytes.withUnsafeBytes { unsafe Place(start: $0.baseAddress, byteCount: UInt32($0.count)) }
    }

    /// Lends the bytes at a place that this very transaction gave out.
    ///
    /// - Precondition: `place` came from ``place(of:)`` of this transaction; its pages do not move or change while it
    ///   is open (LMDB documentation, "Copy-on-write").
    @inlinable
    public func withBytes<R>(at place: Place, _ body: (RawSpan) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(start: place.start, count: Int(place.byteCount)).bytes)
    }
}

/// Where bytes lie in the map, as one open transaction sees it: 12 bytes to come back without a look-up.
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
    /// Whether the operation may have left bytes in the file although it failed: the file must be checked before more
    /// is written.
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
