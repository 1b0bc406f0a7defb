import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveEvents

extension RangeFrame {
    /// Returns the size in bytes of the frame that begins with `bytes`, to cut it out of a byte stream.
    ///
    /// - Returns: `nil` if there are fewer than eight bytes.
    /// - Throws: ``RangeError/notARange``; `malformed` if the size is below the minimum, or above
    ///   ``RangeLimits/frameBytes``.
    public static func byteCount(of bytes: RawSpan) throws(RangeError) -> Int? {
        guard bytes.byteCount >= 8 else { return nil }
        guard bytes.uint32(at: 0) == magic else { throw .notARange }
        let length = Int(bytes.uint32(at: 4))
        guard length >= prefixSize + 4, length <= RangeLimits.frameBytes else { throw .malformed }
        return length
    }

    /// Parses a range of `log` and verifies everything that needs no other data: sizes before anything is allocated,
    /// then the checksum and the signature, and only then the events, their hashes and the path to the signed root.
    ///
    /// - Parameters:
    ///   - bytes: One whole frame and nothing behind it.
    ///   - checkSignature: Verifies the head; by default its signature.
    /// - Complexity: 0.1 ms for the signature, 0.6 us an event.
    public init(
        reading bytes: [UInt8], of log: LogID,
        checkSignature: (SignedHead) throws(SignedHeadError) -> Void = { head throws(SignedHeadError) in
            try head.check()
        }
    ) throws(RangeError) {
        let parts = try Parts(bytes.span.bytes)
        guard parts.head.log == log else { throw .otherLog(parts.head.log) }
        do throws(SignedHeadError) { try checkSignature(parts.head) } catch { throw .wrongSignature }
        try self.init(parts, bytes)
        var hasher = MerkleHasher()
        let proof = ConsistencyProof(earlierSize: range.last, laterSize: head.sequence, path: path)
        guard proof.holds(from: endEdge.root(hasher: &hasher), to: head.root) else { throw .wrongRoot }
    }

    /// Parses a range that was verified when it was received, and has been stored since.
    package init(checkedBefore bytes: [UInt8]) throws(RangeError) {
        try self.init(try Parts(bytes.span.bytes), bytes)
    }

    private init(_ parts: Parts, _ bytes: [UInt8]) throws(RangeError) {
        range = parts.range
        edge = parts.edge
        head = parts.head
        observed = parts.observed
        path = parts.path
        self.bytes = bytes
        let events: [UInt8]
        do throws(Zstd.Failure) {
            events = try Zstd.decompress(bytes.span.bytes.extracting(parts.compressed), count: parts.eventByteCount)
        } catch { throw .malformed }
        let found = try Self.events(in: events.span.bytes, of: parts.range)
        var hasher = MerkleHasher()
        var end = parts.edge
        for leaf in found.leaves { end.append(leaf: leaf, hasher: &hasher) }
        endEdge = end
        (starts, leaves) = found
        self.events = events
    }

    /// Returns the offset of each event, and its leaf.
    private static func events(
        in bytes: RawSpan, of range: EventRange
    ) throws(RangeError) -> (starts: [Int], leaves: [Hash256]) {
        var hasher = MerkleHasher()
        var starts = [0]
        var leaves: [Hash256] = []
        starts.reserveCapacity(Int(range.count) + 1)
        leaves.reserveCapacity(Int(range.count))
        var rest = 0
        for sequence in range.first...range.last {
            let id = EventID(range.replica, sequence)
            let event = bytes.extracting(starts[starts.count - 1]..<bytes.byteCount)
            guard let frame = try? Frame(verifying: event), frame.id == id, frame.previousChecksum == 0,
                !frame.hasResolutions, rest == 0 || frame.rest == rest - 1
            else { throw .wrongEvent(id) }
            rest = frame.rest
            leaves.append(hasher.leaf(of: frame, in: event))
            starts.append(starts[starts.count - 1] + frame.length)
        }
        guard starts.last == bytes.byteCount else { throw .malformed }
        return (starts, leaves)
    }

    /// The fields before the events.
    private struct Parts {
        let range: EventRange
        let edge: MerkleEdge
        let head: SignedHead
        let path: [Hash256]
        let observed: [ObservedHead]
        let eventByteCount: Int
        let compressed: Range<Int>

        init(_ bytes: RawSpan) throws(RangeError) {
            guard let length = try RangeFrame.byteCount(of: bytes) else { throw .notARange }
            guard length <= bytes.byteCount else { throw .truncated(length: length, available: bytes.byteCount) }
            guard length == bytes.byteCount else { throw .malformed }
            guard CRC32C.checksum(bytes.extracting(0..<length - 4)) == bytes.uint32(at: length - 4) else {
                throw .checksumMismatch
            }
            let replica = ReplicaID(at: 24, of: bytes)
            let (first, count) = (bytes.uint64(at: 40), UInt64(bytes.uint32(at: 48)))
            guard count <= RangeLimits.eventCount,
                let range = EventRange(replica, named: first, through: first &+ count &- 1)
            else { throw .malformed }
            self.range = range
            head = SignedHead(
                log: LogID(at: 8, of: bytes), replica: replica, sequence: bytes.uint64(at: 52),
                root: Hash256(at: 60, of: bytes), publicKey: bytes.extracting(92..<124).toArray(),
                signature: bytes.extracting(124..<188).toArray())
            let pathCount = Int(bytes.byte(at: 188))
            let observedCount = Int(bytes.uint16(at: 189))
            eventByteCount = Int(bytes.uint32(at: 191))
            let compressedCount = Int(bytes.uint32(at: 195))
            let edgeCount = (first - 1).nonzeroBitCount
            let hashesEnd = RangeFrame.prefixSize + 32 * (edgeCount + pathCount + observedCount)
            guard head.sequence >= range.last, observedCount <= EventLimits.observedCount, pathCount <= 128,
                eventByteCount <= RangeLimits.eventBytes, hashesEnd + compressedCount + 4 == length
            else { throw .malformed }
            func hashes(_ first: Int, _ count: Int) -> [Hash256] {
                (first..<first + count).map { Hash256(at: RangeFrame.prefixSize + 32 * $0, of: bytes) }
            }
            guard let edge = MerkleEdge(count: first - 1, subtrees: hashes(0, edgeCount)) else { throw .malformed }
            self.edge = edge
            path = hashes(edgeCount, pathCount)
            observed = (0..<observedCount).map { number in
                let start = RangeFrame.prefixSize + 32 * (edgeCount + pathCount + number)
                return ObservedHead(
                    event: EventID(ReplicaID(at: start, of: bytes), bytes.uint64(at: start + 16)),
                    rootPrefix: bytes.bigEndianUInt64(at: start + 24))
            }
            guard zip(observed, observed.dropFirst()).allSatisfy({ $0.event.replica < $1.event.replica }) else {
                throw .malformed
            }
            compressed = hashesEnd..<hashesEnd + compressedCount
        }
    }
}
