import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `Decoding the answers of UM meters` {
    static let fields =
        [
            (2, 2, 501), (4, 2, 142), (6, 4, 711), (10, 2, 27), (12, 2, 81), (14, 2, 1), (16, 4, 7), (20, 4, 39),
            (88, 4, 900), (92, 4, 4_500), (96, 2, 2), (98, 2, 1), (100, 2, 7), (102, 4, 7), (106, 4, 37), (110, 2, 19),
            (112, 4, 70), (116, 2, 1), (118, 2, 4), (120, 2, 3), (122, 4, 352), (126, 2, 2),
        ] as [(offset: Int, count: Int, value: Int)]

    @Test(arguments: [(MeterModel.um24c, RDTechUM.Model.um24c), (.um34c, .um34c), (.um25c, .um25c)])
    func `each number is where it belongs`(model: MeterModel, sender: RDTechUM.Model) throws {
        let rows = model.rows(of: MadeUp.um(sender, Self.fields))
        #expect(rows.refusals.isEmpty)
        let groups: [Int64] = [7, 39] + [Int64](repeating: 0, count: 16) + [900, 4_500]
        #expect(rows.all == [[501, 142, 711, 27, 81, 2, 1, 7, 352, 1] + groups + [1, 7, 37, 19, 70]])
        let channels = try #require(rows.runs.first).layout.channels
        #expect(channels.count == 35 && Set(channels.map(\.name)).count == 35)
    }

    @Test func `the UM25C has ten times finer steps of voltage and current, which its power confirms`() throws {
        // 5.012 V and 0.4988 A are 2.500 W; taken for milliamperes (floriandotorg/um24c) they would be 25 W.
        let rows = MeterModel.um25c.rows(of: MadeUp.um(.um25c, [(2, 2, 5_012), (4, 2, 4_988), (6, 4, 2_500)]))
        let channels = try #require(rows.runs.first).layout.channels
        #expect(channels[0] == Channel("voltage", .volt, decimals: 3))
        #expect(channels[1] == Channel("current", .ampere, decimals: 4))
        #expect(channels[2] == Channel("power", .watt, decimals: 3))
        let row = rows.all[0]
        #expect(abs(row[0] * row[1] / 10_000 - row[2]) <= 1)
        #expect(MeterModel.um24c.rows(of: MadeUp.um(.um24c, [])).runs[0].layout.channels[1].decimals == 3)
    }

    @Test func `the word at 96 is D+ and the one at 98 is D-`() {
        // So libsigrok, rdumtool, rd-usb and sebastianha/um34c; floriandotorg/um24c has them the other way round.
        let rows = MeterModel.um24c.rows(of: MadeUp.um(.um24c, [(96, 2, 271), (98, 2, 269)]))
        #expect(rows.values(of: "d+") == [271] && rows.values(of: "d-") == [269])
    }

    @Test(arguments: [9, 255, 65_535])
    func `a charging mode or a group that nobody knows is kept as its number`(number: Int) {
        let rows = MeterModel.um34c.rows(of: MadeUp.um(.um34c, [(100, 2, number), (14, 2, number)]))
        #expect(rows.values(of: "mode") == [Int64(number)] && rows.values(of: "group") == [Int64(number)])
    }

    @Test func `all ten groups come, with what they have counted`() {
        var fields: [(offset: Int, count: Int, value: Int)] = []
        for group in 0..<10 { fields += [(16 + 8 * group, 4, 100 + group), (20 + 8 * group, 4, 500 + group)] }
        let rows = MeterModel.um24c.rows(of: MadeUp.um(.um24c, fields))
        for group in 0..<10 {
            #expect(rows.values(of: "group\(group).charge") == [Int64(100 + group)])
            #expect(rows.values(of: "group\(group).energy") == [Int64(500 + group)])
        }
    }

    @Test func `an end that is not 0xFFF1 refuses the frame, and the next one comes`() {
        var broken = MadeUp.um(.um24c, Self.fields)
        broken[129] ^= 1
        let rows = MeterModel.um24c.rows(of: broken + MadeUp.um(.um24c, Self.fields))
        #expect(rows.all.count == 1 && rows.refusals == [.init(.check, 130)])
    }

    @Test(arguments: [1, 3, 7, 9, 15, 17, 19, 23, 31, 63, 97, 99, 109, 119, 127])
    func `a wrong bit where the UM34C checks refuses the frame`(position: Int) {
        var broken = MadeUp.um(.um34c, Self.fields)
        broken[position] ^= 4
        let rows = MeterModel.um34c.rows(of: broken)
        #expect(rows.runs.isEmpty && rows.refusedByteCount == 130)
    }

    @Test func `the frame of another model is told as such, since its units are others`() {
        let rows = MeterModel.um24c.rows(of: MadeUp.um(.um25c, Self.fields) + MadeUp.um(.um24c, Self.fields))
        #expect(rows.all.count == 1 && rows.refusals == [.init(.otherModel, 130)])
    }

    @Test(arguments: 1...129)
    func `a frame that lost bytes at its end does not take the next one with it`(lost: Int) {
        let cut = MadeUp.um(.um24c, Self.fields).dropLast(lost)
        let rows = MeterModel.um24c.rows(of: Array(cut) + MadeUp.um(.um24c, [(2, 2, 777)]))
        #expect(rows.values(of: "voltage") == [777] && rows.refusedByteCount == 130 - lost)
    }
}
