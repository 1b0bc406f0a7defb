import GroundwaveEvents

/// An undamaged event that was found in a file, and how certain it is that the log contains it.
package struct FoundFrame: Sendable {
    /// How certain it is that the page it was found on is in use.
    package enum Standing: UInt8, Comparable {
        /// No readable tree leads there: it may be an outdated copy, or from a write that was never committed.
        case stale
        /// A tree may have led there before it was damaged.
        case doubtful
        /// The tree of the newest state leads there.
        case living

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The offset of its first byte in the file.
    let offset: Int
    /// The size of the frame in bytes.
    let length: Int
    package let event: EventID
    package let stamp: Stamp
    /// The number of events that follow in its batch.
    package let rest: Int
    /// Whether it is only the placeholder of an event that was lost before.
    let isLost: Bool
    /// Whether it has no values.
    let isWithheld: Bool
    /// Whether it is a late event, which replaces another frame.
    let isLate: Bool
    /// Whether another frame of the same event may have more content.
    var isPartial: Bool { isWithheld || isLost }
    /// The checksum of the frame before it in the log.
    package let previousChecksum: UInt32
    let checksum: UInt32
    /// Its position in the log; 0 if unknown.
    package var position: Position
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

    /// Returns the same frame with `position`.
    func standing(at position: Position) -> FoundFrame {
        var frame = self
        frame.position = position
        return frame
    }
}
