import Foundation
import GroundwaveLMDB
import Testing

@Suite struct `A leaf that is not what LMDB wrote` {
    private let folder: TemporaryFolder
    private let intact: Data
    /// Where the leaf with the first keys starts.
    private let leaf: Int

    init() throws {
        folder = try TemporaryFolder()
        let environment = try Environment.make(folder(), keys: 0..<200)
        environment.close()
        intact = try Data(contentsOf: URL(filePath: folder()))
        let bytes = intact
        leaf = try #require(
            stride(from: 8192, to: bytes.count, by: 4096).first { page in
                bytes[page + 10] == 2 && bytes[page + 12] > 24
                    && bytes[page + 4096 - 208..<page + 4096 - 200].allSatisfy { $0 == 0 }
            })
    }

    /// Opens the file with `bytes` at an offset in the leaf.
    private func open(putting bytes: [UInt8], at offset: Int) throws -> Environment {
        var data = intact
        data.replaceSubrange(leaf + offset..<leaf + offset + bytes.count, with: bytes)
        try data.write(to: URL(filePath: folder()))
        return try Environment.open(folder())
    }

    private func isDamage(_ reason: LMDBError.Reason?) -> Bool {
        if case .damaged = reason { true } else { false }
    }

    @Test func `is told by its number, its kind, its free space and its slots`() throws {
        let changes: [(what: String, offset: Int, bytes: [UInt8])] = [
            ("a row is hidden", 12, [intact[leaf + 12] - 2]),
            ("the free space ends elsewhere", 14, [intact[leaf + 14] ^ 2]),
            ("a slot is that of the next row", 18, Array(intact[leaf + 20..<leaf + 22])),
            ("the kind is another", 10, [0x22]),
        ]
        for change in changes {
            let environment = try open(putting: change.bytes, at: change.offset)
            #expect(isDamage(try reason { _ = try environment.allEntries() }), "\(change.what)")
            environment.close()
        }
        let environment = try open(putting: [], at: 0)
        #expect(try environment.allEntries() == values(for: 0..<200))
    }

    @Test func `a page in the place of another is noticed once a second one was met`() throws {
        let environment = try open(putting: [intact[leaf] ^ 1], at: 0)
        #expect(isDamage(try reason { _ = try environment.allEntries() }))
    }
}

@Suite struct `A search that finds nothing` {
    private let folder: TemporaryFolder
    private let environment: Environment

    init() throws {
        folder = try TemporaryFolder()
        environment = try Environment.make(folder(), keys: 0..<1)
        try environment.write { transaction in
            let table = try transaction.openOrCreate(entries, of: UInt64.self)
            for key in stride(from: UInt64(2), to: 2_000, by: 2) {
                try transaction.put(value(for: key), for: key, in: table)
            }
        }
    }

    private struct Wrong: Error {}

    @Test func `looks at the entries on both sides, and goes where the plain search goes`() throws {
        try environment.read { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            for wanted in [UInt64(1), 2, 777, 778, 1_998, 1_999, 5_000] {
                var seen: [UInt64] = []
                let found = try transaction.withCursor(table) { cursor in
                    let isThere = try cursor.seek(atOrAfter: wanted) { key, _ in seen.append(UInt64(keyBytes: key) ?? 0)
                    }
                    return isThere ? cursor.key : nil
                }
                let next = wanted + wanted % 2
                #expect(found == (next < 2_000 ? next : nil))
                let isExact = wanted == next && wanted < 2_000
                let beside = isExact ? [wanted] : [next, next - 2].filter { $0 < 2_000 }
                #expect(seen == (wanted >= 2_000 ? [1_998] : beside))
                let value = try transaction.withValue(wanted, in: table, confirming: { _, _ in }) { $0.byteCount }
                #expect((value != nil) == isExact)
            }
        }
    }

    @Test func `fails where an entry beside its place is not what was written`() throws {
        try environment.read { transaction in
            let table = try #require(try transaction.table(entries, of: UInt64.self))
            for (wanted, wrong, fails) in [(UInt64(777), UInt64(776), true), (777, 778, true), (777, 780, false)] {
                var (failed, found) = (false, false)
                do {
                    let check = { (key: RawSpan, _: RawSpan) throws in
                        if UInt64(keyBytes: key) == wrong { throw Wrong() }
                    }
                    found = try transaction.withValue(wanted, in: table, confirming: check) { $0.byteCount } != nil
                } catch is Wrong {
                    failed = true
                }
                #expect(failed == fails && !found)
            }
        }
    }
}
