import GroundwaveByteCoding
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMetering

@Suite struct `Decoding what a KM003C answers` {
    static func samples(_ ticks: some Sequence<Int>, lines: [Int] = [74, 3_237, 0, 0]) -> [MadeUp.Sample] {
        ticks.map { .init(tick: $0, voltage: 5_082_000 + $0, current: -$0, lines: lines) }
    }

    @Test func `a sample of the queue is a row with its tick and its marker`() throws {
        let sample = MadeUp.Sample(tick: 65_535, marker: 9, voltage: -3, current: -1_904_607, lines: [1, 2, 3, 65_535])
        let next = MadeUp.Sample(tick: 0, marker: 60, voltage: 50_000_000)
        let rows = MeterModel.km003c.rows(of: MadeUp.data(MadeUp.queue([sample, next])))
        #expect(rows.refusals.isEmpty && rows.runs.count == 1)
        #expect(rows.all == [[-3, -1_904_607, 1, 2, 3, 65_535, 9], [50_000_000, 0, 0, 0, 0, 0, 60]])
        #expect(rows.ticks == [65_535, 0])
        #expect(rows.runs[0].layout.tick == Layout.Tick(hertz: 1_000, modulus: 65_536))
    }

    @Test func `a published reading is a row of its own layout, and its temperature loses nothing`() throws {
        // Published in the tests of okhsunrog/km003c-rs.
        let frame = try #require(
            Hexadecimal.decode(
                "410c82020100000be08d4d001e000000218e4d00eaffffff278e4d00480000001c0c9502"
                    + "737e000001007b7e0080a40c00000000"
            ))
        let rows = MeterModel.km003c.rows(of: frame)
        #expect(rows.refusals.isEmpty)
        #expect(
            rows.all == [
                [
                    5_082_592, 30, 5_082_657, -22, 5_082_663, 72, 242_187_500, 661, 32_371, 0, 1, 32_379, 0, 128, 3_236,
                    0, 0,
                ]
            ])
        #expect(rows.runs[0].layout.channels[6] == Channel("temperature", .celsius, decimals: 7))
    }

    @Test func `the lines are in tenths of a millivolt at two samples a second and in millivolts else`() {
        let frames = [
            Self.samples([500, 1_000], lines: [660, 32_373, 0, 1]), Self.samples([1_500], lines: [660, 32_374, 0, 1]),
            Self.samples([1_600, 1_700]), Self.samples([1_720, 1_740]), Self.samples(1_741..<1_760),
            Self.samples([1_900]),
        ]
        let rows = MeterModel.km003c.rows(of: frames.flatMap { MadeUp.data(MadeUp.queue($0)) })
        #expect(rows.runs.map(\.layout) == [KM003CQueue.slowLayout, KM003CQueue.layout])
        #expect(rows.runs.map(\.count) == [3, 24])
        #expect(rows.runs[0].layout.channels[3] == Channel("cc2", .volt, decimals: 4))
        #expect(rows.runs[1].layout.channels[3] == Channel("cc2", .volt, decimals: 3))
    }

    @Test func `a sample that comes alone before the rate is known has lines without a unit`() {
        let frames = [[700], [1_200], [1_700]].map { MadeUp.data(MadeUp.queue(Self.samples($0))) }
        let rows = MeterModel.km003c.rows(of: frames.flatMap { $0 })
        #expect(rows.runs.map(\.layout) == [KM003CQueue.rawLayout, KM003CQueue.slowLayout])
        #expect(rows.runs[0].layout.channels[3] == Channel("cc2.raw", .none, decimals: 0))
        let quick = [[700], [720]].map { MadeUp.data(MadeUp.queue(Self.samples($0))) }
        #expect(MeterModel.km003c.rows(of: quick.flatMap { $0 }).runs.map(\.layout).last == KM003CQueue.layout)
    }

    @Test func `packets that are chained all give their rows`() {
        let reading = MadeUp.reading(Array(1...17), continues: true)
        let rows = MeterModel.km003c.rows(of: MadeUp.data(reading + MadeUp.queue(Self.samples(5..<8))))
        #expect(rows.runs.map(\.layout) == [KM003CReading.layout, KM003CQueue.layout])
        #expect(rows.runs.map(\.count) == [1, 3] && rows.refusals.isEmpty)
    }

    @Test func `answers without measurements are told, and what follows them comes`() {
        let settings = MadeUp.data(MadeUp.packet(8, size: 180, [UInt8](repeating: 0, count: 180)))
        let unknown = MadeUp.data(MadeUp.packet(0x40, size: 16, [UInt8](repeating: 0, count: 16)))
        let bytes =
            [0x05, 0x01, 0, 0] + [0x41, 0x02, 0x02, 0x00] + settings + unknown
            + MadeUp.data(MadeUp.queue(Self.samples(5..<8)))
        let rows = MeterModel.km003c.rows(of: bytes)
        #expect(rows.all.count == 3)
        #expect(
            rows.refusals == [
                .init(.noMeasurement, 4), .init(.noMeasurement, 4), .init(.noMeasurement, 188),
                .init(.unknownFrame, 24),
            ])
    }

    @Test(arguments: 8...700)
    func `a frame that lost at least eight bytes gives no row and costs no other frame`(lost: Int) {
        let whole = MadeUp.data(MadeUp.queue(Self.samples(100..<140)))
        let next = MadeUp.data(MadeUp.queue(Self.samples(140..<180)))
        let rows = MeterModel.km003c.rows(of: Array(whole[..<(whole.count - lost)]) + next + whole)
        #expect(rows.ticks == Array(140..<180) + Array(100..<140))
        #expect(rows.refusedByteCount == whole.count - lost)
    }

    @Test(arguments: [2_001, 40_000, 65_535])
    func `a queue whose ticks do not go forward is refused`(step: Int) {
        let rows = MeterModel.km003c.rows(of: MadeUp.data(MadeUp.queue(Self.samples([7, 7 + step]))))
        #expect(rows.runs.isEmpty && rows.refusedByteCount == 48)
    }

    @Test func `a queue that repeats ten of its ticks gives all rows, the repeated ones too`() {
        // Each third sample comes twice; one comes again behind two others, where the counter starts anew.
        let twice = (100..<130).flatMap { $0 % 3 == 0 ? [$0, $0] : [$0] }
        let late = [65_533, 65_534, 65_535, 0, 65_534, 1, 2]
        for ticks in [twice, late] {
            let rows = MeterModel.km003c.rows(of: MadeUp.data(MadeUp.queue(Self.samples(ticks))))
            #expect(rows.refusals.isEmpty && rows.ticks == ticks.map(UInt32.init))
        }
        #expect(twice.count == 40)
    }

    @Test(arguments: [[7, 7, 7, 7], [0, 0, 1, 1, 0, 0, 1], [0, 1_000, 2_000, 3_000, 4_000, 5_000, 0]])
    func `a queue with fewer steps forward than repeats, or one of long ago, is refused`(ticks: [Int]) {
        let rows = MeterModel.km003c.rows(of: MadeUp.data(MadeUp.queue(Self.samples(ticks))))
        #expect(rows.runs.isEmpty && rows.refusedByteCount == 8 + 20 * ticks.count)
    }

    @Test func `a repeated sample does not tell the rate`() {
        let frames = [[500, 500, 1_000], [1_000], [1_500], [1_500, 1_500]].map {
            MadeUp.data(MadeUp.queue(Self.samples($0)))
        }
        let rows = MeterModel.km003c.rows(of: frames.flatMap { $0 })
        #expect(rows.runs.map(\.layout) == [KM003CQueue.slowLayout] && rows.all.count == 7)
    }

    @Test func `a reading without a temperature is a row without that channel, and not one of -256 degrees`() {
        let numbers = Array(1...6) + [-32_768] + Array(8...17)
        let rows = MeterModel.km003c.rows(of: MadeUp.data(MadeUp.reading(numbers)))
        #expect(rows.all == [(Array(1...6) + Array(8...17)).map(Int64.init)])
        let names = rows.runs[0].layout.channels.map(\.name)
        #expect(names == KM003CReading.layout.channels.map(\.name).filter { $0 != "temperature" })
        let cold = MeterModel.km003c.rows(of: MadeUp.data(MadeUp.reading(Array(1...6) + [-32_767])))
        #expect(cold.values(of: "temperature") == [-32_767 * 78_125])
    }

    @Test(.enabled(if: Captures.folder != nil, Comment(rawValue: Captures.reason)))
    func `the frames that were captured at 1,000 samples a second give the rows that were published`() throws {
        let frames = try Captures.table("km003c-1000sps-idle.frames.csv")
        let table = try Captures.table("km003c-1000sps-idle.csv")
        var published: [Substring: [[Int64]]] = [:]
        for line in table { published[line[0], default: []].append(line.dropFirst().compactMap { Int64($0) }) }
        var decoder = MeterModel.km003c.makeDecoder()
        var count = 0
        for frame in frames {
            var rows = DecodedRows()
            decoder.consume(try #require(Hexadecimal.decode(String(frame[1]))), into: &rows)
            #expect(rows.refusals.isEmpty && rows.runs.map(\.layout) == [KM003CQueue.layout])
            // The table has tick and marker first.
            let found = zip(rows.ticks, rows.all).map { [Int64($0), $1[6]] + $1[0..<6] }
            #expect(found == published[frame[0]])
            count += found.count
        }
        #expect(count == 2_398)
    }

    @Test(.enabled(if: Captures.folder != nil, Comment(rawValue: Captures.reason)))
    func `the rows that were captured at 2 samples a second are in tenths of a millivolt`() throws {
        var frames: [(Substring, [MadeUp.Sample])] = []
        for line in try Captures.table("km003c-2sps-idle.csv") {
            let numbers = line.dropFirst().compactMap { Int($0) }
            let sample = MadeUp.Sample(
                tick: numbers[0], marker: numbers[1], voltage: numbers[2], current: numbers[3],
                lines: Array(numbers[4...]))
            if frames.last?.0 == line[0] {
                frames[frames.count - 1].1.append(sample)
            } else {
                frames.append((line[0], [sample]))
            }
        }
        let rows = MeterModel.km003c.rows(of: frames.flatMap { MadeUp.data(MadeUp.queue($0.1)) })
        #expect(rows.runs.map(\.layout) == [KM003CQueue.slowLayout] && rows.all.count == 18)
        #expect(Set(rows.values(of: "marker")) == [3, 4])
        // The same line of the same idle meter: 3.237 V at both rates.
        #expect(rows.values(of: "cc2").allSatisfy { (32_300...32_450).contains($0) })
        let quick = try Captures.table("km003c-1000sps-idle.csv").compactMap { Int($0[6]) }
        #expect(quick.sorted()[quick.count / 2] == 3_237)
    }

    @Test(.enabled(if: Captures.folder != nil, Comment(rawValue: Captures.reason)))
    func `the readings that were polled through a charge give their numbers`() throws {
        let table = try Captures.table("km003c-adc-poll-pd-session.csv").map { $0.dropFirst().compactMap { Int($0) } }
        let rows = MeterModel.km003c.rows(of: table.flatMap { MadeUp.data(MadeUp.reading($0)) })
        #expect(rows.refusals.isEmpty && rows.runs.count == 1)
        let expected = table.map { numbers in numbers.enumerated().map { Int64($1) * ($0 == 6 ? 78_125 : 1) } }
        #expect(rows.all == expected)
    }
}
