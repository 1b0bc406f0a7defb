import Foundation

extension TransportError {
    /// Returns the transport error for a system call that failed with `code`; `what` describes the failed operation.
    static func system(_ code: Int32, _ what: String) -> TransportError {
        let sentence = "\(what): \(String(cString: strerror(code)))."
        switch code {
        // EFBIG: the file system does not support files of that size, or this process may not write them.
        case ENOSPC, EDQUOT, EFBIG: return .full(sentence)
        case EACCES, EPERM, EROFS: return .notPermitted(sentence)
        // Removed sticks and disconnected shares fail with arbitrary codes. Any of these may be temporary.
        default: return .unreachable(sentence)
        }
    }

    /// Returns whether `code`, from a hard link to a file just created in the same folder, means that hard links are
    /// not supported: as on FAT and exFAT, many shares, and in sandboxes.
    static func isWithoutLinks(_ code: Int32) -> Bool {
        [EPERM, EACCES, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK, EINVAL, EXDEV].contains(code)
    }
}

/// Flushes the data written to `descriptor`, a file or a folder, to the medium, as far as the system can.
///
/// Returns 0, or the error code.
func flushToMedium(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
    // On Darwin fsync leaves the data in the drive's cache; file systems without F_FULLFSYNC get fsync.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor) == 0 ? 0 : errno
}
