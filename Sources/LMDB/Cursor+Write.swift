import GroundwaveCLMDB

// Writing through the cursor of a write transaction.
extension Cursor {
    /// Stores `value` for `key`, which must sort after every key of the table, and goes there.
    ///
    /// The fastest way to fill a table: the cursor stays at the end, so each call only compares with the last key.
    ///
    /// - Throws: ``LMDBError/Reason/keyOrder`` if the key does not sort last, `readOnly` in a read transaction; then
    ///   nothing was stored, and the cursor is on no entry.
    @inlinable
    public mutating func append(_ value: RawSpan, for key: Key) throws {
        try unsafe transaction.prepareToWrite()
        // LMDB goes to the end also when it refuses the key.
        isOnEntry = false
        let code = try unsafe transaction.withKeyAndValue(key, value) {
            unsafe mdb_cursor_put(handle, $0, $1, UInt32(MDB_APPEND))
        }
        guard code == 0 else { throw unsafe transaction.failure(storing: value, code) }
        isOnEntry = true
    }

    /// Replaces the value of the current entry by `value`.
    ///
    /// - Throws: ``LMDBError/Reason/noEntry``, `readOnly` in a read transaction.
    public mutating func replace(with value: RawSpan) throws {
        try unsafe transaction.prepareToWrite()
        // LMDB shifts the page while it still reads the key it is given, so the key must lie elsewhere: copy it.
        let key = try withEntry { key, _ in [UInt8](copying: key) }
        let code = try unsafe transaction.withKeyAndValue(key, value) {
            unsafe mdb_cursor_put(handle, $0, $1, UInt32(MDB_CURRENT))
        }
        guard code == 0 else { throw unsafe transaction.failure(storing: value, code) }
    }

    /// Removes the current entry; the cursor is then on no entry, and ``next()`` goes to the one after it.
    ///
    /// - Throws: ``LMDBError/Reason/noEntry``, `readOnly` in a read transaction.
    public mutating func remove() throws {
        try unsafe transaction.prepareToWrite()
        guard isOnEntry else { throw unsafe transaction.failure(.noEntry, .write) }
        let code = unsafe mdb_cursor_del(handle, 0)
        guard code == 0 else { throw unsafe transaction.failure(code, .write) }
        isOnEntry = false
    }
}
