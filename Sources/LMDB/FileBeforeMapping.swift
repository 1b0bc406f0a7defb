#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An existing file, looked at without mapping it, and found to be one that liblmdb may map.
struct FileBeforeMapping {
    /// The path without symbolic links, so that every way to the file leads to one lock file.
    let path: String
    let identity: FileIdentity
    /// How many bytes the map needs at least.
    let contentByteCount: Int
    /// The size of the map that the file asks for, or 0.
    let mapSizeBytes: Int

    /// Looks at the file at `path`.
    ///
    /// Another process may commit at this moment, and reading a meta page while it is written is not atomic. So a
    /// refusal stands only if it is found twice.
    init(_ path: String) throws(LMDBError) {
        do {
            try self.init(once: path)
        } catch {
            try self.init(once: path)
        }
    }

    private init(once path: String) throws(LMDBError) {
        do {
            // Without waiting, in case it is a pipe.
            let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
            guard try file.status().st_mode & S_IFMT == S_IFREG else { throw MetaPages.Refusal(.notLMDB) }
            let meta = try MetaPages(file)
            // Asked after the meta pages were read: a writer makes the file longer before it commits.
            let status = try file.status()
            let size = Int(status.st_size)
            identity = FileIdentity(status)
            self.path = FileSystem.resolved(path) ?? path
            contentByteCount = meta.contentByteCount
            // A map size that no address space holds can only be damage; the contents say what is needed.
            mapSizeBytes = meta.newest.mapSizeBytes < 1 << 46 ? Int(meta.newest.mapSizeBytes) : 0
            if size >= contentByteCount { return }
            guard FreePages.coverMissingPart(of: file, fileSize: size, meta: meta.newest) else {
                throw MetaPages.Refusal(.truncated(expected: meta.contentByteCount, actual: size))
            }
        } catch let refusal as MetaPages.Refusal {
            throw LMDBError(refusal.reason, path: path, during: .open)
        } catch let failure as SystemError {
            throw LMDBError(LMDBError.Reason(code: failure.code), path: path, during: .open)
        } catch {
            preconditionFailure("Only the two errors above are thrown here.")
        }
    }
}
