import GroundwaveEvents

/// A whole event that was found in a file, and how sure it is that the log has it.
struct FoundFrame: Sendable {
    /// What is known of the page that it was found on.
    enum Standing: UInt8, Comparable {
        /// No tree that could be read leads there: it may be a copy of the past, or of a write that never was committed.
        case stale
        /// A tree may have led there, before it was damaged.
        case doubtful
        /// The tree of the newest state leads there.
        case living

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Where its first byte stands in the file.
    let offset: Int
    /// Bytes of the frame.
    let length: Int
    let event: EventID
    let stamp: Stamp
    /// How many events of its batch follow.
    let rest: Int
    /// Whether it only holds the place of an event that was lost before.
    let isLost: Bool
    /// Whether it has no values.
    let isWithheld: Bool
    /// Whether it was found as one that came late, and counts in the place of another one.
    let isLate: Bool
    /// Whether another one of the same event may have more.
    var isPartial: Bool { isWithheld || isLost }
    /// The checksum of the frame before it in the log.
    let previousChecksum: UInt32
    let checksum: UInt32
    /// Where it stood in the log; 0 where that is not known.
    var position: Position
    var standing: Standing

    init(
        _ frame: Frame, in bytes: RawSpan, at offset: Int, position: Position, _ standing: Standing,
        isLate: Bool = false
    ) {
        self.offset = offset
        length = frame.length
        event = frame.id
        stamp = frame.stamp
        rest = frame.rest
        previousChecksum = frame.previousChecksum
        checksum = frame.checksum(in: bytes)
        isLost = frame.isLost
        isWithheld = frame.isWithheld
        self.isLate = isLate
        self.position = position
        self.standing = standing
    }

    /// The same, where it is known to have stood at `position`.
    func standing(at position: Position) -> FoundFrame {
        var frame = self
        frame.position = position
        return frame
    }
}
