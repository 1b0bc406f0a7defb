import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveSeededNumbers
import Testing

/// RFC 6962, section 2.1, word for word: what the proofs are compared with.
enum RFC6962 {
    static func leaf(_ data: [UInt8]) -> Hash256 { Hash256(hashing: ([0] + data).span.bytes) }

    /// `count` leaves that all differ.
    static func leaves(_ count: Int) -> [Hash256] {
        (0..<count).map { leaf([UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]) }
    }

    /// k: the largest power of two that is less than n.
    private static func split(_ leaves: ArraySlice<Hash256>) -> Int {
        var split = 1
        while split * 2 < leaves.count { split *= 2 }
        return leaves.startIndex + split
    }

    /// MTH(D[n]).
    static func root(_ leaves: ArraySlice<Hash256>) -> Hash256 {
        guard leaves.count > 1 else { return leaves.first ?? Hash256(hashing: [UInt8]().span.bytes) }
        let middle = split(leaves)
        var hasher = MerkleHasher()
        return hasher.node(root(leaves[..<middle]), root(leaves[middle...]))
    }

    /// PATH(m, D[n]).
    static func path(_ place: Int, _ leaves: ArraySlice<Hash256>) -> [Hash256] {
        guard leaves.count > 1 else { return [] }
        let middle = split(leaves)
        return place < middle
            ? path(place, leaves[..<middle]) + [root(leaves[middle...])]
            : path(place, leaves[middle...]) + [root(leaves[..<middle])]
    }

    /// SUBPROOF(m, D[n], b); PROOF(m, D[n]) with b = true.
    static func proof(_ end: Int, _ leaves: ArraySlice<Hash256>, isWhole: Bool = true) -> [Hash256] {
        if end == leaves.endIndex { return isWhole ? [] : [root(leaves)] }
        let middle = split(leaves)
        return end <= middle
            ? proof(end, leaves[..<middle], isWhole: isWhole) + [root(leaves[middle...])]
            : proof(end, leaves[middle...], isWhole: false) + [root(leaves[..<middle])]
    }
}

extension Hash256 {
    /// This hash with one bit turned over.
    fileprivate func flipping(bit: Int) -> Hash256 {
        var writer = ByteWriter()
        writer.append(self)
        var bytes = writer.bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        return Hash256(at: 0, of: bytes.span.bytes)
    }
}

@Suite struct `A proof that an event is in a tree` {
    private static let leaves = RFC6962.leaves(300)

    private static func proof(_ place: Int, _ size: Int) -> InclusionProof {
        InclusionProof(leafIndex: UInt64(place), treeSize: UInt64(size)) { range in
            RFC6962.root(leaves[Int(range.lowerBound)..<Int(range.upperBound)])
        }
    }

    /// The places looked at in a tree: the ends, the middle, and some by chance.
    private static func places(_ size: Int, _ generator: inout SeededGenerator) -> Set<Int> {
        Set([0, size / 2, size - 1] + (0..<5).map { _ in Int.random(in: 0..<size, using: &generator) })
    }

    @Test func `is the path of RFC 6962 and leads to the root, for every size from 1 to 300`() {
        var generator = SeededGenerator(seed: 1)
        for size in 1...300 {
            let tree = Self.leaves[..<size]
            let root = RFC6962.root(tree)
            for place in Self.places(size, &generator) {
                let proof = Self.proof(place, size)
                #expect(proof.path == RFC6962.path(place, tree))
                #expect(proof.root(leaf: Self.leaves[place]) == root)
            }
        }
    }

