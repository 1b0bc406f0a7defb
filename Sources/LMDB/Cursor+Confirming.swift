import GroundwaveCLMDB

// Searches that check where LMDB's search has ended. A search compares keys from the root to a leaf. A damaged key
// misdirects it only at that key: the search then ends beside the damaged key, or next to an entry that does not
// belong there. So checking the entries on both sides of the end position detects the damage.
extension Cursor {
    /// Goes to the first entry whose key is `key` or sorts after it, like ``seek(atOrAfter:)``; false if there is
    /// none.
    ///
    /// The entry must pass `check`. If it has another key, the entry before it must pass too, `key` must sort between
    /// them, and the entry behind must sort behind: a damaged pointer of a page leads to an entry of another page.
    ///
    /// - Parameter check: Throws if an entry is not what was written.
    /// - Throws: ``LMDBError/Reason/damaged(code:text:)``; errors of `check`.
    @inlinable
    public mutating func seek(
        atOrAfter key: Key, confirming check: (_ key: RawSpan, _ value: RawSpan) throws -> Void
    ) throws -> Bool {
        guard try seek(atOrAfter: key) else {
            if try last() {
                try confirm(-1, key, check)
            } else if try unsafe transaction.entryCount(of: handle) != 0 {
                throw unsafe transaction.damage()
            }
            isOnEntry = false
            return false
        }
        if try order(against: key) == 0 {
            try withEntry(check)
            return true
        }
        try confirm(1, key, check)
        _ = try next()
        _ = try seek(atOrAfter: key)
        if try previous() { try confirm(-1, key, check) }
        return try seek(atOrAfter: key)
    }

    /// Lends every entry from `start` on to `body`, like ``forEach(from:_:)``, and checks the start position like
    /// ``seek(atOrAfter:confirming:)``. Without `start`, if `body` sees all entries, their number must be the entry
    /// count of the table.
    ///
    /// `body` must itself check each entry, its key included, before it trusts it.
    @inlinable
    public mutating func forEach(
        from start: Key? = nil, confirming check: (_ key: RawSpan, _ value: RawSpan) throws -> Void,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
    ) throws {
        var count = 0
        if try start.map({ try seek(atOrAfter: $0, confirming: check) }) ?? first() {
            unsafe transaction.beginLending()
            defer { unsafe transaction.endLending() }
            repeat {
                // The bytes stay in place until the transaction writes, which the lending forbids, or ends.
                let (keyBytes, valueBytes) = unsafe (entryKey.bytes, entryValue.bytes)
                prefetchNextLeaf()
                guard try unsafe body(keyBytes.bytes, valueBytes.bytes) else { return }
                count += 1
            } while try next()
        }
        guard try unsafe (start != nil || transaction.entryCount(of: handle) == count) else {
            throw unsafe transaction.damage()
        }
    }

    /// Throws unless the current entry passes `check` and sorts before `key` (-1) or after it (1).
    @usableFromInline
    func confirm(_ side: Int32, _ key: Key, _ check: (_ key: RawSpan, _ value: RawSpan) throws -> Void) throws {
        try withEntry(check)
        guard try order(against: key) == side else { throw unsafe transaction.damage() }
    }

    /// Returns -1 if the key of the current entry, as found by the last move, sorts before `key`, 1 if after, 0 if
    /// equal.
    @inlinable
    func order(against key: Key) throws -> Int32 {
        try key.withKeyBytes { bytes in
            try unsafe transaction.withKey(bytes) { wanted in
                // Nothing was written since the move, so the entry is where it was.
                if unsafe entryKey.precedes(wanted.pointee) { return -1 }
                return unsafe wanted.pointee.precedes(entryKey) ? 1 : 0
            }
        }
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Lends the value of `key` like ``withValue(_:in:_:)``. If the key is absent, the entries on both sides of its
    /// position must pass `check`, and it must sort between them.
    ///
    /// - Throws: ``LMDBError/Reason/damaged(code:text:)`` if the second search finds the key after all; errors of
    ///   `check`.
    @inlinable
    public func withValue<Key: TableKey, R>(
        _ key: Key, in table: Table<Key>, confirming check: (_ key: RawSpan, _ value: RawSpan) throws -> Void,
        _ body: (RawSpan) throws -> R
    ) throws -> R? {
        if let result = try withValue(key, in: table, body) { return result }
        try withCursor(table) { cursor in
            if try cursor.seek(atOrAfter: key, confirming: check), try cursor.order(against: key) == 0 {
                throw unsafe cursor.transaction.damage()
            }
        }
        return nil
    }
}

extension TransactionReference {
    /// The entry count that is stored for the table of the cursor `handle`.
    @usableFromInline
    func entryCount(of handle: OpaquePointer) throws(LMDBError) -> Int {
        var statistics = MDB_stat()
        // The cursor is of this transaction, and open.
        let code = unsafe mdb_stat(self.handle, mdb_cursor_dbi(handle), &statistics)
        guard code == 0 else { throw unsafe failure(code, .read) }
        return Int(statistics.ms_entries)
    }
}
