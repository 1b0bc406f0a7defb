import Foundation

extension TransportError {
    /// What it means for a place that a call of the system failed with `code` when it was to do `what`.
    static func system(_ code: Int32, _ what: String) -> TransportError {
        let sentence = "\(what): \(String(cString: strerror(code)))."
        switch code {
        // EFBIG: the file system has no files of that size, or this process may not write them.
        case ENOSPC, EDQUOT, EFBIG: return .full(sentence)
        case EACCES, EPERM, EROFS: return .notPermitted(sentence)
        // Sticks that are pulled out and shares that are gone answer with whatever comes to their mind. All of it may
        // be otherwise later.
        default: return .unreachable(sentence)
        }
    }

    /// Whether `code`, of giving a second name to a file that was just made in the same folder, says that there are no
    /// second names here: with FAT and exFAT, many shares, and sandboxes.
    static func isWithoutLinks(_ code: Int32) -> Bool {
        [EPERM, EACCES, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK, EINVAL, EXDEV].contains(code)
    }
}

/// Waits until what was written to `descriptor`, a file or a folder, is on the medium, as far as the system can do that.
///
/// Returns 0, or the code of the failure.
func flushToMedium(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
    // fsync leaves the data in the drive's cache there; file systems without F_FULLFSYNC get the plain call.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor) == 0 ? 0 : errno
}
