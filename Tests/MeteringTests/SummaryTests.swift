import GroundwaveByteCoding
import GroundwaveMetering
import GroundwaveSeededNumbers
import Testing

extension TraceRows {
    /// Rows of a random layout, with values of any size. If `isMixed` is true, rows may lack some of them, but for the
    /// first row.
    static func random(
        _ count: Int, _ layout: Layout? = nil, isMixed: Bool = false, using numbers: inout SeededGenerator
    ) -> TraceRows {
        let layout = layout ?? .random(using: &numbers)
        var rows = TraceRows(layout, first: numbers.next() >> 20)
        var (time, tick) = (Int64(1_700_000_000_000), Int64.random(in: 0...70_000, using: &numbers))
        for row in 0..<count {
            time += .random(in: -5...200, using: &numbers)
            tick += .random(in: 1...40, using: &numbers)
            rows.times.append(time)
            if layout.tick != nil { rows.ticks.append(tick) }
            for column in layout.channels.indices {
                let value =
                    numbers.chance(0.02)
                    ? Int64(bitPattern: numbers.next()) : Int64.random(in: -50...50, using: &numbers) * 1_000
                rows.columns[column].append(value)
            }
            if numbers.chance(0.05), let kind = Mark.Kind.allCases.randomElement(using: &numbers) {
                rows.marks.append(Mark(kind, before: row, count: numbers.next() >> 40))
            }
        }
        if isMixed { rows.takeAway(&numbers) }
        return rows
    }

    /// Takes some values away, in a few patterns.
    private mutating func takeAway(_ numbers: inout SeededGenerator) {
        let some = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
            let has = columns.indices.filter { _ in numbers.chance(0.6) }
            return RowPattern(channels: has.isEmpty ? [0] : has, tick: layout.tick != nil && numbers.chance(0.6))
        }
        let all = RowPattern(all: layout)
        let drawn = times.indices.map { row in
            row == 0 || numbers.chance(0.3) ? all : some.randomElement(using: &numbers) ?? all
        }
        if drawn.allSatisfy({ $0 == all }) { return }
        patterns = drawn
        for row in times.indices {
            for channel in columns.indices where !drawn[row].has(channel) { columns[channel][row] = 0 }
            if layout.tick != nil, !drawn[row].hasTick { ticks[row] = 0 }
        }
    }
}

extension Layout {
    static func random(using numbers: inout SeededGenerator) -> Layout {
        let units = Channel.Unit.allCases
        let channels = (0..<Int.random(in: 1...8, using: &numbers)).map {
            Channel(
                "c\($0)", units[Int.random(in: 0..<units.count, using: &numbers)],
                decimals: .random(in: 0...9, using: &numbers))
        }
        return Layout(channels, tick: numbers.chance(0.5) ? Tick(hertz: 1000, modulus: 65_536) : nil)
    }
}

