import Foundation
import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

/// A made-up series whose blocks say the sum of their items: cells of 10, 40 and 160 items.
private let summed = KindSchema(
    name: "count", fields: [],
    series: SeriesSchema(
        itemsPerCell: 10, factor: 4, levelCount: 3,
        add: { summary, cell in
            guard summary.byteCount == 8 else { return nil }
            var writer = ByteWriter()
            let known = cell.map { $0.withSpan { $0.uint64(at: 0) } } ?? 0
            writer.append(littleEndian: known &+ summary.uint64(at: 0))
            return writer.bytes
        }))

/// Blocks by record and first item: what a log of them has to show.
private struct Expected: Equatable {
    /// By record and first item, in order: how many items, and what is said of them.
    var blocks: [UInt64: [UInt64: (count: UInt64, sum: UInt64)]] = [:]

    static func == (left: Expected, right: Expected) -> Bool { left.lines == right.lines }

    var lines: [String] {
        blocks.flatMap { record, blocks in blocks.map { "\(record) \($0.key) \($0.value.count) \($0.value.sum)" } }
            .sorted()
    }

    /// By level, record and first item of the cell: the sum.
    func cells(_ items: UInt64) -> [String] {
        var sums: [String: UInt64] = [:]
        for (record, blocks) in blocks {
            for (first, block) in blocks { sums["\(record) \(first / items * items)", default: 0] &+= block.sum }
        }
        return sums.map { "\($0.key) \($0.value)" }.sorted()
    }
}

@Suite struct `The series of records` {
    private static let records: [UInt64] = [1, 2, 3]

    private func change(_ record: UInt64, _ first: UInt64, _ count: UInt64, sum: UInt64) -> Change {
        var summary = ByteWriter()
        summary.append(littleEndian: sum)
        return Change(
            kind: "count", record: RecordID(high: 0, low: record),
            block: SeriesBlock(first: first, count: count, summary: summary.bytes, content: [1, 2, 3]))
    }

    /// Appends random blocks of random records, in any order.
    private func write(_ count: Int, to store: TestStore, seed: UInt64) throws -> Expected {
        var numbers = SeededGenerator(seed: seed)
        var expected = Expected()
        var changes: [Change] = []
        for record in Self.records {
            var first: UInt64 = 0
            for _ in 0..<count {
                let (count, sum) = (UInt64.random(in: 1...25, using: &numbers), numbers.next() >> 8)
                changes.append(change(record, first, count, sum: sum))
                expected.blocks[record, default: [:]][first] = (count, sum)
                first += count
            }
        }
        for change in changes.shuffled(using: &numbers) {
            try store.write([change])
            if numbers.chance(0.3) { try store.views.catchUp() }
        }
        try store.views.catchUp()
        return expected
    }

    private func shown(_ view: borrowing ViewReader) throws -> Expected {
        var shown = Expected()
        for record in Self.records {
            var last: UInt64?
            try view.forEachBlock(of: "count", RecordID(high: 0, low: record)) { block, summary in
                #expect(last.map { $0 < block.first } ?? true, "in order of the first items")
                last = block.first
                shown.blocks[record, default: [:]][block.first] = (block.count, summary.uint64(at: 0))
                return true
            }
        }
        return shown
    }

    private func cells(_ view: borrowing ViewReader, level: Int) throws -> [String] {
        var lines: [String] = []
        for record in Self.records {
            let isThere = try view.forEachCell(of: "count", RecordID(high: 0, low: record), level: level) {
                first, cell in
                lines.append("\(record) \(first) \(cell.uint64(at: 0))")
                return true
            }
            #expect(isThere)
        }
        return lines.sorted()
    }

