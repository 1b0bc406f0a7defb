import GroundwaveEvents
import GroundwaveMDBPages

/// Late events among those found in a file: each replaces one that is lost, or that has no values.
///
/// A row of `late` identifies its event as a late one. A frame on a damaged page counts as late too, if another frame
/// of its event has less content and the same predecessor. Within a file no event loses its values, so the frame with
/// more content is right.
struct LateFrames {
    /// The frames that are, or may be, in the table of events.
    private(set) var others: [FoundFrame] = []
    /// The late frame with the most content, for each event.
    private var late: [EventID: FoundFrame] = [:]

    private struct Stand: Hashable {
        let event: EventID
        let previousChecksum: UInt32

        init(_ frame: FoundFrame) { (event, previousChecksum) = (frame.event, frame.previousChecksum) }
    }

    init(_ found: [FoundFrame]) {
        guard found.contains(where: { $0.isPartial || $0.isLate }) else {
            others = found
            return
        }
        let partial = Set(found.lazy.filter { $0.isPartial && !$0.isLate }.map(Stand.init))
        for frame in found {
            if frame.isLate || !partial.isEmpty && !frame.isPartial && partial.contains(Stand(frame)) {
                insert(frame)
            } else {
                others.append(frame)
            }
        }
    }

    private mutating func insert(_ frame: FoundFrame) {
        func rank(_ frame: FoundFrame) -> (Int, FoundFrame.Standing) { (frame.isPartial ? 0 : 1, frame.standing) }
        if let known = late[frame.event], rank(known) >= rank(frame) { return }
        late[frame.event] = frame
    }

    /// Returns `placed`, in log order, with the late frames in their places; also at positions without an event.
    ///
    /// - Parameter file: The file in which they were found.
    func filling(_ placed: [FoundFrame], in file: PageFile) -> [FoundFrame] {
        if late.isEmpty { return placed }
        var rest = late
        var frames = placed
        for (index, frame) in placed.enumerated() {
            guard let late = rest.removeValue(forKey: frame.event), frame.isLost || frame.isPartial && !late.isPartial,
                frame.isLost || Self.areSame(frame, late, in: file)
            else { continue }
            frames[index] = late.standing(at: frame.position)
        }
        let taken = Set(frames.lazy.map(\.position))
        let unmatched = rest.values.filter { $0.position > 0 && !taken.contains($0.position) }
        if unmatched.isEmpty { return frames }
        var last: [ReplicaID: SequenceNumber] = [:]
        return (frames + unmatched).sorted { $0.position < $1.position }.filter { frame in
            guard frame.event.sequence > last[frame.event.replica] ?? 0 else { return false }
            last[frame.event.replica] = frame.event.sequence
            return true
        }
    }

    /// Whether two frames have the same leaf, and so are the same event.
    private static func areSame(_ frame: FoundFrame, _ other: FoundFrame, in file: PageFile) -> Bool {
        var hasher = MerkleHasher()
        func leaf(_ found: FoundFrame) -> Hash256? {
            guard let bytes = try? file.read(found.length, at: found.offset), bytes.count == found.length,
                let frame = try? Frame(verifying: bytes.span.bytes)
            else { return nil }
            return hasher.leaf(of: frame, in: bytes.span.bytes)
        }
        let one = leaf(frame)
        return one != nil && one == leaf(other)
    }
}