@Suite struct `What is said of a block` {
    @Test(arguments: UInt64(0)..<60)
    func `comes back from its bytes, and the rows from theirs`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...600, using: &numbers)
        let rows = TraceRows.random(count, isMixed: seed.isMultiple(of: 2), using: &numbers)
        let block = SealedBlock(rows, after: nil)
        let bytes = block.summary.bytes
        let summary = try bytes.withSpan { try BlockSummary($0) }
        #expect(summary == block.summary)
        #expect(try block.content.withSpan { try TraceRows($0, of: summary) } == rows)
    }

    @Test(arguments: UInt64(0)..<60)
    func `is what the rows say, one by one`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...300, using: &numbers)
        let rows = TraceRows.random(count, isMixed: seed.isMultiple(of: 2), using: &numbers)
        let summary = BlockSummary(of: rows, after: nil)
        for (channel, cell) in summary.cells.enumerated() {
            let column = rows.times.indices.filter { rows.has(channel, at: $0) }.map { rows.columns[channel][$0] }
            #expect(cell.first == column.first && cell.last == column.last)
            #expect(cell.least == column.min() && cell.greatest == column.max())
            #expect(cell.sum == column.reduce(Int128(0)) { $0 + Int128($1) } && cell.count == column.count)
        }
        #expect(summary.leastTime == rows.times.min() && summary.greatestTime == rows.times.max())
        #expect(summary.missingCount == rows.marks.reduce(0) { $1.kind.isGap ? $0 + $1.count : $0 })
    }

    @Test(arguments: UInt64(0)..<60)
    func `joins to what is said of all, however the rows are cut and in whatever order they are joined`(seed: UInt64)
        throws
    {
        var numbers = SeededGenerator(seed: seed)
        let rows = TraceRows.random(400, using: &numbers)
        var whole = BlockSummary(of: rows, after: nil)
        whole.marks = []
        var (parts, rest, before) = ([BlockSummary](), rows, nil as RowBefore?)
        while rest.count > 0 {
            let (head, tail) = rest.split(at: .random(in: 1...min(90, rest.count), using: &numbers))
            parts.append(BlockSummary(of: head, after: before))
            (before, rest) = (head.lastRow, tail)
        }
        parts.shuffle(using: &numbers)
        var joined = parts.removeFirst()
        for part in parts { joined = part.joined(with: joined) }
        joined.marks = []
        #expect(joined == whole)
        #expect(try joined.bytes.withSpan { try BlockSummary($0) } == whole)
    }

    @Test func `says where the last row is, though blocks in between have not come`() throws {
        var numbers = SeededGenerator(seed: 4)
        let rows = TraceRows.random(90, using: &numbers)
        let (first, rest) = rows.split(at: 30)
        let (second, third) = rest.split(at: 30)
        let blocks = [first, second, third].map { BlockSummary(of: $0, after: nil) }
        let ends = blocks[2].joined(with: blocks[0])
        #expect(ends.count == 60 && ends.end == rows.first + 90 && ends.lastTime == rows.times[89])
        #expect(try ends.bytes.withSpan { try BlockSummary($0) } == ends)
        let all = ends.joined(with: blocks[1])
        #expect(
            all.count == 90 && all.lastTime == rows.times[89] && all.cells.map(\.last) == blocks[2].cells.map(\.last))
    }

    @Test(arguments: UInt64(0)..<60)
    func `is right of its own rows whether the row before is known or not, and wrong where anything in it is changed`(
        seed: UInt64
    ) {
        var numbers = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...300, using: &numbers)
        let rows = TraceRows.random(count, isMixed: seed.isMultiple(of: 2), using: &numbers)
        let (head, tail) = rows.split(at: .random(in: 1..<rows.count, using: &numbers))
        let before = BlockSummary(of: head, after: nil)
        for known in [nil, head.lastRow] {
            #expect(BlockSummary(of: tail, after: known).parts(unlike: tail, after: before).isEmpty)
        }
        #expect(BlockSummary(of: tail, after: nil).parts(unlike: tail, after: nil).isEmpty)
        let right = BlockSummary(of: tail, after: head.lastRow)
        let channel = Int.random(in: right.cells.indices, using: &numbers)
        let name = right.layout.channels[channel].name
        let changes: [(part: SummaryPart, change: (inout BlockSummary) -> Void)] = [
            (.times, { $0.firstTime &+= 1 }), (.times, { $0.lastTime &-= 1 }), (.times, { $0.leastTime &+= 1 }),
            (.times, { $0.greatestTime &+= 1 }), (.ticks, { $0.firstTick &+= 1 }), (.ticks, { $0.lastTick &+= 1 }),
            (.channel(name), { $0.cells[channel].first &+= 1 }), (.channel(name), { $0.cells[channel].last &+= 1 }),
            (.channel(name), { $0.cells[channel].least &-= 1 }), (.channel(name), { $0.cells[channel].sum &+= 1 }),
            (.channel(name), { $0.cells[channel].greatest &+= 1 }), (.channel(name), { $0.cells[channel].count += 1 }),
            (.patterns, { $0.patterns.insert(RowPattern(channels: [], tick: true), at: 0) }),
            (.totals, { $0.totals.covered &+= 1 }),
            (.totals, { $0.totals.charge &+= 1 }), (.totals, { $0.totals.energy &-= 1 }),
            (.missing, { $0.missing.counted &+= 1 }), (.missing, { $0.missing.unanswered &+= 1 }),
            (.missing, { $0.missing.estimated &+= 1 }), (.missing, { $0.gapCount &+= 1 }),
            (.repeats, { $0.repeatCount &+= 1 }),
        ]
        for (part, change) in changes {
            var wrong = right
            change(&wrong)
            #expect(wrong.parts(unlike: tail, after: before) == [part])
        }
    }

    @Test func `counts charge and energy over the time that is known, and nothing over a gap`() {
        let layout = Layout([Channel("voltage", .volt, decimals: 2), Channel("current", .ampere, decimals: 3)])
        var rows = TraceRows(layout, first: 0)
        // An hour at 5 V and 2 A, a gap of an hour, another hour: 4 Ah and 20 Wh in two hours.
        for second in 0...3600 {
            rows.times.append(Int64(second) * 1000)
            rows.columns[0].append(500)
            rows.columns[1].append(2000)
        }
        rows.marks.append(Mark(.gap, before: 3601, count: 3599))
        for second in 7200...10_800 {
            rows.times.append(Int64(second) * 1000)
            rows.columns[0].append(500)
            rows.columns[1].append(2000)
        }
        let totals = BlockSummary(of: rows, after: nil).totals
        #expect(layout.ampereHours(totals) == 4 && layout.wattHours(totals) == 20)
        #expect(totals.covered == 7_200_000)
    }

    @Test(arguments: UInt64(0)..<40)
    func `is refused where its bytes were cut or changed, or read as something, and never traps`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let block = SealedBlock(
            TraceRows.random(50, isMixed: seed.isMultiple(of: 2), using: &numbers), after: nil)
        let bytes = block.summary.bytes
        for end in bytes.indices {
            #expect(throws: SummaryError.self) { try bytes[..<end].withUnsafeBytes { try BlockSummary($0.bytes) } }
        }
        for _ in 0..<200 {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            guard let summary = try? damaged.withSpan({ try BlockSummary($0) }) else { continue }
            _ = summary.joined(with: block.summary.layout == summary.layout ? block.summary : summary)
            _ = try? block.content.withSpan { try TraceRows($0, of: summary) }
        }
    }

    @Test func `comes back where the meter skips and repeats before every row`() throws {
        var taken = Taken(
            of: Layout(
                [Channel("voltage", .volt, decimals: 3)], tick: .init(hertz: 1000, modulus: 65_536)))
        var tick: UInt32 = 0
        for row in 0..<SampleBlock.rowLimit {
            // Never the same step twice in a row, so that none of them becomes the rate.
            tick = (tick + (row < 2 ? 1 : UInt32(3 + row % 2))) % 65_536
            for _ in 0..<2 { taken.receive([tick], at: Int64(row) * 4) }
        }
        taken.end()
        let block = taken.block
        #expect(block.rows.count == SampleBlock.rowLimit && block.rows.marks.count > 2 * SampleBlock.rowLimit - 2)
        let sealed = SealedBlock(block.rows, after: nil)
        let summary = try sealed.summary.bytes.withSpan { try BlockSummary($0) }
        #expect(try sealed.content.withSpan { try TraceRows($0, of: summary) } == block.rows)
    }

    @Test func `counts the energy of the greatest numbers without a trap`() {
        var rows = TraceRows(
            Layout([Channel("voltage", .volt, decimals: 0), Channel("current", .ampere, decimals: 0)]), first: 0)
        rows.times = [.min, .max]
        rows.columns = [[.min, .min], [.min, .min]]
        #expect(BlockSummary(of: rows, after: nil).totals.covered == .max)
    }

    @Test func `of a later form says so`() {
        #expect(throws: SummaryError.unknownForm(3)) { try [UInt8(3), 0, 0].withSpan { try BlockSummary($0) } }
    }
}

