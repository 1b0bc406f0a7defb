import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogRepair
import GroundwaveMDBPages
import GroundwaveSeededNumbers
import Testing

@Suite struct `Verifying what is left of a log file` {
    static let intact = Result { try IntactLog() }
    let intact: IntactLog

    init() throws { intact = try Self.intact.get() }

    @Test func `a file cut off at any page is not whole, and what is gone is named`() throws {
        for end in stride(from: 0, to: intact.pages.bytes.count, by: 4096 * 3) {
            let report = try intact.verify(Array(intact.pages.bytes[..<end]))
            #expect(!report.ok)
            #expect(report.damage.contains { $0.what == .file || $0.what == .meta })
            // With the main table in what is left, the rest is told apart.
            if report.epoch != nil {
                let isAccountedFor = intact.accounts(for: report)
                #expect(isAccountedFor, "cut at \(end)")
            }
        }
    }

    @Test(arguments: UInt64(1)...3)
    func `a file cut off anywhere is not whole`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let end = Int.random(in: 0..<intact.pages.bytes.count, using: &numbers)
            let report = try intact.verify(Array(intact.pages.bytes[..<end]))
            #expect(!report.ok)
        }
    }

    @Test(arguments: [0, 1])
    func `with one meta page gone the events are found through the other`(page: Int) throws {
        let report = try intact.verify { bytes in for index in 0..<4096 { bytes[page * 4096 + index] = 0 } }
        #expect(report.damage.map(\.what) == [.meta])
        #expect(report.events == UInt64(intact.contents.ids.count))
    }

    @Test(arguments: [8192, 16384, 32768], [0, 1])
    func `pages of another size are read, also where a meta page is gone`(pageSize: Int, newest: Int) throws {
        var bytes = Repaginated(intact.pages, pageSize: pageSize, newestMeta: newest).bytes
        #expect(try intact.verify(bytes) == intact.report)
        let other = (1 - newest) * pageSize
        for index in other..<other + pageSize { bytes[index] = 0 }
        let report = try intact.verify(bytes)
        #expect(report.damage.map(\.what) == [.meta])
        #expect(report.replicas == intact.report.replicas)
    }

    @Test func `with both meta pages gone the report says so and counts nothing`() throws {
        let report = try intact.verify { bytes in for index in 0..<8192 { bytes[index] = 0 } }
        #expect(report.damage.map(\.what) == [.meta])
        #expect(report.events == 0)
    }

    @Test func `an older meta page in place of the newest is seen`() throws {
        // The transaction that the page says must be the neighbour of the other one.
        let newest = intact.pages.bytes[144] > intact.pages.bytes[4096 + 144] ? 144 : 4096 + 144
        for step in [2, 4, 6] as [UInt8] {
            let report = try intact.verify { $0[newest] -= step + 1 }
            #expect(!report.ok)
        }
    }

    @Test(arguments: [UInt8(0), 0xFF, 0x47])
    func `a file without anything of a log is none`(byte: UInt8) throws {
        for count in [0, 1, 151, 4096, 8192, 100_000] {
            let report = try intact.verify([UInt8](repeating: byte, count: count))
            #expect(!report.ok)
            #expect(report.events == 0)
        }
    }

    @Test func `a missing file, a folder and a pipe are errors, not reports`() throws {
        #expect(throws: PageFileError.self) { try LogVerifier.verify(path: intact.store.path + "-none") }
        #expect(throws: PageFileError.self) { try LogVerifier.verify(path: intact.store.folder.path) }
        let pipe = intact.store.folder.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: PageFileError.self) { try LogVerifier.verify(path: pipe) }
    }

    @Test(arguments: UInt64(1)...6)
    func `pages as they were some commits ago are seen`(seed: UInt64) throws {
        let store = try TestLog()
        try store.append(300, sizes: .few)
        let older = [UInt8](try Data(contentsOf: URL(filePath: store.path)))
        for _ in 0..<Int(seed) { try store.append(30, batchCount: 3) }
        let count = try store.log.lastPosition()
        try store.log.close()
        let pages = try LivePages(path: store.path)
        let live = pages.leaves.values.flatMap { $0 } + pages.branches.values.flatMap { $0 }
        var stale = 0
        for page in live where (page + 1) * 4096 <= older.count {
            let range = page * 4096..<(page + 1) * 4096
            guard older[range] != pages.bytes[range] else { continue }
            stale += 1
            var bytes = pages.bytes
            bytes.replaceSubrange(range, with: older[range])
            let report = try intact.verify(bytes)
            let isSeen = !report.ok
            #expect(isSeen, "page \(page)")
            // A stale main table leads to an older state that is whole in itself: only the free pages give it away.
            if pages.leaves["main"]?.contains(page) == false {
                #expect(report.events + report.missing.reduce(0) { $0 + $1.count } == count, "page \(page)")
            }
        }
        #expect(stale > 0)
    }
}