    @Test func `fails with any bit of the leaf or path turned over, another place, and a path too short or too long`() {
        var generator = SeededGenerator(seed: 2)
        for size in [1, 2, 3, 7, 8, 100, 255, 256, 300] {
            let root = RFC6962.root(Self.leaves[..<size])
            for place in Self.places(size, &generator) {
                let proof = Self.proof(place, size)
                let leaf = Self.leaves[place]
                func leads(_ path: [Hash256], _ place: UInt64? = nil) -> Bool {
                    InclusionProof(leafIndex: place ?? proof.leafIndex, treeSize: proof.treeSize, path: path)
                        .root(leaf: leaf) == root
                }
                #expect(leads(proof.path))
                for bit in 0..<256 {
                    #expect(proof.root(leaf: leaf.flipping(bit: bit)) != root)
                    for level in proof.path.indices {
                        var path = proof.path
                        path[level] = path[level].flipping(bit: bit)
                        #expect(!leads(path))
                    }
                }
                for other in 0..<UInt64(size + 2) where other != proof.leafIndex { #expect(!leads(proof.path, other)) }
                #expect(!leads(proof.path + [root]))
                if !proof.path.isEmpty { #expect(!leads(proof.path.dropLast())) }
            }
        }
    }

    @Test func `has the path that the reference tests of Certificate Transparency publish`() {
        let leaves = `The Merkle tree`.referenceLeaves.map(RFC6962.leaf)
        let proof = InclusionProof(leafIndex: 5, treeSize: 8) { range in
            RFC6962.root(leaves[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        #expect(
            proof.path.map(\.description) == [
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ])
    }

    @Test func `of absurd sizes is refused and nothing traps`() {
        let hash = Self.leaves[0]
        for size in [0, 1, .max] as [UInt64] {
            for place in [0, 1, .max - 1, .max] as [UInt64] {
                let proof = InclusionProof(leafIndex: place, treeSize: size, path: [hash, hash])
                #expect(proof.root(leaf: hash) == nil)
            }
        }
    }
}

@Suite struct `A proof that a tree begins with an earlier one` {
    private static let leaves = RFC6962.leaves(300)
    private static let roots = (0...300).map { RFC6962.root(leaves[..<$0]) }

    private static func proof(_ earlier: Int, _ later: Int) -> ConsistencyProof {
        ConsistencyProof(earlierSize: UInt64(earlier), laterSize: UInt64(later)) { range in
            RFC6962.root(leaves[Int(range.lowerBound)..<Int(range.upperBound)])
        }
    }

    private static func sizes(_ later: Int, _ generator: inout SeededGenerator) -> Set<Int> {
        Set([1, later, max(1, later / 2)] + (0..<5).map { _ in Int.random(in: 1...later, using: &generator) })
    }

    @Test func `is that of RFC 6962 and holds, for every size from 1 to 300`() {
        var generator = SeededGenerator(seed: 3)
        for later in 1...300 {
            for earlier in Self.sizes(later, &generator) {
                let proof = Self.proof(earlier, later)
                #expect(proof.path == RFC6962.proof(earlier, Self.leaves[..<later]))
                #expect(proof.holds(from: Self.roots[earlier], to: Self.roots[later]))
            }
        }
    }

    @Test func `fails with any bit of a root or of the path turned over, and with a path too short or too long`() {
        var generator = SeededGenerator(seed: 4)
        for later in [1, 2, 3, 7, 8, 100, 255, 256, 300] {
            for earlier in Self.sizes(later, &generator) {
                let proof = Self.proof(earlier, later)
                let (old, new) = (Self.roots[earlier], Self.roots[later])
                func holds(_ path: [Hash256]) -> Bool {
                    ConsistencyProof(earlierSize: proof.earlierSize, laterSize: proof.laterSize, path: path)
                        .holds(from: old, to: new)
                }
                for bit in 0..<256 {
                    #expect(!proof.holds(from: old.flipping(bit: bit), to: new))
                    #expect(!proof.holds(from: old, to: new.flipping(bit: bit)))
                    for level in proof.path.indices {
                        var path = proof.path
                        path[level] = path[level].flipping(bit: bit)
                        #expect(!holds(path))
                    }
                }
                #expect(!holds(proof.path + [old]))
                if !proof.path.isEmpty { #expect(!holds(proof.path.dropLast())) }
            }
        }
    }

    @Test func `fails where an earlier leaf was altered`() {
        var altered = Self.leaves
        altered[10] = RFC6962.leaf([9, 9, 9])
        for (earlier, later) in [(11, 12), (64, 300), (100, 256), (299, 300)] {
            let proof = ConsistencyProof(earlierSize: UInt64(earlier), laterSize: UInt64(later)) { range in
                RFC6962.root(altered[Int(range.lowerBound)..<Int(range.upperBound)])
            }
            #expect(!proof.holds(from: Self.roots[earlier], to: RFC6962.root(altered[..<later])))
        }
    }

    @Test func `has the path that the reference tests of Certificate Transparency publish`() {
        let leaves = `The Merkle tree`.referenceLeaves.map(RFC6962.leaf)
        let proof = ConsistencyProof(earlierSize: 6, laterSize: 8) { range in
            RFC6962.root(leaves[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        #expect(
            proof.path.map(\.description) == [
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ])
    }

    @Test func `of absurd sizes is refused and nothing traps`() {
        let hash = Self.leaves[0]
        for (earlier, later) in [(0, 0), (0, 5), (6, 5), (1, .max), (.max - 1, .max), (.max, 1)] as [(UInt64, UInt64)] {
            for path in [[], [hash], [hash, hash]] {
                let proof = ConsistencyProof(earlierSize: earlier, laterSize: later, path: path)
                #expect(!proof.holds(from: hash, to: hash))
            }
        }
    }
}
