import CryptoExtras

/// What a meter measures at one moment, in the integers that it sends.
public struct Measured: Sendable {
    /// The number of the row, from 0.
    public let number: Int64
    /// In the last of ``Family/decimals``.
    public let voltage: Int64
    /// As ``voltage``.
    public let current: Int64

    /// The row of this number. A load that comes and goes: no two rows in sight of each other are the same.
    public init(_ family: Family, _ number: Int64) {
        self.number = number
        let period: Int64 = family.hasCounter ? 4_001 : 211
        let wave = abs(number % period - period / 2) * 1_000 / period
        func units(_ thousandths: Int64, _ decimals: Int) -> Int64 {
            (0..<decimals).reduce(thousandths) { value, _ in value * 10 } / 1_000
        }
        voltage = units(5_000 + wave / 4, family.decimals.voltage) + number % 7
        let current = units(700 + wave * 2, family.decimals.current) + number % 11
        // Current that flows back, where a meter says so.
        self.current = family.hasCounter ? -current : current
    }

    /// The power, from two numbers of these decimals, with `decimals`.
    func power(_ family: Family, decimals: Int) -> Int64 {
        let more = family.decimals.voltage + family.decimals.current - decimals
        return (0..<more).reduce(voltage * current) { value, _ in value / 10 }
    }
}

/// The answer of a UM25C that says `number` as the charge of its first group, for tests that need no script.
///
/// - Parameters:
///   - voltage: In millivolts.
///   - current: In tenths of a milliampere.
public func answerOfUM25C(_ number: Int, voltage: Int = 5_000, current: Int = 1_000) -> [UInt8] {
    var frame = FieldWriter(130)
    frame.big(0x09C9, 2, at: 0)
    frame.big(Int64(voltage), 2, at: 2)
    frame.big(Int64(current), 2, at: 4)
    frame.big(Int64(number), 4, at: 16)
    frame.big(0xFFF1, 2, at: 128)
    return frame.bytes
}

/// The USB report of an FNB58 that says `number` in its byte 62, for tests that need no script.
public func reportOfFNB58(_ number: Int) -> [UInt8] {
    Frames.report((0..<4).map { Measured(.fnirsiUSB, Int64(4 * number + $0)) }).bytes
}

/// The reading with which a KM003C answers the request `transaction`, for tests that need no script.
public func answerOfKM003C(_ number: Int, transaction: UInt8) -> [UInt8] {
    Frames.reading(Measured(.km003cReadings, Int64(number)), transaction: Int64(transaction)).bytes
}

/// The frames of the families that send one row in each, and the values of the row by ``Family/channels``.
enum Frames {
    /// The answer of a UM24C, UM25C or UM34C.
    static func um(_ family: Family, _ row: Measured) -> (bytes: [UInt8], values: [Int64]) {
        var frame = FieldWriter(130)
        let power = row.power(family, decimals: 3)
        let (temperature, plus, minus) = (20 + row.number % 5, 271 + row.number % 3, row.number % 4)
        let time = row.number / 2
        frame.big(family == .um24c ? 0x0963 : family == .um25c ? 0x09C9 : 0x0D4C, 2, at: 0)
        frame.big(row.voltage, 2, at: 2)
        frame.big(row.current, 2, at: 4)
        frame.big(power, 4, at: 6)
        frame.big(temperature, 2, at: 10)
        frame.big(temperature * 9 / 5 + 32, 2, at: 12)
        frame.big(row.number, 4, at: 16)
        frame.big(plus, 2, at: 96)
        frame.big(minus, 2, at: 98)
        frame.big(time, 4, at: 112)
        if family == .um34c {
            let places = [
                1, 3, 7, 9, 15, 17, 19, 23, 31, 39, 41, 45, 49, 53, 55, 57, 59, 63, 67, 69, 73, 79, 83, 89, 97, 99, 109,
                111, 113, 119, 121, 127,
            ]
            frame.big(Int64(places.reduce(0) { $0 ^ frame.bytes[$1] }), 1, at: 129)
        } else {
            frame.big(0xFFF1, 2, at: 128)
        }
        return (frame.bytes, [row.voltage, row.current, power, temperature, plus, minus, row.number, time])
    }

