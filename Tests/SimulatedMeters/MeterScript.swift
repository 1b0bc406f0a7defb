import GroundwaveSeededNumbers

/// A script of a meter that measures and sends, and of all that goes wrong on the way: the same for the same seed.
///
/// Moments are milliseconds from the beginning, by a clock that is never set.
public struct MeterScript: Sendable {
    /// The family of the meter.
    public let family: Family
    /// What the recorder gets the bytes by.
    public let line: Line
    /// What happens by itself, in order: of a meter that is asked over this line only what was there before.
    public private(set) var events: [Event] = []
    /// What a recorder must find; complete when ``isOver``.
    public private(set) var truth = Truth()

    private var numbers: SeededGenerator
    private let plan: Plan
    private var source: FrameSource
    private var index = 0
    /// The frames that come with the next one, and their rows.
    private var held: [FrameSource.Frame] = []
    private var lastDelivery: Int64 = 0
    private var lastRequest: Int64?
    private var sentByteCount = 0
    /// Whether the last frame ends with a byte that may begin one: where the check is of eight bits, it is judged by the
    /// bytes behind it.
    private var hasOpenEnd = false
    /// What did not come since the last row.
    private var pending = Truth.Gap()
    /// The frames to come that a recorder leaves out, as they may be from before its first request.
    private var staleCount: Int

    /// The moment at which a meter that nobody asks begins, if the recorder of a terminal has to begin first.
    public static let beginning: Int64 = 700

    /// Creates a meter that sends `frameCount` frames, and what was on a terminal before the recorder came.
    ///
    /// - Parameter isHostSound: Whether the host neither stops nor has its clock set: as real ones in tests do not.
    public init(_ family: Family, over line: Line, seed: UInt64, frameCount: Int, isHostSound: Bool = false) {
        (self.family, self.line) = (family, line)
        // One seed gives other things to each family.
        numbers = SeededGenerator(seed: seed << 8 | UInt64(Family.allCases.firstIndex(of: family) ?? 0))
        plan = Plan(family, line, count: frameCount, isHostSound: isHostSound, &numbers)
        source = FrameSource(family, frameCount: frameCount, &numbers)
        staleCount = line != .terminal ? 0 : family == .fnirsiUSB ? 1 : family == .km003cQueue ? 2 : 0
        if line == .terminal, family != .atorch { leaveStaleBytes() }
        if !answers { push() }
    }

    /// Whether it sends what it is asked for, and nothing else.
    public var answers: Bool { line == .terminal && family.isAsked }

    /// Whether it has sent everything.
    public var isOver: Bool { index == plan.fates.count }

    /// Hears a request, and returns what comes of it.
    public mutating func answer(_ request: [UInt8], at time: Int64) -> [Event] {
        guard answers, !isOver, let transaction = family.transaction(of: request) else { return [] }
        if let lastRequest {
            pending.unasked += Int((Double(time - lastRequest) / Double(family.interval)).rounded()) - 1
        }
        lastRequest = time
        let troubles = troubles(at: time)
        return send(source.next(at: Double(time), transaction: transaction, fate), at: time) + troubles
    }

    private var fate: Fate { plan.fates[index] }

    private mutating func troubles(at time: Int64) -> [Event] {
        guard let trouble = plan.troubles[index] else { return [] }
        let time = time + .random(in: 0...family.interval / 3, using: &numbers)
        switch trouble {
        case .wallStep(let step):
            truth.wallSteps.append(step)
            return [Event(time: time, what: .wallStep(step))]
        case .stop(let duration): return [Event(time: time, what: .stop(duration))]
        }
    }

    /// Frames of an earlier connection: they wait in the terminal, and one is cut.
    private mutating func leaveStaleBytes() {
        var other = FrameSource(family, frameCount: 2, &numbers)
        let frames = (0..<2).map { _ in other.next(at: 0, transaction: 77, .sound).bytes }
        let bytes = frames[0] + frames[1].prefix(frames[1].count * 2 / 3)
        events = [Event(time: 20, what: .bytes(bytes))]
        sentByteCount = bytes.count
    }

    /// Sends everything, as the meter does unasked, or another program asks for it.
    private mutating func push() {
        var time = Double(line == .terminal ? Self.beginning : 0)
        while !isOver {
            let interval = source.interval
            time += interval * Double.random(in: 0.98...1.02, using: &numbers)
            // Not behind a frame that is judged by the next one: that would be two silences in a row.
            if case .paused(let part) = fate, !hasOpenEnd { time += interval * Double(part) / 1_000 }
            if plan.returns.contains(index), !family.hasCounter {
                time += interval * .random(in: -0.4...0.4, using: &numbers)
            }
            if case .away(let milliseconds) = fate { pending.lost += source.skip(milliseconds) }
            let troubles = troubles(at: Int64(time))
            let frame = source.next(at: time, transaction: 128, fate)
            if let measured = frame.rows.last?.measured { time = measured }
            events += send(frame, at: Int64(time.rounded(.up))) + troubles
        }
        events = events.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }

