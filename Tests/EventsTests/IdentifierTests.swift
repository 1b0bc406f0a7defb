import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

@Suite struct `An id of sixteen bytes` {
    @Test(arguments: UInt64(0)..<200)
    func `comes back from its text, its bytes and its halves`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let id = ReplicaID.random(using: &generator)
        #expect(id.description.count == 26)
        #expect(ReplicaID(text: id.description) == id)
        #expect(ReplicaID(text: id.description.lowercased()) == id)
        #expect(ReplicaID(text: "\(id.description.prefix(13))-\(id.description.dropFirst(13))") == id)
        #expect(ReplicaID(id.bytes) == id)
        #expect(ReplicaID(high: id.high, low: id.low) == id)
        #expect(ReplicaID(at: 3, of: ([1, 2, 3] + id.bytes).span.bytes) == id)
        #expect(id.description.hasPrefix(id.short) && id.short.count == 8)
    }

    @Test(arguments: UInt64(0)..<100)
    func `is ordered as its bytes and as its text`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let high = UInt64.random(in: 0...1, using: &generator)
        let left = RecordID(high: high, low: generator.next())
        let right = RecordID(high: UInt64.random(in: 0...1, using: &generator), low: generator.next())
        #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
        #expect((left < right) == (left.description < right.description))
    }

    @Test func `is refused where the text is too short, too long, or has bits that no byte holds`() {
        let zeros = String(repeating: "0", count: 26)
        #expect(ReplicaID(text: zeros) == ReplicaID(high: 0, low: 0))
        for text in ["", String(zeros.dropLast()), zeros + "0", zeros.dropLast() + "1", zeros.dropLast() + "U"] {
            #expect(ReplicaID(text: text) == nil)
        }
    }

    @Test func `names events in the order of replica, then number`() {
        let (low, high) = (ReplicaID(high: 0, low: .max), ReplicaID(high: 1, low: 0))
        let sorted = [EventID(low, 1), EventID(low, 2), EventID(high, 1)]
        #expect(sorted.reversed().sorted() == sorted)
        #expect(EventID(high, 7).description == "\(high).7")
        #expect(EventID(high, 7).short == "\(high.short).7")
    }
}

@Suite struct `An identity` {
    // RFC 8032, section 7.1, test 1.
    static let secret: [UInt8] = [
        0x9D, 0x61, 0xB1, 0x9D, 0xEF, 0xFD, 0x5A, 0x60, 0xBA, 0x84, 0x4A, 0xF4, 0x92, 0xEC, 0x2C, 0xC4, 0x44, 0x49,
        0xC5,
        0x69, 0x7B, 0x32, 0x69, 0x19, 0x70, 0x3B, 0xAC, 0x03, 0x1C, 0xAE, 0x7F, 0x60,
    ]

    @Test func `has the public key of RFC 8032, and the start of its SHA-256 as its replica`() throws {
        let identity = try #require(Identity(secret: Self.secret))
        let key = identity.publicKey.map { String($0, radix: 16) }.joined(separator: " ")
        #expect(key.hasPrefix("d7 5a 98 1 82 b1 a b7") && identity.publicKey.count == 32)
        let hash = Hash256(hashing: identity.publicKey.span.bytes)
        #expect(identity.replica == ReplicaID(high: hash.id.high, low: hash.id.low))
        #expect(identity.replica == Identity.replica(publicKey: identity.publicKey))
        // sha256sum of the 32 bytes of the public key begins so.
        #expect(identity.replica.bytes.prefix(4) == [0x21, 0xFE, 0x31, 0xDF])
        #expect(identity.secret == Self.secret)
    }

    @Test func `is new each time, and the same again from its secret`() throws {
        let identity = Identity()
        #expect(Identity().replica != identity.replica)
        #expect(try #require(Identity(secret: identity.secret)).replica == identity.replica)
        #expect(Identity(secret: [1, 2, 3]) == nil)
    }
}
