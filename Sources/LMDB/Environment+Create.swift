import GroundwaveCLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Environment {
    /// Creates a new environment at `path` with what `prepare` writes, all of it or nothing.
    ///
    /// LMDB's own creation is not safe against a crash: a file whose first pages are half written never opens again.
    /// So the file is built under a temporary name in the same folder, filled by one committed transaction, put on
    /// disk, and only then given its name. Wherever this is interrupted, `path` has no file or the finished one; a
    /// leftover whose name ends in `.creating` may be deleted.
    ///
    /// `options` says how large the map and how many the tables are; its `isReadOnly` does not matter.
    ///
    /// - Parameter replacing: Whether a file that is at `path` gives way to the finished new one. Nobody may have it open.
    /// - Throws: ``LMDBError/Reason/exists`` if `path` has a file, which is left as it was; `missing` if its folder
    ///   does not exist; `permission`, `readOnlyFileSystem`, `diskFull`, `inputOutput`; errors of `prepare`.
    public static func create(
        at path: String, replacing: Bool = false, options: Options = Options(),
        prepare: (borrowing WriteTransaction) throws -> Void
    ) throws {
        try publish(at: path, during: .create, replacing: replacing, isFlushed: options.synchronous) { temporary in
            try withNew(temporary, for: path, options: options) { try $0.write(prepare) }
        }
    }

    /// Lends a new environment in the file `temporary` to `body`, and closes it. Nothing of it is flushed.
    static func withNew(
        _ temporary: String, for path: String, options: Options, _ body: (Environment) throws -> Void
    ) throws {
        // Private to this call until it has its name, so without a lock file; flushed once, by whoever names it.
        let flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS | MDB_NOLOCK | MDB_NOSYNC)
        var options = options
        options.isReadOnly = false
        let (code, handle) = unsafe openHandle(temporary, flags, options.initialMapSizeBytes, options)
        guard let handle = unsafe handle else {
            throw LMDBError(.init(code: code, at: temporary, during: .create), path: path, during: .create)
        }
        let environment = unsafe Environment(opened: handle, path: path, options: options, identity: nil)
        defer { environment.close() }
        try environment.openExistingTables()
        try body(environment)
    }

    /// Copies the newest committed state to a new file at `path`, without the free pages.
    ///
    /// Others may read and write meanwhile, though a map that is full grows only after the copy; pages they free are
    /// kept until then. The file gets its name only when it is complete and on disk.
    ///
    /// - Throws: ``LMDBError/Reason/exists`` if `path` has a file, which is left as it was; `diskFull`, `inputOutput`,
    ///   `damaged`, `closed`.
    /// - Complexity: Reads and writes every page in use once.
    public func copyCompacted(to path: String) throws(LMDBError) {
        do {
            try Self.publish(at: path, during: .copy) { temporary in
                try inside(during: .copy) { () throws(LMDBError) in
                    // LMDB makes the file, and fails if there is one.
                    let code = unsafe mdb_env_copy2(resources.handle, temporary, UInt32(MDB_CP_COMPACT))
                    guard code == 0 else {
                        throw LMDBError(.init(code: code, at: temporary, during: .copy), path: path, during: .copy)
                    }
                }
            }
        } catch let error as LMDBError {
            throw error
        } catch {
            preconditionFailure("Only LMDB's errors are thrown above.")
        }
    }

    /// Has `build` make a file under a temporary name, and gives it the name `path` once it is on disk.
    private static func publish(
        at path: String, during operation: LMDBError.Operation, replacing: Bool = false, isFlushed: Bool = true,
        _ build: (_ temporary: String) throws -> Void
    ) throws {
        guard replacing || !FileSystem.isTaken(path) else { throw LMDBError(.exists, path: path, during: operation) }
        let temporary = FileSystem.temporaryName(for: path)
        do {
            try build(temporary)
            if isFlushed {
                try OpenFile(temporary, O_RDWR).synchronise()
                try FileSystem.synchronise(folder: FileSystem.folder(of: path))
            }
            if replacing {
                try FileSystem.rename(temporary, over: path)
            } else {
                try FileSystem.rename(temporary, toUnused: path)
            }
        } catch {
            FileSystem.remove(temporary)
            guard let failure = error as? SystemError else { throw error }
            throw LMDBError(.init(code: failure.code, at: path, during: operation), path: path, during: operation)
        }
        guard isFlushed else { return }
        // The file has its name and stays. Should the flush fail, the caller learns that a power cut may undo it.
        do {
            try FileSystem.synchronise(folder: FileSystem.folder(of: path))
        } catch {
            throw LMDBError(.init(code: error.code, at: path, during: operation), path: path, during: operation)
        }
    }
}
