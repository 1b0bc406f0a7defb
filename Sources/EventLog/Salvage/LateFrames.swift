import GroundwaveEvents
import GroundwaveMDBPages

/// Whole frames that came late, among those that were found in a file: each counts in the place of one that is lost, or
/// has no values.
///
/// What a row says came late is told apart by that row. One of a damaged page is a late one too where another frame of its
/// event has less, and stands behind the same one. Within a file no event loses its values: whichever has more is right.
struct LateFrames {
    /// The frames that stand in the table of events, or may.
    private(set) var others: [FoundFrame] = []
    /// Of each event the late one that has the most.
    private var late: [EventID: FoundFrame] = [:]

    private struct Stand: Hashable {
        let event: EventID
        let previousChecksum: UInt32

        init(_ frame: FoundFrame) { (event, previousChecksum) = (frame.event, frame.previousChecksum) }
    }

    init(_ found: [FoundFrame]) {
        let partial = Set(found.lazy.filter { $0.isPartial && !$0.isLate }.map(Stand.init))
        for frame in found {
            if frame.isLate || !partial.isEmpty && !frame.isPartial && partial.contains(Stand(frame)) {
                take(frame)
            } else {
                others.append(frame)
            }
        }
    }

    private mutating func take(_ frame: FoundFrame) {
        func rank(_ frame: FoundFrame) -> (Int, FoundFrame.Standing) { (frame.isPartial ? 0 : 1, frame.standing) }
        if let known = late[frame.event], rank(known) >= rank(frame) { return }
        late[frame.event] = frame
    }

    /// `placed`, in the order of the log, with the late frames in their places; also where nothing stands any more.
    ///
    /// - Parameter file: Where they were found.
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
        let alone = rest.values.filter { $0.position > 0 && !taken.contains($0.position) }
        if alone.isEmpty { return frames }
        var last: [ReplicaID: SequenceNumber] = [:]
        return (frames + alone).sorted { $0.position < $1.position }.filter { frame in
            guard frame.event.sequence > last[frame.event.replica] ?? 0 else { return false }
            last[frame.event.replica] = frame.event.sequence
            return true
        }
    }

    /// Whether two frames are of one event: whether they have one leaf.
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
