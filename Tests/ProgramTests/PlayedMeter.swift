import Foundation
import SimulatedMeters
import Synchronization
import Testing

/// A simulated meter that is played in real time at the other end of a line.
final class PlayedMeter: Sendable {
    /// What a recorder opens: a device, a named pipe, or a file.
    let path: String
    private let state: Mutex<State>
    /// The ends of the pseudo-terminal; -1 for other lines.
    private let descriptor: Int32
    private let device: Int32

    private struct State {
        var meter: MeterScript
        /// The beginning of the script, in milliseconds since 1970.
        var start: Int64 = 0
        var isOver = false
    }

    /// The meter as it is now.
    var meter: MeterScript { state.withLock { $0.meter } }
    /// The beginning of the script, in milliseconds since 1970.
    var start: Int64 { state.withLock { $0.start } }
    /// Whether everything is sent.
    var isOver: Bool { state.withLock { $0.isOver } }

    init(_ meter: MeterScript, in folder: URL) throws {
        state = Mutex(State(meter: meter))
        guard meter.line == .terminal else {
            (descriptor, device) = (-1, -1)
            path = folder.appending(path: UUID().uuidString).path
            if meter.line == .stream { try #require(mkfifo(path, 0o600) == 0) }
            return
        }
        var (descriptor, device) = (Int32(-1), Int32(-1))
        try #require(openpty(&descriptor, &device, nil, nil, nil) == 0)
        (self.descriptor, self.device) = (descriptor, device)
        path = String(cString: try #require(ttyname(device)))
        var settings = termios()
        tcgetattr(device, &settings)
        cfmakeraw(&settings)
        tcsetattr(device, TCSANOW, &settings)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // What was there before lies in the terminal when it is opened.
        if meter.family != .atorch, let stale = meter.events.first { send(stale, to: descriptor) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if device >= 0 { close(device) }
    }

    /// Writes what a file has.
    func writeFile() throws {
        var bytes: [UInt8] = []
        for case .bytes(let piece) in meter.events.map(\.what) { bytes += piece }
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Plays, from another thread, for a recorder that has opened the line, or will.
    func play() { Thread { [self] in descriptor >= 0 ? playTerminal() : playPipe() }.start() }

    private static var now: Int64 { Int64((Date().timeIntervalSince1970 * 1_000).rounded()) }

    private func playPipe() {
        // This waits for the reader.
        let end = open(path, O_WRONLY)
        begin(at: Self.now)
        for event in meter.events { send(event, to: end) }
        close(end)
        state.withLock { $0.isOver = true }
    }

    /// Waits for the first request, and then answers, or sends what the script has.
    private func playTerminal() {
        var events = meter.events
        if meter.family != .atorch {
            events.removeFirst()
            while !isReadable(milliseconds: 1_000) {}
            begin(at: Self.now - MeterScript.beginning + 50)
        } else {
            begin(at: Self.now)
        }
        while !(events.isEmpty && (!meter.answers || meter.isOver)) {
            if isReadable(milliseconds: min(50, events.first.map { max(0, $0.time - elapsed) } ?? 50)) {
                events += answers()
            }
            while let event = events.first, event.time <= elapsed { send(events.removeFirst(), to: descriptor) }
        }
        state.withLock { $0.isOver = true }
    }

    private var elapsed: Int64 { Self.now - start }

    private func begin(at time: Int64) { state.withLock { $0.start = time } }

    private func isReadable(milliseconds: Int64) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, Int32(milliseconds)) > 0
    }

    private func answers() -> [Event] {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let received = read(descriptor, &bytes, bytes.count)
        bytes.removeLast(bytes.count - max(0, received))
        let time = elapsed
        return state.withLock { state in
            let count = state.meter.family.requestByteCount
            return stride(from: 0, to: bytes.count, by: count).flatMap {
                state.meter.answer(Array(bytes[$0..<min($0 + count, bytes.count)]), at: time)
            }
        }
    }

    private func send(_ event: Event, to end: Int32) {
        guard case .bytes(let bytes) = event.what else { return }
        if event.time > elapsed { usleep(useconds_t((event.time - elapsed) * 1_000)) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(end, Array(rest), rest.count)
            // Who reads may have gone, or be stopped.
            if count > 0 { rest = rest.dropFirst(count) } else if errno == EAGAIN { usleep(1_000) } else { return }
        }
    }
}
