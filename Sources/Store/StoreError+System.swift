import Foundation
import GroundwaveEventLog
import GroundwaveMDBPages
import GroundwaveRecovery

// Errors of the operating system, with a code and a hint for every `errno` that a user can act on.
extension StoreError {
    /// Creates the error for `errno`.
    ///
    /// - Parameter what: What failed, as the beginning of a sentence: “The file X cannot be made”.
    package init(system errno: Int32, _ what: String, cause: (any Error)? = nil) {
        let trouble = SystemTrouble(errno)
        self.init(trouble.code, "\(what): \(trouble.words).", hint: trouble.hint.map { Hint($0) }, cause: cause)
    }

    /// Creates the error for a system error that Foundation reports as `error`.
    package init(_ error: any Error, _ what: String) {
        if let code = Self.systemCode(of: error as NSError) {
            self.init(system: code, what, cause: error)
        } else {
            self.init(.inputOutput, "\(what).", hint: "Check the path and its permissions.", cause: error)
        }
    }

    package init(file error: FileFailure) {
        self.init(system: error.code, "Could not \(error.action) \(error.path)", cause: error)
    }

    /// Creates the error for `error` if that is a system error; otherwise `nil`.
    package init?(systemError error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as FileFailure: self.init(file: error)
        case let error as PageFileError: self.init(system: error.code, "\(error.path) cannot be read", cause: error)
        default:
            let found = error as NSError
            guard let code = Self.systemCode(of: found) else { return nil }
            let path = found.userInfo[NSFilePathErrorKey] as? String ?? (found.userInfo[NSURLErrorKey] as? URL)?.path
            self.init(system: code, path.map { "\($0) cannot be used" } ?? "The system refused", cause: error)
        }
    }

    /// Returns the `errno` behind an error of Foundation; `nil` if there is none.
    static func systemCode(of error: NSError) -> Int32? {
        if error.domain == NSPOSIXErrorDomain { return Int32(exactly: error.code) }
        if let below = error.userInfo[NSUnderlyingErrorKey] as? NSError, let code = systemCode(of: below) {
            return code
        }
        guard error.domain == NSCocoaErrorDomain else { return nil }
        return switch CocoaError.Code(rawValue: error.code) {
        case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
        case .fileReadNoPermission, .fileWriteNoPermission: EACCES
        case .fileWriteFileExists: EEXIST
        case .fileWriteOutOfSpace: ENOSPC
        case .fileWriteVolumeReadOnly: EROFS
        case .fileReadInvalidFileName, .fileWriteInvalidFileName: ENAMETOOLONG
        case .fileReadTooLarge: EFBIG
        default: nil
        }
    }
}

/// The meaning of an `errno` for a store.
private struct SystemTrouble {
    var code: StoreError.Code
    var words: String
    var hint: String?

    package init(_ errno: Int32) {
        code = .inputOutput
        words = String(cString: strerror(errno)).lowercasedFirst
        switch errno {
        case ENOSPC:
            words = "the disk is full"
            hint = "Free some space, and try again: what was saved before is safe."
        case EDQUOT:
            words = "your disk quota is used up"
            hint = "Free some space, or ask for a larger quota, and try again: what was saved before is safe."
        case EFBIG:
            words = "the file has reached its maximum size"
            hint = """
                Raise the limit for files (ulimit -f), or use a file system that allows larger files: what was saved \
                before is safe.
                """
        case EMFILE:
            code = .busy
            words = "this program cannot open more files"
            hint = "Raise the limit (ulimit -n), and try again."
        case ENFILE:
            code = .busy
            words = "too many files are open on this machine"
            hint = "Close other programs, and try again."
        case ENOMEM:
            code = .busy
            words = "there is not enough memory, or this program is not allowed to use more"
            hint = "Close other programs, or raise the limit (ulimit -v), and try again."
        case EROFS:
            code = .notPermitted
            words = "the disk is read-only"
            hint = "Copy the folder to a disk that can be written."
        case EACCES, EPERM:
            code = .notPermitted
            words = "permission is denied"
            hint = "Check the owner and the permissions of the file and of its folder."
        case ENOENT:
            code = .notFound
            words = "there is no such file or folder"
            hint = "Check the path."
        case ENOTDIR:
            code = .notFound
            words = "a part of the path is a file, not a folder"
            hint = "Check the path."
        case EISDIR:
            code = .notFound
            words = "it is a folder, not a file"
            hint = "Check the path."
        case ENAMETOOLONG:
            code = .usage
            words = "the path is too long"
            hint = "Choose a shorter path."
        case ELOOP:
            code = .notFound
            words = "its symbolic links form a circle"
            hint = "Check the path."
        case EEXIST, ENOTEMPTY:
            code = .exists
            words = "it already exists"
        case ETXTBSY, EBUSY, EAGAIN, EINTR, ENOLCK:
            code = .busy
            hint = "Try again. If this persists, the file system cannot lock files: put the store on a local disk."
        case EIO, ENXIO, ENODEV, ESTALE, ETIMEDOUT, EPIPE, ENOTSUP:
            hint = "Check the disk, and copy the folder to another one before you continue."
        default:
            code = .bug
            hint = "Please report it."
        }
    }
}

extension String {
    /// The text with a lowercase first letter, to follow a colon.
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
