import GroundwaveByteCoding

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

/// Frames as meters send them, made up for tests where nobody has published one.
enum MadeUp {
    /// Writes `value` into `bytes` at `offset`, `count` bytes, big-endian.
    static func put(_ value: Int, bigEndian count: Int, at offset: Int, in bytes: inout [UInt8]) {
        for index in 0..<count {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - index)))
        }
    }

    /// Writes `value` into `bytes` at `offset`, `count` bytes, little-endian.
    static func put(_ value: Int, littleEndian count: Int, at offset: Int, in bytes: inout [UInt8]) {
        for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    /// An answer of a UM meter: the fields that are named, by offset and length, and nothing else.
    static func um(_ model: RDTechUM.Model, _ fields: [(offset: Int, count: Int, value: Int)]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 130)
        put(Int(model.rawValue), bigEndian: 2, at: 0, in: &bytes)
        for field in fields { put(field.value, bigEndian: field.count, at: field.offset, in: &bytes) }
        if model == .um34c {
            // The positions as libsigrok lists them.
            let positions = [
                1, 3, 7, 9, 15, 17, 19, 23, 31, 39, 41, 45, 49, 53, 55, 57, 59, 63, 67, 69, 73, 79, 83, 89, 97, 99, 109,
                111, 113, 119, 121, 127,
            ]
            bytes[129] = positions.reduce(0) { $0 ^ bytes[$1] }
        } else {
            put(0xFFF1, bigEndian: 2, at: 128, in: &bytes)
        }
        return bytes
    }

    /// An answer of a TC66C, in cipher: words by their offset in the 192 bytes.
    static func tc66(_ words: [Int: Int]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 192)
        for (offset, value) in words { put(value, littleEndian: 4, at: offset, in: &bytes) }
        for part in 0..<3 {
            bytes.replaceSubrange(64 * part..<64 * part + 4, with: Array("pac\(part + 1)".utf8))
            let check = bytes[64 * part..<64 * part + 60].withSpan { FrameCheck.modbus($0.bytes) }
            put(Int(check), littleEndian: 4, at: 64 * part + 60, in: &bytes)
        }
        return bytes.withSpan { RDTechTC66.enciphered($0) }
    }

    /// A row of an FNIRSI report.
    struct ReportRow {
        var voltage = 0
        var current = 0
        var plus = 0
        var minus = 0
        var sign = 1
        var temperature = 0
    }

    /// A USB report of an FNIRSI meter.
    static func report(_ sort: Int, _ rows: [ReportRow], unknown: Int = 0) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        bytes[0] = 0xAA
        bytes[1] = UInt8(sort)
        for (index, row) in rows.enumerated() {
            let start = 2 + 15 * index
            put(row.voltage, littleEndian: 4, at: start, in: &bytes)
            put(row.current, littleEndian: 4, at: start + 4, in: &bytes)
            put(row.plus, littleEndian: 2, at: start + 8, in: &bytes)
            put(row.minus, littleEndian: 2, at: start + 10, in: &bytes)
            put(row.sign, littleEndian: 1, at: start + 12, in: &bytes)
            put(row.temperature, littleEndian: 2, at: start + 13, in: &bytes)
        }
        bytes[62] = UInt8(unknown)
        bytes[63] = bytes[1..<63].withSpan { FrameCheck.crc8($0.bytes, from: 0x42) }
        return bytes
    }

    /// A USB report that measures.
    static func report(_ rows: [ReportRow], unknown: Int = 0) -> [UInt8] { report(4, rows, unknown: unknown) }

    /// A frame that an FNIRSI meter sends by Bluetooth.
    static func bluetooth(_ sort: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let frame = [0xAA, sort, UInt8(payload.count)] + payload
        return frame + [UInt8(truncatingIfNeeded: frame.withSpan { FrameCheck.xmodem($0) })]
    }

    /// A sample of a KM003C's queue.
    struct Sample: Hashable {
        var tick: Int
        var marker = 60
        var voltage = 0
        var current = 0
        var lines = [0, 0, 0, 0]
    }

    /// A KM003C's queue: attribute 2.
    static func queue(_ samples: [Sample], continues: Bool = false) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4 + 20 * samples.count)
        put(2 | (continues ? 0x8000 : 0) | samples.count << 16 | 20 << 22, littleEndian: 4, at: 0, in: &bytes)
        for (index, sample) in samples.enumerated() {
            let start = 4 + 20 * index
            put(sample.tick, littleEndian: 2, at: start, in: &bytes)
            put(sample.marker, littleEndian: 2, at: start + 2, in: &bytes)
            put(sample.voltage, littleEndian: 4, at: start + 4, in: &bytes)
            put(sample.current, littleEndian: 4, at: start + 8, in: &bytes)
            for line in 0..<4 { put(sample.lines[line], littleEndian: 2, at: start + 12 + 2 * line, in: &bytes) }
        }
        return bytes
    }

    /// Any packet of a KM003C.
    static func packet(_ attribute: Int, size: Int, count: Int = 0, _ payload: [UInt8], continues: Bool = false)
        -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: 4)
        put(attribute | (continues ? 0x8000 : 0) | count << 16 | size << 22, littleEndian: 4, at: 0, in: &bytes)
        return bytes + payload
    }

    /// A KM003C's reading: attribute 1, of at most 17 numbers in the order of the frame, the others 0.
    static func reading(_ numbers: [Int], continues: Bool = false) -> [UInt8] {
        let sizes = [4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 1, 1, 2, 2, 2]
        var payload: [UInt8] = []
        for (number, size) in zip(numbers + [Int](repeating: 0, count: sizes.count), sizes) {
            for index in 0..<size { payload.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
        }
        return packet(1, size: 44, payload, continues: continues)
    }

    /// A KM003C's frame of these packets.
    static func data(_ packets: [UInt8], transaction: UInt8 = 0) -> [UInt8] {
        var bytes: [UInt8] = [0x41, transaction, 0, 0]
        put(2 | max((packets.count + 4) / 4 - 3, 0) << 6, littleEndian: 2, at: 2, in: &bytes)
        return bytes + packets
    }

    /// A report of an Atorch meter: fields by offset and length; `breaksRule` spoils the check byte.
    static func atorch(
        _ device: UInt8, _ fields: [(offset: Int, count: Int, value: Int)], breaksRule: Bool = false
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 36)
        bytes.replaceSubrange(0..<4, with: [0xFF, 0x55, 0x01, device])
        for field in fields { put(field.value, bigEndian: field.count, at: field.offset, in: &bytes) }
        bytes[35] = bytes[2..<35].reduce(0, &+) ^ 0x44
        if breaksRule { bytes[35] ^= 0x5A }
        return bytes
    }
}

extension ArraySlice<UInt8> {
    fileprivate func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(span) }
}
