import CLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

extension Environment {
    @usableFromInline
    func beginReading() throws(LMDBError) -> TransactionReference {
        while true {
            guard gate.enter() else { throw error(.closed, during: .read) }
            var handle = unsafe idleReaders.take()
            var code: Int32
            if let idle = unsafe handle {
                code = unsafe mdb_txn_renew(idle)
                if code != 0 { unsafe mdb_txn_abort(idle) }
            } else {
                code = unsafe mdb_txn_begin(resources.handle, nil, UInt32(MDB_RDONLY), &handle)
                if code == MDB_READERS_FULL {
                    checkReaders()
                    code = unsafe mdb_txn_begin(resources.handle, nil, UInt32(MDB_RDONLY), &handle)
                }
            }
            if code == 0, let handle = unsafe handle {
                return unsafe TransactionReference(handle: handle, environment: self, writer: nil)
            }
            gate.leave()
            guard code == MDB_MAP_RESIZED else { throw failure(code, during: .read) }
            try adoptMapSize()
        }
    }

    @usableFromInline
    func endReading(_ reader: TransactionReference) {
        unsafe idleReaders.put(reader.handle)
        gate.leave()
    }

    @usableFromInline
    func beginWriting() throws(LMDBError) -> TransactionReference {
        if isReadOnly { throw error(.readOnly, during: .write) }
        precondition(!gate.isWriting, "Write transactions do not nest.")
        while true {
            guard gate.enter() else { throw error(.closed, during: .write) }
            var handle: OpaquePointer?
            let code = unsafe mdb_txn_begin(resources.handle, nil, 0, &handle)
            if code == 0, let handle = unsafe handle {
                gate.setWriting(true)
                unsafe resources.writer.pointee = WriterState()
                return unsafe TransactionReference(handle: handle, environment: self, writer: resources.writer)
            }
            gate.leave()
            guard code == MDB_MAP_RESIZED else { throw failure(code, during: .write) }
            try adoptMapSize()
        }
    }

    @usableFromInline
    func isWriting(_ writer: TransactionReference) -> Bool { gate.isWriting }

    /// Ends the write transaction; false if the map was full and the body is to run again.
    @usableFromInline
    func commit(_ writer: TransactionReference) throws(LMDBError) -> Bool {
        let firstFailure = unsafe resources.writer.pointee.firstFailure
        if firstFailure == MDB_MAP_FULL || firstFailure == MDB_TXN_FULL {
            unsafe mdb_txn_abort(writer.handle)
            finishWriting(committed: false)
            return false
        }
        let code = unsafe mdb_txn_commit(writer.handle)
        finishWriting(committed: code == 0)
        if code == MDB_MAP_FULL { return false }
        guard code == 0 else { throw failure(code == MDB_BAD_TXN ? firstFailure : code, during: .commit) }
        #if canImport(Darwin)
        if options.synchronous { try synchronise() }
        #endif
        return true
    }

    /// Ends the write transaction without its writes; true if the map was full and the body is to run again.
    @usableFromInline
    func abort(_ writer: TransactionReference) -> Bool {
        let isFull = unsafe resources.writer.pointee.firstFailure == MDB_MAP_FULL
        unsafe mdb_txn_abort(writer.handle)
        finishWriting(committed: false)
        return isFull
    }

    private func finishWriting(committed: Bool) {
        for (name, table) in unsafe resources.writer.pointee.openedTables {
            if committed { tables.committed(table, named: name) } else { tables.closed(table, named: name) }
        }
        let ownsHandles = unsafe resources.writer.pointee.ownsHandles
        unsafe resources.writer.pointee = WriterState()
        if ownsHandles { gate.releaseHandles() }
        gate.setWriting(false)
        gate.leave()
    }

    /// Doubles the map once no transaction of this process is open.
    @usableFromInline
    func grow() throws(LMDBError) {
        var code: Int32 = 0
        let size = info().mapSizeBytes
        let done: Void? = gate.alone { _ in
            idleReaders.abortAll()
            code = unsafe mdb_env_set_mapsize(resources.handle, size * 2)
        }
        guard done != nil, code == 0 else { throw error(.mapFull(mapSizeBytes: size), during: .grow) }
    }

    /// Takes over the map size that another process chose.
    private func adoptMapSize() throws(LMDBError) {
        var code: Int32 = 0
        let done: Void? = gate.alone { _ in
            idleReaders.abortAll()
            code = unsafe mdb_env_set_mapsize(resources.handle, 0)
        }
        guard done != nil, code == 0 else { throw error(.inUse, during: .grow) }
    }

    @usableFromInline
    func openTableNamed(by error: any Error) throws {
        guard let unopened = error as? UnopenedTable, unopened.environment === self else { throw error }
        guard gate.takeHandles() else { throw self.error(.inUse, during: .read) }
        defer { gate.releaseHandles() }
        try inside(during: .read) { () throws(LMDBError) in try openTables { _ in [unopened.name] } }
    }

    /// Numbers of the environment at this moment.
    public func info() -> (mapSizeBytes: Int, lastPage: Int, lastTransaction: Int, readers: Int) {
        var info = MDB_envinfo()
        guard (try? inside(during: .read, { () throws(LMDBError) in _ = unsafe mdb_env_info(resources.handle, &info) })) != nil
        else { return (0, 0, 0, 0) }
        return unsafe (
            Int(info.me_mapsize), Int(info.me_last_pgno), Int(info.me_last_txnid), Int(info.me_numreaders)
        )
    }

    /// Bytes of the file.
    public var fileSizeBytes: Int { ((try? FileSystem.status(path))?.st_size).map { Int($0) } ?? 0 }

    /// Waits until everything that was committed is on the medium.
    public func synchronise() throws(LMDBError) {
        try inside(during: .synchronise) { () throws(LMDBError) in
            let code = unsafe mdb_env_sync(resources.handle, 1)
            guard code == 0 else { throw failure(code, during: .synchronise) }
        }
    }

    /// The error for LMDB's return code.
    @usableFromInline
    func failure(_ code: Int32, during operation: LMDBError.Operation) -> LMDBError {
        switch code {
        case MDB_READERS_FULL: return error(.readersFull(maximum: options.maximumReaders), during: operation)
        case MDB_MAP_FULL: return error(.mapFull(mapSizeBytes: 0), during: operation)
        case MDB_DBS_FULL: return error(.tablesFull(maximum: options.tables), during: operation)
        case EIO, ENOSPC:
            if let free = FileSystem.freeBytes(at: path), free < 1 << 20 {
                return error(.diskFull(freeBytes: free), during: operation)
            }
            return error(.inputOutput(errno: code), during: operation)
        default: return error(LMDBError.Reason(code: code), during: operation)
        }
    }
}
