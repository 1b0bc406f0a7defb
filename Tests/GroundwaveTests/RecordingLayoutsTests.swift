import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMeters

private func bytes(_ count: Int) -> CapturedBytes {
    CapturedBytes(.received, at: 0, [UInt8](repeating: 1, count: count))
}

@Suite struct `The state of a recording of several layouts` {
    @Test func `has rows of several layouts in one block, each with the channels that it has`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(.numbered(0..<2), at: 0, of: [bytes(5)])
        recording.receive(.numbered(2..<4, of: .voltsAndAmperes), at: 0, of: [bytes(7)])
        recording.receive(.numbered(4..<5), at: 0)
        #expect(try recording.perform() == [], "a block has the channels of all of its rows")
        #expect(recording.open.map(\.values) == [[0], [1], [2, 2], [3, 3], [4]])
        #expect(recording.state.openRows?.layout == .voltsAndAmperes)
        recording.state.flush()
        #expect(try recording.perform() == ["keep"])
        #expect(recording.tail == recording.open)
        recording.state.end(.finished)
        #expect(try recording.perform() == ["capture", "tail", "rows", "tail", "end"])
        #expect(recording.log.map(\.values) == [[0], [1], [2, 2], [3, 3], [4]])
    }

    @Test func `has everything sealed before rows that no layout has beside the others, whose numbers go on`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(.numbered(0..<3), at: 0, of: [bytes(5)])
        recording.receive(.numbered(3..<6), at: 0, of: [bytes(6)])
        #expect(try recording.perform() == [], "the layout is the same")
        recording.receive(.numbered(6..<8, of: .others), at: 0, of: [bytes(7)])
        #expect(try recording.perform() == ["capture", "tail", "rows", "tail"])
        #expect(recording.log.map(\.number) == Array(0..<6) && recording.logBytes.map(\.bytes.count) == [5, 6, 7])
        #expect(recording.open.map(\.number) == [6, 7] && recording.open.map(\.values) == [[6, 6], [7, 7]])
        #expect(recording.tail.isEmpty && recording.tailBytes.isEmpty)
    }

    @Test func `has values in the finer decimals of later rows, and a block ended by one that exceeds 64 bits there`()
        throws
    {
        let fine = Layout([Channel("voltage", .volt, decimals: 4)])
        var recording = MemoryRecording()
        recording.receive(.numbered(7..<8), at: 0)
        recording.receive(.numbered(70..<71, of: fine), at: 0)
        recording.receive(.numbered(8..<9), at: 0)
        #expect(try recording.perform() == [])
        #expect(recording.open.map(\.values) == [[70], [70], [80]])
        #expect(recording.open.allSatisfy { $0.channels == fine.channels })
        var great = DecodedRows()
        for value in [9, .max / 10, .max / 10 + 1, 10] as [Int64] { great.append([value] as [Int64], of: .volts) }
        recording.receive(great, at: 0)
        #expect(try recording.perform() == ["rows", "tail"])
        #expect(recording.log.map(\.values) == [[70], [70], [80], [90], [.max / 10 * 10]])
        #expect(recording.open.map(\.values) == [[.max / 10 + 1], [10]])
        #expect(recording.open[0].channels == Layout.volts.channels)
        // Nor can the values that are there already be scaled.
        recording.receive(.numbered(3..<4, of: fine), at: 0)
        #expect(try recording.perform() == ["rows", "tail"])
        #expect(recording.log.last?.values == [10] && recording.open.map(\.values) == [[3]])
    }

    @Test func `that was widened by channels has blocks without those that no row of theirs has`() throws {
        var recording = MemoryRecording()
        recording.receive(.numbered(0..<1, of: .voltsAndAmperes), at: 0)
        recording.receive(.numbered(1..<2), at: 600_000)
        recording.receive(.numbered(2..<3), at: 600_001)
        recording.receive(.numbered(3..<4), at: 1_200_001)
        try recording.perform()
        #expect(recording.layouts == [.voltsAndAmperes, .volts])
        #expect(recording.log.map(\.values) == [[0, 0], [1], [2], [3]])
    }

    @Test func `has a gap told also where the channels change with each row`() throws {
        var recording = MemoryRecording()
        for row in Array(0..<30) + Array(39..<50) {
            let layout = row.isMultiple(of: 2) ? Layout.volts : .voltsAndAmperes
            recording.receive(.numbered(row..<row + 1, of: layout), at: Int64(row) * 100)
            try recording.perform()
        }
        recording.state.end(.finished)
        try recording.perform()
        #expect(recording.marks == [MarkChange(.estimated, before: 30, by: 9)])
    }

    @Test func `counts charge on over blocks of different channels and decimals`() throws {
        let amperes = Channel("current", .ampere, decimals: 3)
        var recording = MemoryRecording()
        // 2 A, a row in five minutes: three blocks of which each has other channels, the last of them finer decimals.
        for row in 0...7 {
            var rows = DecodedRows()
            switch row {
            case 0...2: rows.append([2_000] as [Int64], of: Layout([amperes]))
            case 3...5: rows.append([9, 2_000] as [Int64], of: Layout([Channel("mode", .none, decimals: 0), amperes]))
            default: rows.append([20_000] as [Int64], of: Layout([Channel("current", .ampere, decimals: 4)]))
            }
            recording.receive(rows, at: Int64(row) * 300_000)
            try recording.perform()
        }
        recording.state.end(.finished)
        try recording.perform()
        #expect(recording.layouts.map(\.channels.count) == [1, 2, 1])
        #expect(recording.totals.covered == 2_100_000)
        // Charges are in the decimals of their blocks: 25 minutes in thousandths, 10 in the finer.
        #expect(recording.totals.charge == 2 * 2_000 * 1_500_000 + 2 * 20_000 * 600_000)
    }

    @Test func `counts charge on where the channels change`() throws {
        let amperes = [Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 3)]
        let more = Layout(amperes + [Channel("temperature", .celsius, decimals: 1)])
        var recording = MemoryRecording()
        // 2 A and 2 V for ten seconds, with another channel in every second row.
        for row in 0...10 {
            var rows = DecodedRows()
            let layout = row.isMultiple(of: 2) ? Layout(amperes) : more
            rows.append(layout.channels.map { _ in 2_000 }, of: layout)
            recording.receive(rows, at: Int64(row) * 1_000)
            try recording.perform()
        }
        recording.state.end(.finished)
        try recording.perform()
        #expect(recording.totals.covered == 10_000 && recording.totals.charge == 2 * 2_000 * 10_000)
    }
}
