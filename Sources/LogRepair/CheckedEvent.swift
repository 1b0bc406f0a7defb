import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveMDBPages

/// The content of one row of `events`, checked without regard to other rows: the part of the check that can run in
/// parallel.
struct CheckedEvent: Sendable {
    let id: EventID
    let stamp: Stamp
    let rest: Int
    let previousChecksum: UInt32
    let checksum: UInt32
    let isWithheld: Bool
    /// Whether this is only the placeholder of a lost event.
    let isLost: Bool
    /// Whether the observed heads are possible: in order, and none of them the author's own.
    let isObservationSound: Bool
    /// The leaf of the event in its replica's tree.
    let leaf: Hash256

    /// Checks `bytes` as a frame.
    ///
    /// Cost: about 1 us for 200 bytes, most of it SHA-256.
    init(_ bytes: RawSpan, _ hasher: inout MerkleHasher) throws(FrameError) {
        let frame = try Frame(verifying: bytes)
        guard frame.length == bytes.byteCount else { throw .malformed }
        id = frame.id
        stamp = frame.stamp
        rest = frame.rest
        previousChecksum = frame.previousChecksum
        checksum = frame.checksum(in: bytes)
        isWithheld = frame.isWithheld
        isLost = frame.isLost
        isObservationSound = Self.isObservationSound(frame, bytes)
        leaf = hasher.leaf(of: frame, in: bytes)
    }

    /// Whether this late event may replace `other`: the same event, which is lost or without values there.
    func fills(_ other: CheckedEvent) -> Bool {
        guard id == other.id, previousChecksum == other.previousChecksum, !isLost else { return false }
        return other.isLost || other.isWithheld && !isWithheld && leaf == other.leaf
    }

    private static func isObservationSound(_ frame: Frame, _ bytes: RawSpan) -> Bool {
        let observed = frame.observed(in: bytes)
        guard !observed.isEmpty else { return true }
        let isInOrder = zip(observed, observed.dropFirst()).allSatisfy { $0.event.replica < $1.event.replica }
        guard isInOrder, observed.count <= EventLimits.observedCount else { return false }
        let author = frame.names(in: bytes).author
        return !observed.contains { $0.event.replica == author || $0.event.sequence == 0 }
    }
}

/// The rows of some leaves of `events`, each checked by itself.
struct CheckedRows: RowVisitor, Sendable {
    private(set) var rows: [(position: Position, event: Result<CheckedEvent, FrameError>)] = []
    /// Whether all pages were undamaged, and all keys positions.
    private(set) var isSound = true
    private var hasher = MerkleHasher()

    mutating func damage(_ damage: PageDamage) { isSound = false }

    mutating func row(key: RawSpan, value: RawSpan) {
        guard key.byteCount == 8 else {
            isSound = false
            return
        }
        do throws(FrameError) {
            rows.append((key.bigEndianUInt64(at: 0), .success(try CheckedEvent(value, &hasher))))
        } catch {
            rows.append((key.bigEndianUInt64(at: 0), .failure(error)))
        }
    }
}
