import GroundwaveByteCoding
import GroundwaveMetering

/// The samples that the KM003C has measured since the last request: 20 bytes each, little-endian.
///
/// | at | bytes | what |
/// | --- | --- | --- |
/// | 0 | 2 | tick: a counter of milliseconds that wraps at 65,536 |
/// | 2 | 2 | a marker of unknown meaning: 3, 4, 8, 9, 59 and 60 were seen |
/// | 4, 8 | 4, 4 | voltage, uV, and current, uA, both signed |
/// | 12, 14, 16, 18 | 2 each | CC1, CC2, D+, D-: 0.1 mV at 2 samples a second, 1 mV at 10, 50 and 1,000 |
///
/// Source: okhsunrog/km003c-protocol-research (`docs/features/adcqueue.md`). Its `docs/protocol_reference.md` and
/// km003c-rs give 0.1 mV at all rates, but its captures of one and the same idle meter contradict that: CC2 reads
/// 32,373 at 2 samples a second and 3,237 at 1,000.
///
/// The frame does not contain the rate, but the ticks reveal it: they step by 500 at 2 samples a second, and by 100,
/// 20 or 1 otherwise. A single sample, received before any step was seen, has the four lines in channels without a
/// unit, named `raw`.
struct KM003CQueue: Sendable {
    static let sampleByteCount = 20

    // Allows for a few lost samples at the lowest rate.
    private static let longestStep: UInt16 = 2_000
    private static let slowestStep: UInt16 = 500
    // How far back the tick of a repeated sample may be.
    private static let longestRepeat: UInt16 = 4_096

    private enum LineUnit { case unknown, tenthOfMillivolt, millivolt }

    // The latest tick of the previous queue.
    private var previousTick: UInt16?
    private var unit = LineUnit.unknown

    /// Whether the ticks of `samples` are those of one queue: each is later than all before it, by no more than two
    /// seconds, or repeats one of them.
    ///
    /// A meter repeats single samples. In noise, equal ticks occur as well, so of four samples or more at least half
    /// must be later than the one before.
    static func ticksAreSound(_ samples: RawSpan) -> Bool {
        var latest = samples.uint16(at: 0)
        var forwardCount = 0
        var offset = sampleByteCount
        while offset < samples.byteCount {
            let tick = samples.uint16(at: offset)
            if isForward(from: samples.uint16(at: offset - sampleByteCount), to: tick) { forwardCount += 1 }
            if isForward(from: latest, to: tick) {
                latest = tick
            } else if !isRepeat(tick, of: samples.extracting(0..<offset), latest: latest) {
                return false
            }
            offset += sampleByteCount
        }
        let stepCount = samples.byteCount / sampleByteCount - 1
        return stepCount < 3 || 2 * forwardCount >= stepCount
    }

    private static func isForward(from earlier: UInt16, to later: UInt16) -> Bool {
        let step = later &- earlier
        return step > 0 && step <= longestStep
    }

    // Whether one of `samples` has this tick, and it is not so long ago that the counter may have come round.
    private static func isRepeat(_ tick: UInt16, of samples: RawSpan, latest: UInt16) -> Bool {
        guard latest &- tick <= longestRepeat else { return false }
        return stride(from: 0, to: samples.byteCount, by: sampleByteCount).contains { samples.uint16(at: $0) == tick }
    }

    /// Appends a row for each sample.
    mutating func append(_ samples: RawSpan, to rows: inout DecodedRows) {
        findUnit(samples)
        let layout = layout
        for offset in stride(from: 0, to: samples.byteCount, by: Self.sampleByteCount) {
            let values: InlineArray<7, Int64> = [
                Int64(samples.int32(at: offset + 4)), Int64(samples.int32(at: offset + 8)),
                Int64(samples.uint16(at: offset + 12)), Int64(samples.uint16(at: offset + 14)),
                Int64(samples.uint16(at: offset + 16)), Int64(samples.uint16(at: offset + 18)),
                Int64(samples.uint16(at: offset + 2)),
            ]
            rows.append(values, tick: UInt32(samples.uint16(at: offset)), of: layout)
        }
        previousTick = Self.latestTick(samples)
    }

    private static func latestTick(_ samples: RawSpan) -> UInt16 {
        var latest = samples.uint16(at: 0)
        for offset in stride(from: sampleByteCount, to: samples.byteCount, by: sampleByteCount) {
            if isForward(from: latest, to: samples.uint16(at: offset)) { latest = samples.uint16(at: offset) }
        }
        return latest
    }

    private var layout: Layout {
        switch unit {
        case .unknown: Self.rawLayout
        case .tenthOfMillivolt: Self.slowLayout
        case .millivolt: Self.layout
        }
    }

    // Derives the unit from the rate. Within a queue, the first step forward gives the rate. A queue without one, as of
    // a single sample, has only the step from the previous queue, which is longer if samples were lost: below 500 it
    // proves a fast rate, at 500 the slow rate is assumed, and above 500 the unit stays as it was.
    private mutating func findUnit(_ samples: RawSpan) {
        if let step = Self.firstStep(samples) {
            unit = step < Self.slowestStep ? .millivolt : .tenthOfMillivolt
        } else if let previousTick {
            let step = samples.uint16(at: 0) &- previousTick
            if step > 0, step < Self.slowestStep { unit = .millivolt }
            if step == Self.slowestStep { unit = .tenthOfMillivolt }
        }
    }

    // The first step forward; a repeated sample is none.
    private static func firstStep(_ samples: RawSpan) -> UInt16? {
        for offset in stride(from: sampleByteCount, to: samples.byteCount, by: sampleByteCount) {
            let (earlier, later) = (samples.uint16(at: offset - sampleByteCount), samples.uint16(at: offset))
            if isForward(from: earlier, to: later) { return later &- earlier }
        }
        return nil
    }

    /// The layout at 10, 50 and 1,000 samples a second.
    static let layout = layout(lines: .volt, decimals: 3, suffix: "")
    /// The layout at 2 samples a second.
    static let slowLayout = layout(lines: .volt, decimals: 4, suffix: "")
    /// The layout while the rate is unknown.
    static let rawLayout = layout(lines: .none, decimals: 0, suffix: ".raw")

    private static func layout(lines unit: Channel.Unit, decimals: Int, suffix: String) -> Layout {
        let lines = ["cc1", "cc2", "d+", "d-"].map { Channel($0 + suffix, unit, decimals: decimals) }
        return Layout(
            [Channel("voltage", .volt, decimals: 6), Channel("current", .ampere, decimals: 6)] + lines
                + [Channel("marker", .none, decimals: 0)],
            tick: Layout.Tick(hertz: 1_000, modulus: 65_536))
    }
}
