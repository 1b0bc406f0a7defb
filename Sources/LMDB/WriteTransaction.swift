import CLMDB

/// The one write transaction of an environment, lent by ``Environment/write(_:)``.
@safe
public struct WriteTransaction: ~Copyable, Reading {
    /// The C transaction underneath, for this module's own use.
    @unsafe public let transactionReference: TransactionReference

    @usableFromInline
    @unsafe
    init(_ reference: TransactionReference) {
        unsafe transactionReference = reference
    }

    /// The table `name`, made if need be.
    public func openOrCreate<Key: TableKey>(_ name: String, of keys: Key.Type = Key.self) throws -> Table<Key> {
        if let table = try table(name, of: keys) { return table }
        guard let table = try unsafe transactionReference.openTable(name, flags: MDB_CREATE) else {
            throw unsafe transactionReference.failure(.noTable, .write)
        }
        return Table(table)
    }

    /// Writes `value` for `key`, over what is there.
    @inlinable
    public func put<Key: TableKey>(_ value: RawSpan, for key: Key, in table: Table<Key>) throws {
        try write(value, for: key, in: table, flags: 0)
    }

    /// Writes `value` for `key`, which sorts behind all others.
    @inlinable
    public func append<Key: TableKey>(_ value: RawSpan, for key: Key, in table: Table<Key>) throws {
        try write(value, for: key, in: table, flags: UInt32(MDB_APPEND))
    }

    @inlinable
    func write<Key: TableKey>(_ value: RawSpan, for key: Key, in table: Table<Key>, flags: UInt32) throws {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        let code = try key.withKeyBytes { keyBytes in
            try unsafe reference.withKey(keyBytes) { keyPointer in
                unsafe value.withUnsafeBytes { buffer in
                    // LMDB copies the value and does not write through the pointer.
                    var data = unsafe MDB_val(
                        mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
                    return unsafe mdb_put(reference.handle, table.index, keyPointer, &data, flags)
                }
            }
        }
        guard code == 0 else { throw unsafe reference.failure(code, .write) }
    }

    /// Removes `key`; false where it is absent.
    @inlinable
    public func remove<Key: TableKey>(_ key: Key, in table: Table<Key>) throws -> Bool {
        let reference = unsafe transactionReference
        try unsafe reference.check(table)
        let code = try key.withKeyBytes { keyBytes in
            try unsafe reference.withKey(keyBytes) { unsafe mdb_del(reference.handle, table.index, $0, nil) }
        }
        if code == MDB_NOTFOUND { return false }
        guard code == 0 else { throw unsafe reference.failure(code, .write) }
        return true
    }
}

@available(*, unavailable, message: "A transaction stays on the thread that began it.")
extension WriteTransaction: Sendable {}
