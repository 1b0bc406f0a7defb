import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `Decoding the reports of Atorch meters` {
    static func report(second: Int, breaksRule: Bool = true, energy: Int = 703, settings: Int = 0x3C0D) -> [UInt8] {
        MadeUp.atorch(
            3,
            [
                (4, 3, 2_031), (7, 3, 35), (0x0A, 3, 346), (0x0D, 4, energy), (0x11, 2, 9), (0x13, 2, 8), (0x15, 2, 31),
                (0x17, 2, second / 3_600), (0x19, 1, second / 60 % 60), (0x1A, 1, second % 60), (0x1B, 2, settings),
            ], breaksRule: breaksRule)
    }

    @Test func `a report of a USB meter gives its numbers`() {
        let rows = MeterModel.atorch.rows(of: Self.report(second: 7_325, breaksRule: false))
        #expect(rows.all == [[2_031, 35, 346, 703, 8, 9, 31, 7_325, 0x3C, 0x0D << 48]])
        #expect(rows.refusals.isEmpty && rows.uncheckedFrameCount == 0)
    }

    @Test func `a report of a DC meter gives its numbers`() {
        let fields =
            [
                (4, 3, 32), (7, 3, 20_000), (0x0A, 3, 5_114), (0x0D, 4, 17), (0x11, 3, 5), (0x14, 4, 6), (0x18, 2, 37),
                (0x1A, 2, 2), (0x1C, 1, 33), (0x1D, 1, 26), (0x1E, 1, 60), (0x1F, 4, 7),
            ] as [(offset: Int, count: Int, value: Int)]
        #expect(
            MeterModel.atorch.rows(of: MadeUp.atorch(2, fields)).all == [
                [32, 20_000, 5_114, 17, 5, 6, 37, 9_206, 60, 7]
            ])
    }

    @Test func `a report of an AC meter gives its numbers`() {
        let fields =
            [
                (4, 3, 2_303), (7, 3, 39), (0x0A, 3, 33), (0x0D, 4, 510), (0x11, 3, 100), (0x14, 2, 500),
                (0x16, 2, 372),
                (0x18, 2, 49), (0x1A, 2, 49), (0x1C, 1, 37), (0x1D, 1, 20), (0x1E, 1, 60),
            ] as [(offset: Int, count: Int, value: Int)]
        let rows = MeterModel.atorch.rows(of: MadeUp.atorch(1, fields))
        #expect(rows.all == [[2_303, 39, 33, 510, 100, 500, 372, 49, 178_640, 60, 0]])
    }

    @Test(arguments: [1, 2] as [UInt8])
    func `the energy of AC and DC meters has no unit, since no source and capture agree`(device: UInt8) throws {
        let layout = try #require(MeterModel.atorch.rows(of: MadeUp.atorch(device, [])).runs.first).layout
        #expect(layout.channels.contains(Channel("energy.raw", .none, decimals: 0)))
    }

    @Test func `answers, commands and devices that nobody knows are told`() {
        let reply: [UInt8] = [0xFF, 0x55, 0x02, 0x01, 0x01, 0x00, 0x00, 0x40]
        let command: [UInt8] = [0xFF, 0x55, 0x11, 0x03, 0x31, 0x00, 0x00, 0x00, 0x00, 0x01]
        let rows = MeterModel.atorch.rows(
            of: reply + command + MadeUp.atorch(4, []) + Self.report(second: 1, breaksRule: false))
        #expect(rows.all.count == 1)
        #expect(
            rows.refusals == [.init(.noMeasurement, 8), .init(.noMeasurement, 10), .init(.unknownFrame, 36)])
    }
}

@Suite struct `Atorch reports whose check nobody knows` {
    typealias Reports = `Decoding the reports of Atorch meters`

    @Test func `reports that go together are let through and counted`() {
        let rows = MeterModel.atorch.rows(of: (0..<12).flatMap { Reports.report(second: 59 * 60 + 55 + $0) })
        #expect(rows.all.count == 12 && rows.uncheckedFrameCount == 12 && rows.refusals.isEmpty)
    }

    @Test func `one alone is refused`() {
        let rows = MeterModel.atorch.rows(of: Reports.report(second: 5))
        #expect(rows.runs.isEmpty && rows.refusals.map(\.reason) == [.check])
    }

    @Test(arguments: [(0, 703, 0x3C0D), (62, 703, 0x3C0D), (1, 702, 0x3C0D), (1, 9_000, 0x3C0D), (1, 703, 0x3C0E)])
    func `two that do not go together are refused`(step: Int, energy: Int, settings: Int) {
        let bytes = Reports.report(second: 5) + Reports.report(second: 5 + step, energy: energy, settings: settings)
        let rows = MeterModel.atorch.rows(of: bytes)
        #expect(rows.runs.isEmpty && rows.refusedByteCount == 72)
    }

    @Test func `two with a byte between them are refused`() {
        let rows = MeterModel.atorch.rows(of: Reports.report(second: 5) + [0] + Reports.report(second: 6))
        #expect(rows.runs.isEmpty && rows.refusedByteCount == 73)
    }

    @Test(arguments: 4..<36)
    func `a damaged report among those of a meter that keeps the rule is refused`(position: Int) {
        var reports = (0..<20).map { Reports.report(second: $0, breaksRule: false) }
        for index in [0, 7, 8, 13] { reports[index][position] ^= 1 }
        let rows = MeterModel.atorch.rows(of: reports.flatMap { $0 })
        #expect(rows.uncheckedFrameCount == 0 && rows.all.count == 16)
        #expect(rows.refusals.first == .init(.check, 36) && rows.refusedByteCount == 4 * 36)
    }