@Suite struct `What is said of several blocks` {
    /// Blocks of one trace, of up to three layouts, as they follow one another. Rows of some lack values.
    private static func blocks(_ numbers: inout SeededGenerator) -> [BlockSummary] {
        let layouts = (0..<3).map { _ in Layout.random(using: &numbers) }
        var first: UInt64 = numbers.next() >> 30
        return (0..<Int.random(in: 1...12, using: &numbers)).map { _ in
            let count = Int.random(in: 1...20, using: &numbers)
            let layout = layouts.randomElement(using: &numbers)
            let random = TraceRows.random(count, layout, isMixed: numbers.chance(0.4), using: &numbers)
            var rows = TraceRows(random.layout, first: first)
            (rows.times, rows.ticks, rows.columns) = (random.times, random.ticks, random.columns)
            (rows.patterns, rows.marks) = (random.patterns, random.marks)
            if numbers.chance(0.2) { rows.marks.append(Mark(.gap, before: count, count: 7)) }
            first += UInt64(count)
            return BlockSummary(of: rows, after: nil)
        }
    }

    private static func joined(_ blocks: [BlockSummary]) -> JoinedSummary {
        blocks.reduce(into: JoinedSummary()) { $0.append(JoinedSummary($1)) }
    }

    @Test(arguments: UInt64(0)..<100)
    func `is what the blocks say, comes back from its bytes, and may be joined in parts`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let blocks = Self.blocks(&numbers)
        let joined = Self.joined(blocks)
        #expect(joined.isInOrder && joined.blockCount == blocks.count)
        #expect(joined.rowCount == blocks.reduce(0) { $0 + $1.count })
        #expect(joined.end == blocks[blocks.count - 1].first + blocks[blocks.count - 1].count)
        #expect(joined.isAfterGap == blocks[0].isAfterGap && joined.isBeforeGap == blocks.last?.isBeforeGap)
        for part in joined.parts {
            let own = blocks.filter { $0.layout == part.layout }
            #expect(part.first == own.first?.first && part.firstTime == own.first?.firstTime)
            #expect(part.lastTime == own.last?.lastTime && part.gapCount == own.reduce(0) { $0 + $1.gapCount })
            #expect(part.cells.map(\.first) == own.first?.cells.map(\.first))
            #expect(part.cells.map(\.last) == own.last?.cells.map(\.last))
            let counts = part.cells.indices.map { channel in own.reduce(0) { $0 + $1.cells[channel].count } }
            #expect(part.cells.map(\.count) == counts && part.patterns.isEmpty)
        }
        #expect(try joined.bytes.withSpan { try JoinedSummary($0) } == joined)
        let cut = Int.random(in: 0...blocks.count, using: &numbers)
        var parts = Self.joined(Array(blocks[..<cut]))
        parts.append(Self.joined(Array(blocks[cut...])))
        let isSame = parts == joined
        #expect(isSame)
    }

    @Test(arguments: UInt64(0)..<100)
    func `says when they did not come in order, and has their sums all the same`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let blocks = Self.blocks(&numbers)
        let shuffled = blocks.shuffled(using: &numbers)
        let (joined, other) = (Self.joined(blocks), Self.joined(shuffled))
        #expect(other.isInOrder == (shuffled == blocks))
        func sums(_ joined: JoinedSummary) -> [[Int128]] {
            joined.parts.map { part in
                part.cells.map(\.sum) + part.cells.map { Int128($0.least) } + [part.totals.charge, Int128(part.first)]
            }
        }
        #expect(sums(other) == sums(joined) && other.rowCount == joined.rowCount && other.end == joined.end)
        #expect(other.leastTime == joined.leastTime && other.missingCount == joined.missingCount)
    }

    @Test(arguments: UInt64(0)..<20)
    func `is refused where its bytes were cut, and never traps`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let joined = Self.joined(Self.blocks(&numbers))
        let bytes = joined.bytes
        for end in bytes.indices {
            let read = try? bytes[..<end].withUnsafeBytes { try JoinedSummary($0.bytes) }
            #expect(read.map { $0.parts.count < joined.parts.count } ?? true)
        }
        for _ in 0..<500 {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            guard var other = try? damaged.withSpan({ try JoinedSummary($0) }) else { continue }
            other.append(joined)
        }
    }
}