    /// Lets the next frame go its way, from `time` on.
    private mutating func send(_ frame: FrameSource.Frame, at time: Int64) -> [Event] {
        let fate = fate
        index += 1
        truth.frameCount += 1
        let usual = time + 1 + .random(in: 0...max(2, family.interval / 20), using: &numbers)
        switch fate {
        case .lost(let kept):
            // Fewer bytes than a frame needs to be taken for whole.
            let count = min(kept.map { frame.bytes.count * $0 / 1_000 } ?? 0, frame.bytes.count - 8)
            pending.lost += frame.rows.count
            return count > 0 ? [write(Array(frame.bytes.prefix(count)), at: usual)] : []
        case .held:
            held.append(frame)
            return []
        case .late(let part): return deliver(frame, at: usual + family.interval * Int64(part) / 1_000)
        case .noisy(let count):
            let noise = numbers.bytes(count).map { family.beginnings.contains($0) ? 0x55 : $0 }
            let event = write(noise, at: usual)
            return [event] + deliver(frame, at: usual)
        case .repeated:
            let first = deliver(frame, at: usual)
            return first + repeatFrame(frame, at: usual + .random(in: 3...max(5, family.interval / 8), using: &numbers))
        case .split: return deliver(frame, at: usual, writes: 2)
        case .sound, .paused, .stuttering, .away: return deliver(frame, at: usual)
        }
    }

    private mutating func repeatFrame(_ frame: FrameSource.Frame, at time: Int64) -> [Event] {
        guard family.hasCounter || answers else { return deliver(frame, at: time) }
        pending.repeated += frame.rows.count + frame.repeatCount
        return [write(frame.bytes, at: time)]
    }

    /// Delivers a frame with those that were held until it.
    private mutating func deliver(_ frame: FrameSource.Frame, at time: Int64, writes count: Int = 1) -> [Event] {
        var writes = count
        if index > 1, case .held(let together) = plan.fates[index - 2] { writes = together }
        let frames = held + [frame]
        held = []
        let bytes = frames.flatMap(\.bytes)
        let cut = writes == 1 ? bytes.count : Int.random(in: 1..<bytes.count, using: &numbers)
        let before = sentByteCount
        var events = [write(Array(bytes.prefix(cut)), at: time)]
        if cut < bytes.count { events.append(write(Array(bytes.dropFirst(cut)), at: lastDelivery + 5)) }
        var end = before
        for frame in frames {
            end += frame.bytes.count
            note(frame, end: end, delivered: end <= before + cut ? events[0].time : lastDelivery)
        }
        return events
    }

    private mutating func note(_ frame: FrameSource.Frame, end: Int, delivered: Int64) {
        guard staleCount == 0 else { return staleCount -= 1 }
        hasOpenEnd = family.hasWeakCheck && frame.bytes.last.map(family.beginnings.contains) == true
        let end = hasOpenEnd ? end + 2 : end
        for (place, row) in frame.rows.enumerated() {
            var row = Truth.Row(
                measured: row.measured, spacing: frame.spacing, delivered: delivered, byteCount: end, tick: row.tick,
                values: row.values)
            if !truth.rows.isEmpty { row.gap = pending }
            pending = Truth.Gap()
            truth.rows.append(row)
            if place < frame.repeatCount { pending.repeated += 1 }
        }
    }

    /// Bytes that come at `time`, or behind those before.
    private mutating func write(_ bytes: [UInt8], at time: Int64) -> Event {
        lastDelivery = max(lastDelivery, time)
        sentByteCount += bytes.count
        return Event(time: lastDelivery, what: .bytes(bytes))
    }
}

extension Family {
    /// The bytes with which frames begin, which noise has not: a frame that ends there is not this simulation's matter.
    var beginnings: [UInt8] {
        switch self {
        case .um24c, .um25c, .um34c: [0x09, 0x0D]
        case .tc66c: []
        case .fnirsiUSB, .fnirsiBluetooth: [0xAA]
        case .km003cQueue, .km003cReadings: [0x41, 0xC1, 0x05, 0x06, 0x85, 0x86]
        case .atorch: [0xFF]
        }
    }

    /// Whether the check of its frames is so short that chance may satisfy it.
    var hasWeakCheck: Bool { self == .um34c || self == .fnirsiUSB }

    /// The length of its requests.
    public var requestByteCount: Int {
        switch self {
        case .um24c, .um25c, .um34c: 1
        case .tc66c: 5
        case .km003cQueue, .km003cReadings: 4
        case .fnirsiUSB: 64
        case .fnirsiBluetooth: 4
        case .atorch: 1
        }
    }

    /// The number of a request for a row, 0 if requests have none; `nil` if it is no request for a row.
    func transaction(of request: [UInt8]) -> Int64? {
        switch self {
        case .um24c, .um25c, .um34c: request == [0xF0] ? 0 : nil
        case .tc66c: request == Array("getva".utf8) ? 0 : nil
        case .km003cReadings where request.count == 4 && request[0] == 0x0C && request[2] == 0x02: Int64(request[1])
        default: nil
        }
    }
}
