import Everything
import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTesting
import Testing

@testable import GroundwaveProjections

private let layout = Layout(
    [
        Channel("voltage", .volt, decimals: 3), Channel("current", .ampere, decimals: 3),
        Channel("mode", .none, decimals: 0),
    ], tick: .init(hertz: 1000, modulus: 65_536))

/// Made-up rows, one each 10 ms, with a gap and a repeat now and then.
private func rows(_ numbers: Range<Int>, _ layout: Layout = layout) -> TraceRows {
    var rows = TraceRows(layout, first: UInt64(numbers.lowerBound))
    for number in numbers {
        rows.times.append(1_700_000_000_000 + Int64(number) * 10)
        if layout.tick != nil { rows.ticks.append(Int64(number) * 10) }
        let values = [5_000 + number % 7, 1_000 + number % 13, number / 1_000]
        for (column, value) in zip(rows.columns.indices, values) { rows.columns[column].append(Int64(value)) }
        if number % 1_000 == 500 { rows.marks.append(Mark(.gap, before: rows.count - 1, count: 3)) }
        if number % 1_000 == 700 { rows.marks.append(Mark(.repeats, before: rows.count - 1, count: 2)) }
    }
    return rows
}

extension Store {
    /// A trace that has no rows yet, and no end.
    fileprivate func emptyTrace() async throws -> RecordID {
        try await write {
            try $0.add(
                Metering.trace.name, [Assignment("METER", text: "02:00:00:00:00:01"), Assignment("STARTED", text: "0")])
        }.value
    }

    fileprivate func append(_ block: SeriesBlock, to trace: RecordID, note: String = "") async throws {
        try await write(note: note) {
            try $0.append(Change(kind: Metering.trace.name, record: trace, block: block))
        }
    }

    /// The events that brought rows of `trace`.
    fileprivate func events(of trace: RecordID) throws -> [EventID] {
        try read { view in
            var events: [EventID] = []
            try view.forEachBlock(of: Metering.trace.name, trace) { block, _ in
                events.append(block.event)
                return true
            }
            return events
        }
    }

    /// Exports `trace` to nowhere.
    fileprivate func exported(_ trace: RecordID) throws -> TraceExportReport {
        try export(try #require(try traces().first { $0.id == trace }), as: .ndjson) { _ in }
    }

    fileprivate func verify(_ id: RecordID) throws -> TraceVerification {
        try verify(try #require(try traces().first { $0.id == id }))
    }
}

extension BlockSummary {
    /// What is said of rows, with something wrong in it.
    fileprivate func falsified(_ change: (inout BlockSummary) -> Void) -> BlockSummary {
        var summary = self
        change(&summary)
        return summary
    }

    /// A block of `rows` of which this is said.
    fileprivate func block(of rows: TraceRows) -> SeriesBlock {
        let sealed = SealedBlock(rows, after: nil).block
        return SeriesBlock(first: sealed.first, count: sealed.count, summary: bytes, content: sealed.content)
    }
}

@Suite struct `Verifying a trace` {
    private let meter = MACAddress("02:00:00:00:00:01")!

    private func recorded(_ numbers: Range<Int>, in store: Store) async throws -> RecordID {
        let recorder = try await store.record(meter: meter, model: .km003c)
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 4_096) {
            try await recorder.append(recorded: rows(start..<min(start + 4_096, numbers.upperBound)))
        }
        try await recorder.finish()
        return recorder.trace
    }

    @Test func `finds nothing in a trace of many blocks, and reads each row`() async throws {
        let temporary = try await TemporaryStore(.full())
        let trace = try await recorded(0..<140_000, in: temporary.store)
        let found = try temporary.store.verify(trace)
        #expect(found.damage == [] && found.isOK)
        #expect(found.rowCount == 140_000 && found.tailCount == 0 && found.withheldCount == 0)
        // Three of level 1, and one of each of the other levels.
        #expect(found.blockCount >= 35 && found.cellCount == 6)
    }

    @Test func `finds nothing in a recording that goes on, nor in one that was interrupted`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace: RecordID
        do {
            let recorder = try await store.record(meter: meter, model: .km003c)
            trace = recorder.trace
            for start in stride(from: 0, to: 5_000, by: 500) {
                try await recorder.append(recorded: rows(start..<start + 500))
            }
            try await recorder.flush()
            let found = try store.verify(trace)
            #expect(found.isOK && found.rowCount == 5_000 && found.tailCount > 0 && found.blockCount == 1)
        }
        #expect(try await store.sealTails() == [trace])
        let found = try store.verify(trace)
        #expect(found.isOK && found.rowCount == 5_000 && found.tailCount == 0 && found.blockCount == 2)
        let totals = try store.summary(of: trace).parts.map(\.totals)
        #expect(totals.reduce(0) { $0 + $1.covered } == 49_940, "4,999 intervals of 10 ms, less five of gaps")
    }

