import GroundwaveLMDB
import Testing

@Suite struct `Entries of a table` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs `body` in a write transaction on an empty table with byte keys.
    private func onTable(_ body: (borrowing WriteTransaction, Table<[UInt8]>) throws -> Void) throws {
        let environment = try Environment.make(folder())
        try environment.write { transaction in
            try body(transaction, try transaction.openOrCreate("bytes", of: [UInt8].self))
        }
    }

    @Test func `what is put is found, and what is not put is absent`() throws {
        try onTable { (transaction, table) throws in
            try transaction.put([1, 2, 3], for: [7], in: table)
            try transaction.put([], for: [8], in: table)
            #expect(try transaction.value([7], in: table) == [1, 2, 3])
            #expect(try transaction.value([8], in: table) == [])
            #expect(try transaction.value([9], in: table) == nil)
            #expect(try transaction.withValue([7], in: table) { $0.byteCount } == 3)
            #expect(try transaction.withValue([9], in: table) { $0.byteCount } == nil)
            try transaction.put([4], for: [7], in: table)
            #expect(try transaction.value([7], in: table) == [4])
            #expect(try transaction.count(of: table) == 2)
        }
    }

    @Test func `an append that sorts last is stored, any other is refused`() throws {
        try onTable { (transaction, table) throws in
            try transaction.append([1], for: [5], in: table)
            try transaction.append([2], for: [5, 0], in: table)
            for key: [UInt8] in [[5, 0], [5], [4, 255]] {
                #expect(try reason { try transaction.append([3], for: key, in: table) } == .keyOrder)
                #expect(
                    try reason {
                        try transaction.withCursor(table) { try $0.append([3], for: key) }
                    } == .keyOrder)
            }
            #expect(try transaction.count(of: table) == 2)
            #expect(try transaction.value([5, 0], in: table) == [2])
        }
    }

    @Test func `an insert stores only a new key`() throws {
        try onTable { (transaction, table) throws in
            #expect(try transaction.insert([1], for: [5], in: table))
            #expect(try transaction.insert([2], for: [5], in: table) == false)
            #expect(try transaction.value([5], in: table) == [1])
        }
    }

    @Test func `a reserved value is filled in place and starts as zeros`() throws {
        try onTable { (transaction, table) throws in
            // Leave other bytes behind in the page that is then used again.
            try transaction.put([UInt8](repeating: 0xFF, count: 300), for: [1], in: table)
            #expect(try transaction.remove([1], in: table))
            try transaction.reserve(byteCount: 300, for: [1], in: table) { bytes in
                #expect(bytes.byteCount == 300)
                bytes.storeBytes(of: 0x0102_0304, toByteOffset: 4, as: UInt32.self)
            }
            var expected = [UInt8](repeating: 0, count: 300)
            withUnsafeBytes(of: UInt32(0x0102_0304)) { expected.replaceSubrange(4..<8, with: $0) }
            #expect(try transaction.value([1], in: table) == expected)
            #expect(
                try reason { try transaction.reserve(byteCount: 1, for: [0], in: table, append: true) { _ in } }
                    == .keyOrder)
            #expect(
                try reason { try transaction.reserve(byteCount: -1, for: [9], in: table) { _ in } }
                    == .valueTooLarge(byteCount: -1))
        }
    }

    @Test func `removing says whether there was something`() throws {
        try onTable { (transaction, table) throws in
            try transaction.put([1], for: [5], in: table)
            #expect(try transaction.remove([5], in: table))
            #expect(try transaction.remove([5], in: table) == false)
            try transaction.put([1], for: [5], in: table)
            try transaction.removeAll(in: table)
            #expect(try transaction.count(of: table) == 0)
        }
    }

    @Test func `keys have 1 to 511 bytes`() throws {
        try onTable { (transaction, table) throws in
            for count in [0, 512, 100_000] {
                let key = [UInt8](repeating: 1, count: count)
                let refusal = LMDBError.Reason.keySize(byteCount: count)
                #expect(try reason { try transaction.put([1], for: key, in: table) } == refusal)
                #expect(try reason { try transaction.append([1], for: key, in: table) } == refusal)
                #expect(try reason { _ = try transaction.insert([1], for: key, in: table) } == refusal)
                #expect(try reason { try transaction.reserve(byteCount: 1, for: key, in: table) { _ in } } == refusal)
                #expect(try reason { _ = try transaction.value(key, in: table) } == refusal)
                #expect(try reason { _ = try transaction.remove(key, in: table) } == refusal)
                try transaction.withCursor(table) { (cursor) throws in
                    #expect(try reason { _ = try cursor.seek(to: key) } == refusal)
                    #expect(try reason { _ = try cursor.seek(atOrAfter: key) } == refusal)
                    #expect(try reason { try cursor.append([1], for: key) } == refusal)
                }
            }
            for count in [1, 511] {
                let key = [UInt8](repeating: 1, count: count)
                try transaction.put([UInt8(count & 0xFF)], for: key, in: table)
                #expect(try transaction.value(key, in: table) == [UInt8(count & 0xFF)])
            }
        }
        #expect(maximumKeyByteCount == 511)
    }

    @Test func `a value of many pages comes back whole`() throws {
        let large = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try onTable { try $0.put(large, for: [1], in: $1) }
        let found = try Environment.open(folder()).read { transaction in
            try transaction.value([1], in: try #require(try transaction.table("bytes", of: [UInt8].self)))
        }
        #expect(found == large)
    }

    @Test func `numbers sort as numbers`() throws {
        let environment = try Environment.make(folder())
        let numbers: [UInt64] = [0, 1, 255, 256, 65_535, 1 << 32, .max - 1, .max]
        let found: [UInt64] = try environment.write { transaction in
            let table = try transaction.openOrCreate(entries, of: UInt64.self)
            for number in numbers.reversed() { try transaction.put([], for: number, in: table) }
            var found: [UInt64] = []
            try transaction.withCursor(table) { cursor in
                while try cursor.next() { found.append(cursor.key ?? 7) }
            }
            return found
        }
        #expect(found == numbers)
    }

    @Test func `bytes that are no number give no number`() {
        #expect(UInt64(bytes: [UInt8](repeating: 0, count: 7)) == nil)
        #expect(UInt64(bytes: [UInt8](repeating: 0, count: 9)) == nil)
        #expect(UInt64(bytes: [0, 0, 0, 0, 0, 0, 1, 2]) == 258)
    }
}
