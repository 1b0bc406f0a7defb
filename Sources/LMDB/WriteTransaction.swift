import CLMDB

/// The write transaction of an environment, lent by ``Environment/write(_:)``: it reads its own writes, and all of
/// them happen together or not at all.
///
/// Writing anything while a closure holds bytes of this transaction (``Reading/withValue(_:in:_:)``,
/// ``Cursor/withEntry(_:)``, ``Cursor/forEach(from:_:)``) would change those bytes under the closure, so it stops the
/// program; copy the bytes first. A method that throws ``LMDBError/Reason/keyOrder``, `keySize` or `noTable` leaves
/// the transaction as it was; after any other error of LMDB the transaction can only be abandoned, which happens by
/// letting the error out of the closure.
@safe
public struct WriteTransaction: ~Copyable, Reading {
    /// The C transaction underneath, for this module's own use.
    @unsafe public let transactionReference: TransactionReference

    @usableFromInline
    @unsafe
    init(_ reference: TransactionReference) {
        unsafe transactionReference = reference
    }

    /// Makes the commit wait only for the flush of its pages, and not for that of the meta page that makes them valid
    /// (`MDB_NOMETASYNC`, lmdb.h): one flush instead of two.
    ///
    /// A power cut may undo this commit, but never damages the file or an earlier commit. The flush of the next
    /// commit, or ``Environment/synchronise()``, puts the meta page on the disk; until then no transaction overwrites
    /// its pages.
    public func flushPagesOnly() {
        // liblmdb 0.9 honours the flag only if it is set on the environment, not on the transaction.
        let environment = unsafe transactionReference.environment
        unsafe mdb_env_set_flags(environment.resources.handle, UInt32(MDB_NOMETASYNC), 1)
    }

    /// The table `name`, created empty if it does not exist.
    ///
    /// - Throws: ``LMDBError/Reason/tablesFull(maximum:)``, `tableName` for an invalid name.
    public func openOrCreate<Key: TableKey>(_ name: String, of keys: Key.Type = Key.self) throws -> Table<Key> {
        if let table = try unsafe transactionReference.openedTable(name) { return Table(table) }
        try unsafe transactionReference.prepareToWrite()
        guard let table = try unsafe transactionReference.openTable(name, flags: MDB_CREATE) else {
            throw unsafe transactionReference.failure(.noTable, .write)
        }
        return Table(table)
    }

    /// Stores `value` for `key`, replacing what was there.
    @inlinable
    public func put<Key: TableKey>(_ value: RawSpan, for key: Key, in table: Table<Key>) throws {
        _ = try store(value, for: key, in: table, flags: 0)
    }

    /// Stores `value` for `key`, which must sort after every key of the table.
    ///
    /// - Throws: ``LMDBError/Reason/keyOrder`` if it does not; then nothing was stored.
    /// - Complexity: Fills pages to the brim and compares with the last key only; ``Cursor/append(_:for:)`` also saves
    ///   the search for the last page.
    @inlinable
    public func append<Key: TableKey>(_ value: RawSpan, for key: Key, in table: Table<Key>) throws {
        guard try store(value, for: key, in: table, flags: UInt32(MDB_APPEND)) else {
            throw unsafe transactionReference.failure(.keyOrder, .write)
        }
    }

    /// Stores `value` for `key` unless the key has a value already.
    ///
    /// - Returns: Whether it was stored.
    @inlinable
    public func insert<Key: TableKey>(_ value: RawSpan, for key: Key, in table: Table<Key>) throws -> Bool {
        try store(value, for: key, in: table, flags: UInt32(MDB_NOOVERWRITE))
    }

    /// Makes room for a value of `byteCount` bytes for `key` and has `body` fill it in place, which saves a copy.
    ///
    /// The bytes start as zeros. If `body` throws, let the error out of the write: the value is stored as far as it
    /// was filled.
    ///
    /// - Parameter append: Whether `key` must sort after every key of the table, as in ``append(_:for:in:)``.
    @inlinable
    public func reserve<Key: TableKey>(
        byteCount: Int, for key: Key, in table: Table<Key>, append: Bool = false,
        _ body: (inout MutableRawSpan) throws -> Void
    ) throws {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        try unsafe reference.prepareToWrite()
        guard byteCount >= 0, byteCount <= Int(UInt32.max) else {
            throw unsafe reference.failure(.valueTooLarge(byteCount: byteCount), .write)
        }
        var value = unsafe MDB_val(mv_size: byteCount, mv_data: nil)
        let flags = UInt32(MDB_RESERVE) | (append ? UInt32(MDB_APPEND) : 0)
        let code = try key.withKeyBytes { keyBytes in
            try unsafe reference.withKey(keyBytes) {
                unsafe mdb_put(reference.handle, table.index, $0, &value, flags)
            }
        }
        guard code == 0 else {
            if code == MDB_KEYEXIST { throw unsafe reference.failure(.keyOrder, .write) }
            throw unsafe reference.failure(code, .write)
        }
        unsafe reference.beginLending()
        defer { unsafe reference.endLending() }
        // LMDB has set aside byteCount bytes in a page of this transaction, which stay there until its next write.
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: value.mv_data, count: byteCount)
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
        var bytes = unsafe buffer.mutableBytes
        try body(&bytes)
    }

    /// Removes `key` and its value.
    ///
    /// - Returns: Whether there was one.
    @inlinable
    public func remove<Key: TableKey>(_ key: Key, in table: Table<Key>) throws -> Bool {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        try unsafe reference.prepareToWrite()
        let code = try key.withKeyBytes { keyBytes in
            try unsafe reference.withKey(keyBytes) { unsafe mdb_del(reference.handle, table.index, $0, nil) }
        }
        guard code != MDB_NOTFOUND else { return false }
        guard code == 0 else { throw unsafe reference.failure(code, .write) }
        return true
    }

    /// Removes all entries; the table itself stays.
    ///
    /// - Complexity: O(pages of the table); much less than removing the entries one by one.
    public func removeAll<Key: TableKey>(in table: Table<Key>) throws {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        try unsafe reference.prepareToWrite()
        // Zero empties the table and keeps the handle, which other threads may be reading through.
        let code = unsafe mdb_drop(reference.handle, table.index, 0)
        guard code == 0 else { throw unsafe reference.failure(code, .write) }
    }

    /// Stores `value` for `key` unless `flags` forbid it because of a key in the table. Returns whether it was
    /// stored.
    @inlinable
    func store<Key: TableKey>(
        _ value: RawSpan, for key: Key, in table: Table<Key>, flags: UInt32
    ) throws(LMDBError) -> Bool {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        try unsafe reference.prepareToWrite()
        let code = try unsafe reference.withKeyAndValue(key, value) {
            unsafe mdb_put(reference.handle, table.index, $0, $1, flags)
        }
        guard code == 0 else {
            // The answer to MDB_APPEND and to MDB_NOOVERWRITE; nothing was stored.
            if code == MDB_KEYEXIST { return false }
            throw unsafe reference.failure(storing: value, code)
        }
        return true
    }
}

@available(*, unavailable, message: "A write transaction stays on the thread that began it.")
extension WriteTransaction: Sendable {}
