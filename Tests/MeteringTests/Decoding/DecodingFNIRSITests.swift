import GroundwaveByteCoding
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `Decoding the USB reports of FNIRSI meters` {
    static let rows = (0..<4).map {
        MadeUp.ReportRow(voltage: 507_120 + $0, current: 123_456, plus: 2_710, minus: 2_690, temperature: 312)
    }

    @Test(arguments: [MeterModel.fnb48, .fnb48s, .c1, .fnb58])
    func `a report gives four rows`(model: MeterModel) throws {
        let rows = model.rows(of: MadeUp.report(Self.rows, unknown: 9))
        #expect(rows.refusals.isEmpty)
        #expect(rows.all == (0..<4).map { [507_120 + $0, 123_456, 2_710, 2_690, 312, 1, 9] })
    }

    @Test func `the temperature is at 13 and the byte before it is kept`() {
        // baryluk/fnirsi-usb-power-data-logger and the code of OpenFNB58; the README of OpenFNB58 says 12.
        let rows = MeterModel.fnb58.rows(of: MadeUp.report([.init(sign: 7, temperature: 0x0102)]))
        #expect(rows.values(of: "temperature").first == 0x0102)
        #expect(rows.values(of: "temperature.sign").first == 7)
    }

    @Test(arguments: [(0x81, 0x8E), (0x82, 0x96), (0x83, 0x9E)])
    func `the check is that of the three published commands`(command: UInt8, check: UInt8) {
        let bytes = [command] + [UInt8](repeating: 0, count: 61)
        #expect(bytes.withSpan { FrameCheck.crc8($0, from: 0x42) } == check)
        // The start is nothing but the check of the first byte.
        #expect(([0xAA] + bytes).withSpan { FrameCheck.crc8($0, from: 0) } == check)
    }

    @Test(arguments: 1..<64)
    func `a wrong byte anywhere behind the first refuses the report and nothing else`(position: Int) {
        var broken = MadeUp.report(Self.rows)
        broken[position] ^= 0x10
        let rows = MeterModel.fnb58.rows(of: broken + MadeUp.report(Self.rows))
        #expect(rows.all.count == 4 && rows.refusals == [.init(.check, 64)])
    }

    @Test(arguments: [(3, DecodedRows.Refusal.Reason.noMeasurement), (5, .unknownFrame), (0, .unknownFrame)])
    func `a report of another sort is told, and gives no rows`(sort: Int, reason: DecodedRows.Refusal.Reason) {
        let rows = MeterModel.fnb48.rows(of: MadeUp.report(sort, []) + MadeUp.report(Self.rows))
        #expect(rows.all.count == 4 && rows.refusals == [.init(reason, 64)])
    }
}

@Suite struct `Decoding what FNIRSI meters send by Bluetooth` {
    /// Published in the tests of osnwt/ha-fnirsi-fnb58: sorts 6, 7, 4 and 5 of an FNB58.
    static let published: [UInt8] = [
        0xAA, 0x06, 0x06, 0xE3, 0x0C, 0xE3, 0x0C, 0x05, 0x00, 0x69,
        0xAA, 0x07, 0x04, 0x2D, 0x4F, 0xD9, 0x07, 0x0A,
        0xAA, 0x04, 0x0C, 0xCB, 0x17, 0x03, 0x00, 0x82, 0x4E, 0x00, 0x00, 0x69, 0x37, 0x06, 0x00, 0x24,
        0xAA, 0x05, 0x07, 0xF3, 0x89, 0x01, 0x00, 0x01, 0x78, 0x01, 0x44,
    ]

    @Test func `the published frames give a row, with the lines that were told before it`() {
        let rows = MeterModel.fnb58.rows(of: Self.published, over: .bluetooth)
        #expect(rows.refusals.isEmpty)
        #expect(rows.all == [[202_699, 20_098, 407_401, 3_299, 3_299, 5]])
        #expect(
            rows.runs[0].layout.channels.map(\.name) == ["voltage", "current", "power", "d+", "d-", "unknown.lines"])
    }

    @Test func `the next row has the resistance and the temperature too`() {
        let rows = MeterModel.fnb58.rows(of: Self.published + Self.published, over: .bluetooth)
        #expect(rows.all.last == [202_699, 20_098, 407_401, 100_851, 376, 1, 3_299, 3_299, 5])
    }

    @Test(arguments: [[0xAA, 0x81, 0x00, 0xF4], [0xAA, 0x82, 0x00, 0xA7], [0xAA, 0x84, 0x00, 0x01]] as [[UInt8]])
    func `the check is that of the published commands`(command: [UInt8]) {
        let check = command.dropLast().withSpan { FrameCheck.xmodem($0.bytes) }
        #expect(UInt8(truncatingIfNeeded: check) == command[3])
    }

    @Test func `energy and charge have no unit, since sources differ by 3,600`() throws {
        let group = MadeUp.bluetooth(
            8, [2] + [0x39, 0x30, 0, 0] + [0xA0, 0x5B, 0, 0] + [60, 0, 0, 0] + [90, 0, 0, 0])
        let rows = MeterModel.fnb58.rows(of: group + Self.published, over: .bluetooth)
        #expect(rows.values(of: "group") == [2] && rows.values(of: "recorded.time") == [60])
        #expect(rows.values(of: "energy.raw") == [12_345] && rows.values(of: "charge.raw") == [23_456])
        let units = try #require(rows.runs.first).layout.channels.filter { $0.name.hasSuffix(".raw") }.map(\.unit)
        #expect(units == [.none, .none])
    }

    @Test func `a meter that sends only coarse numbers gives rows of them`() {
        let coarse = MadeUp.bluetooth(7, [0x88, 0x13, 0xD2, 0x04])
        #expect(
            MeterModel.c1.rows(of: coarse + coarse + coarse, over: .bluetooth).all == [
                [5_000, 1_234], [5_000, 1_234],
            ])
    }

    @Test(arguments: 0..<44)
    func `a wrong byte costs the frame it is in and no other`(position: Int) {
        var bytes = Self.published
        bytes[position] ^= 0x20
        let rows = MeterModel.fnb58.rows(of: bytes + Self.published, over: .bluetooth)
        #expect(rows.refusedByteCount > 0)
        #expect(rows.values(of: "voltage").last == 202_699)
    }

    @Test func `a frame of an unknown sort is told where its check holds`() {
        let rows = MeterModel.fnb58.rows(of: MadeUp.bluetooth(9, [1, 2, 3]) + Self.published, over: .bluetooth)
        #expect(rows.all.count == 1 && rows.refusals == [.init(.unknownFrame, 7)])
    }

    @Test func `a header whose frame was cut keeps no frame behind it waiting`() {
        // With the next beginning, it would have 170 bytes.
        var (decoder, rows) = (MeterModel.fnb58.makeDecoder(over: .bluetooth), DecodedRows())
        decoder.consume([0xAA, 5] + Self.published, into: &rows)
        #expect(rows.all.count == 1 && rows.refusals == [.init(.noFrame, 2)])
    }
}

extension ArraySlice<UInt8> {
    fileprivate func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(span) }
}
