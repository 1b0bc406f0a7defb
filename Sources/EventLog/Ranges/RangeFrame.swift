import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveEvents

/// How large a range may be.
///
/// What exceeds is refused before anything is allocated for it.
public enum RangeLimits {
    /// The most events of one range.
    public static let eventCount = 65_536
    /// The most bytes of its events before they are compressed: one event of the greatest size, or many small ones.
    public static let eventBytes = EventLimits.batchBytes
    /// The most bytes of a whole range frame: what does not compress, and what stands before it.
    public static let frameBytes = eventBytes + (64 << 10)
    /// After so many bytes of events a range that is made ends.
    public static let preferredBytes = 1 << 20
}

/// Some events of one replica as they travel: the same bytes through a socket, in a file, in a bundle.
///
/// It needs nothing around it to be checked. The signature of the author's head proves the root of the author's tree;
/// a path proves that the tree begins with the events up to the last one of this range; and those follow from the
/// right edge before it and the events themselves. So nobody can add, change, leave out or splice events on the way, and
/// a range that comes before the events it follows is as good as any other. Two things are not held by that: values can be
/// replaced by their hash, which changes no leaf; and the observed heads are not signed, and are compared with what the
/// author's events say once those before the range are here.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWR1` |
/// | 4 | length of the whole frame in bytes |
/// | 16 | log |
/// | 16 | replica |
/// | 8 | number of the first event |
/// | 4 | number of events |
/// | 8 | number of the last event of the signed head |
/// | 32 | root that was signed |
/// | 32 | public key of the replica |
/// | 64 | signature, Ed25519 |
/// | 1 | number of hashes in the path from the last event to the head |
/// | 2 | number of heads that the author had observed before the first event |
/// | 4 | bytes of the events |
/// | 4 | bytes of the events, compressed |
/// | 32 each | roots of the whole subtrees on the right edge before the first event, the largest first: one for each bit set in the number of events there |
/// | 32 each | the path (RFC 6962, section 2.1.2) |
/// | 32 each | observed: replica (16), number (8), first 8 bytes of the tree root there |
/// | … | the events, one after the other, compressed (RFC 8878): each a ``Frame`` that names no predecessor |
/// | 4 | CRC-32C of everything before it |
///
/// All integers are little-endian, ids and prefixes of roots are bytes.
public struct RangeFrame: Hashable, Sendable {
    /// The first four bytes: `GWR1`.
    public static let magic: UInt32 = 0x3152_5747
    /// Bytes before the edge.
    static let prefixSize = 199

    /// Which events.
    public let range: EventRange
    /// The right edge of the replica's tree before the first event.
    public let edge: MerkleEdge
    /// The head that proves them: its last event is the range's last one, or a later one.
    public let head: SignedHead
    /// All heads of other replicas that the author had observed before the first event, in order of replica.
    public let observed: [ObservedHead]
    /// The frame as it travels.
    public let bytes: [UInt8]
    /// The right edge after the last event.
    public let endEdge: MerkleEdge

    /// The path from the last event to the head.
    let path: [Hash256]
    /// The events, one after the other.
    let events: [UInt8]
    /// Where each begins in ``events``; and where the last one ends.
    let starts: [Int]
    /// The leaf of each.
    package let leaves: [Hash256]

    /// Which log.
    public var log: LogID { head.log }

    /// Bytes of the events before they are compressed.
    public var eventByteCount: Int { events.count }

    /// Whether any of the events has its values. Cost: O(events).
    public var hasValues: Bool {
        (range.first...range.last).contains { (try? withEvent($0) { frame, _ in !frame.isWithheld }) ?? false }
    }

    /// Hands out the event of this number, which is one of the range.
    public func withEvent<Result>(
        _ sequence: SequenceNumber, _ body: (_ frame: Frame, _ bytes: RawSpan) throws -> Result
    ) throws -> Result {
        let index = Int(sequence - range.first)
        return try events.withSpan { events in
            let bytes = events.extracting(starts[index]..<starts[index + 1])
            return try body(try Frame(parsing: bytes), bytes)
        }
    }

    /// The right edge of the replica's tree through an event of the range, or the one before it.
    ///
    /// Cost: a hash for each event up to it.
    func edge(through sequence: SequenceNumber) -> MerkleEdge {
        if sequence == range.last { return endEdge }
        var hasher = MerkleHasher()
        var edge = edge
        for leaf in leaves.prefix(Int(sequence - (range.first - 1))) { edge.append(leaf: leaf, hasher: &hasher) }
        return edge
    }

    /// Replica, number of the first event, first 8 bytes of the root after the last one: what a log keeps it under. It
    /// tells ranges of several histories apart wherever they part.
    package var key: [UInt8] {
        var hasher = MerkleHasher()
        var key = ByteWriter(capacity: 32)
        key.append(range.replica)
        key.append(bigEndian: range.first)
        key.append(bigEndian: endEdge.root(hasher: &hasher).prefix)
        return key.bytes
    }

    /// Whether all events of `other` are in this range: the same events, and not only the same numbers.
    func covers(_ other: RangeFrame) -> Bool {
        range.replica == other.range.replica && range.first <= other.range.first && other.range.last <= range.last
            && edge(through: other.range.last) == other.endEdge
    }

    /// Two frames are the same where their bytes are.
    public static func == (left: RangeFrame, right: RangeFrame) -> Bool { left.bytes == right.bytes }

    /// Hashes what tells most frames apart: which events, and the last of them.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(range)
        hasher.combine(leaves[leaves.count - 1])
    }
}

/// Why bytes are no range, or not one that can be believed.
public enum RangeError: Error, Hashable, Sendable {
    /// They do not begin with the magic of a range.
    case notARange
    /// The frame says `length` bytes, and `available` are there.
    case truncated(length: Int, available: Int)
    /// Lengths or counts exceed ``RangeLimits``, or do not add up.
    case malformed
    /// The bytes were changed on their way.
    case checksumMismatch
    /// It is of another log.
    case otherLog(LogID)
    /// The head is not signed by the replica.
    case wrongSignature
    /// The events are not those that were signed: one was changed, added, left out, or put elsewhere.
    case wrongRoot
    /// An event in it is damaged, of another replica, or of another number.
    case wrongEvent(EventID)
}
