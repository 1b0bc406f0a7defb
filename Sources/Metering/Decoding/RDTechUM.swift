import ByteCoding

/// The answers of RDTech's UM24C, UM25C and UM34C: 130 bytes, big-endian, one for each byte 0xF0 sent.
///
/// | at | bytes | meaning |
/// | --- | --- | --- |
/// | 0 | 2 | the model: 0x0963, 0x09C9, 0x0D4C |
/// | 2, 4 | 2, 2 | voltage and current: 10 mV and 1 mA; for the UM25C 1 mV and 0.1 mA |
/// | 6 | 4 | power, mW |
/// | 10, 12 | 2, 2 | temperature, in degrees Celsius and in degrees Fahrenheit |
/// | 14 | 2 | the active group |
/// | 16 | 10 × 8 | charge in mAh and energy in mWh of groups 0 to 9 |
/// | 96, 98 | 2, 2 | D+ and D-, 10 mV |
/// | 100 | 2 | the detected charging mode |
/// | 102, 106 | 4, 4 | charge and energy recorded, mAh and mWh |
/// | 110, 112 | 2, 4 | the current threshold of the recording, 10 mA, and its duration, s |
/// | 116 | 2 | whether it records |
/// | 118, 120, 126 | 2 each | the screen: its timeout, brightness and page, which are not kept |
/// | 122 | 4 | resistance of the load, 0.1 Ohm; 9999.9 Ohm if there is none |
/// | 128 | 2 | UM24C and UM25C 0xFFF1; UM34C an exclusive or in the last byte |
///
/// Sources: libsigrok (`src/hardware/rdtech-um/protocol.c`) and kolinger/rd-usb (`interfaces/um.py`). Sources
/// disagree on these points:
///
/// - D+ precedes D-. Only floriandotorg/um24c has them in reverse, against libsigrok, rdumtool, rd-usb and
///   sebastianha/um34c.
/// - The UM25C's current is in 0.1 mA. floriandotorg/um24c reads it as 1 mA, which gives ten times the power that the
///   frame contains at 6; libsigrok and rd-usb have 0.1 mA.
/// - Charging modes above 8 exist (sebastianha/um34c#2): the number is a channel, and no number is refused. The same
///   holds for groups above 9.
///
/// A meter renews its values about twice a second; if polled faster, it repeats them.
struct RDTechUM: FixedFrame {
    enum Model: UInt16, Sendable, CaseIterable {
        case um24c = 0x0963
        case um25c = 0x09C9
        case um34c = 0x0D4C
    }

    static let frameByteCount = 130
    static let beginningByteCount = 2

    let model: Model
    let layout: Layout
    var isAligned = true

    init(_ model: Model) {
        self.model = model
        layout = model == .um25c ? Self.fineLayout : Self.coarseLayout
    }

    var hasWeakCheck: Bool { model == .um34c }

    func begins(_ window: RawSpan, isAligned: Bool) -> Bool { Model(rawValue: window.bigEndianUInt16(at: 0)) != nil }

    func mayBegin(with byte: UInt8) -> Bool { Model.allCases.contains { UInt8($0.rawValue >> 8) == byte } }

    func read(_ frame: RawSpan, fence: inout Fence, into rows: inout DecodedRows) {
        if frame.bigEndianUInt16(at: 0) != model.rawValue {
            rows.refuse(.otherModel, frame.byteCount)
        } else if fence.letsThrough() {
            rows.append(Self.values(of: frame), of: layout)
        } else {
            rows.refuse(.stale, frame.byteCount)
        }
    }

    // The positions whose exclusive or is the last byte (libsigrok, poll_csum_um34c).
    private static let checkedPositions = [
        1, 3, 7, 9, 15, 17, 19, 23, 31, 39, 41, 45, 49, 53, 55, 57,
        59, 63, 67, 69, 73, 79, 83, 89, 97, 99, 109, 111, 113, 119, 121, 127,
    ]

    // The last two bytes of a UM24C's and a UM25C's frame are constant, and only show that the frame has its length.
    func checkHolds(_ frame: RawSpan) -> Bool {
        switch Model(rawValue: frame.bigEndianUInt16(at: 0)) {
        case .um24c, .um25c: return frame.bigEndianUInt16(at: 128) == 0xFFF1
        case .um34c:
            var check: UInt8 = 0
            for position in Self.checkedPositions { check ^= frame.byte(at: position) }
            return check == frame.byte(at: 129)
        case nil: return false
        }
    }

    private static func values(of frame: RawSpan) -> [Int64] {
        func word(_ offset: Int) -> Int64 { Int64(frame.bigEndianUInt16(at: offset)) }
        func long(_ offset: Int) -> Int64 { Int64(frame.bigEndianUInt32(at: offset)) }
        var values = [
            word(2), word(4), long(6), word(10), word(12), word(96), word(98), word(100), long(122), word(14),
        ]
        values.reserveCapacity(36)
        for group in 0..<10 {
            values.append(long(16 + 8 * group))
            values.append(long(20 + 8 * group))
        }
        values += [word(116), long(102), long(106), word(110), long(112)]
        return values
    }

    /// The layout of the UM24C and UM34C.
    static let coarseLayout = layout(voltageDecimals: 2, currentDecimals: 3)
    /// The layout of the UM25C.
    static let fineLayout = layout(voltageDecimals: 3, currentDecimals: 4)

    private static func layout(voltageDecimals: Int, currentDecimals: Int) -> Layout {
        var channels = [
            Channel("voltage", .volt, decimals: voltageDecimals),
            Channel("current", .ampere, decimals: currentDecimals),
            Channel("power", .watt, decimals: 3), Channel("temperature", .celsius, decimals: 0),
            // The temperature again, in steps of 5/9 of a degree Celsius.
            Channel("temperature.fahrenheit", .none, decimals: 0),
            Channel("d+", .volt, decimals: 2), Channel("d-", .volt, decimals: 2),
            Channel("mode", .none, decimals: 0), Channel("resistance", .ohm, decimals: 1),
            Channel("group", .none, decimals: 0),
        ]
        for group in 0..<10 {
            channels.append(Channel("group\(group).charge", .ampereHour, decimals: 3))
            channels.append(Channel("group\(group).energy", .wattHour, decimals: 3))
        }
        channels += [
            Channel("recording", .none, decimals: 0), Channel("recorded.charge", .ampereHour, decimals: 3),
            Channel("recorded.energy", .wattHour, decimals: 3), Channel("recording.threshold", .ampere, decimals: 2),
            Channel("recorded.time", .second, decimals: 0),
        ]
        return Layout(channels)
    }
}
