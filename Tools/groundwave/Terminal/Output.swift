import Foundation
import Groundwave
import Synchronization

/// Standard output and standard error: the one place that writes to them.
enum Output {
    /// The reader has closed the stream, as `| head` does: the command ends without a message.
    struct ClosedByReader: Error {}

    /// Bytes of a file that goes to a terminal, behind the last line break.
    private static let unfinished = Mutex<[UInt8]>([])

    /// Has a closed stream end in an error, and never in a signal or in a file of the store.
    ///
    /// A stream that was closed before the program began would give its number to the next file that is opened, and what is
    /// printed would be written into that file. So something takes its place that cannot be read, or written.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more is an error of the system like others.
        signal(SIGXFSZ, SIG_IGN)
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", mode)
        }
    }

    /// Writes bytes on standard output as they are.
    ///
    /// - Throws: ``StoreError`` with code `inputOutput`; caused by ``ClosedByReader`` where nobody reads any more.
    static func write(_ bytes: [UInt8]) throws {
        switch send(bytes, to: STDOUT_FILENO) {
        case 0: return
        case EPIPE:
            throw StoreError(.inputOutput, "The reader of standard output has closed it.", cause: ClosedByReader())
        case let code:
            throw StoreError(
                .inputOutput, "Standard output cannot be written: \(String(cString: strerror(code))).",
                hint: "The change may have been made nevertheless: check before you run the command again.")
        }
    }

    /// Writes a file on standard output: its bytes as they are, but to a terminal as text, a line at a time.
    ///
    /// - Throws: As ``write(_:)``.
    static func write(file bytes: [UInt8]) throws {
        guard Terminal.isTerminal else { return try write(bytes) }
        let lines = unfinished.withLock { rest -> [UInt8] in
            let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            defer { rest = (end == 0 ? rest : []) + bytes[end...] }
            return end == 0 ? [] : rest + bytes[..<end]
        }
        if !lines.isEmpty { try show(lines.dropLast()) }
    }

    /// Writes what is left of a file that ends without a line break.
    static func finish() throws {
        let rest = unfinished.withLock { $0 }
        if !rest.isEmpty { try show(rest[...]) }
    }

    private static func show(_ bytes: ArraySlice<UInt8>) throws {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        try Terminal.print(
            lines: lines.map { line in
                "\(String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self))"
            })
    }

    /// Writes all of `bytes`, in however many calls, and returns 0, or the system's number for what went wrong.
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest, rest.count)
            if count == rest.count { return 0 }
            if count >= 0 {
                rest.removeFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Whoever shares the terminal or the pipe with us may have told it not to wait.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&room, 1, -1)
            case let code: return code
            }
        }
        return 0
    }
}
