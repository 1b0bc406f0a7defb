import GroundwaveByteCoding
import GroundwaveMetering

/// The USB reports of FNIRSI's FNB48, FNB48S, C1 and FNB58: 64 bytes, little-endian, 25 per second, four rows in
/// each.
///
/// | at | bytes | meaning |
/// | --- | --- | --- |
/// | 0 | 1 | 0xAA |
/// | 1 | 1 | kind: 4 for measurements |
/// | 2 | 4 × 15 | rows: voltage and current (4 each, 10 uV and 10 uA), D+ and D- (2 each, mV), unknown (1), temperature (2, 0.1 °C) |
/// | 62 | 1 | unknown |
/// | 63 | 1 | CRC-8 of bytes 1 to 62: polynomial 0x39, from 0x42 |
///
/// Source: baryluk/fnirsi-usb-power-data-logger (`fnirsi_logger.py`). Disagreements of sources, and unknown bytes:
///
/// - The temperature is at 13 of a row. The README of yeckel/OpenFNB58 gives 12; its own reader
///   (`app/UsbTransport.cpp`) uses 13.
/// - Byte 12 of a row has the value 1 in all published captures. By Bluetooth a similar byte precedes the temperature,
///   and osnwt/ha-fnirsi-fnb58 treats that byte as the sign of the temperature. No frame from below zero is published,
///   so the byte is the channel `temperature.sign` and the temperature is stored as sent.
/// - Byte 62 is the channel `unknown.62`, the same in all four rows.
///
/// Rows come in fours. An FNB48S reportedly measures only the first of them and interpolates the others
/// (baryluk/fnirsi-usb-power-data-logger#21).
///
/// The first report of measurements after a request is stale: queues hold reports from before, and the first row
/// after a reconnection was seen to read 188.7 V (baryluk/fnirsi-usb-power-data-logger#4). Skipping it costs 40 ms.
struct FNIRSIReports: FixedFrame {
    static let frameByteCount = 64
    static let beginningByteCount = 2

    var isAligned = true

    // In noise, only reports of measurements are searched for, since any byte may be an unknown kind.
    func begins(_ window: RawSpan, isAligned: Bool) -> Bool {
        window.byte(at: 0) == 0xAA && (isAligned || window.byte(at: 1) == 4)
    }

    func mayBegin(with byte: UInt8) -> Bool { byte == 0xAA }

    let hasWeakCheck = true

    func checkHolds(_ frame: RawSpan) -> Bool {
        FrameCheck.crc8(frame.extracting(1..<63), from: 0x42) == frame.byte(at: 63)
    }

    func read(_ frame: RawSpan, fence: inout Fence, into rows: inout DecodedRows) {
        if frame.byte(at: 1) != 4 {
            rows.refuse(frame.byte(at: 1) == 3 ? .noMeasurement : .unknownFrame, frame.byteCount)
        } else if fence.letsThrough() {
            for row in 0..<4 { append(frame, from: 2 + 15 * row, to: &rows) }
        } else {
            rows.refuse(.stale, frame.byteCount)
        }
    }

    private func append(_ frame: RawSpan, from start: Int, to rows: inout DecodedRows) {
        let values: InlineArray<7, Int64> = [
            Int64(frame.uint32(at: start)), Int64(frame.uint32(at: start + 4)),
            Int64(frame.uint16(at: start + 8)), Int64(frame.uint16(at: start + 10)),
            Int64(frame.uint16(at: start + 13)), Int64(frame.byte(at: start + 12)), Int64(frame.byte(at: 62)),
        ]
        rows.append(values, of: Self.layout)
    }

    static let layout = Layout([
        Channel("voltage", .volt, decimals: 5), Channel("current", .ampere, decimals: 5),
        Channel("d+", .volt, decimals: 3), Channel("d-", .volt, decimals: 3),
        Channel("temperature", .celsius, decimals: 1), Channel("temperature.sign", .none, decimals: 0),
        Channel("unknown.62", .none, decimals: 0),
    ])
}