@Suite struct `A sealed block` {
    private func rows(_ count: Int, channels: Int, to limit: Int64, _ numbers: inout SeededGenerator) -> TraceRows {
        var rows = TraceRows(Layout((0..<channels).map { Channel("c\($0)", .none, decimals: 0) }), first: 0)
        for row in 0..<count {
            rows.times.append(Int64(row))
            for column in 0..<channels { rows.columns[column].append(.random(in: 0...limit, using: &numbers)) }
        }
        return rows
    }

    @Test(arguments: UInt64(0)..<300)
    func `leaves less of its pages empty than another block would take, or is small`(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let limit = Int64.random(in: 1...600, using: &numbers)
        var rows = rows(
            .random(in: 1...4096, using: &numbers), channels: .random(in: 1...9, using: &numbers), to: limit, &numbers)
        var count = 0
        while rows.count > 0 {
            let (block, taken) = SealedBlock.filling(pagesWith: rows, after: nil)
            #expect(taken >= 1 && block.summary.count == UInt64(taken) && block.summary.first == UInt64(count))
            let beside = block.summary.bytes.count + SealedBlock.envelope
            let bytes = block.content.count + beside
            // Two of 2,022 bytes share a page; others have pages of their own, with a header of 16 bytes.
            let room = bytes <= 2_022 ? 2_022 : (bytes + 16 + 4_095) / 4_096 * 4_096 - 16
            #expect(room - bytes <= beside || taken == rows.count && bytes <= 2_022, "\(bytes) of \(room)")
            count += taken
            rows = rows.split(at: taken).1
        }
    }
}

