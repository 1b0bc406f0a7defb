import GroundwaveCLMDB
import Synchronization

// How transactions begin and end: `read` and `write` in Environment+Transactions.swift call these in pairs.
extension Environment {
    /// Begins a read transaction; `endReading` ends it.
    @usableFromInline
    func beginReading() throws(LMDBError) -> TransactionReference {
        var attempt = 0
        while true {
            guard var reader = unsafe gate.enterToRead() else { throw error(.closed, during: .read) }
            // The gate gave a reset transaction, if any, to this thread alone.
            let code = unsafe beginReading(&reader)
            if code == 0, let handle = unsafe reader {
                return unsafe TransactionReference(handle: handle, environment: self, writer: nil)
            }
            gate.leave()
            try recover(from: code, attempt: attempt, during: .read)
            attempt += 1
        }
    }

    /// Begins a read transaction in `reader`, or renews the reset one that is there, on a state that is committed.
    ///
    /// LMDB takes the number N of the newest state, and then copies that state from meta page N mod 2 (mdb.c,
    /// mdb_txn_renew0). If the thread is interrupted between the two for longer than the next commit takes, the commit
    /// after that writes the same page, and LMDB copies a state that is not committed: if its writer is killed, it is
    /// gone. So this checks that commit N + 1 had not ended when the copy was made.
    ///
    /// - Returns: LMDB's return code; unless it is 0, `reader` is nil.
    func beginReading(_ reader: inout OpaquePointer?) -> Int32 {
        var code = unsafe reader.map { unsafe mdb_txn_renew($0) } ?? beginUnchecked(&reader)
        // The state is copied before the numbers are looked at.
        atomicMemoryFence(ordering: .acquiring)
        while code == 0, unsafe lastTransaction != mdb_txn_id(reader) {
            // Commit N + 1 is written at least. It has not ended as long as a transaction that begins now has number N.
            var later: OpaquePointer?
            code = unsafe beginUnchecked(&later)
            guard code == 0 else { break }
            if unsafe mdb_txn_id(later) == mdb_txn_id(reader) {
                unsafe mdb_txn_abort(later)
                return 0
            }
            unsafe mdb_txn_abort(reader)
            unsafe reader = later
            atomicMemoryFence(ordering: .acquiring)
        }
        if code != 0, let failed = unsafe reader {
            unsafe mdb_txn_abort(failed)
            unsafe reader = nil
        }
        return code
    }

    private func beginUnchecked(_ reader: inout OpaquePointer?) -> Int32 {
        unsafe mdb_txn_begin(resources.handle, nil, UInt32(MDB_RDONLY), &reader)
    }

    /// Ends what `beginReading` began.
    @usableFromInline
    func endReading(_ reader: TransactionReference) {
        unsafe mdb_txn_reset(reader.handle)
        unsafe gate.leave(keeping: reader.handle)
    }

    /// Begins the write transaction, waiting for other writers; `endWriting` ends it.
    @usableFromInline
    func beginWriting() throws(LMDBError) -> TransactionReference {
        precondition(!gate.isWriting, "Write transactions do not nest.")
        guard !isReadOnly else { throw error(.readOnly, during: .write) }
        guard let writerLock, let patience = options.patience else { return try unsafe beginLocked() }
        // A closed environment opens no file, not even that of the lock.
        guard !gate.isClosed else { throw error(.closed, during: .write) }
        try writerLock.acquire(patience)
        do {
            try checkIfChanged(since: writerLock.noted)
            return try unsafe beginLocked()
        } catch {
            writerLock.release(nil)
            throw error
        }
    }

    /// Throws if the file has been changed since `noted` by a writer without the lock, and is damaged now.
    private func checkIfChanged(since noted: FileState?) throws(LMDBError) {
        guard let check = options.check, let present = FileState(of: path), present != noted,
            identity == present.identity
        else { return }
        try check(path)
    }

    /// The state of the file to store when a write ends: that of this environment's file, or of `replacement`; nil if
    /// the path has any other file.
    private func stateAfterWriting(_ replacement: FileIdentity?) -> FileState? {
        guard let state = FileState(of: path), [identity, replacement].contains(state.identity) else { return nil }
        return state
    }