    @Test(arguments: UInt64(0)..<20)
    func `have the blocks that were written, whatever their order, and cells that are their sums`(seed: UInt64) throws {
        let store = try TestStore(kinds: Kinds([TestStore.kind, summed]))
        let expected = try write(40, to: store, seed: seed)
        let digest = try store.views.read { view in
            let found = try shown(view)
            #expect(found == expected)
            for (level, items) in [(1, 10), (2, 40), (3, 160)] as [(Int, UInt64)] {
                let found = try cells(view, level: level)
                #expect(found == expected.cells(items))
            }
            return try view.digest()
        }
        try store.views.rebuild()
        try store.views.read { view in
            let (found, cells, after) = (try shown(view), try cells(view, level: 2), try view.digest())
            #expect(found == expected && cells == expected.cells(40) && after == digest)
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `are read from any item on`(seed: UInt64) throws {
        let store = try TestStore(kinds: Kinds([summed]))
        let expected = try write(20, to: store, seed: seed)
        try store.views.read { view in
            for start in UInt64(0)..<80 {
                var found: [UInt64] = []
                try view.forEachBlock(of: "count", RecordID(high: 0, low: 2), from: start) { block, _ in
                    found.append(block.first)
                    return found.count < 3
                }
                let wanted = (expected.blocks[2] ?? [:]).filter { $0.key + $0.value.count > start }.keys.sorted()
                #expect(found == Array(wanted.prefix(3)), "from \(start)")
            }
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `are read as coarsely as is wanted, each block once and in order`(seed: UInt64) throws {
        let store = try TestStore(kinds: Kinds([summed]))
        let expected = try write(60, to: store, seed: seed)
        var numbers = SeededGenerator(seed: seed)
        let blocks = (expected.blocks[2] ?? [:]).sorted { $0.key < $1.key }
        for share in [0, 0.3, 0.7, 1] {
            // The sum of what was handed out so far: a cell has to be that of the blocks that come next.
            var (next, taken) = (0, 0)
            try store.views.read { view in
                try view.descend("count", RecordID(high: 0, low: 2)) { cell in
                    guard numbers.chance(share) else { return false }
                    var sum = cell.uint64(at: 0)
                    while sum != 0, next < blocks.count {
                        sum = sum &- blocks[next].value.sum
                        next += 1
                    }
                    #expect(sum == 0, "a cell is of whole blocks")
                    taken += 1
                    return true
                } _: { block, summary in
                    #expect(block.first == blocks[next].key && summary.uint64(at: 0) == blocks[next].value.sum)
                    next += 1
                }
            }
            #expect(next == blocks.count && (taken > 0) == (share > 0))
        }
    }

    @Test func `are what they were when their items are withheld, and in a snapshot`() throws {
        let store = try TestStore(kinds: Kinds([TestStore.kind, summed]))
        let expected = try write(30, to: store, seed: 77)
        let digest = try store.views.read { try $0.digest() }
        _ = try store.log.erase(EventSet([EventRange(store.replica, 3, through: 60)]))
        try store.views.rebuild()
        #expect(try store.views.read { try $0.digest() } == digest)
        var bytes: [UInt8] = []
        func past(_ snapshots: [String] = []) throws -> PastViews {
            try PastViews(
                of: store.views, EventFilter(try store.log.vector(through: 45)),
                temporaryPath: store.folder.appending(path: "past").path, snapshots: snapshots)
        }
        let before = try past().read { try shown($0) }
        #expect(before.lines.count == 45 && before != expected)
        _ = try #require(try Snapshot.write(of: past(), created: 0) { bytes += $0 })
        let path = store.folder.appending(path: "a.snapshot").path
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try past([path]).read { try shown($0) } == before)
    }

    @Test func `are told as damaged where a row is not what was written`() throws {
        let store = try TestStore(kinds: Kinds([summed]))
        _ = try write(3, to: store, seed: 5)
        store.views.close()
        let path = store.folder.appending(path: "views.mdb").path
        let environment = try Environment.open(
            path,
            options: {
                var o = Environment.Options(); o.tables = 8; return o
            }())
        for name in ["blocks", "cells"] {
            try environment.write { transaction in
                let table = try #require(try transaction.table(name, of: [UInt8].self))
                let entry = try #require(
                    try transaction.withCursor(table) { cursor in
                        guard try cursor.first() else { return nil as ([UInt8], [UInt8])? }
                        return try cursor.withEntry { ($0.toArray(), $1.toArray()) }
                    })
                var value = entry.1
                value[value.count - 1] ^= 1
                try transaction.put(value.span.bytes, for: entry.0, in: table)
            }
        }
        environment.close()
        #expect(throws: ViewError.self) { try store.views.readOnce { _ = try shown($0) } }
        #expect(throws: ViewError.self) { try store.views.readOnce { _ = try cells($0, level: 1) } }
    }

    @Test func `are built anew where a block would be added to a cell that is damaged`() throws {
        let store = try TestStore(kinds: Kinds([summed]))
        try store.write([change(1, 0, 2, sum: 5)])
        try store.views.catchUp()
        store.views.close()
        var options = Environment.Options()
        options.tables = 8
        let environment = try Environment.open(store.folder.appending(path: "views.mdb").path, options: options)
        try environment.write { transaction in
            let table = try #require(try transaction.table("cells", of: [UInt8].self))
            let entry = try #require(
                try transaction.withCursor(table) { cursor in
                    guard try cursor.first() else { return nil as ([UInt8], [UInt8])? }
                    return try cursor.withEntry { ($0.toArray(), $1.toArray()) }
                })
            var value = entry.1
            value[value.count - 1] ^= 1
            try transaction.put(value.span.bytes, for: entry.0, in: table)
        }
        environment.close()
        try store.write([change(1, 2, 2, sum: 6)])
        try store.views.catchUp()
        #expect(store.views.rebuildsSoFar.last?.isRepair == true)
        #expect(try store.views.read { try cells($0, level: 1) } == ["1 0 11"])
    }
}
