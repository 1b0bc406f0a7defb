import GroundwaveCLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Environment {
    /// The figures of an environment at one moment.
    public struct Info: Sendable, Hashable {
        /// The size of the map, in bytes.
        public let mapSizeBytes: Int
        /// The number of the last page in use, counted from 0.
        public let lastPage: Int
        /// The number of the newest committed transaction.
        public let lastTransaction: UInt64
        /// How many slots of the reader table have been in use at once, over all processes.
        public let readers: Int
    }

    /// The figures of the environment now.
    public func info() throws(LMDBError) -> Info {
        try inside(during: .read) { () throws(LMDBError) in
            var info = unsafe MDB_envinfo()
            let code = unsafe mdb_env_info(resources.handle, &info)
            guard code == 0 else { throw failure(code, during: .read) }
            return unsafe Info(
                mapSizeBytes: info.me_mapsize, lastPage: info.me_last_pgno,
                lastTransaction: UInt64(info.me_last_txnid), readers: Int(info.me_numreaders))
        }
    }

    /// The length of the file, in bytes.
    public var fileSizeBytes: Int {
        get throws(LMDBError) {
            try inside(during: .read) { () throws(LMDBError) in
                var status = stat()
                guard unsafe fstat(try descriptor, &status) == 0 else { throw failure(errno, during: .read) }
                return Int(status.st_size)
            }
        }
    }

    /// Runs `body` while nobody else writes to the environment, and this thread may: what belongs together then happens
    /// together, though it is more than one transaction, or none.
    ///
    /// - Throws: ``LMDBError/Reason/locked(by:)``; errors of `body`.
    public func withWriterLock<Result>(_ body: () throws -> Result) throws -> Result {
        guard let writerLock, let patience = options.patience else { return try body() }
        try writerLock.acquire(patience)
        defer { writerLock.release(nil) }
        return try body()
    }

    /// A number that another file at the same path does not have.
    public var fileNumber: UInt64 { identity?.inode ?? 0 }

    /// Which file is open.
    var fileIdentity: FileIdentity {
        get throws(LMDBError) {
            try inside(during: .open) { () throws(LMDBError) in
                var status = stat()
                guard unsafe fstat(try descriptor, &status) == 0 else { throw failure(errno, during: .open) }
                return FileIdentity(status)
            }
        }
    }

    /// Puts everything committed so far on disk.
    ///
    /// Needed with `synchronous` false. On Apple platforms it also empties the cache of the drive (`F_FULLFSYNC`),
    /// which LMDB's commits do not.
    ///
    /// - Throws: ``LMDBError/Reason/inputOutput(errno:)``, `diskFull`, `readOnly`, `closed`. After an input/output
    ///   error, what was not yet on disk may be lost although a later call succeeds: close, reopen and verify.
    public func synchronise() throws(LMDBError) {
        guard !isReadOnly else { throw error(.readOnly, during: .synchronise) }
        try inside(during: .synchronise) { () throws(LMDBError) in
            let code = unsafe mdb_env_sync(resources.handle, 1)
            guard code == 0 else { throw failure(code, during: .synchronise) }
            #if canImport(Darwin)
            do {
                try flushToMedium(try descriptor)
            } catch let failure as SystemError {
                throw self.failure(failure.code, during: .synchronise)
            }
            #endif
        }
    }

    /// Makes the name of the file survive a power cut: without that, one that took the place of another by
    /// ``replaceFile(during:_:)`` may give way to that again, if the last flush there failed.
    public func synchroniseName() throws(LMDBError) {
        do { try FileSystem.synchronise(folder: FileSystem.folder(of: path)) } catch {
            throw failure(error.code, during: .synchronise)
        }
    }

    /// Writes both meta pages once more, as they are, and flushes them: within a write transaction, and before it writes.
    ///
    /// After a failed flush the system may take a page for clean that never reached the disk, and a later flush passes it
    /// over. Of commits whose meta page was not waited for (``WriteTransaction/flushPagesOnly()``) that page may be one.
    public func renewMetaPages() throws(LMDBError) {
        precondition(gate.isWriting, "Nobody else writes a meta page meanwhile.")
        do {
            let file = try OpenFile(path, O_RDWR)
            try file.write(try file.read(2 * pageSize, at: 0))
            try file.synchronise()
        } catch { throw failure(error.code, during: .synchronise) }
    }

    /// LMDB's descriptor of the data file; the caller is inside the gate and does not close it.
    var descriptor: Int32 {
        get throws(LMDBError) {
            var descriptor: Int32 = -1
            let code = unsafe mdb_env_get_fd(resources.handle, &descriptor)
            guard code == 0 else { throw failure(code, during: .read) }
            return descriptor
        }
    }
}
