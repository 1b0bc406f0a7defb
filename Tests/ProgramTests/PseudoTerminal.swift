import Foundation
import SimulatedMeters
import Synchronization
import Testing

/// A UM25C behind a pseudo-terminal: it answers each byte F0 with a frame, in two pieces, whose first group says how many it
/// has answered before. Or it streams frames of its own, whatever it is asked.
final class SimulatedMeter: Sendable {
    /// What stands for its serial device.
    let path: String
    private let descriptor: Int32
    /// The other end, which the program opens by its path.
    private let device: Int32
    private let state = Mutex(State())

    private struct State {
        var asked = 0
        var answered = 0
        var withheld = 0..<0
        var isGone = false
        var streamed = 0
        var streamedBefore: Int?
    }

    /// Frames that are sent one after the other, and how long before each.
    private let stream: (frames: [[UInt8]], microseconds: useconds_t)?

    /// How often it has answered.
    var answeredCount: Int { state.withLock { $0.answered } }

    /// How many frames it has streamed, and how many of them before it was asked for the first time.
    var streamedCounts: (all: Int, beforeFirstRequest: Int?) { state.withLock { ($0.streamed, $0.streamedBefore) } }

    /// - Parameters:
    ///   - unread: What it sent before anybody opens its device.
    ///   - stream: The frames that it sends, and the microseconds before each; it answers if there are none.
    init(unread: [UInt8] = [], streaming stream: (frames: [[UInt8]], microseconds: useconds_t)? = nil) throws {
        self.stream = stream
        var (descriptor, device) = (Int32(-1), Int32(-1))
        try #require(openpty(&descriptor, &device, nil, nil, nil) == 0)
        (self.descriptor, self.device) = (descriptor, device)
        path = String(cString: try #require(ttyname(device)))
        // As a program before has left it: else the terminal would echo, and wait for lines.
        var settings = termios()
        tcgetattr(device, &settings)
        cfmakeraw(&settings)
        tcsetattr(device, TCSANOW, &settings)
        // A recorder that is stopped must not stop the meter.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        send(unread)
        Thread { [self] in stream == nil ? serve() : serveStream() }.start()
    }

    /// Answers none of the questions of these numbers.
    func withhold(_ questions: Range<Int>) { state.withLock { $0.withheld = questions } }

    /// Pulls its plug.
    func unplug() { state.withLock { $0.isGone = true } }

    private func serve() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while !state.withLock({ $0.isGone }) {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 20) > 0 else { continue }
            let count = read(descriptor, &bytes, bytes.count)
            for byte in bytes[..<max(0, count)] where byte == 0xF0 { answer() }
        }
        close(descriptor)
        close(device)
    }

    private func answer() {
        let number = state.withLock { state -> Int? in
            defer { state.asked += 1 }
            if state.withheld.contains(state.asked) { return nil }
            defer { state.answered += 1 }
            return state.answered
        }
        guard let number else { return }
        let frame = Self.frame(number)
        for piece in [frame.prefix(50), frame.dropFirst(50)] {
            send(Array(piece))
            usleep(10_000)
        }
    }

    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, !state.withLock({ $0.isGone }) {
            let count = write(descriptor, Array(rest), rest.count)
            if count > 0 { rest = rest.dropFirst(count) } else { usleep(1_000) }
        }
    }

    private func serveStream() {
        var bytes = [UInt8](repeating: 0, count: 256)
        for frame in stream?.frames ?? [] {
            usleep(stream?.microseconds ?? 0)
            if read(descriptor, &bytes, bytes.count) > 0 {
                state.withLock { $0.streamedBefore = $0.streamedBefore ?? $0.streamed }
            }
            send(frame)
            state.withLock { $0.streamed += 1 }
        }
        while !state.withLock({ $0.isGone }) { usleep(20_000) }
        close(descriptor)
        close(device)
    }

    /// The frames of a KM003C's queue at 1,000 samples a second, 40 samples each, with numbers of their own. Of each
    /// frame the first `repeats` samples come twice.
    static func queues(_ count: Int, repeats: Int = 0) -> [[UInt8]] {
        (0..<count).map { frame in
            let ticks = (40 * frame..<40 * (frame + 1)).flatMap { $0 % 40 < repeats ? [$0, $0] : [$0] }
            var bytes: [UInt8] = [0x41, UInt8(truncatingIfNeeded: 100 + frame), 0, 0]
            // Attribute 2, so many samples of 20 bytes.
            bytes += words(2 | ticks.count << 16 | 20 << 22, 4)
            for tick in ticks { bytes += words(tick, 2) + words(60, 2) + words(5_000_000 + tick, 4) + words(0, 12) }
            bytes.replaceSubrange(2..<4, with: words((bytes.count / 4 - 3) << 6 | 2, 2))
            return bytes
        }
    }

    private static func words(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    /// The answer of this number.
    static func frame(_ number: Int) -> [UInt8] {
        answerOfUM25C(number, voltage: 5_000 + number % 7, current: 1_000 + number % 11)
    }
}
