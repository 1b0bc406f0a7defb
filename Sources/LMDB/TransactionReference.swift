import GroundwaveCLMDB
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension MDB_val {
    /// The bytes it points to; the caller ensures that they stay in place.
    @inlinable
    @unsafe
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

extension TransactionReference {
    /// Throws unless `table` is an open table of this environment.
    @inlinable
    func check<Key: TableKey>(_ table: Table<Key>) throws(LMDBError) {
        // The index is in bounds before it is followed.
        let index = Int(table.index)
        guard unsafe index < tokenCount, unsafe tokens[index].load(ordering: .relaxed) == table.token else {
            throw unsafe failure(.noTable, operation)
        }
    }

    /// Throws unless `value`, which an exact look-up returned, lies on a page of its kind.
    ///
    /// Checks nothing in a write transaction: pages that it has changed lie outside of the map.
    @inlinable
    func check(_ value: MDB_val) throws(LMDBError) {
        guard unsafe writer == nil, unsafe !pages.isSound(value, lastPage: { unsafe lastPage() }) else { return }
        throw unsafe damage()
    }

    /// The number of the last page of the newest state.
    @usableFromInline
    func lastPage() -> Int { unsafe environment.lastPage }

    /// The error for a page that is not laid out as LMDB writes pages, or for entries that are not in order.
    @usableFromInline
    @inline(never)
    func damage() -> LMDBError {
        unsafe environment.error(
            .damaged(code: MDB_CORRUPTED, text: "a page is damaged"), during: operation)
    }

    /// The operation that errors of this transaction report.
    @usableFromInline
    var operation: LMDBError.Operation { unsafe writer == nil ? .read : .write }

    /// Lends `key` as LMDB's structure, if it has a legal length.
    @inlinable
    func withKey(
        _ key: RawSpan, _ body: (UnsafeMutablePointer<MDB_val>) -> Int32
    ) throws(LMDBError) -> Int32 {
        guard key.byteCount - 1 < maximumKeyByteCount, key.byteCount > 0 else {
            throw unsafe failure(.keySize(byteCount: key.byteCount), operation)
        }
        return unsafe key.withUnsafeBytes { buffer in
            // LMDB declares the pointer mutable for both directions and does not write through a key it is given.
            var value = unsafe MDB_val(
                mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
            return unsafe body(&value)
        }
    }

    /// Lends `key` and `value` as LMDB's structures.
    @inlinable
    func withKeyAndValue<Key: TableKey>(
        _ key: Key, _ value: RawSpan,
        _ body: (UnsafeMutablePointer<MDB_val>, UnsafeMutablePointer<MDB_val>) -> Int32
    ) throws(LMDBError) -> Int32 {
        // An error travels as a value, since closures of the standard library do not carry its type through.
        let outcome: Result<Int32, LMDBError> = key.withKeyBytes { keyBytes in
            unsafe value.withUnsafeBytes { valueBytes in
                // LMDB copies the value and does not write through the pointer without MDB_RESERVE.
                var data = unsafe MDB_val(
                    mv_size: valueBytes.count, mv_data: UnsafeMutableRawPointer(mutating: valueBytes.baseAddress))
                return Result { () throws(LMDBError) in try unsafe withKey(keyBytes) { unsafe body($0, &data) } }
            }
        }
        return try outcome.get()
    }

    /// Throws unless this is a write transaction.
    ///
    /// - Precondition: No closure holds bytes of the transaction, which a write may change or free.
    @inlinable
    func prepareToWrite() throws(LMDBError) {
        guard let writer = unsafe writer else { throw unsafe failure(.readOnly, .write) }
        precondition(unsafe writer.pointee.lentSpans == 0, "Nothing is written while a closure holds bytes of the map.")
    }

    /// The error for the return code `code` of storing `value`.
    @usableFromInline
    @inline(never)
    func failure(storing value: RawSpan, _ code: Int32) -> LMDBError {
        // Only MDB_APPEND gets here with it.
        if code == MDB_KEYEXIST { return unsafe failure(.keyOrder, .write) }
        // Key sizes were checked before, so only the value can be too large.
        if code == MDB_BAD_VALSIZE { return unsafe failure(.valueTooLarge(byteCount: value.byteCount), .write) }
        return unsafe failure(code, .write)
    }

    /// The error for the return code `code` of looking at a cursor's entry.
    @usableFromInline
    @inline(never)
    func failure(atEntry code: Int32) -> LMDBError {
        // EINVAL: the table was emptied, which takes every cursor off its entry.
        if code == MDB_NOTFOUND || code == EINVAL { return unsafe failure(.noEntry, .read) }
        return unsafe failure(code, .read)
    }

    /// Notes that a closure holds bytes of this transaction.
    @inlinable
    func beginLending() {
        if let writer = unsafe writer { unsafe writer.pointee.lentSpans += 1 }
    }

    /// Notes that a closure no longer holds them.
    @inlinable
    func endLending() {
        if let writer = unsafe writer { unsafe writer.pointee.lentSpans -= 1 }
    }

    /// The error for `reason` in this environment.
    @usableFromInline
    @inline(never)
    func failure(_ reason: LMDBError.Reason, _ operation: LMDBError.Operation) -> LMDBError {
        unsafe environment.error(reason, during: operation)
    }

    /// The error for LMDB's return code `code`, which a write transaction remembers.
    @usableFromInline
    @inline(never)
    func failure(_ code: Int32, _ operation: LMDBError.Operation) -> LMDBError {
        // EINVAL is LMDB's answer to a handle that this snapshot does not have yet.
        if code == EINVAL || code == MDB_BAD_DBI { return unsafe failure(.noTable, operation) }
        if let writer = unsafe writer {
            // After its first failure LMDB answers MDB_BAD_TXN to everything.
            let first = unsafe writer.pointee.firstFailure
            if first != 0, code == MDB_BAD_TXN { return unsafe environment.failure(first, during: operation) }
            if first == 0 { unsafe writer.pointee.firstFailure = code }
        }
        return unsafe environment.failure(code, during: operation)
    }

    /// The open table `name`, opened now if need be; nil if this state of the environment has none.
    func openedTable(_ name: String) throws -> OpenedTable? {
        if let table = unsafe writer?.pointee.openedTables.first(where: { $0.name == name })?.table { return table }
        guard try unsafe exists(name) else { return nil }
        if let table = unsafe environment.tables.find(name), unsafe knows(table) { return table }
        guard unsafe writer != nil else { throw unsafe unknown(name) }
        return try unsafe openTable(name, flags: 0)
    }

    private func unknown(_ name: String) -> UnknownTable {
        unsafe UnknownTable(environment: environment, name: name, isWriting: writer != nil)
    }

    /// Whether `table` was open when this transaction began: LMDB copies the list of handles at that moment, which may
    /// be before it lists a handle although the transaction's state has the table.
    private func knows(_ table: OpenedTable) -> Bool {
        var flags: UInt32 = 0
        // Fails only for a handle that the transaction does not list.
        return unsafe mdb_dbi_flags(handle, table.index, &flags) == 0
    }

    /// Whether the main table of this state names a table `name`.
    private func exists(_ name: String) throws(LMDBError) -> Bool {
        var name = name
        var code: Int32 = 0
        var value = unsafe MDB_val()
        name.withUTF8 { bytes in
            var key = unsafe MDB_val(
                mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            // Table 1 is LMDB's main table, whose keys are the names (lmdb.h, "the main database").
            code = bytes.isEmpty ? MDB_NOTFOUND : unsafe mdb_get(handle, 1, &key, &value)
        }
        if code == MDB_NOTFOUND { return false }
        guard code == 0 else { throw unsafe failure(code, .read) }
        return true
    }

    /// Opens the table `name` in this write transaction; with `MDB_CREATE` it is made if need be.
    func openTable(_ name: String, flags: Int32) throws -> OpenedTable? {
        guard let writer = unsafe writer else { preconditionFailure("Only a write opens tables in itself.") }
        guard (1...maximumKeyByteCount).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw unsafe failure(.tableName(name), .write)
        }
        if !(unsafe writer.pointee.ownsHandles) {
            guard unsafe environment.gate.takeHandles() else { throw unsafe failure(.inUse, .write) }
            unsafe writer.pointee.ownsHandles = true
        }
        // A read has opened a handle since this transaction began, and LMDB would give the same number to this one.
        if let newest = unsafe environment.tables.newest, unsafe !knows(newest) {
            throw unsafe unknown(name)
        }
        // Open here but gone: another program has removed the table, and reopening the handle would disturb readers.
        guard unsafe environment.tables.find(name) == nil else { throw unsafe failure(.noTable, .write) }
        var index: UInt32 = 0
        let code = unsafe mdb_dbi_open(handle, name, UInt32(flags), &index)
        if code == MDB_NOTFOUND { return nil }
        guard code == 0 else { throw unsafe failure(code, .write) }
        let table = unsafe environment.tables.opened(index)
        unsafe writer.pointee.openedTables.append((name, table))
        return table
    }
}
