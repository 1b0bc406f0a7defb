import GroundwaveCLMDB
import Synchronization

/// The operations that read and write transactions have in common: everything that only reads.
///
/// A function that takes `borrowing some Reading & ~Copyable` works in both.
public protocol ReadableTransaction: ~Copyable {
    /// The C transaction underneath, for this module's own use.
    @unsafe var transactionReference: TransactionReference { get }
}

/// The C transaction underneath a ``ReadTransaction`` or a ``WriteTransaction``; it dangles when that has ended.
@unsafe
public struct TransactionReference {
    @usableFromInline let handle: OpaquePointer
    @usableFromInline unowned(unsafe) let environment: Environment
    /// The state of the write transaction; nil in a read.
    @usableFromInline let writer: UnsafeMutablePointer<WriterState>?
    /// The tokens of the environment's tables, copied here so that using them does not retain the environment.
    @usableFromInline let tokens: UnsafeMutablePointer<Atomic<UInt64>>
    @usableFromInline let tokenCount: Int
    @usableFromInline let pages: PageGuard

    init(handle: OpaquePointer, environment: Environment, writer: UnsafeMutablePointer<WriterState>?) {
        unsafe self.handle = handle
        unsafe self.environment = environment
        unsafe self.writer = writer
        unsafe tokens = environment.tables.tokens
        unsafe tokenCount = environment.tables.tokenCount
        unsafe pages = PageGuard(
            mask: UInt(environment.pageSize - 1), base: environment.resources.mapStart,
            mapByteCount: writer == nil ? 0 : UInt(environment.mapSizeBytes))
    }
}

/// A read transaction on one committed state of an environment, lent by ``Environment/read(_:)``.
@safe
public struct ReadTransaction: ~Copyable, ReadableTransaction {
    /// The C transaction underneath, for this module's own use.
    @unsafe public let transactionReference: TransactionReference

    @usableFromInline
    @unsafe
    init(_ reference: TransactionReference) {
        unsafe transactionReference = reference
    }
}

@available(*, unavailable, message: "A transaction stays on the thread that began it.")
extension ReadTransaction: Sendable {}

extension ReadableTransaction where Self: ~Copyable {
    /// The table `name`, or nil if it does not exist in this state of the environment.
    ///
    /// In a read transaction, the first look-up of a table that another process has made since this one opened the
    /// file ends the read and runs its closure again from the start; in any transaction, so does that of a table which
    /// another thread has opened or made since the transaction began. The look-up costs a dictionary access and one
    /// search; a ``Table`` may be kept for later transactions.
    ///
    /// - Throws: ``LMDBError/Reason/tablesFull(maximum:)`` if ``Environment/Options/tables`` tables are open already.
    public func table<Key: TableKey>(_ name: String, of keys: Key.Type = Key.self) throws -> Table<Key>? {
        try unsafe transactionReference.openedTable(name).map(Table.init)
    }

    /// Lends the value of `key` to `body` and returns its result, or nil if the key is absent.
    ///
    /// The bytes lie in the map and are lent, not copied. They begin at any even address: use unaligned loads. In a
    /// write transaction `body` must not write.
    ///
    /// - Throws: ``LMDBError/Reason/keySize(byteCount:)`` for a key of 0 or more than 511 bytes; errors of `body`.
    /// - Complexity: O(log *n*); 0.3 to 0.6 µs in a table of a million entries in memory.
    @inlinable
    public func withValue<Key: TableKey, R>(
        _ key: Key, in table: Table<Key>, _ body: (RawSpan) throws -> R
    ) throws -> R? {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        return try key.withKeyBytes { (keyBytes: RawSpan) throws -> R? in
            var value = unsafe MDB_val()
            // The key is lent for the length of this closure; LMDB only reads it.
            let code = try unsafe reference.withKey(keyBytes) {
                unsafe mdb_get(reference.handle, table.index, $0, &value)
            }
            guard code == 0 else {
                if code == MDB_NOTFOUND { return nil }
                throw unsafe reference.failure(code, .read)
            }
            try unsafe reference.check(value)
            unsafe reference.beginLending()
            defer { unsafe reference.endLending() }
            // LMDB keeps the bytes in place until the transaction ends or writes; endLending comes before either.
            let bytes = unsafe value.bytes
            return try unsafe body(bytes.bytes)
        }
    }

    /// A copy of the value of `key`, or nil if the key is absent.
    @inlinable
    public func value<Key: TableKey>(_ key: Key, in table: Table<Key>) throws -> [UInt8]? {
        try withValue(key, in: table) { [UInt8](copying: $0) }
    }

    /// The number of entries of `table`, without counting them.
    public func count<Key: TableKey>(of table: Table<Key>) throws -> Int {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        var statistics = MDB_stat()
        // The handle belongs to this transaction's environment, as just checked.
        let code = unsafe mdb_stat(reference.handle, table.index, &statistics)
        guard code == 0 else { throw unsafe reference.failure(code, .read) }
        return Int(statistics.ms_entries)
    }

    /// Lends a cursor over `table` to `body`; it starts on no entry.
    ///
    /// - Precondition: `body` does not exchange the cursor with another one.
    @inlinable
    public func withCursor<Key: TableKey, R>(
        _ table: Table<Key>, _ body: (inout Cursor<Key>) throws -> R
    ) throws -> R {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        var opened: OpaquePointer?
        let code = unsafe mdb_cursor_open(reference.handle, table.index, &opened)
        guard code == 0, let handle = unsafe opened else { throw unsafe reference.failure(code, .read) }
        // The cursor is closed here, before its transaction ends, as mdb_cursor_open demands.
        defer { unsafe mdb_cursor_close(handle) }
        var cursor = unsafe Cursor<Key>(handle: handle, transaction: reference)
        defer {
            precondition(unsafe cursor.handle == handle, "A cursor was exchanged with the cursor of another closure.")
        }
        return try body(&cursor)
    }
}
