import GroundwaveByteCoding
import GroundwaveEvents
import Testing

@Suite struct `The Merkle tree` {
    /// The leaves of the reference tests of Certificate Transparency (`merkletree/testdata`, google/certificate-transparency).
    static let referenceLeaves: [[UInt8]] = [
        [], [0x00], [0x10], [0x20, 0x21], [0x30, 0x31], [0x40, 0x41, 0x42, 0x43],
        [0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
        [0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F],
    ]

    /// The published roots over the first 1 … 8 of them.
    static let referenceRoots = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]

    private static func hash(_ bytes: [UInt8]) -> Hash256 { Hash256(hashing: bytes.span.bytes) }

    private static func bytes(of hash: Hash256) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(hash)
        return writer.bytes
    }

    private static func leaf(_ data: [UInt8]) -> Hash256 { hash([0] + data) }

    /// RFC 6962 section 2.1 word for word: MTH of D[n], split at the largest power of two below n.
    private static func root(of leaves: ArraySlice<Hash256>) -> Hash256 {
        if leaves.isEmpty { return hash([]) }
        if leaves.count == 1 { return leaves[leaves.startIndex] }
        var split = 1
        while split * 2 < leaves.count { split *= 2 }
        let middle = leaves.startIndex + split
        return hash([1] + bytes(of: root(of: leaves[..<middle])) + bytes(of: root(of: leaves[middle...])))
    }

    @Test func `of the reference leaves has the published roots`() {
        var edge = MerkleEdge()
        var hasher = MerkleHasher()
        #expect(
            edge.root(hasher: &hasher).description
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        for (data, expected) in zip(Self.referenceLeaves, Self.referenceRoots) {
            edge.append(leaf: Self.leaf(data), hasher: &hasher)
            #expect(edge.root(hasher: &hasher).description == expected)
        }
    }

    @Test func `of any size from 0 to 300 has the root that the definition gives`() throws {
        let leaves = (0..<300).map { Self.leaf([UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]) }
        var edge = MerkleEdge()
        var hasher = MerkleHasher()
        for size in 0...300 {
            #expect(edge.count == UInt64(size))
            #expect(edge.subtrees.count == size.nonzeroBitCount)
            #expect(edge.root(hasher: &hasher) == Self.root(of: leaves[..<size]))
            if size < 300 { edge.append(leaf: leaves[size], hasher: &hasher) }
        }
    }

    @Test(arguments: [0, 1, 2, 3, 7, 8, 100, 255, 256])
    func `goes on from its edge as if it had never stopped`(size: Int) throws {
        let leaves = (0..<300).map { Self.leaf([UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]) }
        var hasher = MerkleHasher()
        var edge = MerkleEdge()
        for leaf in leaves[..<size] { edge.append(leaf: leaf, hasher: &hasher) }
        edge = try #require(MerkleEdge(count: edge.count, subtrees: edge.subtrees))
        for leaf in leaves[size...] { edge.append(leaf: leaf, hasher: &hasher) }
        #expect(edge.root(hasher: &hasher) == Self.root(of: leaves[...]))
    }

    @Test func `is refused where the number of subtrees does not fit that of leaves`() {
        #expect(MerkleEdge(count: 3, subtrees: [Self.hash([])]) == nil)
        #expect(MerkleEdge(count: 0, subtrees: [Self.hash([])]) == nil)
        #expect(MerkleEdge(count: 4, subtrees: [Self.hash([])]) != nil)
    }
}

@Suite struct `The leaf of an event` {
    private static let header = EventHeader(
        id: EventID(ReplicaID(high: 1, low: 2), 3), stamp: Stamp(rawValue: 4), rest: 0,
        observed: [ObservedHead(event: EventID(ReplicaID(high: 9, low: 9), 8), rootPrefix: 7)])

    private static func leaf(
        _ header: EventHeader, shape: [UInt8], values: [UInt8], isWithheld: Bool = false, after previous: UInt32 = 0
    ) throws -> Hash256 {
        var writer = ByteWriter()
        writer.append(
            frame: header, shape: shape.span.bytes, values: values.span.bytes, isWithheld: isWithheld, after: previous)
        let bytes = writer.bytes
        var hasher = MerkleHasher()
        return hasher.leaf(of: try Frame(verifying: bytes.span.bytes), in: bytes.span.bytes)
    }

    @Test func `is the hash of 0, its header and the hashes of shape and values`() throws {
        var header = ByteWriter()
        header.append(ReplicaID(high: 1, low: 2))
        header.append(littleEndian: UInt64(3))
        header.append(littleEndian: UInt64(4))
        header.append(littleEndian: UInt16(0))
        header.append(littleEndian: UInt16(1))
        header.append(ReplicaID(high: 9, low: 9))
        header.append(littleEndian: UInt64(8))
        header.append(bigEndian: UInt64(7))
        var input = ByteWriter()
        input.append(UInt8(0))
        input.append(contentsOf: header.bytes)
        input.append(Hash256(hashing: [UInt8]([1, 2]).span.bytes))
        input.append(Hash256(hashing: [UInt8]([3, 4, 5]).span.bytes))
        let leaf = try Self.leaf(Self.header, shape: [1, 2], values: [3, 4, 5])
        #expect(leaf == Hash256(hashing: input.bytes.span.bytes))
    }

    @Test func `stays the same when the values are withheld, or the frame stands elsewhere in the log`() throws {
        let values: [UInt8] = Array("N0CALL, John, 14.074".utf8)
        var hash = ByteWriter()
        hash.append(Hash256(hashing: values.span.bytes))
        let leaf = try Self.leaf(Self.header, shape: [1], values: values)
        #expect(try Self.leaf(Self.header, shape: [1], values: hash.bytes, isWithheld: true) == leaf)
        #expect(try Self.leaf(Self.header, shape: [1], values: values, after: 99) == leaf)
        // The hash as plain values is another event.
        #expect(try Self.leaf(Self.header, shape: [1], values: hash.bytes) != leaf)
    }

    @Test func `changes with every part of the event`() throws {
        let leaf = try Self.leaf(Self.header, shape: [1], values: [2])
        #expect(try Self.leaf(Self.header, shape: [0], values: [2]) != leaf)
        #expect(try Self.leaf(Self.header, shape: [1], values: [3]) != leaf)
        #expect(try Self.leaf(Self.header, shape: [1, 2], values: []) != leaf)
        var header = Self.header
        header.rest = 1
        #expect(try Self.leaf(header, shape: [1], values: [2]) != leaf)
        header = Self.header
        header.stamp = header.stamp.next
        #expect(try Self.leaf(header, shape: [1], values: [2]) != leaf)
        header = Self.header
        header.observed = []
        #expect(try Self.leaf(header, shape: [1], values: [2]) != leaf)
    }
}
