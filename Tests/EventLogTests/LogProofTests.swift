import Foundation
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import Testing

@Suite struct `Proofs out of a log` {
    private static let other = ReplicaID(high: 9, low: 9)

    /// A log of 1,100 events, hashed and stored as far as `sealedCount`.
    private static func store(sealedCount: Int) throws -> TestLog {
        let store = try TestLog()
        for part in [sealedCount, 1_100 - sealedCount] {
            try store.append(part)
            try store.append(1, as: other)
            if part == sealedCount {
                try store.log.sealPending()
                try store.append(1, as: other)
            }
        }
        return store
    }

    /// Sizes around the ends of blocks, and others.
    private static let sizes: [UInt64] = [1, 2, 3, 100, 255, 256, 257, 300, 511, 512, 513, 700, 768, 1024, 1099, 1100]

    @Test(arguments: [0, 600, 1_100])
    func `of an event lead to the root of every size that has it`(sealedCount: Int) throws {
        let store = try Self.store(sealedCount: sealedCount)
        let leaves = try Contents(of: store.log).leaves(of: store.replica)
        for size in Self.sizes {
            let root = Contents.root(of: leaves.prefix(Int(size)))
            for sequence in Self.sizes where sequence <= size {
                let event = EventID(store.replica, sequence)
                let proof = try #require(try store.log.inclusionProof(of: event, size: size))
                let leaf = try #require(try store.log.leaf(of: event))
                #expect(leaf == leaves[Int(sequence) - 1])
                #expect(proof.root(leaf: leaf) == root)
            }
        }
        let head = try store.log.inclusionProof(of: EventID(store.replica, 77))
        #expect(try head == store.log.inclusionProof(of: EventID(store.replica, 77), size: 1_100))
    }

    @Test(arguments: [0, 600, 1_100])
    func `of two sizes hold between their roots`(sealedCount: Int) throws {
        let store = try Self.store(sealedCount: sealedCount)
        let leaves = try Contents(of: store.log).leaves(of: store.replica)
        for later in Self.sizes {
            for earlier in Self.sizes where earlier <= later {
                let proof = try #require(
                    try store.log.consistencyProof(of: store.replica, from: earlier, to: later))
                let (old, new) = (leaves.prefix(Int(earlier)), leaves.prefix(Int(later)))
                #expect(proof.holds(from: Contents.root(of: old), to: Contents.root(of: new)))
            }
        }
    }

    @Test func `read no events of stored blocks, and are not made of damaged ones`() throws {
        let intact = try IntactLog()
        let replica = intact.store.replica
        let damaged = try #require(intact.contents.ids.firstIndex(of: EventID(replica, 10)))
        let frame = try #require(intact.pages.frames[UInt64(damaged) + 1])
        var bytes = intact.pages.bytes
        bytes[frame.bytes.upperBound - 1] ^= 1
        let path = intact.store.folder.appending(path: "damaged.mdb").path
        try Data(bytes).write(to: URL(filePath: path))
        let log = try EventLog(opening: path)
        defer { try? log.close() }
        let proof = try #require(try log.inclusionProof(of: EventID(replica, 280)))
        let leaf = try #require(try log.leaf(of: EventID(replica, 280)))
        #expect(try proof.root(leaf: leaf) == intact.contents.root(of: replica))
        #expect(try log.consistencyProof(of: replica, from: 256, to: 280) != nil)
        #expect(throws: EventLogError.self) { try log.inclusionProof(of: EventID(replica, 9)) }
        #expect(throws: EventLogError.self) { try log.root(of: replica, through: 100) }
    }

    @Test func `of what is not here do not exist`() throws {
        let store = try TestLog()
        try store.append(5)
        let replica = store.replica
        #expect(try store.log.inclusionProof(of: EventID(replica, 6)) == nil)
        #expect(try store.log.inclusionProof(of: EventID(replica, 0)) == nil)
        #expect(try store.log.inclusionProof(of: EventID(replica, 5), size: 4) == nil)
        #expect(try store.log.inclusionProof(of: EventID(replica, 5), size: 6) == nil)
        #expect(try store.log.inclusionProof(of: EventID(Self.other, 1)) == nil)
        #expect(try store.log.leaf(of: EventID(replica, 6)) == nil)
        #expect(try store.log.consistencyProof(of: replica, from: 0, to: 5) == nil)
        #expect(try store.log.consistencyProof(of: replica, from: 4, to: 6) == nil)
        #expect(try store.log.consistencyProof(of: replica, from: 5, to: 4) == nil)
    }
}