    @Test func `a report that keeps the rule by chance changes nothing`() {
        let bytes = (0..<30).flatMap { Reports.report(second: $0, breaksRule: ![0, 9, 10, 20].contains($0)) }
        let rows = MeterModel.atorch.rows(of: bytes)
        #expect(rows.all.count == 30 && rows.uncheckedFrameCount == 26 && rows.refusals.isEmpty)
    }

    @Test func `only USB meters are seen to break the rule`() {
        let bytes = (0..<9).flatMap { MadeUp.atorch(2, [(0x1D, 1, $0)], breaksRule: true) }
        let rows = MeterModel.atorch.rows(of: bytes)
        #expect(rows.runs.isEmpty && rows.refusedByteCount == 9 * 36)
    }

    @Test func `from the second one on there is no delay`() {
        var decoder = MeterModel.atorch.makeDecoder()
        var counts: [Int] = []
        var rows = DecodedRows()
        for second in 0..<4 {
            decoder.consume(Reports.report(second: second), into: &rows)
            counts.append(rows.all.count)
        }
        #expect(counts == [0, 2, 3, 4])
    }
}

@Suite(.enabled(if: Captures.folder != nil, Comment(rawValue: Captures.reason)))
struct `Captures of Atorch meters` {
    @Test(arguments: [("dl24", 6, 0), ("j7-c", 12, 12), ("ac-usb", 5, 0)])
    func `each report gives a row`(name: String, count: Int, unchecked: Int) throws {
        let frames = try Captures.frames("atorch-\(name).frames.txt")
        let rows = MeterModel.atorch.rows(of: frames.flatMap { $0 })
        #expect(frames.count == count && rows.all.count == count)
        #expect(rows.uncheckedFrameCount == unchecked && rows.refusals.isEmpty)
    }

    @Test func `the clock of each meter goes on by a second a report`() throws {
        for name in ["dl24", "j7-c"] {
            let rows = MeterModel.atorch.rows(of: try Captures.frames("atorch-\(name).frames.txt").flatMap { $0 })
            let times = rows.values(of: "time")
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 == $0 + 1 })
        }
    }

    @Test func `what a DC meter says at 0A is a charge in 10 mAh, and no power`() throws {
        let rows = MeterModel.atorch.rows(of: try Captures.frames("atorch-dl24.frames.txt").flatMap { $0 })
        let (currents, charges) = (rows.values(of: "current"), rows.values(of: "charge"))
        // 20 A for five seconds are 27.8 mAh, between two and four steps of 10 mAh.
        let passed = currents.dropLast().reduce(0, +) / 3_600
        #expect((27...28).contains(passed) && (2...4).contains(charges[5] - charges[0]))
        // Since it began to count it would have had 51.07 Ah at the same current.
        #expect(abs(charges[0] - currents[0] * rows.values(of: "time")[0] / 36_000) <= 10)
        // A power in 0.1 W would be 640.
        #expect(rows.values(of: "voltage")[0] * currents[0] / 1_000 == 640 && charges[0] == 5_114)
    }

    @Test func `charge and energy of a USB meter are in 1 mAh and 10 mWh, as its voltage and current confirm`() throws {
        let frames = try SerialCapture.payloads(of: Captures.bytes("atorch-ud18-spp.pcap"))
        #expect(frames.count == 91 && frames.allSatisfy { $0.count == 36 })
        let rows = MeterModel.atorch.rows(of: frames.flatMap { $0 })
        #expect(rows.all.count == 91 && rows.uncheckedFrameCount == 0 && rows.refusals.isEmpty)
        let times = rows.values(of: "time")
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 > $0 })
        let (voltages, currents) = (rows.values(of: "voltage"), rows.values(of: "current"))
        var milliampereSeconds: Int64 = 0
        var tenthsOfMilliwattSeconds: Int64 = 0
        for index in 1..<91 {
            let span = times[index] - times[index - 1]
            milliampereSeconds += currents[index] * 10 * span
            tenthsOfMilliwattSeconds += currents[index] * voltages[index] * span
        }
        let (charges, energies) = (rows.values(of: "charge"), rows.values(of: "energy"))
        #expect(abs(charges[90] - charges[0] - milliampereSeconds / 3_600) <= 1)
        #expect(abs(energies[90] - energies[0] - tenthsOfMilliwattSeconds / 360_000) <= 1)
    }
}

/// What a serial port over Bluetooth carried, out of a capture of the host controller interface.
///
/// The file is btsnoop version 1 with packets of HCI's UART transport (H4), whatever its name says: a header of 16
/// bytes, and records of 24 bytes and a packet. Of the packets only asynchronous data from the meter are read: H4 type
/// 2, handle and length of ACL (2 each), length and channel of L2CAP (2 each), then RFCOMM: address, control, a length
/// of one or two bytes, the payload, and a byte of check.
enum SerialCapture {
    static func payloads(of file: [UInt8]) throws -> [[UInt8]] {
        func long(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(file[offset + $1]) } }
        try #require(Array(file[0..<8]) == Array("btsnoop".utf8) + [0])
        try #require(long(8) == 1 && long(12) == 1_002)
        var payloads: [[UInt8]] = []
        var offset = 16
        while offset < file.count {
            let (count, flags) = (long(offset + 4), long(offset + 8))
            let packet = Array(file[offset + 24..<offset + 24 + count])
            offset += 24 + count
            // Flag 1 is data that was received; control 0xEF is RFCOMM's unnumbered information.
            guard flags == 1, packet[0] == 2, packet[10] == 0xEF else { continue }
            let isShort = packet[11] & 1 == 1
            let length = Int(packet[11] >> 1) | (isShort ? 0 : Int(packet[12]) << 7)
            let start = isShort ? 12 : 13
            payloads.append(Array(packet[start..<start + length]))
        }
        return payloads
    }
}
