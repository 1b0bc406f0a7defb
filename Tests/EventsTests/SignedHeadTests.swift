import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@Suite struct `A signed head` {
    private static let identity: Identity = {
        var generator = SeededGenerator(seed: 1)
        return Identity.random(using: &generator)
    }()
    private static let root = Hash256(hashing: [UInt8]([1, 2, 3]).span.bytes)
    private static let head = identity.sign(log: LogID(high: 1, low: 2), sequence: 300, root: root)

    private static func head(
        log: LogID? = nil, replica: ReplicaID? = nil, sequence: SequenceNumber? = nil, root: Hash256? = nil,
        publicKey: [UInt8]? = nil, signature: [UInt8]? = nil
    ) -> SignedHead {
        SignedHead(
            log: log ?? head.log, replica: replica ?? head.replica, sequence: sequence ?? head.sequence,
            root: root ?? head.root, publicKey: publicKey ?? head.publicKey, signature: signature ?? head.signature)
    }

    @Test func `is right as it was signed`() throws {
        try Self.head.check()
        #expect(Self.head.replica == Self.identity.replica)
    }

    @Test func `is refused with any other log, number or root`() {
        #expect(throws: SignedHeadError.wrongSignature) { try Self.head(log: LogID(high: 1, low: 3)).check() }
        #expect(throws: SignedHeadError.wrongSignature) { try Self.head(sequence: 301).check() }
        #expect(throws: SignedHeadError.wrongSignature) {
            try Self.head(root: Hash256(hashing: [UInt8]([1, 2]).span.bytes)).check()
        }
    }

    @Test func `is refused with any bit of the signature turned over`() {
        for bit in 0..<512 {
            var signature = Self.head.signature
            signature[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SignedHeadError.wrongSignature) { try Self.head(signature: signature).check() }
        }
    }

    @Test func `is refused with another key, even one that signed the same`() {
        var generator = SeededGenerator(seed: 2)
        let other = Identity.random(using: &generator).sign(log: LogID(high: 1, low: 2), sequence: 300, root: Self.root)
        #expect(throws: SignedHeadError.foreignKey) {
            try Self.head(publicKey: other.publicKey, signature: other.signature).check()
        }
        #expect(throws: SignedHeadError.foreignKey) { try Self.head(replica: other.replica).check() }
        for bit in 0..<256 {
            var key = Self.head.publicKey
            key[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SignedHeadError.foreignKey) { try Self.head(publicKey: key).check() }
        }
    }

    @Test func `of the wrong length is refused, and nothing traps`() {
        #expect(throws: SignedHeadError.foreignKey) { try Self.head(publicKey: []).check() }
        for length in [0, 1, 63, 65, 1000] {
            #expect(throws: SignedHeadError.wrongSignature) {
                try Self.head(signature: [UInt8](repeating: 1, count: length)).check()
            }
        }
    }
}