    /// The answer of a TC66C: three parts with a check each, in cipher.
    static func tc66(_ row: Measured) -> (bytes: [UInt8], values: [Int64]) {
        var frame = FieldWriter(192)
        let power = row.power(.tc66c, decimals: 4)
        let (resistance, temperature, plus) = (70 + row.number % 9, row.number % 7 - 3, 300 + row.number % 5)
        for part in 0..<3 { frame.put("pac\(part + 1)".utf8, at: 64 * part) }
        for (offset, value) in [
            (48, row.voltage), (52, row.current), (56, power), (68, resistance), (72, row.number),
            (88, temperature < 0 ? 1 : 0), (92, abs(temperature)), (96, plus),
        ] { frame.little(value, 4, at: offset) }
        for part in 0..<3 {
            let check = CyclicCheck.modbus(frame.bytes[64 * part..<64 * part + 60])
            frame.little(Int64(check), 4, at: 64 * part + 60)
        }
        return (enciphered(frame.bytes), [row.voltage, row.current, power, resistance, temperature, plus, row.number])
    }

    // The key that every TC66C has (libsigrok, `src/hardware/rdtech-tc/protocol.c`).
    private static let key = SymmetricKey(
        data: [
            88, 33, 250, 86, 1, 178, 240, 38, 135, 255, 18, 4, 98, 42, 79, 176, 134, 244, 2, 96, 129, 111, 154, 11, 167,
            241, 6, 97, 154, 184, 114, 136,
        ] as [UInt8])

    private static func enciphered(_ plain: [UInt8]) -> [UInt8] {
        var bytes = plain
        for start in stride(from: 0, to: bytes.count, by: 16) {
            guard (try? AES.permute(&bytes[start..<start + 16], key: key)) != nil else {
                preconditionFailure("A block has 16 bytes, and the key 32.")
            }
        }
        return bytes
    }

    /// A report of an FNB58 by USB, with the rows of 40 ms.
    static func report(_ rows: [Measured]) -> (bytes: [UInt8], values: [[Int64]]) {
        var frame = FieldWriter(64)
        frame.big(0xAA04, 2, at: 0)
        let last = rows[0].number / 4 % 256
        var values: [[Int64]] = []
        for (index, row) in rows.enumerated() {
            let start = 2 + 15 * index
            let (plus, minus, temperature) = (600 + row.number % 5, 2_700 - row.number % 3, 251 + row.number % 4)
            frame.little(row.voltage, 4, at: start)
            frame.little(row.current, 4, at: start + 4)
            frame.little(plus, 2, at: start + 8)
            frame.little(minus, 2, at: start + 10)
            frame.little(1, 1, at: start + 12)
            frame.little(temperature, 2, at: start + 13)
            values.append([row.voltage, row.current, plus, minus, temperature, last])
        }
        frame.little(last, 1, at: 62)
        frame.little(Int64(CyclicCheck.report(frame.bytes[..<63])), 1, at: 63)
        return (frame.bytes, values)
    }

    /// What an FNB58 sends by Bluetooth for a row: frames of the kinds 5, 6 and 8, and the row itself as kind 4.
    static func notification(_ row: Measured) -> (bytes: [UInt8], values: [Int64]) {
        let power = row.power(.fnirsiBluetooth, decimals: 4)
        let (resistance, temperature, plus) = (50_000 + row.number % 9, 240 + row.number % 6, 600 + row.number % 5)
        let parts: [(kind: Int64, fields: [(value: Int64, count: Int)])] = [
            (5, [(resistance, 4), (1, 1), (temperature, 2)]),
            (6, [(plus, 2), (2_700, 2), (7, 2)]),
            (8, [(row.number % 3, 1), (11, 4), (12, 4), (13, 4), (row.number, 4)]),
            (4, [(row.voltage, 4), (row.current, 4), (power, 4)]),
        ]
        var bytes: [UInt8] = []
        for (kind, fields) in parts {
            let count = fields.reduce(0) { $0 + $1.count }
            var frame = FieldWriter(count + 4)
            frame.big(0xAA, 1, at: 0)
            frame.big(kind, 1, at: 1)
            frame.big(Int64(count), 1, at: 2)
            var offset = 3
            for field in fields {
                frame.little(field.value, field.count, at: offset)
                offset += field.count
            }
            frame.little(Int64(CyclicCheck.xmodem(frame.bytes[..<offset])), 1, at: offset)
            bytes += frame.bytes
        }
        return (bytes, [row.voltage, row.current, power, resistance, temperature, plus, row.number % 3, row.number])
    }

