import Foundation
import GroundwaveMetering
import GroundwaveStore

/// The line to a meter, or a file with the output of one: reads bytes and, if there is a device, sends commands.
///
/// A device and a named pipe belong to one line at a time, over all processes. Reading blocks the thread. A line is
/// used by one thread at a time.
public final class MeterLine: MeterPort {
    /// The result of a read.
    public enum Arrival: Hashable, Sendable {
        /// These bytes.
        case bytes([UInt8])
        /// No bytes within the time limit.
        case nothing
        /// The input has ended.
        case end
    }

    /// Whether it is a file on a disk: all bytes are there already, and nothing receives commands.
    public let isFile: Bool

    /// Whether a meter at the other end receives what is sent.
    package let canSend: Bool

    private let path: String
    private let descriptor: Int32
    private let isDevice: Bool
    private let isNamedPipe: Bool
    // Whether the device refuses to be opened by others.
    private var isExclusive = false
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Opens the device, pipe or file at `path`; `-` is standard input. A serial device is set to `baud`, 8 bits, no
    /// parity, raw, and what was received before is discarded.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, `notPermitted` or `inputOutput` if it cannot be opened, with
    ///   code `busy` if another line has it, and with code `usage` for a folder, and for a rate that serial lines do
    ///   not have.
    public init(_ path: String, baud: Int = 115_200) throws {
        self.path = path
        descriptor = path == "-" ? dup(STDIN_FILENO) : Self.descriptor(of: path)
        guard descriptor >= 0 else { throw Self.cannotOpen(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw StoreError(.usage, "\(path) is not a device, pipe or file.")
        }
        isFile = status.st_mode & S_IFMT == S_IFREG
        isDevice = isatty(descriptor) == 1
        isNamedPipe = path != "-" && status.st_mode & S_IFMT == S_IFIFO
        canSend = isDevice && fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY
        // Before the settings are changed: they are those of the line that has the device.
        if isDevice || isNamedPipe { try lock() }
        if isDevice {
            try setRaw(baud)
            tcflush(descriptor, TCIFLUSH)
        }
    }

    deinit {
        if isExclusive { _ = ioctl(descriptor, UInt(TIOCNXCL)) }
        close(descriptor)
    }

    private static func descriptor(of path: String) -> Int32 {
        let flags = O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        var status = stat()
        // Who can write to a pipe is one of its writers: its end would never come.
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        // A device is opened for writing as well; one that does not permit it is only read.
        let both = isPipe ? -1 : open(path, O_RDWR | flags)
        return both >= 0 || !isPipe && errno == EBUSY ? both : open(path, O_RDONLY | flags)
    }

    private static func cannotOpen(_ path: String, _ number: Int32) -> StoreError {
        if number == EBUSY { return isBusy(path) }
        let code: StoreError.Code = number == ENOENT ? .notFound : number == EACCES ? .notPermitted : .inputOutput
        return StoreError(
            code, "\(path) cannot be opened: \(String(cString: strerror(number))).",
            hint: number == EACCES
                ? "On Linux, add your user to the group dialout, and log in again." : "Check the name.")
    }

    private static func isBusy(_ path: String) -> StoreError {
        StoreError(
            .busy, "Another program is using \(path).",
            hint: "Bytes that two programs read reach only one of them. End the other one first.")
    }

    // The lock keeps out lines of this library, the flag of the terminal all other programs, except those of root.
    private func lock() throws {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw Self.isBusy(path) }
        // Standard input is also the terminal of the shell.
        if isDevice, path != "-" { isExclusive = ioctl(descriptor, UInt(TIOCEXCL)) == 0 }
    }

    private func setRaw(_ baud: Int) throws {
        guard let speed = Self.speeds[baud] else {
            throw StoreError(
                .usage, "\(baud) baud is not a speed for a serial device.",
                hint: "Use one of \(Self.speeds.keys.sorted().map(String.init).joined(separator: ", ")).")
        }
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { throw failure("asked for its settings") }
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        cfsetspeed(&settings, speed)
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { throw failure("set to \(baud) baud") }
    }

    private static let speeds: [Int: speed_t] = [
        9_600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400),
    ]

    /// Waits at most `milliseconds` for bytes. A named pipe ends when its last writer has closed it; one that nobody
    /// has opened yet has no bytes.
    ///
    /// - Throws: ``StoreError`` if the device is gone.
    public func read(waitingMilliseconds milliseconds: Int) throws -> Arrival {
        if !isFile {
            // A pipe without a writer is not ready until one has come and gone.
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&request, 1, Int32(clamping: milliseconds))
            if count == 0 || count < 0 && errno == EINTR { return .nothing }
            guard count > 0 else { throw failure("polled") }
        }
        let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        // A pseudo-terminal whose other end was closed reports EIO.
        if count == 0 || errno == EIO && isDevice { return .end }
        if errno == EAGAIN || errno == EINTR { return .nothing }
        throw failure("read")
    }

    /// Whether more bytes are waiting to be read.
    package func hasMore() -> Bool {
        if isFile { return true }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLIN) != 0
    }

    /// Sends a command, if there is a device to receive it.
    public func send(_ bytes: [UInt8]) throws {
        guard canSend else { return }
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + start, $0.count - start) }
            if count > 0 {
                start += count
            } else if errno == EAGAIN {
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&request, 1, 1000) > 0 else { throw failure("written") }
            } else if errno != EINTR {
                throw failure("written")
            }
        }
    }

    private func failure(_ what: String) -> StoreError {
        StoreError(
            .inputOutput, "\(path) cannot be \(what): \(String(cString: strerror(errno))).",
            hint: "Check that the meter is on and connected.")
    }
}