    @Test func `finds nothing where the channels change`() async throws {
        let temporary = try await TemporaryStore(.full())
        let recorder = try await temporary.store.record(meter: meter, model: .km003c)
        try await recorder.append(recorded: rows(0..<300))
        try await recorder.append(recorded: rows(300..<500, Layout(layout.channels)))
        try await recorder.append(recorded: rows(500..<900))
        try await recorder.finish()
        let found = try temporary.store.verify(recorder.trace)
        #expect(found.isOK && found.rowCount == 900 && found.blockCount == 1)
    }

    @Test func `tells rows that have other channels than is said of them`() async throws {
        let temporary = try await TemporaryStore(.full())
        var all = rows(0..<300)
        let isJoined = all.append(rows(300..<500, Layout([layout.channels[0]]))) && all.append(rows(500..<900))
        let right = BlockSummary(of: all, after: nil)
        #expect(isJoined && right.patterns.count == 2)
        // A pattern that no row has; a value more than there are; and the two patterns exchanged.
        let falsehoods: [(parts: String, change: (inout BlockSummary) -> Void)] = [
            (": the patterns", { $0.patterns.append(RowPattern(channels: [1], tick: true)) }),
            (": current", { $0.cells[1].count += 1 }), (", mode, charge and energy", { $0.patterns.reverse() }),
        ]
        for (parts, change) in falsehoods {
            let trace = try await temporary.store.emptyTrace()
            try await temporary.store.append(right.falsified(change).block(of: all), to: trace)
            let damage = try #require(try temporary.store.verify(trace).damage.first)
            #expect(damage.what == .summary && damage.detail.hasSuffix(parts), "\(damage.detail)")
        }
    }

