import LMDB
import Testing

@Suite struct `A thin whole` {
    @Test func `what is written is read`() throws {
        let path = "/tmp/lmdb-thin-\(UInt64.random(in: 0 ... .max))"
        try Environment.create(at: path, options: .init()) { transaction in
            let table = try transaction.openOrCreate("numbers", of: UInt64.self)
            try transaction.withCursor(table) { cursor in
                for number in UInt64(0)..<1000 {
                    try cursor.append([UInt8(truncatingIfNeeded: number)].span.bytes, for: number)
                }
            }
        }
        let environment = try Environment.open(path)
        try environment.read { transaction in
            let table = try #require(try transaction.table("numbers", of: UInt64.self))
            #expect(try transaction.value(7, in: table) == [7])
            #expect(try transaction.count(of: table) == 1000)
            var sum = 0
            try transaction.withCursor(table) { cursor in
                try cursor.forEach(from: 990) { key, value in
                    sum += Int(UInt64(keyBytes: key)!); return true
                }
            }
            #expect(sum == (990..<1000).reduce(0, +))
        }
    }
}
