import Foundation
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveEventLog
@testable import GroundwaveLogRepair
@testable import GroundwaveMDBPages

@Suite struct `Verifying on several cores` {
    static let store = Result { try EveryByteLog() }
    let store: EveryByteLog

    init() throws { store = try Self.store.get() }

    /// The report of the log with `bytes`, by one core and by several with parts of several sizes.
    private func reports(_ bytes: [UInt8]) throws -> [LogReport] {
        let path = store.path + "-cores-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(filePath: path))
        return try [(1, 64), (2, 1), (2, 3), (3, 64), (9, 2)].map { cores, leafCount in
            try LogVerifier.verify(path: path, cores: cores, leafCount: leafCount)
        }
    }

    @Test func `gives the same report of a whole log`() throws {
        let reports = try reports(store.pages.bytes)
        #expect(reports.allSatisfy { $0 == store.report })
        #expect(store.report.ok)
    }

    @Test(arguments: UInt64(1)...4)
    func `gives the same report of a log with some bytes changed, or a page, or the end cut off`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        var damaged = 0
        for round in 0..<60 {
            var bytes = store.pages.bytes
            switch round % 4 {
            case 0:
                let page = Int.random(in: 2..<bytes.count / 4096, using: &numbers)
                for offset in page * 4096..<(page + 1) * 4096 {
                    bytes[offset] = UInt8.random(in: 0...255, using: &numbers)
                }
            case 1:
                let (from, to) = (Int.random(in: 2..<60, using: &numbers), Int.random(in: 2..<60, using: &numbers))
                bytes.replaceSubrange(to * 4096..<(to + 1) * 4096, with: bytes[from * 4096..<(from + 1) * 4096])
            case 2: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &numbers))
            default:
                for _ in 0..<Int.random(in: 1...20, using: &numbers) {
                    bytes[Int.random(in: 8192..<bytes.count, using: &numbers)] ^= UInt8.random(
                        in: 1...255, using: &numbers)
                }
            }
            let reports = try reports(bytes)
            for report in reports.dropFirst() { #expect(report == reports[0], "round \(round)") }
            if !reports[0].ok { damaged += 1 }
        }
        #expect(damaged > 30)
    }

    @Test(arguments: [1, 2, 5], [1, 2, 7, 1_000])
    func `goes through all leaves in parts, in order, and is given up where a page is damaged`(
        cores: Int, leafCount: Int
    ) throws {
        var walk = try partedWalk(store.path, cores: cores, leafCount: leafCount)
        var positions: [Position] = []
        var parts = 0
        let isSound = walk.walk { part in
            positions += part.rows.map(\.position)
            parts += 1
            return part.isSound
        }
        #expect(isSound)
        #expect(positions == Array(1...UInt64(store.contents.ids.count)))
        let leaves = try #require(store.pages.leaves["events"])
        #expect(parts == (leaves.count + leafCount - 1) / leafCount)
        #expect(walk.counts.leafPages == UInt64(leaves.count))
        for leaf in leaves { #expect(walk.reader.used.contains(UInt64(leaf))) }
        let pages = leaves + (store.pages.branches["events"] ?? []) + store.pages.overflows
        let path = store.path + "-parts-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for page in pages {
            var bytes = store.pages.bytes
            bytes[page * 4096 + 10] ^= 0x40
            try Data(bytes).write(to: URL(filePath: path))
            var damaged = try partedWalk(path, cores: cores, leafCount: leafCount)
            let isSound = damaged.walk(\.isSound)
            #expect(!isSound, "page \(page)")
        }
    }

    /// A walk through the events of the log at `path`.
    private func partedWalk(_ path: String, cores: Int, leafCount: Int) throws -> ParallelWalk<CheckedRows> {
        struct Events: RowVisitor {
            var record: TreeRecord?

            mutating func row(key: RawSpan, value: RawSpan) {
                if key.toArray() == Array("events".utf8) { record = TreeRecord(at: 0, of: value) }
            }

            mutating func damage(_ damage: PageDamage) {}
        }
        let file = try PageFile(path)
        let meta = try #require(MetaPage.newest(of: file))
        var reader = try PageReader(file, meta: meta)
        var tables = Events()
        _ = reader.walk(meta.main, holdsTables: true, valueLimit: TreeRecord.byteCount, &tables)
        return ParallelWalk(
            reader, try #require(tables.record), valueLimit: EventLimits.batchBytes, cores: cores, leafCount: leafCount,
            CheckedRows())
    }

    @Test(arguments: 1...4)
    func `work that takes longer and shorter comes back in the order in which it was given`(cores: Int) {
        var work = OrderedWork<Int>(cores: cores)
        var results: [Int] = []
        for number in 0..<200 {
            work.add {
                if number % 7 == 0 { Thread.sleep(forTimeInterval: 0.002) }
                return number
            }
            if work.isFull, let result = work.next() { results.append(result) }
        }
        while let result = work.next() { results.append(result) }
        #expect(results == Array(0..<200))
        let none = work.next()
        #expect(none == nil)
    }
}
