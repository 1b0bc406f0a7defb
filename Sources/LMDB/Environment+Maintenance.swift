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
    }

    /// The figures of the environment now.
    public func info() throws(LMDBError) -> Info {
        try inside(during: .read) {
            let figures = unsafe figures
            return unsafe Info(
                mapSizeBytes: figures.me_mapsize, lastPage: figures.me_last_pgno,
                lastTransaction: UInt64(figures.me_last_txnid))
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

    /// Runs `body` while holding the writer lock, so that several transactions, or work outside of any, are not
    /// interleaved with those of another writer.
    ///
    /// - Throws: ``LMDBError/Reason/locked(by:)``; errors of `body`.
    public func withWriterLock<Result>(_ body: () throws -> Result) throws -> Result {
        guard let writerLock, let patience = options.patience else { return try body() }
        try writerLock.acquire(patience)
        defer { writerLock.release(nil) }
        return try body()
    }

    /// The inode of the open file, which differs from that of any other file at the same path; 0 while it is being
    /// created.
    public var fileNumber: UInt64 { identity?.inode ?? 0 }

    /// The identity of the open file.
    var fileIdentity: FileIdentity {
        get throws(LMDBError) {
            try inside(during: .open) { () throws(LMDBError) in
                var status = stat()
                guard unsafe fstat(try descriptor, &status) == 0 else { throw failure(errno, during: .open) }
                return FileIdentity(status)
            }
        }
    }

    /// Flushes everything committed so far to disk.
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

    /// Flushes the folder of the file, so that the file's name survives a power cut. Without this, if the last flush
    /// in ``replaceFile(during:_:)`` failed, a power cut may bring the replaced file back.
    public func synchroniseName() throws(LMDBError) {
        do { try FileSystem.synchronise(folder: FileSystem.folder(of: path)) } catch {
            throw failure(error.code, during: .synchronise)
        }
    }

    /// Rewrites both meta pages unchanged and flushes them. Call it within a write transaction, before that writes.
    ///
    /// After a failed flush the system may treat a page as clean although it never reached the disk, and skip it in
    /// later flushes. The meta page of a commit that did not wait for it (``WriteTransaction/flushPagesOnly()``) may
    /// be such a page.
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