    /// A KM003C's queue of these samples, which have these counters.
    static func queue(_ samples: [(row: Measured, tick: Int64)], transaction: Int64) -> (
        bytes: [UInt8], values: [[Int64]]
    ) {
        var frame = FieldWriter(8 + 20 * samples.count)
        header(&frame, transaction: transaction)
        frame.little(2 | Int64(samples.count) << 16 | 20 << 22, 4, at: 4)
        var values: [[Int64]] = []
        for (index, (row, tick)) in samples.enumerated() {
            let start = 8 + 20 * index
            let (cc1, minus, marker) = (67 + row.number % 4, 2_700 + row.number % 9, row.number & 0xFFFF)
            frame.little(tick, 2, at: start)
            frame.little(marker, 2, at: start + 2)
            frame.little(row.voltage, 4, at: start + 4)
            frame.little(row.current, 4, at: start + 8)
            for (place, line) in [cc1, 3_235, 600, minus].enumerated() {
                frame.little(line, 2, at: start + 12 + 2 * place)
            }
            values.append([row.voltage, row.current, cc1, minus, marker])
        }
        return (frame.bytes, values)
    }

    /// A reading of a KM003C, the answer to a request of this number.
    static func reading(_ row: Measured, transaction: Int64) -> (bytes: [UInt8], values: [Int64]) {
        var frame = FieldWriter(52)
        header(&frame, transaction: transaction)
        frame.little(1 | 44 << 22, 4, at: 4)
        let (average, temperature, vdd) = (row.voltage - 3, 3_200 + row.number % 90, 30_000 + row.number % 9_999)
        for (place, value) in [row.voltage, row.current, average, row.current, average, row.current].enumerated() {
            frame.little(value, 4, at: 8 + 4 * place)
        }
        frame.little(temperature, 2, at: 32)
        frame.little(vdd, 2, at: 42)
        frame.little(2, 1, at: 44)
        frame.little(row.number % 2_000, 2, at: 50)
        return (frame.bytes, [row.voltage, row.current, average, temperature * 78_125, vdd, row.number % 2_000])
    }

    private static func header(_ frame: inout FieldWriter, transaction: Int64) {
        frame.big(0x41, 1, at: 0)
        frame.big(transaction, 1, at: 1)
        frame.little(Int64(frame.bytes.count / 4 - 3) << 6 | 2, 2, at: 2)
    }

    /// A report of an Atorch meter for USB.
    static func atorch(_ row: Measured) -> (bytes: [UInt8], values: [Int64]) {
        var frame = FieldWriter(36)
        let (charge, energy, temperature) = (row.number / 4, row.number / 8, 25 + row.number % 6)
        frame.big(0xFF55_0103, 4, at: 0)
        frame.big(row.voltage, 3, at: 0x04)
        frame.big(row.current, 3, at: 0x07)
        frame.big(charge, 3, at: 0x0A)
        frame.big(energy, 4, at: 0x0D)
        frame.big(27, 2, at: 0x11)
        frame.big(28, 2, at: 0x13)
        frame.big(temperature, 2, at: 0x15)
        frame.big(row.number / 3_600, 2, at: 0x17)
        frame.big(row.number / 60 % 60, 1, at: 0x19)
        frame.big(row.number % 60, 1, at: 0x1A)
        frame.big(60, 1, at: 0x1B)
        let sum = frame.bytes[2..<35].reduce(0) { $0 + Int64($1) }
        frame.big(sum % 256 ^ 0x44, 1, at: 35)
        return (frame.bytes, [row.voltage, row.current, charge, energy, temperature, row.number])
    }
}
