import GroundwaveCLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Environment {
    /// Creates an environment at `path` with everything that `prepare` writes.
    ///
    /// LMDB's own creation is not safe against a crash: a file whose first pages are half written never opens again.
    /// So the file is built under a temporary name in the same folder, filled by one committed transaction, flushed,
    /// and only then renamed. After an interruption `path` is either unchanged or has the finished file; a leftover
    /// whose name ends in `.creating` may be deleted.
    ///
    /// - Parameters:
    ///   - replacing: Whether the new file replaces a file that is at `path`. No process may have that file open.
    ///   - options: The size of the map and the number of tables. `isReadOnly` is ignored. Without `synchronous`
    ///     nothing is flushed, and a power cut may leave an unusable file at `path`.
    /// - Throws: ``LMDBError/Reason/exists`` if `path` has a file, and not `replacing`; `missing` if its folder does
    ///   not exist; `permission`, `readOnlyFileSystem`, `diskFull`, `inputOutput`; errors of `prepare`. Then `path` is
    ///   unchanged, unless only the flush after the renaming failed: then the finished file is there, but a power cut
    ///   may undo the renaming.
    public static func create(
        at path: String, replacing: Bool = false, options: Options = Options(),
        prepare: (borrowing WriteTransaction) throws -> Void
    ) throws {
        guard replacing || !FileSystem.isTaken(path) else { throw LMDBError(.exists, path: path, during: .create) }
        let temporary = FileSystem.temporaryName(for: path)
        do {
            try withNew(temporary, for: path, options: options) { try $0.write(prepare) }
            if options.synchronous {
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
            throw LMDBError(.init(code: failure.code, at: path, during: .create), path: path, during: .create)
        }
        guard options.synchronous else { return }
        // The file has been renamed and stays. If this flush fails, a power cut may undo the renaming: the caller must
        // know.
        do {
            try FileSystem.synchronise(folder: FileSystem.folder(of: path))
        } catch {
            throw LMDBError(.init(code: error.code, at: path, during: .create), path: path, during: .create)
        }
    }

    /// Creates an environment in the file `temporary`, lends it to `body`, and closes it. Flushes nothing. Errors name
    /// `path`.
    static func withNew(
        _ temporary: String, for path: String, options: Options, _ body: (Environment) throws -> Void
    ) throws {
        // The file is private to this call until the caller renames it, so it needs no lock file; the caller flushes it
        // once, before that.
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
}
