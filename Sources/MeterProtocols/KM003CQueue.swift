import GroundwaveByteCoding
import GroundwaveMetering

/// What the KM003C has measured since it was asked last: samples of 20 bytes, little-endian.
///
/// | at | bytes | what |
/// | --- | --- | --- |
/// | 0 | 2 | tick: a counter of milliseconds that wraps at 65,536 |
/// | 2 | 2 | a marker whose meaning is unknown: 3, 4, 8, 9, 59 and 60 were seen |
/// | 4, 8 | 4, 4 | voltage, uV, and current, uA, both signed |
/// | 12, 14, 16, 18 | 2 each | CC1, CC2, D+, D-: 0.1 mV at 2 samples a second, 1 mV at 10, 50 and 1,000 |
///
/// As in okhsunrog/km003c-protocol-research (`docs/features/adcqueue.md`); `docs/protocol_reference.md` there and
/// km003c-rs say 0.1 mV at all rates. Its captures of one and the same idle meter settle that: CC2 reads 32,373 at 2
/// samples a second and 3,237 at 1,000.
///
/// The frame does not say the rate, but the ticks do: they step by 500 at 2 samples a second, and by 100, 20 or 1 else.
/// A sample that comes alone, before any step was seen, has the four lines in channels without a unit, named `raw`.
struct KM003CQueue: Sendable {
    static let sampleByteCount = 20

    // A step within a queue is at most a few samples at the lowest rate, where one was lost.
    private static let longestStep: UInt16 = 2_000
    private static let slowestStep: UInt16 = 500

    private enum LineUnit { case unknown, tenthOfMillivolt, millivolt }

    private var previousTick: UInt16?
    private var unit = LineUnit.unknown

    /// Whether each tick of `samples` is after the one before, by no more than two seconds.
    static func ticksGoForward(_ samples: RawSpan) -> Bool {
        var offset = sampleByteCount
        while offset < samples.byteCount {
            let step = samples.uint16(at: offset) &- samples.uint16(at: offset - sampleByteCount)
            guard step > 0 && step <= longestStep else { return false }
            offset += sampleByteCount
        }
        return true
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
        previousTick = samples.uint16(at: samples.byteCount - Self.sampleByteCount)
    }

    private var layout: Layout {
        switch unit {
        case .unknown: Self.rawLayout
        case .tenthOfMillivolt: Self.slowLayout
        case .millivolt: Self.layout
        }
    }

    // The first step within the queue tells the rate. A queue of one sample has only the step from the queue before,
    // which is longer than the rate's where samples were lost: below 500 it tells, at 500 it is believed, and above it
    // leaves what was known.
    private mutating func findUnit(_ samples: RawSpan) {
        let first = samples.uint16(at: 0)
        if samples.byteCount > Self.sampleByteCount {
            let step = samples.uint16(at: Self.sampleByteCount) &- first
            unit = step < Self.slowestStep ? .millivolt : .tenthOfMillivolt
        } else if let previousTick {
            let step = first &- previousTick
            if step > 0, step < Self.slowestStep { unit = .millivolt }
            if step == Self.slowestStep { unit = .tenthOfMillivolt }
        }
    }

    /// At 10, 50 and 1,000 samples a second.
    static let layout = layout(lines: .volt, decimals: 3, suffix: "")
    /// At 2 samples a second.
    static let slowLayout = layout(lines: .volt, decimals: 4, suffix: "")
    /// Where the rate is not known yet.
    static let rawLayout = layout(lines: .none, decimals: 0, suffix: ".raw")

    private static func layout(lines unit: Channel.Unit, decimals: Int, suffix: String) -> Layout {
        let lines = ["cc1", "cc2", "d+", "d-"].map { Channel($0 + suffix, unit, decimals: decimals) }
        return Layout(
            [Channel("voltage", .volt, decimals: 6), Channel("current", .ampere, decimals: 6)] + lines
                + [Channel("marker", .none, decimals: 0)],
            tick: Layout.Tick(hertz: 1_000, modulus: 65_536))
    }
}
