import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `What arrives after a connection but is from before it` {
    static let answers: [(MeterModel, [UInt8], Int)] = [
        (.um24c, MadeUp.um(.um24c, [(2, 2, 501)]), 1), (.um25c, MadeUp.um(.um25c, [(2, 2, 501)]), 1),
        (.um34c, MadeUp.um(.um34c, [(2, 2, 501)]), 1), (.tc66c, MadeUp.tc66([48: 501]), 1),
        (.km003c, MadeUp.data(MadeUp.reading([501])), 1),
        (.km003c, MadeUp.data(MadeUp.queue([.init(tick: 1), .init(tick: 2)])), 2),
    ]

    @Test(arguments: answers)
    func `an answer that comes before the first question is stale`(model: MeterModel, answer: [UInt8], count: Int) {
        var decoder = model.makeDecoder()
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        decoder.consume(answer, into: &rows)
        #expect(rows.runs.isEmpty && rows.refusals == [.init(.stale, answer.count)])
        decoder.asked()
        decoder.consume(answer, into: &rows)
        #expect(rows.all.count == count && rows.refusals.count == 1)
    }

    @Test(arguments: answers)
    func `half an answer that was kept when the connection broke is stale`(
        model: MeterModel, answer: [UInt8], count: Int
    ) {
        var decoder = model.makeDecoder()
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        decoder.asked()
        decoder.consume(Array(answer.dropLast(5)), into: &rows)
        decoder.begin(into: &rows)
        decoder.asked()
        decoder.consume(answer, into: &rows)
        #expect(rows.all.count == count && rows.refusals == [.init(.stale, answer.count - 5)])
    }

    @Test(arguments: answers)
    func `a capture, where nobody speaks of connections, loses nothing`(model: MeterModel, answer: [UInt8], count: Int)
    {
        #expect(model.rows(of: answer).all.count == count)
    }

    @Test func `the first report of an FNIRSI meter after it was asked is stale too`() {
        // baryluk/fnirsi-usb-power-data-logger#4: the first row after a reconnection said 188.7 V.
        let stale = MadeUp.report([.init(voltage: 18_870_000)])
        let report = MadeUp.report([.init(voltage: 507_120)])
        var decoder = MeterModel.fnb58.makeDecoder()
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        decoder.consume(stale, into: &rows)
        decoder.asked()
        // The answer that tells what the meter is comes first, and is no measurement.
        decoder.consume(MadeUp.report(3, []) + stale + report, into: &rows)
        #expect(rows.refusals.map(\.reason) == [.stale, .noMeasurement, .stale])
        #expect(rows.values(of: "voltage") == [507_120, 0, 0, 0])
        // Asked once more, as by each poll, it goes on.
        decoder.asked()
        decoder.consume(report, into: &rows)
        #expect(rows.all.count == 8)
    }

    @Test func `what an FNIRSI meter sends by Bluetooth before it was asked is stale`() {
        let frame = MadeUp.bluetooth(4, [UInt8](repeating: 1, count: 12))
        var decoder = MeterModel.fnb58.makeDecoder(over: .bluetooth)
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        decoder.consume(frame, into: &rows)
        decoder.asked()
        decoder.consume(frame, into: &rows)
        #expect(rows.all.count == 1 && rows.refusals == [.init(.stale, frame.count)])
    }

    @Test func `lines that were told before a connection are not in the rows after it`() {
        var decoder = MeterModel.fnb58.makeDecoder(over: .bluetooth)
        var rows = DecodedRows()
        decoder.consume(MadeUp.bluetooth(6, [1, 0, 2, 0, 3, 0]), into: &rows)
        decoder.begin(into: &rows)
        decoder.asked()
        decoder.consume(MadeUp.bluetooth(4, [UInt8](repeating: 1, count: 12)), into: &rows)
        #expect(rows.runs.map(\.layout.channels.count) == [3])
    }

    /// A reading of a KM003C that says its number as its voltage.
    private func answer(_ transaction: UInt8) -> [UInt8] {
        MadeUp.data(MadeUp.reading([Int(transaction)]), transaction: transaction)
    }

    @Test func `an answer of a KM003C is stale until the first whose number was requested, and none after it`() {
        var decoder = MeterModel.km003c.makeDecoder()
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        decoder.asked(transaction: 7)
        decoder.consume(answer(200) + answer(7) + answer(7), into: &rows)
        decoder.asked(transaction: 8)
        decoder.consume(answer(201) + answer(8), into: &rows)
        #expect(rows.values(of: "voltage") == [7, 7, 201, 8])
        #expect(rows.refusals == [.init(.stale, 52)])
        // Until the next connection.
        decoder.begin(into: &rows)
        decoder.asked(transaction: 9)
        decoder.consume(answer(202), into: &rows)
        #expect(rows.refusals == [.init(.stale, 52), .init(.stale, 52)])
        // One answer is enough: the next one passes, whatever its number.
        decoder.begin(into: &rows)
        decoder.asked(transaction: 10)
        decoder.consume(answer(10) + answer(203), into: &rows)
        #expect(rows.values(of: "voltage") == [7, 7, 201, 8, 10, 203])
    }

    @Test func `of answers of a KM003C to requests of others the third passes`() {
        var decoder = MeterModel.km003c.makeDecoder()
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        let settings = MadeUp.data(MadeUp.packet(8, size: 180, [UInt8](repeating: 0, count: 180)), transaction: 90)
        for number in UInt8(0)..<100 {
            decoder.asked(transaction: number)
            if number == 0 { decoder.consume(settings, into: &rows) }
            decoder.consume(answer(100 + number), into: &rows)
        }
        #expect(rows.values(of: "voltage") == (102..<200).map(Int64.init))
        #expect(rows.refusals == [.init(.stale, 188), .init(.stale, 52), .init(.stale, 52)])
    }

    @Test func `an empty answer of a KM003C uses up its number`() {
        var decoder = MeterModel.km003c.makeDecoder()
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        decoder.asked(transaction: 7)
        decoder.consume([0x41, 7, 2, 0] + MadeUp.data(MadeUp.reading([1]), transaction: 7), into: &rows)
        #expect(rows.runs.isEmpty && rows.refusals == [.init(.noMeasurement, 4), .init(.stale, 52)])
    }

    @Test func `an Atorch meter is never asked: its first whole report counts, and a part of one does not`() {
        let report = `Decoding the reports of Atorch meters`.report(second: 3, breaksRule: false)
        var decoder = MeterModel.atorch.makeDecoder()
        var rows = DecodedRows()
        decoder.begin(into: &rows)
        decoder.consume(Array(report.dropFirst(10)) + report, into: &rows)
        #expect(rows.all.count == 1 && rows.refusals == [.init(.noFrame, 26)])
    }
}
