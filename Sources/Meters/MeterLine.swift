import Foundation
import GroundwaveMetering
import GroundwaveStore

/// The line to a meter, or a file with the output of one: reads bytes and, if there is a device, sends commands.
///
/// A device and a named pipe belong to one line at a time, over all processes. A device that was disconnected can be
/// opened anew. Reading blocks the thread. A line is used by one thread at a time.
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
    private let baud: Int
    private let isDevice: Bool
    // None while the device is gone.
    private var line: LineDescriptor?
    // Whether the device refuses to be opened by others.
    private var isExclusive = false

    /// Opens the device, pipe or file at `path`; `-` is standard input. A serial device is set to `baud`, 8 bits, no
    /// parity, raw, and what was received before is discarded.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, `notPermitted` or `inputOutput` if it cannot be opened, with
    ///   code `busy` if another line has it, and with code `usage` for a folder, and for a rate that serial lines do
    ///   not have.
    public init(_ path: String, baud: Int = 115_200) throws {
        (self.path, self.baud) = (path, baud)
        let descriptor = path == "-" ? dup(STDIN_FILENO) : Self.descriptor(of: path)
        guard descriptor >= 0 else { throw Self.cannotOpen(path, errno) }
        isDevice = isatty(descriptor) == 1
        let line = LineDescriptor(descriptor, of: path, isDevice: isDevice)
        self.line = line
        var status = stat()
        let isThere = fstat(descriptor, &status) == 0
        isFile = status.st_mode & S_IFMT == S_IFREG
        canSend = isDevice && fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY
        guard isThere, status.st_mode & S_IFMT != S_IFDIR else {
            throw StoreError(.usage, "\(path) is not a device, pipe or file.")
        }
        let isNamedPipe = path != "-" && status.st_mode & S_IFMT == S_IFIFO
        // Before the settings are changed: they are those of the line that has the device.
        if isDevice || isNamedPipe { try line.lock() }
        if isDevice { try begin(line) }
    }

    deinit { release() }

    private func release() {
        if isExclusive, let line { _ = ioctl(line.number, UInt(TIOCNXCL)) }
        isExclusive = false
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
        if number == EBUSY { return LineDescriptor.isBusy(path) }
        let code: StoreError.Code = number == ENOENT ? .notFound : number == EACCES ? .notPermitted : .inputOutput
        return StoreError(
            code, "\(path) cannot be opened: \(String(cString: strerror(number))).",
            hint: number == EACCES
                ? "On Linux, add your user to the group dialout, and log in again." : "Check the name.")
    }

    // Prepares a terminal that is locked. The lock keeps out lines of this library, the flag of the terminal all other
    // programs, except those of root.
    private func begin(_ line: LineDescriptor) throws {
        // Standard input is also the terminal of the shell.
        if path != "-" { isExclusive = ioctl(line.number, UInt(TIOCEXCL)) == 0 }
        guard let speed = Self.speeds[baud] else {
            throw StoreError(
                .usage, "\(baud) baud is not a speed for a serial device.",
                hint: "Use one of \(Self.speeds.keys.sorted().map(String.init).joined(separator: ", ")).")
        }
        var settings = termios()
        guard tcgetattr(line.number, &settings) == 0 else { throw line.failure("asked for its settings") }
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        cfsetspeed(&settings, speed)
        guard tcsetattr(line.number, TCSANOW, &settings) == 0 else { throw line.failure("set to \(baud) baud") }
        tcflush(line.number, TCIFLUSH)
    }

    private static let speeds: [Int: speed_t] = [
        9_600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400), 57_600: speed_t(B57600),
        115_200: speed_t(B115200), 230_400: speed_t(B230400),
    ]

    /// Waits at most `milliseconds` for bytes. A named pipe ends when its last writer has closed it; one that nobody
    /// has opened yet has no bytes. A device ends when it is disconnected.
    ///
    /// - Throws: ``StoreError`` if the device or file reports an error.
    public func read(waitingMilliseconds milliseconds: Int) throws -> Arrival {
        try line?.read(waitingMilliseconds: isFile ? nil : milliseconds) ?? .end
    }

    /// Whether more bytes are waiting to be read.
    package func hasMore() -> Bool { isFile || line?.hasMore == true }

    /// Sends a command, if there is a device to receive it.
    ///
    /// - Throws: ``StoreError`` for the system error if the device does not take it. One that is gone
    ///   is no error: reading says so.
    public func send(_ bytes: [UInt8]) throws { if canSend { try line?.send(bytes) } }

    /// Whether it is a device with a path, under which it may come back.
    package var canReturn: Bool { isDevice && path != "-" }

    /// After the end: opens the device at the path anew, if it is there again; else waits for `milliseconds`.
    ///
    /// - Returns: Whether the device is there.
    /// - Throws: ``StoreError`` with code `busy` if another line has it.
    public func reopen(waitingMilliseconds milliseconds: Int) throws -> Bool {
        guard canReturn else { return false }
        release()
        line = nil
        let descriptor = Self.descriptor(of: path)
        if descriptor < 0, errno == EBUSY { throw LineDescriptor.isBusy(path) }
        if descriptor >= 0 {
            let line = LineDescriptor(descriptor, of: path, isDevice: true)
            if isatty(descriptor) == 1 {
                try line.lock()
                // It may go while it comes.
                if (try? begin(line)) != nil {
                    self.line = line
                    return true
                }
            }
        }
        LineDescriptor.wait(milliseconds: milliseconds)
        return false
    }
}
