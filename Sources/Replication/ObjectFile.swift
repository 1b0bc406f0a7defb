import Foundation

/// An open file in a folder. Closed when the value ends.
struct ObjectFile: ~Copyable {
    private let descriptor: Int32
    private let path: String

    init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }

    func status() throws(TransportError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno, "The file \(path) cannot be examined") }
        return FileStatus(status)
    }

    /// Reads the bytes of `range`; fewer if the file has become shorter.
    func read(_ range: Range<Int>) throws(TransportError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < range.count {
            var part = [UInt8](repeating: 0, count: range.count - bytes.count)
            let count = pread(descriptor, &part, part.count, off_t(range.lowerBound + bytes.count))
            if count < 0 {
                guard errno == EINTR else { throw .system(errno, "The file \(path) cannot be read") }
                continue
            }
            if bytes.isEmpty, count == part.count { return part }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }

    /// Writes all of `bytes` to a newly created file, and flushes them to the medium.
    ///
    /// - Throws: ``TransportError``; then some of the bytes may have been written.
    func write(_ bytes: [UInt8]) throws(TransportError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest, rest.count)
            if count > 0 {
                rest.removeFirst(count)
            } else if count == 0 || errno != EINTR {
                throw .system(count == 0 ? ENOSPC : errno, "The file \(path) cannot be written")
            }
        }
        let code = flushToMedium(descriptor)
        guard code == 0 else { throw .system(code, "The file \(path) cannot be flushed") }
    }
}
