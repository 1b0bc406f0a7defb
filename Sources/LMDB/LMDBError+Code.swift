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
    /// The reason for a return code of LMDB or an `errno`, as far as the code alone tells.
    init(code: Int32) {
        switch code {
        case ENOENT, ENOTDIR: self = .missing
        case EEXIST: self = .exists
        case EACCES, EPERM: self = .permission
        case EROFS: self = .readOnlyFileSystem
        case EIO: self = .inputOutput(errno: code)
        case EBUSY, EAGAIN: self = .locked
        case MDB_INVALID: self = .notLMDB
        case MDB_PANIC: self = .mustReopen
        case MDB_BAD_DBI: self = .noTable
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND: self = .damaged(code: code, text: lmdbMessage(code))
        default: self = .other(code: code, text: lmdbMessage(code))
        }
    }
}

/// LMDB's words for `code`, which may also be an `errno`.
func lmdbMessage(_ code: Int32) -> String {
    // LMDB's own codes map to constant strings; everything else goes to the re-entrant strerror below.
    guard (MDB_KEYEXIST...MDB_LAST_ERRCODE).contains(code), let text = unsafe mdb_strerror(code) else {
        return systemMessage(code)
    }
    // The string is a NUL-terminated constant inside liblmdb.
    return unsafe String(cString: text)
}

/// The operating system's words for `code`.
func systemMessage(_ code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        // glibc's plain name may be the GNU variant, so use the position-independent fallback: number alone on failure.
        guard let start = unsafe buffer.baseAddress, unsafe strerror_r(code, start, buffer.count) == 0 else {
            return "error \(code)"
        }
        // strerror_r returned 0, so it wrote a NUL-terminated string that fits.
        return unsafe String(cString: start)
    }
}
