import GroundwaveEvents
import GroundwaveLogFormat

/// Segments of one store that were read one after another, and whose ranges become one commit.
///
/// A commit costs as much for one event as for a thousand, and a place may have thousands of small segments.
struct SegmentGroup {
    /// A segment or pack, all of whose ranges are in the group.
    struct Member {
        let numbers: ClosedRange<UInt64>
        /// The ranges of the group that are its own.
        let places: Range<Int>
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

    /// The ranges that were pushed lately: those of a pack were pushed before.
    var newFrames: [RangeFrame] {
        let packed = members.filter { $0.numbers.count > 1 }.map(\.places)
        return frames.indices.filter { index in !packed.contains { $0.contains(index) } }.map { frames[$0] }
    }

    /// Adds a range of the segment that is read now.
    mutating func append(_ frame: RangeFrame) {
        frames.append(frame)
        byteCount += frame.eventBytes
    }

    /// Notes that all ranges of a segment were added.
    mutating func end(_ numbers: ClosedRange<UInt64>) {
        members.append(Member(numbers: numbers, places: (members.last?.places.upperBound ?? 0)..<frames.count))
    }

    /// The segments in front of the one that has `range`; all of them if none has it.
    func members(before range: EventRange) -> ArraySlice<Member> {
        guard let place = frames.firstIndex(where: { $0.range == range }) else { return members[...] }
        return members.prefix { $0.places.upperBound <= place }
    }
}
