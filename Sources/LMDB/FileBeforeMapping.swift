#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An existing file, checked without mapping it, that liblmdb may map.
struct FileBeforeMapping {
    /// The path without symbolic links, so that every way to the file leads to one lock file.
    let path: String
    let identity: FileIdentity
    /// The number of bytes that the map needs at least.
    let contentByteCount: Int
    /// The map size stored in the file; 0 if it is implausible.
    let mapSizeBytes: Int

    /// Checks the file at `path`.
    ///
    /// Another process may be committing at this moment, and a meta page is not read atomically while it is written.
    /// So a refusal stands only if it is found twice.
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
            // Read after the meta pages: a writer makes the file longer before it commits.
            let status = try file.status()
            let size = Int(status.st_size)
            identity = FileIdentity(status)
            self.path = FileSystem.resolved(path) ?? path
            contentByteCount = meta.contentByteCount
            // A map size that no address space holds can only be damage; then the contents decide the size.
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
