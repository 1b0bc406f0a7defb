import GroundwaveEvents
import GroundwaveLogFormat

/// Determines the name resolutions of events, one event after another in log order.
///
/// An author that did not know of a fork used the replica's name for the history that it had. Its observed heads show
/// which history that was: each contains the root of the replica's tree at that number.
package struct NameResolver {
    /// Returns the root of the tree over a history, which may start with any branch, through one of its events; `nil`
    /// if there are not that many events.
    package typealias Root = (_ path: [ReplicaID], _ sequence: SequenceNumber) throws -> Hash256?

    private let streams: Streams
    private let counts: VersionVector
    private let root: Root
    /// What each branch's author means by the names of others.
    private var meant: [ReplicaID: [NameResolution]] = [:]
    /// Whether an author had observed events that are not here yet, so that its names cannot be resolved.
    package private(set) var isUncertain = false

    /// - Parameter counts: The number of events of each branch.
    package init(_ streams: Streams, counts: VersionVector, root: @escaping Root) {
        self.streams = streams
        self.counts = counts
        self.root = root
    }

    /// Starts behind an event of `stream` with the name resolutions `resolutions`.
    package mutating func advance(in stream: ReplicaID, behind resolutions: [NameResolution]) {
        let own = streams.resolutions(to: stream)
        if meant[stream] == nil { meant[stream] = resolutions.filter { !own.contains($0) } }
    }

    /// Returns the name resolutions of the next event of `stream`.
    package mutating func resolutions(for frame: Frame, in bytes: RawSpan, of stream: ReplicaID) throws
        -> [NameResolution]
    {
        let own = streams.resolutions(to: stream)
        // A branch inherits the name resolutions of its parent.
        var others = meant[stream] ?? streams.branches[stream].flatMap { meant[$0.parent] } ?? []
        for head in frame.observed(in: bytes) where streams.isForked(head.event.replica) {
            try find(head, &others)
        }
        meant[stream] = others
        return own + others.filter { !own.contains($0) }
    }

    /// Adds the name resolutions of an author that has observed `head`.
    private mutating func find(_ head: ObservedHead, _ resolutions: inout [NameResolution]) throws {
        let meant = resolutions.reduce(head.event) { $1($0) }
        // The name is resolved already, or refers to events before the fork.
        guard streams.isForked(meant.replica), meant.sequence > counts[meant.replica] else { return }
        for history in streams.histories(from: head.event.replica) {
            var (path, count) = ([ReplicaID](), SequenceNumber(0))
            for stream in history where count < head.event.sequence {
                path.append(stream)
                count += counts[stream]
            }
            guard count >= head.event.sequence, try root(path, head.event.sequence)?.prefix == head.rootPrefix else {
                continue
            }
            for resolution in streams.resolutions(along: path) where !resolutions.contains(resolution) {
                resolutions.append(resolution)
            }
            return
        }
        isUncertain = true
    }
}