    /// Begins the write transaction. The caller holds the writer lock, or nothing else writes to the file.
    private func beginLocked() throws(LMDBError) -> TransactionReference {
        var attempt = 0
        while true {
            guard gate.enter() else { throw error(.closed, during: .write) }
            var begun: OpaquePointer?
            let code = unsafe mdb_txn_begin(resources.handle, nil, 0, &begun)
            if code == 0, let handle = unsafe begun {
                gate.setWriting(true)
                // LMDB's writer lock is held from here to the commit, so only this thread uses the state and changes
                // the flags: see `WriteTransaction.flushPagesOnly()`.
                unsafe mdb_env_set_flags(resources.handle, UInt32(MDB_NOMETASYNC), 0)
                unsafe resources.writer.pointee = WriterState()
                return unsafe TransactionReference(handle: handle, environment: self, writer: resources.writer)
            }
            gate.leave()
            try recover(from: code, attempt: attempt, during: .write)
            attempt += 1
        }
    }

    /// Ends what `beginWriting` began, by a commit or by undoing everything.
    ///
    /// - Returns: nil on success; the size of the map if it was too small, and then everything is undone.
    @usableFromInline
    func endWriting(_ writer: TransactionReference, commits: Bool) throws(LMDBError) -> Int? {
        guard let state = unsafe writer.writer else { preconditionFailure("Only a write is committed.") }
        let replacement = unsafe state.pointee.replacement
        defer { writerLock?.release(stateAfterWriting(replacement)) }
        precondition(unsafe state.pointee.lentSpans == 0, "All lent bytes are given back when a write ends.")
        let failure = unsafe state.pointee.firstFailure
        let openedTables = unsafe state.pointee.openedTables
        let ownsHandles = unsafe state.pointee.ownsHandles
        // From the commit or abort on, the writer state and the C transaction belong to the next writer.
        var code: Int32 = 0
        if commits, failure != MDB_MAP_FULL {
            gate.setWriting(false)
            code = unsafe mdb_txn_commit(writer.handle)
            if code == MDB_BAD_TXN, failure != 0 { code = failure }
        } else {
            gate.setWriting(false)
            unsafe mdb_txn_abort(writer.handle)
        }
        let isCommitted = commits && code == 0 && failure != MDB_MAP_FULL
        for (name, table) in openedTables {
            if isCommitted { tables.committed(table, named: name) } else { tables.closed(table) }
        }
        if ownsHandles { gate.releaseHandles() }
        defer { gate.leave() }
        if failure == MDB_MAP_FULL || code == MDB_MAP_FULL { return mapSizeBytes }
        guard code == 0 else { throw self.failure(code, during: .commit) }
        return nil
    }

    /// Fixes the condition that kept a transaction from beginning, or throws.
    private func recover(from code: Int32, attempt: Int, during operation: LMDBError.Operation) throws(LMDBError) {
        switch code {
        case MDB_MAP_RESIZED where attempt < 100:
            // Another process has grown the map; it may do so again before the next attempt.
            try adoptMapSize(during: operation)
        case MDB_READERS_FULL where attempt == 0:
            try inside(during: operation) { () throws(LMDBError) in checkReaders() }
        default:
            throw failure(code, during: operation)
        }
    }

    /// Opens the table that a read missed, so that the read can run again; rethrows any other error.
    @usableFromInline
    func openTable(missedBy failure: any Error) throws {
        guard let missed = failure as? UnknownTable, missed.environment === self, !missed.isWriting else {
            throw failure
        }
        try inside(during: .read) { () throws(LMDBError) in
            guard gate.takeHandles() else { throw error(.inUse, during: .read) }
            defer { gate.releaseHandles() }
            guard tables.find(missed.name) == nil else { return }
            try unsafe openTables(skippingOthers: false) { _ in [missed.name] }
        }
    }

    /// Whether a write that ended with `failure` is to run again, because it met a handle opened since it began.
    @usableFromInline
    func isToRunAgain(_ failure: any Error) -> Bool {
        guard let missed = failure as? UnknownTable else { return false }
        return missed.environment === self && missed.isWriting
    }

    /// The error for LMDB's return code or `errno` `code`, with details from the environment and the disk.
    func failure(_ code: Int32, during operation: LMDBError.Operation) -> LMDBError {
        let reason: LMDBError.Reason =
            switch code {
            case MDB_MAP_FULL: .mapFull(mapSizeBytes: mapSizeBytes)
            case MDB_READERS_FULL: .readersFull(maximum: options.maximumReaders)
            case MDB_DBS_FULL: .tablesFull(maximum: options.tables)
            case MDB_INVALID, MDB_BAD_TXN: .damaged(code: code, text: lmdbMessage(code))
            default: .init(code: code, at: path, during: operation)
            }
        return error(reason, during: operation)
    }
}
