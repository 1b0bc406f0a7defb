import GroundwaveCLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Environment {
    /// Opens the file at `path`, or returns the environment that has it open in this process.
    ///
    /// The file is checked before it is mapped: a missing, empty, short or foreign file is an error, never a new
    /// environment. The check does not detect damage inside the pages, on which liblmdb may end the process; verify a
    /// suspect file in a separate process.
    ///
    /// With `isReadOnly` the file may lie on read-only media. If there is no lock file and none can be created, for
    /// lack of permission or space, the file is opened without locks (`MDB_NOLOCK`); no process may write to it
    /// meanwhile.
    ///
    /// If another file at this path is open in this process, it was replaced since; its environment is closed.
    ///
    /// - Throws: ``LMDBError/Reason/missing``, `empty`, `truncated`, `notLMDB`, `versionMismatch` or `damaged` for
    ///   what is at the path; `permission` or `readOnlyFileSystem` if it may not be opened for writing; `diskFull` if
    ///   there is no room for a lock file; `inUse` if it is open in this process with another `isReadOnly`, another
    ///   `synchronous` or room for fewer tables, or if a transaction on a replaced file of this path is still open;
    ///   `other` if a process with another version of LMDB has the file open.
    public static func open(_ path: String, options: Options = Options()) throws(LMDBError) -> Environment {
        while true {
            let file = try FileBeforeMapping(path)
            switch EnvironmentRegistry.shared.claim(file.identity, path: file.path) {
            case .living(let environment):
                // If it has been closed since, the registry is asked again.
                guard !environment.gate.isClosed else { continue }
                guard environment.options.isReadOnly == options.isReadOnly,
                    environment.options.synchronous == options.synchronous,
                    environment.options.tables >= options.tables
                else { throw LMDBError(.inUse, path: path, during: .open) }
                return environment
            case .pathInUse(let former):
                // The file of `former` was replaced. Its users find it closed at their next transaction.
                guard former.close(waits: false) else { throw LMDBError(.inUse, path: path, during: .open) }
            case .claimed:
                var opened: Environment?
                defer { EnvironmentRegistry.shared.finish(file.identity, opened) }
                let environment = try open(file, options: options)
                // The file at the path may have been replaced between the check and the opening.
                guard try environment.fileIdentity == file.identity else {
                    environment.close()
                    continue
                }
                opened = environment
                return environment
            }
        }
    }

    /// Opens `file`, which this thread has claimed in the registry.
    private static func open(_ file: FileBeforeMapping, options: Options) throws(LMDBError) -> Environment {
        var flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
        if options.isReadOnly { flags |= UInt32(MDB_RDONLY) }
        if !options.synchronous { flags |= UInt32(MDB_NOSYNC) }
        let mapSize = max(options.initialMapSizeBytes, file.contentByteCount, file.mapSizeBytes)
        do {
            try LockFile.make(for: file.path, readers: options.maximumReaders)
        } catch {
            guard options.isReadOnly else {
                throw LMDBError(.init(code: error.code, at: file.path, during: .open), path: file.path, during: .open)
            }
            flags |= UInt32(MDB_NOLOCK)
        }
        let (code, handle) = unsafe openHandle(file.path, flags, mapSize, options)
        guard let handle = unsafe handle else {
            throw LMDBError(reason(ofOpening: code, at: file.path), path: file.path, during: .open)
        }
        let environment = unsafe Environment(
            opened: handle, path: file.path, options: options, identity: file.identity)
        environment.checkReaders()
        do {
            try environment.openExistingTables()
        } catch {
            environment.close()
            throw error
        }
        return environment
    }

    /// Opens a C environment on `path`; returns LMDB's error code and no handle if that fails.
    static func openHandle(
        _ path: String, _ flags: UInt32, _ mapSizeBytes: Int, _ options: Options
    ) -> (code: Int32, handle: OpaquePointer?) {
        precondition(options.tables > 0, "An environment has room for at least one table.")
        precondition(options.maximumReaders > 0, "An environment has room for at least one reader.")
        precondition(mapSizeBytes > 0, "A map has a size.")
        var created: OpaquePointer?
        var code = unsafe mdb_env_create(&created)
        guard code == 0, let handle = unsafe created else { return (code, nil) }
        // No other thread has the handle yet. After a failed mdb_env_open it must be closed (lmdb.h), as done below.
        if code == 0 { code = unsafe mdb_env_set_maxdbs(handle, UInt32(clamping: options.tables)) }
        if code == 0 { code = unsafe mdb_env_set_maxreaders(handle, UInt32(clamping: options.maximumReaders)) }
        if code == 0 { code = unsafe mdb_env_set_mapsize(handle, mapSizeBytes) }
        if code == 0 { code = unsafe mdb_env_open(handle, path, flags, 0o644) }
        guard code == 0 else {
            unsafe mdb_env_close(handle)
            return (code, nil)
        }
        return unsafe (0, handle)
    }

    private static func reason(ofOpening code: Int32, at path: String) -> LMDBError.Reason {
        switch code {
        case MDB_INVALID, MDB_VERSION_MISMATCH:
            // The data file has just been checked, so the code refers to the lock file, which another process uses.
            .other(code: code, text: "a program with another version of LMDB has the file open")
        default: .init(code: code, at: path, during: .open)
        }
    }

    /// Frees the reader slots of processes that died.
    func checkReaders() {
        var dead: Int32 = 0
        // Best effort: without a lock file there are no slots to free.
        _ = unsafe mdb_reader_check(resources.handle, &dead)
    }

    /// Opens every table that exists, in one read transaction, so that later reads find their handles.
    func openExistingTables() throws(LMDBError) {
        try unsafe openTables(skippingOthers: true) { unsafe Self.tableNames($0) }
    }

    /// Opens the tables that `names` lists, in one read transaction. The caller must hold the right to open handles:
    /// see ``TableHandles``.
    ///
    /// - Parameter skippingOthers: Whether to skip names of entries that are not tables; otherwise they are an error.
    func openTables(skippingOthers: Bool, _ names: (OpaquePointer) -> [String]) throws(LMDBError) {
        var begun: OpaquePointer?
        var code = unsafe beginReading(&begun)
        guard code == 0, let transaction = unsafe begun else { throw failure(code, during: .open) }
        // The transaction is local, and every path below ends it exactly once.
        // LMDB sets the comparison of the main table when it is opened; a search without one would crash.
        var main: UInt32 = 0
        code = unsafe mdb_dbi_open(transaction, nil, 0, &main)
        guard code == 0 else {
            unsafe mdb_txn_abort(transaction)
            throw failure(code, during: .open)
        }
        var opened: [(String, UInt32)] = []
        for name in unsafe names(transaction) {
            var index: UInt32 = 0
            code = unsafe mdb_dbi_open(transaction, name, 0, &index)
            if code == 0 {
                opened.append((name, index))
            } else if code != MDB_NOTFOUND, !(skippingOthers && code == MDB_INCOMPATIBLE) {
                unsafe mdb_txn_abort(transaction)
                throw failure(code, during: .open)
            }
        }
        // Committing, not aborting, is what keeps the handles (lmdb.h, mdb_dbi_open).
        code = unsafe mdb_txn_commit(transaction)
        guard code == 0 else { throw failure(code, during: .open) }
        for (name, index) in opened { tables.committed(tables.opened(index), named: name) }
    }

    /// Returns the keys of the main table that can be names of tables; empty if it cannot be read.
    private static func tableNames(_ transaction: OpaquePointer) -> [String] {
        var opened: OpaquePointer?
        // Handle 1 is always the main table (MAIN_DBI in mdb.c).
        guard unsafe mdb_cursor_open(transaction, 1, &opened) == 0, let cursor = unsafe opened else { return [] }
        defer { unsafe mdb_cursor_close(cursor) }
        var names: [String] = []
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        while unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
            // The key stays in the map for the length of this read transaction.
            let bytes = unsafe UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
            if unsafe !bytes.isEmpty, unsafe !bytes.contains(0),
                let name = unsafe String(validating: bytes, as: UTF8.self)
            {
                names.append(name)
            }
        }
        return names
    }
}
