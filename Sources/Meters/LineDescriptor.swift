import Foundation
import GroundwaveStore

/// The open descriptor of a line to a meter. It is closed with this object.
final class LineDescriptor {
    let number: Int32
    private let name: String
    // Whether an error of the system may mean that a device was disconnected.
    private let isDevice: Bool
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Takes over the descriptor of what `name` names.
    init(_ number: Int32, of name: String, isDevice: Bool) {
        (self.number, self.name, self.isDevice) = (number, name, isDevice)
    }

    deinit { close(number) }

    /// Keeps out all other lines of this library, in any process.
    ///
    /// - Throws: ``StoreError`` with code `busy` if one of them has it.
    func lock() throws {
        guard flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw Self.isBusy(name) }
    }

    static func isBusy(_ name: String) -> StoreError {
        StoreError(
            .busy, "Another program is using \(name).",
            hint: "Bytes that two programs read reach only one of them. End the other one first.")
    }

    /// Reads what is there; waits for that at most `milliseconds`, or not at all if `nil`.
    func read(waitingMilliseconds milliseconds: Int?) throws -> MeterLine.Arrival {
        if let milliseconds {
            // A pipe without a writer is not ready until one has come and gone.
            var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            let count = poll(&request, 1, Int32(clamping: milliseconds))
            if count == 0 || count < 0 && errno == EINTR { return .nothing }
            guard count > 0 else { throw failure("polled") }
        }
        let count = buffer.withUnsafeMutableBytes { Foundation.read(number, $0.baseAddress, $0.count) }
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        if count == 0 || isGone { return .end }
        if errno == EAGAIN || errno == EINTR { return .nothing }
        throw failure("read")
    }

    /// Whether something is waiting to be read.
    var hasMore: Bool {
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLIN) != 0
    }

    /// Writes `bytes`. If the device is gone, nothing happens: reading says so.
    func send(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { write(number, $0.baseAddress! + start, $0.count - start) }
            if count > 0 {
                start += count
            } else if isGone {
                return
            } else if errno == EAGAIN {
                var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                guard poll(&request, 1, 1000) > 0 else { throw failure("written") }
            } else if errno != EINTR {
                throw failure("written")
            }
        }
    }

    // Serial devices and HIDs that were disconnected report these, and a pseudo-terminal whose other end was closed.
    private var isGone: Bool { isDevice && [EIO, ENODEV, ENXIO].contains(errno) }

    /// The error of the last call, with what could not be done.
    func failure(_ what: String) -> StoreError {
        StoreError(
            .inputOutput, "\(name) cannot be \(what): \(String(cString: strerror(errno))).",
            hint: "Check that the meter is on and connected.")
    }

    /// Waits for `milliseconds`.
    static func wait(milliseconds: Int) { _ = poll(nil, 0, Int32(clamping: milliseconds)) }
}
