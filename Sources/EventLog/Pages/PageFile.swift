#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is read with `pread`: never mapped, written or locked.
///
/// Reading past the end returns fewer bytes, and a bad sector an error; a mapped file would end the process with
/// SIGBUS.
final class PageFile: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens the file at `path`, which must be a regular file.
    init(_ path: String) throws(PageFileError) {
        // O_NONBLOCK: opening a named pipe must not wait for its writer.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.path = path
        guard descriptor >= 0 else { throw PageFileError(path: path, code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PageFileError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw PageFileError(path: path, code: EINVAL) }
    }

    deinit { close(descriptor) }

    /// Returns the size of the file in bytes at this moment.
    func byteCount() throws(PageFileError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw PageFileError(path: path, code: errno) }
        return Int(status.st_size)
    }

    /// Returns `count` bytes from `offset` on; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(PageFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try read(into: &bytes, from: 0, at: offset)
        if filled < count { bytes.removeLast(count - filled) }
        return bytes
    }

    /// Fills `bytes` from index `start` on with the file's content at `offset`, and returns the number of bytes read.
    ///
    /// A failed read is retried once: a disk may succeed the second time, and a failure makes the store count as
    /// damaged.
    func read(into bytes: inout [UInt8], from start: Int, at offset: Int) throws(PageFileError) -> Int {
        var code: Int32 = 0
        // The only pointer of the page reader. It is inside the buffer, since `start + filled < count`, and `pread`
        // writes at most the bytes from there to the end of the buffer; nothing keeps it.
        let filled = bytes.withUnsafeMutableBytes { buffer in
            var filled = 0
            var wasRefused = false
            while start + filled < buffer.count {
                let part = pread(
                    descriptor, buffer.baseAddress! + start + filled, buffer.count - start - filled,
                    off_t(offset + filled))
                if part == 0 { break }
                if part > 0 {
                    filled += part
                } else if errno != EINTR {
                    if wasRefused {
                        code = errno
                        break
                    }
                    wasRefused = true
                }
            }
            return filled
        }
        guard code == 0 else { throw PageFileError(path: path, code: code) }
        return filled
    }
}

/// An error of opening or reading a file.
public struct PageFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The `errno` of the failed call.
    public let code: Int32

    /// Whether the file does not exist.
    package var isMissing: Bool { code == ENOENT }

    /// The error in the words of the system.
    public var description: String { "\(path) cannot be read: \(systemMessage(code))" }
}

/// Returns the number of cores that are online.
func coreCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

/// Returns the system's message for `code`, an `errno`.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
