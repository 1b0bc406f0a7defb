import GroundwaveEvents
import GroundwaveLogFormat

/// Segments of one store that were read one after another, and whose ranges become one commit.
///
/// A commit costs as much for one event as for a thousand, and a place may have thousands of small segments.
struct SegmentGroup {
    /// A segment, all of whose ranges are in the group.
    struct Member {
        let number: UInt64
        let mark: UInt64?
        let manifest: Manifest
        /// The number of ranges in the group up to its last one.
        let rangeEnd: Int
    }

    /// The ranges, in the order of the segments.
    private(set) var frames: [RangeFrame] = []
    private(set) var members: [Member] = []
    private var byteCount = 0

    /// The number of bytes of events at which a group is complete, so that what is in memory is bounded.
    private static let byteLimit = 4 << 20
    /// The number of segments at which a group is complete.
    private static let memberLimit = 256

    var isEmpty: Bool { frames.isEmpty && members.isEmpty }

    /// Whether the group is to be committed before anything is added.
    var isComplete: Bool { byteCount >= Self.byteLimit || members.count >= Self.memberLimit }

    /// Adds a range of the segment that is read now.
    mutating func append(_ frame: RangeFrame) {
        frames.append(frame)
        byteCount += frame.eventBytes
    }

    /// Notes that all ranges of a segment were added.
    mutating func end(_ number: UInt64, mark: UInt64?, _ manifest: Manifest) {
        members.append(Member(number: number, mark: mark, manifest: manifest, rangeEnd: frames.count))
    }

    /// The segments in front of the one that has `range`; all of them if none has it.
    func members(before range: EventRange) -> ArraySlice<Member> {
        guard let place = frames.firstIndex(where: { $0.range == range }) else { return members[...] }
        return members.prefix { $0.rangeEnd <= place }
    }
}
