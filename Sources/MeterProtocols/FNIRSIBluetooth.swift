import GroundwaveByteCoding
import GroundwaveMetering

/// The frames that FNIRSI's meters send by Bluetooth: 0xAA, kind, length, that many bytes and a check byte,
/// little-endian. A notification holds several, and a frame may be split between two notifications.
///
/// | kind | bytes | meaning |
/// | --- | --- | --- |
/// | 3 | 14 | device information: model, firmware, serial number, power-on count |
/// | 4 | 12 | voltage, current, power (4 each, 0.1 mV, 0.1 mA, 0.1 mW) |
/// | 5 | 7 | resistance (4, 0.1 mOhm), a byte, temperature (2, 0.1 degrees) |
/// | 6 | 6 | D+, D- (2 each, mV), a word that is unknown |
/// | 7 | 4 | voltage and current (2 each, mV and mA) |
/// | 8 | 17 | group (1), energy, charge, seconds recorded, seconds switched on (4 each) |
///
/// Sources: zhiyb/FNB58_mqtt_forwarder, maxim75/fnb58, yeckel/OpenFNB58 and osnwt/ha-fnirsi-fnb58. They disagree on
/// these points:
///
/// - The check is the low byte of CRC-16/XMODEM over all bytes before it, according to osnwt/ha-fnirsi-fnb58 and
///   blakelton/FNIRSI-FNB-Web-Server, both from FNIRSI's own program; the other sources ignore it. It holds for the
///   seven frames and commands that are published.
/// - Energy and charge of kind 8 are in 10 uWs and 10 uAs (maxim75), or in 10 uWh and 10 uAh (osnwt,
///   dandrej/usb-meters): a factor of 3,600 that no capture settles. They are channels without a unit, named `raw`.
/// - The byte before the temperature is its sign according to osnwt/ha-fnirsi-fnb58, and unknown elsewhere: a
///   separate channel.
///
/// Each frame of kind 4, about ten per second, gives a row with the latest values of kinds 5, 6 and 8. A row has no
/// channels of kinds that have not been received yet. A meter that sends kind 7 and never 4 gives rows of that.
struct FNIRSIBluetooth: FrameFormat {
    static let longestWait = 2 * (4 + 255)

    private var isAligned = true
    private var latest = Latest()
    // The number of frames of kind 7 since the last one of kind 4.
    private var coarseCount = 0

    mutating func restart() {
        isAligned = true
        latest = Latest()
        coarseCount = 0
    }

    mutating func step(
        _ window: RawSpan, isLast: Bool, fence: inout Fence, into rows: inout DecodedRows
    ) -> FrameStep {
        guard window.byte(at: 0) == 0xAA else { return skip(.noFrame, window, to: window.byteCount, &rows) }
        guard window.byteCount >= 3 else { return .wait(for: 3) }
        let (sort, length) = (window.byte(at: 1), Int(window.byte(at: 2)))
        // A known kind has its length, or the decoder would wait for the frames behind a header that was cut. In noise,
        // only known kinds are searched for.
        guard Self.length(of: sort).map({ $0 == length }) ?? isAligned else {
            return skip(.noFrame, window, to: window.byteCount, &rows)
        }
        guard window.byteCount >= length + 4 else { return .wait(for: length + 4) }
        guard Self.checkHolds(window.extracting(0..<length + 4)) else {
            return skip(.check, window, to: length + 4, &rows)
        }
        switch verdict(on: window, length + 4, isLast: isLast) {
        case .whole: isAligned = true
        case .broken(let count): return skip(.check, window, to: count, &rows)
        case .open(let needed): return .wait(for: needed)
        }
        if Self.length(of: sort) != length {
            rows.refuse(.unknownFrame, length + 4)
        } else if fence.letsThrough() {
            read(sort, window.extracting(3..<length + 3), into: &rows)
        } else {
            rows.refuse(.stale, length + 4)
        }
        return .pass(length + 4)
    }

    private static func checkHolds(_ frame: RawSpan) -> Bool {
        let end = frame.byteCount - 1
        return UInt8(truncatingIfNeeded: FrameCheck.xmodem(frame.extracting(0..<end))) == frame.byte(at: end)
    }

