import GroundwaveCLMDB

extension Environment {
    /// Removes the table `name` with all its entries, in a separate write transaction.
    ///
    /// LMDB closes the table's handle at once, even if other threads are reading through it. So this waits until no
    /// transaction of this process is open and no other process writes; meanwhile no transaction begins in this
    /// process. For that reason it is not part of ``WriteTransaction``; there, ``WriteTransaction/removeAll(in:)``
    /// empties a table. Every ``Table`` of this name stops working. No other process may be using the table.
    ///
    /// - Returns: Whether there was such a table.
    /// - Throws: The errors of ``write(_:)``; ``LMDBError/Reason/inUse`` inside a transaction of this thread. If it
    ///   throws, the table is still there.
    public func dropTable(_ name: String) throws(LMDBError) -> Bool {
        guard !isReadOnly else { throw error(.readOnly, during: .write) }
        if let patience = options.patience { try writerLock?.acquire(patience) }
        defer { writerLock?.release(standing == .present ? FileState(of: path) : nil) }
        while true {
            let outcome = gate.exclusively { isClosed -> Result<Bool, DropFailure> in
                isClosed ? .failure(.reason(.closed)) : dropExclusively(name)
            }
            switch outcome {
            case nil: throw error(.inUse, during: .write)
            case .success(let existed): return existed
            case .failure(.reason(let reason)): throw error(reason, during: .write)
            case .failure(.code(MDB_MAP_FULL)):
                try growMap(from: try inside(during: .write) { () throws(LMDBError) in mapSizeBytes })
            case .failure(.code(MDB_MAP_RESIZED)): try adoptMapSize(during: .write)
            case .failure(.code(let code)): throw failure(code, during: .write)
            }
        }
    }

    private enum DropFailure: Error {
        case reason(LMDBError.Reason)
        case code(Int32)
    }

    /// Drops the table; the caller holds the gate exclusively.
    private func dropExclusively(_ name: String) -> Result<Bool, DropFailure> {
        guard (1...maximumKeyByteCount).contains(name.utf8.count), !name.utf8.contains(0) else {
            return .failure(.reason(.tableName(name)))
        }
        var begun: OpaquePointer?
        var code = unsafe mdb_txn_begin(resources.handle, nil, 0, &begun)
        guard code == 0, let transaction = unsafe begun else { return .failure(.code(code)) }
        // No other transaction of this process is open, so opening and closing a handle disturbs none.
        var index: UInt32 = 0
        code = unsafe mdb_dbi_open(transaction, name, 0, &index)
        guard code == 0 else {
            unsafe mdb_txn_abort(transaction)
            return code == MDB_NOTFOUND ? .success(false) : .failure(.code(code))
        }
        code = unsafe mdb_drop(transaction, index, 1)
        if code == 0 {
            code = unsafe mdb_txn_commit(transaction)
        } else {
            unsafe mdb_txn_abort(transaction)
        }
        // The handle is closed either way; if the table still exists, the next look-up opens it again.
        if let table = tables.find(name) { tables.closed(table, named: name) }
        return code == 0 ? .success(true) : .failure(.code(code))
    }
}
