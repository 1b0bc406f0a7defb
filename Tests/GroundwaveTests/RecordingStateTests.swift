import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveMeterProtocols
@testable import GroundwaveMeters

private func recorded(_ numbers: Range<Int>, of layout: Layout = .volts, at time: Int64) -> TraceRows {
    var rows = TraceRows(layout, first: 77)
    rows.times = numbers.map { _ in time }
    rows.columns = layout.channels.map { _ in numbers.map { Int64($0) } }
    return rows
}

private func bytes(_ count: Int, at time: Int64 = 0) -> CapturedBytes {
    CapturedBytes(.received, at: time, [UInt8](repeating: 1, count: count))
}

@Suite struct `The state of a recording` {
    @Test func `has a block sealed at the row limit, and not one row earlier`() throws {
        var recording = MemoryRecording()
        recording.receive(.numbered(0..<SampleBlock.rowLimit - 1), at: 0)
        #expect(try recording.perform() == [])
        recording.receive(.numbered(SampleBlock.rowLimit - 1..<SampleBlock.rowLimit + 10), at: 0)
        guard case .sealRows(_, let count) = recording.state.next() else {
            Issue.record("the block is not sealed")
            return
        }
        #expect(count <= SampleBlock.rowLimit && recording.state.openRows?.count == SampleBlock.rowLimit)
        #expect(try recording.perform() == ["rows", "tail"])
        #expect(recording.log.count == count && recording.open.count == SampleBlock.rowLimit + 10 - count)
        #expect(recording.state.rowCount == UInt64(SampleBlock.rowLimit + 10))
    }

    @Test func `has recorded rows sealed at the row limit, whatever their age`() throws {
        var recording = MemoryRecording()
        recording.receive(.numbered(0..<1), at: 0)
        recording.state.receive(recorded: recorded(1..<SampleBlock.rowLimit - 1, at: 10_000_000))
        #expect(try recording.perform() == [])
        recording.state.receive(
            recorded: recorded(SampleBlock.rowLimit - 1..<SampleBlock.rowLimit * 2, at: 10_000_000))
        #expect(try recording.perform().prefix(2) == ["rows", "tail"])
        #expect(recording.open.count < SampleBlock.rowLimit)
        let all = recording.all
        #expect(all.map(\.values) == (0..<SampleBlock.rowLimit * 2).map { [Int64($0)] })
        #expect(all.map(\.number) == Array(0..<UInt64(SampleBlock.rowLimit * 2)))
    }

    @Test func `has a block sealed when its first row is ten minutes old, and not a millisecond earlier`() throws {
        var recording = MemoryRecording()
        recording.receive(.numbered(0..<1), at: 1_000)
        recording.receive(.numbered(1..<2), at: 600_999)
        #expect(try recording.perform() == [])
        recording.receive(.numbered(2..<4), at: 601_000)
        #expect(try recording.perform() == ["rows", "tail"])
        #expect(recording.log.map(\.number) == [0, 1, 2] && recording.open.map(\.number) == [3])
    }

