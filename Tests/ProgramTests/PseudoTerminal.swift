import Foundation
import Synchronization
import Testing

/// A UM25C behind a pseudo-terminal: it answers each byte F0 with a frame, in two pieces, whose first group says how many it
/// has answered before.
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
    }

    /// How often it has answered.
    var answeredCount: Int { state.withLock { $0.answered } }

    init() throws {
        var (descriptor, device) = (Int32(-1), Int32(-1))
        try #require(openpty(&descriptor, &device, nil, nil, nil) == 0)
        (self.descriptor, self.device) = (descriptor, device)
        path = String(cString: try #require(ttyname(device)))
        Thread { [self] in serve() }.start()
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
            let bytes = Array(piece)
            _ = write(descriptor, bytes, bytes.count)
            usleep(10_000)
        }
    }

    /// The answer of this number.
    static func frame(_ number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 130)
        func put(_ value: Int, _ offset: Int, _ count: Int) {
            for place in 0..<count {
                bytes[offset + place] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - place)))
            }
        }
        put(0x09C9, 0, 2)
        put(5_000 + number % 7, 2, 2)
        put(1_000 + number % 11, 4, 2)
        put(number, 16, 4)
        put(0xFFF1, 128, 2)
        return bytes
    }
}