@Suite struct `The last rows of a trace` {
    /// Rows of three channels with noise.
    private func rows(_ count: Int) -> TraceRows {
        var numbers = SeededGenerator(seed: 7)
        var rows = TraceRows(Layout((0..<3).map { Channel("c\($0)", .none, decimals: 0) }), first: 0)
        for row in 0..<count {
            rows.times.append(Int64(row))
            for column in 0..<3 { rows.columns[column].append(.random(in: 0...255, using: &numbers)) }
        }
        return rows
    }

    @Test func `are one block where less than a quarter of them would be left, and two else`() {
        var (kept, parted) = (0, 0)
        for count in stride(from: 600, through: 4_000, by: 100) {
            let rows = rows(count)
            let cut = SealedBlock.filling(pagesWith: rows, after: nil).count
            let last = SealedBlock.filling(pagesWith: rows, after: nil, isLast: true).count
            if cut == count {
                #expect(last == count)
            } else if count - cut < count / 4 {
                #expect(last == count, "\(count - cut) of \(count) rows would be left")
                kept += 1
            } else {
                #expect(last == cut)
                parted += 1
            }
        }
        #expect(kept > 2 && parted > 2, "both happen")
    }
}

@Suite struct `The address of a meter` {
    @Test func `is the same however it is written`() {
        let forms = ["00:15:A5:00:11:22", "0015a5001122", "00-15-a5-00-11-22", "0015.A500.1122", " 00 15 A5 00 11 22"]
        for form in forms {
            #expect(MACAddress(form)?.description == "00:15:A5:00:11:22")
            #expect(MACAddress(form).map { Metering.meterID($0) } == Metering.meterID(MACAddress(forms[0])!))
        }
    }

    @Test(arguments: ["", "00:15:A5:00:11", "00:15:A5:00:11:22:33", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "meter"])
    func `is refused where it is none`(text: String) { #expect(MACAddress(text) == nil) }
}