    @Test func `names a row that is earlier than the one before it, in a block or behind one`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await store.emptyTrace()
        var (first, second) = (rows(0..<300), rows(300..<500))
        first.times[120] -= 11
        second.times[0] -= 12
        try await store.append(SealedBlock(first, after: nil).block, to: trace)
        try await store.append(SealedBlock(second, after: first.lastRow).block, to: trace)
        let found = try store.verify(trace)
        #expect(found.damage.map(\.what) == [.order, .order] && found.damage.map(\.first) == [120, 300])
        #expect(found.rowCount == 500)
    }

    /// What may be wrong, and what the finding names.
    static let falsehoods: [(part: String, change: @Sendable (inout BlockSummary) -> Void)] = [
        ("the times", { $0.lastTime += 1 }), ("the times", { $0.greatestTime += 1 }),
        ("the counter", { $0.firstTick -= 1 }), ("voltage", { $0.cells[0].greatest += 1 }),
        ("current", { $0.cells[1].sum += 1 }), ("mode", { $0.cells[2].least -= 1 }),
        ("charge and energy", { $0.totals.charge += 1 }), ("charge and energy", { $0.totals.energy -= 1 }),
        ("charge and energy", { $0.totals.covered += 1 }), ("the missing rows", { $0.missing.counted -= 1 }),
        ("the missing rows", { $0.gapCount += 1 }), ("the repeated rows", { $0.repeatCount = 0 }),
    ]

    @Test(arguments: 0..<12)
    func `names what is said of a block and is not what its rows say`(falsehood: Int) async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await store.emptyTrace()
        let (first, second) = (rows(0..<900), rows(900..<1_900))
        try await store.append(SealedBlock(first, after: nil).block, to: trace)
        let right = BlockSummary(of: second, after: first.lastRow)
        let wrong = right.falsified(Self.falsehoods[falsehood].change)
        try await store.append(wrong.block(of: second), to: trace)
        let found = try store.verify(trace)
        let damage = try #require(found.damage.first)
        #expect(found.damage.count == 1 && damage.what == .summary && (damage.first, damage.last) == (900, 1_899))
        #expect(damage.detail.hasSuffix(": \(Self.falsehoods[falsehood].part)"))
        #expect(damage.event != nil && found.rowCount == 1_900)
    }

    @Test func `takes charge and energy with or without the row before`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        for isKnown in [true, false] {
            let trace = try await store.emptyTrace()
            try await store.append(SealedBlock(rows(0..<400), after: nil).block, to: trace)
            let block = SealedBlock(rows(400..<800), after: isKnown ? rows(0..<400).lastRow : nil)
            try await store.append(block.block, to: trace)
            #expect(try store.verify(trace).isOK)
        }
        // The row before is one of another block than the one before.
        let trace = try await store.emptyTrace()
        try await store.append(SealedBlock(rows(0..<400), after: nil).block, to: trace)
        try await store.append(SealedBlock(rows(400..<800), after: rows(0..<200).lastRow).block, to: trace)
        #expect(try store.verify(trace).damage.map(\.what) == [.summary])
    }

    @Test func `tells a block of which other rows are said`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await store.emptyTrace()
        var block = SealedBlock(rows(0..<100), after: nil).block
        block.summary = BlockSummary(of: rows(5..<105), after: nil).bytes
        try await store.append(block, to: trace)
        let found = try store.verify(trace).damage
        #expect(found.allSatisfy { $0.what == .summary } && found.first?.detail.contains("5 to 104") == true)
    }

    @Test func `counts what is withheld, and checks what is left`() async throws {
        let clock = VirtualClock()
        let temporary = try await TemporaryStore(Configuration.full(surroundings: .virtual(clock, seed: 1)))
        let store = temporary.store
        let trace = try await recorded(0..<9_000, in: store)
        let other = try await store.emptyTrace()
        try await store.append(SealedBlock(rows(100..<200), after: nil).block, to: other)
        let blocks = try store.verify(trace).blockCount
        clock.advance(by: .seconds(3 * 86_400))
        try await store.append(SealedBlock(rows(9_000..<9_100), after: rows(8_999..<9_000).lastRow).block, to: trace)
        try store.keepSamples(forDays: 2)
        try store.removeOldSamples()
        let found = try store.verify(trace)
        #expect(found.withheldCount == 9_000 && found.withheldBlockCount == blocks && found.cellCount == 4)
        // What follows a block that is withheld is compared with the last row that is said of it.
        #expect(found.rowCount == 100 && found.damage.map(\.what) == [.end])
        #expect(try store.verify(other).damage.map(\.what) == [.missingRows])
    }

    @Test func `counts what was archived as withheld`() async throws {
        let (temporary, folder) = (try await TemporaryStore(.full()), try TemporaryFolder())
        let store = temporary.store
        let trace = try await recorded(0..<5_000, in: store)
        try await store.archive(before: .position(store.log.lastPosition()), to: folder.path("old.gwa"))
        let found = try store.verify(trace)
        #expect(found.damage == [] && found.withheldCount == 5_000 && found.rowCount == 0)
    }

    @Test func `tells rows that no block has, at the start and between blocks, and rows that two have`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await store.emptyTrace()
        for numbers in [10..<20, 20..<30, 45..<60, 55..<70] {
            try await store.append(SealedBlock(rows(numbers), after: nil).block, to: trace)
        }
        let found = try store.verify(trace)
        #expect(found.damage.map(\.what) == [.missingRows, .missingRows, .overlap])
        #expect(found.damage.map(\.first) == [0, 30, 55] && found.damage.map(\.last) == [9, 44, 59])
        #expect(found.rowCount == 50 && found.cellCount == 0)
    }

    @Test func `tells a trace whose last rows are gone`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await store.emptyTrace()
        let all = rows(0..<80)
        try await store.append(SealedBlock(all, after: nil).block, to: trace)
        for (ended, isRight) in [(all.times[79], true), (all.times[79] + 10, false)] {
            try await store.write { try $0.set("trace", trace, [Assignment("ENDED", text: "\(ended)")]) }
            #expect(try store.verify(trace).damage.map(\.what) == (isRight ? [] : [.end]))
        }
    }

    @Test func `tells rows that cannot be read though they are not withheld`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let block = SealedBlock(rows(0..<100), after: nil).block
        for content in [[], Array(block.content.dropLast()), SealedBlock(rows(0..<99), after: nil).block.content] {
            let trace = try await store.emptyTrace()
            var cut = block
            cut.content = content
            try await store.append(cut, to: trace)
            let found = try store.verify(trace)
            #expect(found.damage.map(\.what) == [.unreadable] && found.rowCount == 0 && found.withheldCount == 0)
            // An export without a row would look like a trace without any.
            let error = #expect(throws: StoreError.self) { try store.exported(trace) }
            #expect(error?.code == .damaged)
        }
    }

    @Test func `tells a block of which nothing can be read`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        for summary in [[], [99, 1, 2]] as [[UInt8]] {
            let trace = try await store.emptyTrace()
            var block = SealedBlock(rows(0..<100), after: nil).block
            block.summary = summary
            try await store.append(block, to: trace)
            #expect(try store.verify(trace).damage.map(\.what) == [.unknown])
            try await store.append(SealedBlock(rows(100..<150), after: nil).block, to: trace)
            let report = try store.exported(trace)
            #expect(report.counts.rows == 50 && report.absent == AbsentRows(unreadable: 100))
            #expect(try store.storage(of: trace).unreadableCount == 100)
        }
    }

    @Test func `tells an event that was damaged in the log since it was opened`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let trace = try await store.emptyTrace()
        try await store.append(SealedBlock(rows(0..<400), after: nil).block, to: trace, note: "words to be found")
        try await store.append(SealedBlock(rows(400..<800), after: rows(0..<400).lastRow).block, to: trace)
        #expect(try store.verify(trace).isOK)
        try Damage.flip("words to be found", of: store.url)
        let found = try store.verify(trace)
        #expect(found.damage.map(\.what) == [.unreadable] && found.damage[0].last == 399 && found.rowCount == 400)
        let report = try store.exported(trace)
        #expect(report.counts.rows == 400 && report.absent == AbsentRows(unreadable: 400))
        let storage = try store.storage(of: trace)
        #expect(storage.unreadableCount == 400 && storage.withheldCount == 0 && storage.byteCount > 0)
        let plot = try store.plot(try #require(store.traces().first), TracePlotOptions())
        #expect(plot.svg().contains("</svg>"), "what is said of rows is drawn where they cannot be read")
    }

    @Test func `tells a tail that cannot be read`() async throws {
        let temporary = try await TemporaryStore(.full())
        let store = temporary.store
        let recorder = try await store.record(meter: meter, model: .km003c)
        try await recorder.append(recorded: rows(0..<50))
        try await recorder.flush()
        #expect(try store.verify(recorder.trace).isOK)
        let path = store.url.appending(path: "tails/\(recorder.trace).tail")
        var bytes = try Data(contentsOf: path)
        bytes[3] ^= 1
        try bytes.write(to: path)
        #expect(try store.verify(recorder.trace).damage.map(\.what) == [.tail])
    }

    /// Changes the row under the first key of a table of the views, with a checksum and sums that are right, as a fold that
    /// is wrong would; or takes it away, where `change` says so.
    private func change(_ name: String, of url: URL, _ change: (inout [UInt8]) -> Bool) throws {
        var options = Environment.Options()
        options.tables = 8
        let environment = try Environment.open(url.appending(path: "views.mdb").path, options: options)
        defer { environment.close() }
        try environment.write { transaction in
            let table = try #require(try transaction.table(name, of: [UInt8].self))
            let entry = try transaction.withCursor(table) { cursor in
                guard try cursor.first() else { return nil as ([UInt8], [UInt8])? }
                return try cursor.withEntry { ($0.toArray(), $1.toArray()) }
            }
            var (key, row) = try #require(entry)
            let summed = try #require(SummedTable(name: name))
            var checkpoint = try Replayer.checkpoint(in: transaction, ViewTables(in: transaction))
            if let mark = RowMark(key: key.span.bytes, row: row.span.bytes) {
                checkpoint.sums.subtract(mark, from: summed)
            }
            row.removeFirst(4)
            if change(&row) {
                row = CheckedRow.seal(row, under: key)
                try transaction.put(row.span.bytes, for: key, in: table)
                if let mark = RowMark(key: key.span.bytes, row: row.span.bytes) {
                    checkpoint.sums.add(mark, to: summed)
                }
            } else {
                _ = try transaction.remove(key, in: table)
            }
            let meta = try ViewTables(in: transaction).meta
            try transaction.put(CheckedRow.seal(checkpoint.bytes).span.bytes, for: Checkpoint.key, in: meta)
        }
    }

    @Test(arguments: ["cells", "blocks"], [true, false])
    func `tells views that say something else than the log`(table: String, isRowLeft: Bool) async throws {
        let temporary = try await TemporaryStore(.full())
        var store = temporary.store
        let trace = try await recorded(0..<9_000, in: store)
        let event = try store.events(of: trace).first
        try store.close()
        try change(table, of: temporary.url) { row in
            // Of a block how many rows came again before one of the last.
            row[row.count - 1] ^= 1
            return isRowLeft
        }
        store = try await temporary.reopened(.full())
        let found = try store.verify(trace).damage
        let whats = Set(found.map(\.what))
        switch (table, isRowLeft) {
        case ("cells", _): #expect(whats == [.cell] && found.count == 1)
        case (_, true): #expect(whats == [.view] && found[0].event == event)
        default: #expect(whats.contains(.missingRows) && whats.contains(.cell))
        }
    }
}
