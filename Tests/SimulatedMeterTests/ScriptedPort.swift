import GroundwaveMeters
import GroundwaveTesting
import SimulatedMeters

/// A line at whose other end a simulated meter is, in the time of a virtual clock: reading lets time pass.
final class ScriptedPort: MeterPort {
    let isFile: Bool
    let canSend: Bool
    let canReturn = false
    /// What was read: until when, and how many bytes that made.
    private(set) var reads: [(time: Int64, byteCount: Int)] = []
    private(set) var meter: MeterScript

    private let clock: VirtualClock
    private let start: Int64
    private var events: [Event]
    private var nextEvent = 0
    private var waiting: [UInt8] = []
    /// The most bytes of one read: those of a terminal's line, or of a pipe.
    private let limit: Int

    init(_ meter: MeterScript, _ clock: VirtualClock) {
        (self.meter, self.clock, events) = (meter, clock, meter.events)
        (isFile, canSend) = (meter.line == .file, meter.line == .terminal)
        limit = canSend ? 4_095 : 65_536
        start = clock.now.monotonicMilliseconds
    }

    /// The moment of the script.
    var now: Int64 { clock.now.monotonicMilliseconds - start }

    func reopen(waitingMilliseconds milliseconds: Int) -> Bool { false }

    func read(waitingMilliseconds milliseconds: Int) -> MeterLine.Arrival {
        if isFile { takeEvents(until: .max) }
        let end = now + Int64(milliseconds)
        takeEvents(until: now)
        while waiting.isEmpty, now < end {
            guard nextEvent < events.count, case let next = events[nextEvent].time, next <= end else {
                if isOver { break }
                clock.advance(by: .milliseconds(end - now))
                return .nothing
            }
            clock.advance(by: .milliseconds(max(0, next - now)))
            takeEvents(until: now)
        }
        guard !waiting.isEmpty else { return isOver ? .end : .nothing }
        let bytes = Array(waiting.prefix(limit))
        waiting.removeFirst(bytes.count)
        reads.append((now, (reads.last?.byteCount ?? 0) + bytes.count))
        return .bytes(bytes)
    }

    private var isOver: Bool { nextEvent == events.count && waiting.isEmpty && (!meter.answers || meter.isOver) }

    private func takeEvents(until time: Int64) {
        var time = time
        while nextEvent < events.count, events[nextEvent].time <= time {
            let event = events[nextEvent]
            nextEvent += 1
            switch event.what {
            case .bytes(let bytes): waiting += bytes
            case .wallStep(let step): clock.setWall(milliseconds: clock.now.wallMilliseconds + step)
            case .stop(let duration):
                clock.advance(by: .milliseconds(duration))
                time = now
            }
        }
    }

    func hasMore() -> Bool { isFile || !waiting.isEmpty }

    func send(_ bytes: [UInt8]) {
        let new = meter.answer(bytes, at: now)
        // Of events at one moment, those that were known before come first.
        let rest = events[nextEvent...] + new
        self.events = rest.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
        nextEvent = 0
    }
}