    /// Judges the first `byteCount` bytes of `window`, whose check holds.
    ///
    /// The check also holds for one in 256 frames that were cut short and completed by the next frame. So if another
    /// frame begins inside and none directly after, the check of the inner frame decides.
    private func verdict(on window: RawSpan, _ byteCount: Int, isLast: Bool) -> FrameVerdict {
        for inner in 1..<byteCount - 1 where window.byte(at: inner) == 0xAA {
            guard window.byteCount >= inner + 3 else { return isLast ? .whole : .open(inner + 3) }
            guard let length = Self.length(of: window.byte(at: inner + 1)), window.byte(at: inner + 2) == length else {
                continue
            }
            guard window.byteCount > byteCount else { return isLast ? .whole : .open(byteCount + 1) }
            if window.byte(at: byteCount) == 0xAA { return .whole }
            let end = inner + length + 4
            guard window.byteCount >= end else { return isLast ? .whole : .open(end) }
            if Self.checkHolds(window.extracting(inner..<end)) { return .broken(inner) }
        }
        return .whole
    }

    // Skips to the next 0xAA, at most to `end`.
    private mutating func skip(
        _ reason: DecodedRows.Refusal.Reason, _ window: RawSpan, to end: Int, _ rows: inout DecodedRows
    ) -> FrameStep {
        isAligned = false
        var count = 1
        while count < end, window.byte(at: count) != 0xAA { count += 1 }
        rows.refuse(reason, count)
        return .pass(count)
    }

    private static func length(of sort: UInt8) -> Int? {
        switch sort {
        case 3: 14
        case 4: 12
        case 5: 7
        case 6: 6
        case 7: 4
        case 8: 17
        default: nil
        }
    }

    private mutating func read(_ sort: UInt8, _ payload: RawSpan, into rows: inout DecodedRows) {
        func long(_ offset: Int) -> Int64 { Int64(payload.uint32(at: offset)) }
        func word(_ offset: Int) -> Int64 { Int64(payload.uint16(at: offset)) }
        func byte(_ offset: Int) -> Int64 { Int64(payload.byte(at: offset)) }
        switch sort {
        case 4:
            coarseCount = 0
            rows.append([long(0), long(4), long(8)] + latest.values, of: latest.layout)
        case 5: latest.set(.load, [long(0), word(5), byte(4)])
        case 6: latest.set(.lines, [word(0), word(2), word(4)])
        case 7:
            coarseCount += 1
            if coarseCount > 1 { rows.append([word(0), word(2)] as InlineArray<2, Int64>, of: Self.coarseLayout) }
        case 8: latest.set(.group, [byte(0), long(1), long(5), long(9), long(13)])
        default: rows.refuse(.noMeasurement, payload.byteCount + 4)
        }
    }

    static let coarseLayout = Layout([
        Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 3),
    ])

    /// The latest values of the frames between two rows.
    private struct Latest: Sendable {
        enum Part: Int, CaseIterable { case load, lines, group }

        private(set) var layout = Latest.layout(of: [[], [], []])
        private var parts: [[Int64]] = [[], [], []]

        var values: [Int64] { parts.flatMap { $0 } }

        mutating func set(_ part: Part, _ values: [Int64]) {
            let isNew = parts[part.rawValue].isEmpty
            parts[part.rawValue] = values
            if isNew { layout = Self.layout(of: parts) }
        }

        private static func layout(of parts: [[Int64]]) -> Layout {
            var channels = [
                Channel("voltage", .volt, decimals: 4), Channel("current", .ampere, decimals: 4),
                Channel("power", .watt, decimals: 4),
            ]
            for part in Part.allCases where !parts[part.rawValue].isEmpty { channels += self.channels(of: part) }
            return Layout(channels)
        }

        private static func channels(of part: Part) -> [Channel] {
            switch part {
            case .load:
                [
                    Channel("resistance", .ohm, decimals: 4), Channel("temperature", .celsius, decimals: 1),
                    Channel("temperature.sign", .none, decimals: 0),
                ]
            case .lines:
                [
                    Channel("d+", .volt, decimals: 3), Channel("d-", .volt, decimals: 3),
                    Channel("unknown.lines", .none, decimals: 0),
                ]
            case .group:
                [
                    Channel("group", .none, decimals: 0), Channel("energy.raw", .none, decimals: 5),
                    Channel("charge.raw", .none, decimals: 5), Channel("recorded.time", .second, decimals: 0),
                    Channel("uptime", .second, decimals: 0),
                ]
            }
        }
    }
}
