import ByteCoding
import EventLog
import Events
import Testing

@Suite struct `The tree over a replica's events` {
    @Test(arguments: [1, 2, 3, 255, 256, 257, 511, 512, 513, 1_000])
    func `the root is that of RFC 6962, sealed or not, and after reopening`(count: Int) throws {
        let store = try TestLog()
        try store.append(count / 3)
        try store.append(1, as: ReplicaID(high: 9, low: 9))
        try store.append(count - count / 3)
        let expected = try Contents(of: store.log).root(of: store.replica)
        #expect(try store.log.root(of: store.replica) == expected)
        try store.log.sealPending()
        #expect(try store.log.root(of: store.replica) == expected)
        try store.log.close()
        let log = try EventLog(opening: store.path)
        defer { try? log.close() }
        #expect(try log.root(of: store.replica) == expected)
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }

    @Test func `a replica without events has no root`() throws {
        let store = try TestLog()
        #expect(try store.log.root(of: store.replica) == nil)
    }

    @Test func `no block is lost when hashing and appending go on side by side`() throws {
        let store = try TestLog()
        let writer = BackgroundWork { for _ in 0..<150 { try store.append(128, batchCount: 128) } }
        while !writer.isDone { try store.log.sealPending() }
        try writer.check()
        try store.log.sealPending()
        try store.log.close()
        #expect(try LogVerifier.verify(path: store.path).damage == [])
    }
}
