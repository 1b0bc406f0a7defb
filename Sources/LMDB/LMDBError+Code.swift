import CLMDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The longest key that LMDB stores (`MDB_MAXKEYSIZE`, a compile-time constant of liblmdb; `mdb_env_get_maxkeysize`).
public let maximumKeyByteCount = 511

extension LMDBError.Reason {
    /// The reason for `code`; checks whether the disk at `path` is full.
    ///
    /// LMDB reports a write that a full disk, or the limit of this process for files, cut short as `EIO`.
    init(code: Int32, at path: String, during operation: LMDBError.Operation) {
        self.init(code: code)
        let mayBeShort = code == EIO && operation != .read && operation != .open
        guard code == ENOSPC || mayBeShort else { return }
        if mayBeShort, FileSystem.isAtLimit(path) {
            self = .system(errno: EFBIG)
            return
        }
        let free = FileSystem.freeBytes(at: path) ?? FileSystem.freeBytes(at: FileSystem.folder(of: path))
        if mayBeShort, free ?? .max >= Self.nearlyNothing { return }
        self = .diskFull(freeBytes: free ?? 0)
    }

    /// LMDB writes up to 64 pages at once (`MDB_COMMIT_PAGES`); with less space left than this, a failed write had
    /// none.
    private static let nearlyNothing = 1 << 20

    /// The reason for a return code of LMDB or an `errno`, from the code alone.
    init(code: Int32) {
        switch code {
        case ENOENT: self = .missing
        case EEXIST: self = .exists
        case EACCES, EPERM: self = .permission
        case EROFS: self = .readOnlyFileSystem
        case EIO: self = .inputOutput(errno: code)
        case EBUSY, EAGAIN, ETXTBSY: self = .locked(by: nil)
        case MDB_INVALID: self = .notLMDB
        case MDB_PANIC: self = .mustReopen
        case MDB_BAD_DBI: self = .noTable
        case MDB_TXN_FULL: self = .transactionTooLarge
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND: self = .damaged(code: code, text: lmdbMessage(code))
        // Numbers of the system are positive, those of LMDB are not.
        case 1...: self = .system(errno: code)
        default: self = .other(code: code, text: lmdbMessage(code))
        }
    }
}

/// LMDB's message for `code`, which may also be an `errno`.
func lmdbMessage(_ code: Int32) -> String {
    // LMDB's own codes map to constant strings; everything else goes to the re-entrant strerror below.
    guard (MDB_KEYEXIST...MDB_LAST_ERRCODE).contains(code), let text = unsafe mdb_strerror(code) else {
        return systemMessage(code)
    }
    // The string is a NUL-terminated constant inside liblmdb.
    return unsafe String(cString: text)
}

/// The operating system's message for `code`.
func systemMessage(_ code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let start = buffer.baseAddress else { return "error \(code)" }
        // The function writes a NUL-terminated string of at most the buffer's size.
        unsafe groundwave_error_text(code, start, buffer.count)
        return unsafe String(cString: start)
    }
}
