import GroundwaveLMDB
import Testing

@Suite struct `A cursor` {
    let environment: Environment
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        environment = try Environment.make(folder(), keys: 10..<20)
    }

    /// Runs `body` in a write transaction with the table "entries", which holds the keys 10 to 19.
    private func onTable(_ body: (borrowing WriteTransaction, Table<UInt64>) throws -> Void) throws {
        try environment.write { transaction in
            try body(transaction, try #require(try transaction.table(entries, of: UInt64.self)))
        }
    }

    @Test func `starts on no entry`() throws {
        try onTable { transaction, table in
            try transaction.withCursor(table) { (cursor) throws in
                #expect(cursor.key == nil)
                #expect(try reason { try cursor.withEntry { _, _ in } } == .noEntry)
                #expect(try reason { try cursor.remove() } == .noEntry)
                #expect(try reason { try cursor.replace(with: [1]) } == .noEntry)
            }
        }
    }

    @Test func `leaves its entry when a move finds nothing`() throws {
        try onTable { transaction, table in
            try transaction.withCursor(table) { (cursor) throws in
                #expect(try cursor.last())
                #expect(try cursor.next() == false)
                #expect(cursor.key == nil)
                #expect(try cursor.seek(to: 99) == false)
                #expect(try reason { try cursor.withEntry { _, _ in } } == .noEntry)
                #expect(try cursor.seek(atOrAfter: 20) == false)
                #expect(try cursor.seek(atOrAfter: 0))
                #expect(cursor.key == 10)
            }
        }
    }

    @Test func `of an empty table finds nothing`() throws {
        try environment.write { transaction in
            let table = try transaction.openOrCreate("empty", of: UInt64.self)
            try transaction.withCursor(table) { (cursor) throws in
                #expect(try cursor.first() == false)
                #expect(try cursor.last() == false)
                #expect(try cursor.next() == false)
                #expect(try cursor.previous() == false)
                #expect(try cursor.seek(atOrAfter: 0) == false)
                try cursor.forEach { _, _ in
                    Issue.record("There is nothing to lend.")
                    return true
                }
            }
        }
    }

    @Test func `is off its entry once the table is emptied`() throws {
        try onTable { transaction, table in
            try transaction.withCursor(table) { (cursor) throws in
                #expect(try cursor.first())
                try transaction.removeAll(in: table)
                #expect(cursor.key == nil)
                #expect(try reason { try cursor.withEntry { _, _ in } } == .noEntry)
                #expect(try cursor.first() == false)
            }
        }
    }

    @Test func `is on the entry it appended, and on none if that was refused`() throws {
        try onTable { transaction, table in
            try transaction.withCursor(table) { (cursor) throws in
                try cursor.append([7], for: 30)
                #expect(cursor.key == 30)
                #expect(try cursor.withEntry { [UInt8](bytes: $1) } == [7])
                #expect(try reason { try cursor.append([7], for: 30) } == .keyOrder)
                #expect(cursor.key == nil)
                #expect(try transaction.value(30, in: table) == [7])
            }
        }
    }

    @Test func `shows the new value after its entry was written`() throws {
        try onTable { transaction, table in
            try transaction.withCursor(table) { (cursor) throws in
                #expect(try cursor.seek(to: 15))
                try transaction.put([1, 2, 3], for: 15, in: table)
                #expect(try cursor.withEntry { [UInt8](bytes: $1) } == [1, 2, 3])
            }
        }
    }

    @Test func `stops where the closure says so and stays there`() throws {
        try onTable { transaction, table in
            try transaction.withCursor(table) { (cursor) throws in
                var seen: [UInt64] = []
                try cursor.forEach(from: 12) { key, _ in
                    seen.append(UInt64(keyBytes: key) ?? 0)
                    return seen.count < 3
                }
                #expect(seen == [12, 13, 14])
                #expect(cursor.key == 14)
                #expect(try cursor.next())
                #expect(cursor.key == 15)
            }
        }
    }

    @Test func `gives back what was lent when the closure throws`() throws {
        struct Refused: Error {}
        try onTable { transaction, table in
            try transaction.withCursor(table) { (cursor) throws in
                #expect(throws: Refused.self) { try cursor.forEach { _, _ in throw Refused() } }
                #expect(throws: Refused.self) { try cursor.withEntry { _, _ in throw Refused() } }
            }
            #expect(throws: Refused.self) { try transaction.withValue(10, in: table) { _ in throw Refused() } }
            try transaction.put([1], for: 10, in: table)
        }
        #expect(try environment.allEntries()[10] == [1])
    }

    @Test func `of another table may be open at the same time`() throws {
        try onTable { transaction, table in
            let copy = try transaction.openOrCreate("copy", of: UInt64.self)
            try transaction.withCursor(table) { from in
                try transaction.withCursor(copy) { to in
                    while try from.next() {
                        let bytes = try from.withEntry { [UInt8](bytes: $1) }
                        try to.append(bytes, for: from.key ?? 0)
                    }
                }
            }
            #expect(try transaction.count(of: copy) == 10)
        }
    }
}
