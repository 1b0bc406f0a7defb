import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogRepair
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

    /// How far the tree is hashed and stored when it is asked for.
    enum Sealing: CaseIterable {
        case never, inMemory, storedInPart, stored
    }

    @Test(arguments: Sealing.allCases)
    func `the root and the edge at every past size are those of RFC 6962`(sealing: Sealing) throws {
        let store = try TestLog()
        try store.append(700)
        try store.append(2, as: ReplicaID(high: 9, low: 9))
        switch sealing {
        case .never: break
        case .inMemory: try store.log.sealPending()
        case .storedInPart, .stored:
            try store.log.sealPending()
            try store.append(1)
        }
        try store.append(620)
        if sealing == .stored {
            try store.log.sealPending()
            try store.append(1)
        }
        let leaves = try Contents(of: store.log).leaves(of: store.replica)
        var hasher = MerkleHasher()
        var edge = MerkleEdge()
        for size in 0...leaves.count {
            if size > 0 { edge.append(leaf: leaves[size - 1], hasher: &hasher) }
            guard size % 37 == 0 || size % 256 < 2 || size % 256 == 255 || size > leaves.count - 3 else { continue }
            #expect(try store.log.edge(of: store.replica, through: UInt64(size)) == edge)
            let root = Contents.root(of: leaves[..<size])
            #expect(try store.log.root(of: store.replica, through: UInt64(size)) == root)
        }
    }

    @Test func `there is no root past the last event`() throws {
        let store = try TestLog()
        try store.append(3)
        #expect(try store.log.root(of: store.replica, through: 3) != nil)
        #expect(try store.log.root(of: store.replica, through: 4) == nil)
        #expect(try store.log.edge(of: ReplicaID(high: 9, low: 9), through: 1) == nil)
        #expect(try store.log.edge(of: ReplicaID(high: 9, low: 9), through: 0) == MerkleEdge())
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
