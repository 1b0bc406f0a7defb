import Foundation
import GroundwaveMetering
import GroundwaveStore

/// The line to a meter, or a file with the output of one: reads bytes and, if there is a device, sends commands.
///
/// Reading blocks the thread. A line is used by one thread at a time.
public final class MeterLine {
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

    /// Whether it is a device that receives commands.
    let isDevice: Bool

    private let path: String
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Opens the device, pipe or file at `path`; `-` is standard input. A serial device is set to `baud`, 8 bits, no
    /// parity, raw.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, `notPermitted` or `inputOutput` if it cannot be opened, with
    ///   code `usage` for a folder, and for a rate that serial lines do not have.
    public init(_ path: String, baud: Int = 115_200) throws {
        self.path = path
        if path == "-" {
            descriptor = dup(STDIN_FILENO)
        } else {
            // A device is opened for writing as well; one that does not permit it is only read.
            let both = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            descriptor = both >= 0 ? both : open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        }
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            let code: StoreError.Code = errno == ENOENT ? .notFound : errno == EACCES ? .notPermitted : .inputOutput
            throw StoreError(
                code, "\(path) cannot be opened: \(reason).",
                hint: errno == EACCES
                    ? "On Linux, add your user to the group dialout, and log in again." : "Check the name.")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw StoreError(.usage, "\(path) is not a device, pipe or file.")
        }
        isFile = status.st_mode & S_IFMT == S_IFREG
        isDevice = isatty(descriptor) == 1
        if isDevice { try setRaw(baud) }
    }

    deinit { close(descriptor) }

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

    /// Waits at most `milliseconds` for bytes.
    ///
    /// - Throws: ``StoreError`` if the device is gone.
    public func read(waitingMilliseconds milliseconds: Int) throws -> Arrival {
        if !isFile {
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
    func hasMore() -> Bool {
        if isFile { return true }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLIN) != 0
    }

    /// Sends a command, if there is a device to receive it.
    public func send(_ bytes: [UInt8]) throws {
        guard isDevice else { return }
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
