import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveEvents

/// Limits of a range.
///
/// Larger ranges are refused before memory is allocated for them.
public enum RangeLimits {
    /// The most events of one range.
    public static let eventCount = 65_536
    /// The maximum size of its events before compression, in bytes: one event of the greatest size, or many small ones.
    public static let eventBytes = EventLimits.batchBytes
    /// The maximum size of a whole range frame in bytes: incompressible events, and the fields before them.
    public static let frameBytes = eventBytes + (64 << 10)
    /// The size of the events, in bytes, at which a range under construction ends.
    public static let preferredBytes = 1 << 20
}

/// Some events of one replica in transport form: the same bytes through a socket, in a file, in a bundle.
///
/// It can be verified without other data. The signature of the author's head proves the root of the author's tree; a
/// path proves that the tree begins with the events up to the last one of this range; and these follow from the right
/// edge before the range and its events. So nobody can add, change, leave out or splice events on the way, and a range
/// that arrives before its predecessors can be verified as well. Two things are not protected by that: values can be
/// replaced by their hash, which changes no leaf; and the observed heads are not signed. They are compared with those
/// in the author's earlier events once these are here.
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
/// | 32 each | roots of the whole subtrees on the right edge before the first event, the largest first: one for each bit set in the number of events before it |
/// | 32 each | the path (RFC 6962, section 2.1.2) |
/// | 32 each | observed: replica (16), number (8), first 8 bytes of the tree root there |
/// | … | the events, one after the other, compressed (RFC 8878): each a ``Frame`` without a predecessor checksum |
/// | 4 | CRC-32C of everything before it |
///
/// All integers are little-endian, ids and prefixes of roots are bytes.
public struct RangeFrame: Hashable, Sendable {
    /// The first four bytes: `GWR1`.
    public static let magic: UInt32 = 0x3152_5747
    /// The size of the fields before the edge, in bytes.
    package static let prefixSize = 199

    /// The events of the range.
    public let range: EventRange
    /// The right edge of the replica's tree before the first event.
    public let edge: MerkleEdge
    /// The signed head that proves them: at the range's last event, or a later one.
    public let head: SignedHead
    /// All heads of other replicas that the author had observed before the first event, in order of replica.
    public let observed: [ObservedHead]
    /// The frame in transport form.
    public let bytes: [UInt8]
    /// The right edge after the last event.
    public let endEdge: MerkleEdge

    /// The path from the last event to the head.
    package let path: [Hash256]
    /// The events, one after the other.
    package let events: [UInt8]
    /// The offset of each event in ``events``, and the end of the last one.
    package let starts: [Int]
    /// The leaf of each event.
    package let leaves: [Hash256]

    /// The number of bytes of the events before compression.
    package var eventBytes: Int { events.count }

    /// The log that the events belong to.
    public var log: LogID { head.log }

    /// The size of the events before compression, in bytes.
    public var eventByteCount: Int { events.count }

    /// Whether any of the events has its values. Cost: O(events).
    public var hasValues: Bool {
        (range.first...range.last).contains { (try? withEvent($0) { frame, _ in !frame.isWithheld }) ?? false }
    }

    /// Passes the event of number `sequence`, which must be in the range, to `body`.
    public func withEvent<Result>(
        _ sequence: SequenceNumber, _ body: (_ frame: Frame, _ bytes: RawSpan) throws -> Result
    ) throws -> Result {
        let index = Int(sequence - range.first)
        return try events.withSpan { events in
            let bytes = events.extracting(starts[index]..<starts[index + 1])
            return try body(try Frame(parsing: bytes), bytes)
        }
    }

    /// Returns the right edge of the replica's tree through an event of the range, or the one before it.
    ///
    /// Cost: a hash for each event up to it.
    package func edge(through sequence: SequenceNumber) -> MerkleEdge {
        if sequence == range.last { return endEdge }
        var hasher = MerkleHasher()
        var edge = edge
        for leaf in leaves.prefix(Int(sequence - (range.first - 1))) { edge.append(leaf: leaf, hasher: &hasher) }
        return edge
    }

    /// The key of the range in the log: replica, number of the first event, first 8 bytes of the root after the last
    /// one. It differs for ranges of different histories, wherever they fork.
    package var key: [UInt8] {
        var hasher = MerkleHasher()
        var key = ByteWriter(capacity: 32)
        key.append(range.replica)
        key.append(bigEndian: range.first)
        key.append(bigEndian: endEdge.root(hasher: &hasher).prefix)
        return key.bytes
    }

    /// Whether this range contains all events of `other`: the same events, not only the same numbers.
    package func covers(_ other: RangeFrame) -> Bool {
        range.replica == other.range.replica && range.first <= other.range.first && other.range.last <= range.last
            && edge(through: other.range.last) == other.endEdge
    }

    /// Two range frames are equal if their bytes are equal.
    public static func == (left: RangeFrame, right: RangeFrame) -> Bool { left.bytes == right.bytes }

    /// Hashes the fields that differ between most frames: the range, and the leaf of its last event.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(range)
        hasher.combine(leaves[leaves.count - 1])
    }
}

/// Why bytes are not a valid range.
public enum RangeError: Error, Hashable, Sendable {
    /// They do not begin with the magic of a range.
    case notARange
    /// The frame needs `length` bytes, and only `available` are there.
    case truncated(length: Int, available: Int)
    /// Lengths or counts exceed ``RangeLimits``, or contradict each other.
    case malformed
    /// The bytes were changed on their way.
    case checksumMismatch
    /// The range belongs to another log.
    case otherLog(LogID)
    /// The head is not signed by the replica.
    case wrongSignature
    /// The events are not those that were signed: one was changed, added, left out, or moved.
    case wrongRoot
    /// An event in it is damaged, of another replica, or of another number.
    case wrongEvent(EventID)
}

extension RangeError: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .notARange: "it is not a range of events"
        case .truncated(let length, let available): "\(available) of its \(length) bytes are there"
        case .malformed: "its lengths do not add up"
        case .checksumMismatch: "its checksum does not match"
        case .otherLog(let log): "it is from another log, \(log.short)"
        case .wrongSignature: "its signature is not that of its author"
        case .wrongRoot: "its events are not the signed ones"
        case .wrongEvent(let event): "the event \(event.short) in it is damaged"
        }
    }
}
