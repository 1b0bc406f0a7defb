import GroundwaveByteCoding

/// The frames that Atorch's meters push once a second, by Bluetooth: UD18, UD24, J7-C, AT24, AT35, DL24, DT24, DT3010
/// and others.
///
/// | kind | bytes | meaning |
/// | --- | --- | --- |
/// | FF 55 01 | 36 | a report, see ``AtorchReport`` |
/// | FF 55 02 | 8 | the answer to a command |
/// | FF 55 11 | 10 | a command |
///
/// The last byte of each is the sum of the preceding bytes except FF 55, exclusive or 0x44 (NiceLabs/atorch-console,
/// `docs/protocol-design.md`).
///
/// # Frames with an unknown check
/// That rule holds for most meters, and for no frame of the J7-C (syssi/esphome-atorch-dl24, `docs/pdus`): no sum,
/// exclusive or, or CRC of 8 or 16 bits fits them. A report of a USB meter, the only kind seen to break the rule, is
/// therefore accepted without its check, and counted, if all of these hold:
///
/// 1. Its minutes and seconds are below 60.
/// 2. It is consistent with the previous report, or with a next one that breaks the rule too, with no byte in
///    between: the meter's clock advanced by 1 to 60 seconds, charge and energy did not fall and grew by no more than a
///    minute can bring, and the settings bytes are equal.
/// 3. Of the last eight reports, this one and that next one included, more broke the rule than kept it.
///
/// Noise does not meet these conditions: it would have to contain the beginning of a report twice, 36 bytes apart,
/// with the same settings. Nor does a meter that keeps the rule and had one report damaged. A J7-C report that keeps
/// the rule by chance, one in 256, is not lost. The first report is delayed until the second; later reports are not
/// delayed.
struct Atorch: FrameFormat {
    // A report, and the next one that may confirm it.
    static let longestWait = 2 * AtorchReport.byteCount

    // The report that ends just before the window.
    private var previous: AtorchReport?
    // Whether each of the last reports kept the rule, the newest in the lowest bit; and their number, at most eight.
    private var keptRule: UInt8 = 0
    private var reportCount = 0

    mutating func restart() {
        previous = nil
        keptRule = 0
        reportCount = 0
    }

    mutating func step(
        _ window: RawSpan, isLast: Bool, fence: inout Fence, into rows: inout DecodedRows
    ) -> FrameStep {
        guard window.byte(at: 0) == 0xFF else { return skip(.noFrame, window, to: window.byteCount, &rows) }
        guard window.byteCount >= 4 else { return .wait(for: 4) }
        guard let length = Self.length(of: window) else { return skip(.noFrame, window, to: window.byteCount, &rows) }
        guard window.byteCount >= length else { return .wait(for: length) }
        let frame = window.extracting(0..<length)
        let keepsRule = Self.check(of: frame) == frame.byte(at: length - 1)
        guard frame.byte(at: 2) == 1 else {
            guard keepsRule else { return skip(.check, window, to: length, &rows) }
            rows.refuse(.noMeasurement, length)
            return .pass(length)
        }
        guard let report = AtorchReport(frame) else {
            guard keepsRule else { return skip(.noFrame, window, to: length, &rows) }
            rows.refuse(.unknownFrame, length)
            return .pass(length)
        }
        if let inner = Self.beginning(inside: frame) { return skip(.check, window, to: inner, &rows) }
        if keepsRule {
            note(report, keepsRule: true)
            consume(report, frame, &fence, into: &rows)
            return .pass(length)
        }
        switch belief(in: report, before: window.extracting(length..<window.byteCount), isLast: isLast) {
        case .open(let count): return .wait(for: length + count)
        case .yes:
            note(report, keepsRule: false)
            if consume(report, frame, &fence, into: &rows) { rows.countUnchecked() }
            return .pass(length)
        case .no:
            note(report, keepsRule: false)
            return skip(.check, window, to: length, &rows)
        }
    }

    private enum Belief {
        case yes
        case no
        // This many bytes after the report are needed to decide.
        case open(Int)
    }

    /// Returns whether to accept `report`, which breaks the rule.
    private func belief(in report: AtorchReport, before rest: RawSpan, isLast: Bool) -> Belief {
        guard report.device == .usb, report.isWellFormed else { return .no }
        if let previous, report.follows(previous), isMajority(ofNew: 1) { return .yes }
        guard isMajority(ofNew: 2) else { return .no }
        let beginning = AtorchReport.usbBeginning
        guard rest.byteCount >= beginning.count else { return isLast ? .no : .open(beginning.count) }
        for offset in beginning.indices where rest.byte(at: offset) != beginning[offset] { return .no }
        guard rest.byteCount >= AtorchReport.byteCount else { return isLast ? .no : .open(AtorchReport.byteCount) }
        let next = rest.extracting(0..<AtorchReport.byteCount)
        guard Self.check(of: next) != next.byte(at: next.byteCount - 1), let next = AtorchReport(next) else {
            return .no
        }
        return next.isWellFormed && next.follows(report) ? .yes : .no
    }

    // Whether most of the last eight reports break the rule, if `count` new ones that break it are included.
    private func isMajority(ofNew count: Int) -> Bool {
        let seen = min(reportCount, 8 - count)
        let kept = (keptRule & UInt8((1 << seen) - 1)).nonzeroBitCount
        return seen - kept + count > kept
    }

    private mutating func note(_ report: AtorchReport, keepsRule: Bool) {
        previous = report
        keptRule = keptRule << 1 | (keepsRule ? 1 : 0)
        reportCount = min(reportCount + 1, 8)
    }

    @discardableResult
    private func consume(
        _ report: AtorchReport, _ frame: RawSpan, _ fence: inout Fence, into rows: inout DecodedRows
    ) -> Bool {
        guard fence.letsThrough() else {
            rows.refuse(.stale, frame.byteCount)
            return false
        }
        report.append(frame, to: &rows)
        return true
    }

    // Skips to the next 0xFF, at most to `end`. Forgets the previous report if it no longer ends just before the
    // window.
    private mutating func skip(
        _ reason: DecodedRows.Refusal.Reason, _ window: RawSpan, to end: Int, _ rows: inout DecodedRows
    ) -> FrameStep {
        var count = 1
        while count < end, window.byte(at: count) != 0xFF { count += 1 }
        if reason == .noFrame || count < AtorchReport.byteCount { previous = nil }
        rows.refuse(reason, count)
        return .pass(count)
    }

    private static func length(of window: RawSpan) -> Int? {
        guard window.byte(at: 1) == 0x55 else { return nil }
        switch window.byte(at: 2) {
        case 0x01: return AtorchReport.byteCount
        case 0x02: return 8
        case 0x11: return 10
        default: return nil
        }
    }

    /// Returns the offset of another report that begins inside `frame`. The end of `frame` was lost then: its check
    /// might hold by chance, and accepting it would discard that other report.
    private static func beginning(inside frame: RawSpan) -> Int? {
        for offset in 1...frame.byteCount - 4
        where frame.byte(at: offset) == 0xFF && frame.byte(at: offset + 1) == 0x55 && frame.byte(at: offset + 2) == 1
            && AtorchReport.Device(rawValue: frame.byte(at: offset + 3)) != nil
        {
            return offset
        }
        return nil
    }

    /// Returns the check byte that `frame` should have.
    static func check(of frame: RawSpan) -> UInt8 {
        var sum: UInt8 = 0
        for offset in 2..<frame.byteCount - 1 { sum &+= frame.byte(at: offset) }
        return sum ^ 0x44
    }
}