    @Test func `has captured bytes sealed at their size, and not one byte earlier`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(.numbered(0..<1), at: 0, of: [bytes(Capture.sealedByteCount - 1)])
        #expect(try recording.perform() == [])
        recording.receive(.numbered(1..<2), at: 0, of: [bytes(1)])
        #expect(try recording.perform() == ["capture", "tail"])
        #expect(recording.logBytes.count == 2 && recording.tail.map(\.number) == [0])
        recording.state.flush()
        #expect(try recording.perform() == ["keep"])
        #expect(recording.tail.map(\.number) == [0, 1] && recording.tailBytes.isEmpty)
    }

    @Test func `has new rows kept half a second after the tail was last written, or when asked`() throws {
        var recording = MemoryRecording()
        recording.receive(.numbered(0..<2), at: 0)
        recording.state.flush(ifDueAt: 499)
        #expect(try recording.perform() == [])
        recording.now = 520
        recording.state.flush(ifDueAt: 500)
        #expect(try recording.perform() == ["keep"])
        recording.receive(.numbered(2..<3), at: 0)
        recording.state.flush(ifDueAt: 1_019)
        #expect(try recording.perform() == [])
        recording.state.flush()
        #expect(try recording.perform() == ["keep"])
        #expect(recording.tail == recording.open && recording.tail.count == 3)
        recording.state.flush()
        #expect(try recording.perform() == [], "nothing is new")
    }

    @Test func `has the bytes of rows in the tail before it seals the rows, and in the one after`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(.numbered(0..<1), at: 0, of: [bytes(1)])
        recording.receive(.numbered(1..<3), at: 600_000, of: [bytes(2)])
        guard case .keep(let rows, let capture) = recording.state.next() else {
            Issue.record("the bytes are not kept first")
            return
        }
        #expect(rows?.count == 2 && capture?.pieces.map(\.bytes.count) == [1, 2])
        #expect(try recording.perform() == ["keep", "rows", "tail"])
        #expect(recording.log.map(\.number) == [0, 1])
        #expect(recording.tailBytes.map(\.bytes.count) == [1, 2], "they are not in the log")
        recording.receive(.numbered(3..<4), at: 1_200_000)
        #expect(try recording.perform() == ["rows", "tail"], "no bytes are new")
    }

    @Test func `has a mark that changes behind it in the tail, too`() throws {
        var recording = MemoryRecording()
        // Ten rows, 100 ms apart; then one after a silence; then those that were late.
        for row in 0..<10 { recording.receive(.numbered(row..<row + 1), at: Int64(row) * 100) }
        recording.receive(.numbered(10..<11), at: 1_900)
        recording.state.flush()
        #expect(try recording.perform() == ["keep"])
        #expect(recording.state.openRows?.marks == [Mark(.estimated, before: 10, count: 9)])
        recording.receive(.numbered(11..<16), at: 1_905)
        #expect(try recording.perform() == [])
        #expect(recording.state.openRows?.marks == [Mark(.estimated, before: 10, count: 4)])
        recording.state.flush()
        #expect(try recording.perform() == ["tail"], "the rows of the tail have another mark")
        #expect(recording.tail == recording.open)
    }

    @Test func `returns an action that failed again, and has changed nothing`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(.numbered(0..<1), at: 0, of: [bytes(1)])
        recording.receive(.numbered(1..<2, of: .others), at: 5)
        recording.state.flush()
        while let action = recording.state.next() {
            let (count, open) = (recording.state.rowCount, recording.state.openRows)
            for _ in 1...2 { #expect(recording.state.next() == action) }
            #expect(recording.state.rowCount == count && recording.state.openRows == open)
            try recording.perform(action)
            recording.state.succeeded(at: 0)
        }
        #expect(recording.actions == ["capture", "tail", "rows", "tail", "keep"])
        #expect(recording.log.map(\.number) == [0] && recording.tail.map(\.number) == [1])
    }

    @Test func `that ends after a failure seals the rows of the block, and drops those behind it`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.receive(.numbered(0..<1), at: 0)
        recording.receive(.numbered(1..<4), at: 600_000, of: [bytes(3)])
        let failed = recording.state.next()
        recording.state.end(.stopped)
        #expect(recording.state.next() != failed)
        #expect(try recording.perform() == ["capture", "tail", "rows", "tail", "end"])
        #expect(recording.log.map(\.number) == [0, 1] && recording.logBytes.count == 1)
        #expect(recording.end?.0 == .stopped && recording.end?.1 == 600_000)
    }

    @Test func `that fails to begin the tail again has each row sealed once when it ends`() throws {
        var recording = MemoryRecording()
        recording.receive(.numbered(0..<1), at: 0)
        recording.receive(.numbered(1..<2), at: 600_000)
        let seal = recording.state.next()
        try recording.perform(#require(seal))
        recording.state.succeeded(at: 0)
        guard case .beginTail = recording.state.next() else {
            Issue.record("the tail has rows of the log")
            return
        }
        for _ in 1...2 { recording.state.end(.stopped) }
        #expect(try recording.perform() == ["end"])
        #expect(recording.log.map(\.number) == [0, 1] && recording.end?.1 == 600_000)
    }

    @Test func `has an end without a time where no row came, and nothing to do behind it`() throws {
        var recording = MemoryRecording(isKeepingCapture: true)
        recording.state.end(.finished)
        #expect(!recording.state.hasEnded)
        #expect(try recording.perform() == ["end"])
        #expect(recording.end?.0 == .finished && recording.end?.1 == nil && recording.state.hasEnded)
        #expect(recording.state.next() == nil)
    }

    @Test(arguments: UInt64(1)...10)
    func `has each row in one place, with the next number, whatever comes and whatever fails`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var recording = MemoryRecording(isKeepingCapture: generator.chance(0.7))
        var (rows, pieces) = ([MemoryRecording.Row](), [CapturedBytes]())
        var (layout, time) = (Layout.volts, Int64(1_700_000_000_000))
        var lastWrite: Int64 = 0
        // The number of rows before the last that was in the log when it was compared; all are compared again at the end.
        var loggedCount = 0

        func compare(from first: Int) {
            let (all, expected) = (recording.all.dropFirst(first), rows.dropFirst(first))
            #expect(all.map(\.values) == expected.prefix(all.count).map(\.values))
            #expect(all.map(\.number) == expected.prefix(all.count).map(\.number))
            #expect(all.map(\.channels) == expected.prefix(all.count).map(\.channels))
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.time <= $1.time })
            loggedCount = max(0, recording.log.count - 1)
        }

        func perform() throws {
            while let action = recording.state.next() {
                // An action that fails is due again.
                if generator.chance(0.3) { #expect(recording.state.next() == action) }
                if case .sealRows = action {
                    #expect(recording.durableBytes == pieces, "bytes are on the disk before rows")
                }
                try recording.perform(action)
                recording.state.succeeded(at: recording.now)
                if ["keep", "tail"].contains(recording.actions.last) { lastWrite = recording.now }
                compare(from: loggedCount)
            }
            #expect(recording.all.count == rows.count && recording.all.last?.time == rows.last?.time)
            #expect(recording.open.count < SampleBlock.rowLimit)
            #expect(recording.state.rowCount == UInt64(rows.count))
        }

        for _ in 1...40 {
            recording.now += .random(in: 0...400, using: &generator)
            time += generator.chance(0.2) ? .random(in: 0...700_000, using: &generator) : 50
            if generator.chance(0.2) {
                let layouts = generator.chance(0.2) ? [Layout.others] : [.volts, .voltsAndAmperes]
                layout = layouts.randomElement(using: &generator) ?? .volts
            }
            let isMany = generator.chance(0.05)
            let count = Int.random(in: isMany ? 3_000...9_000 : 0...60, using: &generator)
            let numbers = rows.count..<rows.count + count
            for number in numbers {
                let values = layout.channels.map { _ in Int64(number) }
                rows.append(
                    MemoryRecording.Row(
                        number: UInt64(number), time: time, values: values, channels: layout.channels))
            }
            if generator.chance(0.5) {
                recording.state.receive(recorded: recorded(numbers, of: layout, at: time))
            } else {
                let piece = bytes(.random(in: 1...30_000, using: &generator), at: time)
                if recording.isKeepingCapture { pieces.append(piece) }
                recording.receive(.numbered(numbers, of: layout), at: time, of: [piece])
            }
            try perform()
            let isDue = generator.chance(0.3) || recording.now - lastWrite >= 500
            if recording.now - lastWrite < 500, isDue {
                recording.state.flush()
            } else {
                recording.state.flush(ifDueAt: recording.now)
            }
            try perform()
            let (tail, open) = (recording.tail, recording.open)
            if isDue { #expect(recording.durableBytes == pieces) }
            #expect(isDue ? tail == open : tail == Array(open.prefix(tail.count)), "it has what is not sealed")
        }
        recording.state.end(.finished)
        try perform()
        compare(from: 0)
        #expect(recording.log.count == rows.count)
        #expect(recording.logBytes == pieces && recording.state.hasEnded)
        #expect(recording.end?.1 == rows.last?.time)
    }
}
