import GroundwaveEvents

/// Finds out how the names in events are to be read, event after event in the order of a log.
///
/// An author that had not learnt of a fork has written the replica's name for whichever history it had. Which one that
/// was follows from what the author says it had observed: with the number goes the root of the replica's tree there.
package struct ReadingFinder {
    /// The root of the tree over a history, whose first stream may be any, through one of its events; `nil` where there
    /// are not that many.
    package typealias Root = (_ path: [ReplicaID], _ sequence: SequenceNumber) throws -> Hash256?

    private let streams: Streams
    private let counts: VersionVector
    private let root: Root
    /// What the author of each stream means by the names of others.
    private var meant: [ReplicaID: [StreamReading]] = [:]
    /// Whether an author had observed what has not come, so that what it means cannot be told yet.
    package private(set) var isUncertain = false

    /// - Parameter counts: How many events each stream has.
    package init(_ streams: Streams, counts: VersionVector, root: @escaping Root) {
        self.streams = streams
        self.counts = counts
        self.root = root
    }

    /// Goes on behind an event of `stream` in which names were read like this.
    package mutating func goOn(of stream: ReplicaID, behind readings: [StreamReading]) {
        let own = streams.readings(to: stream)
        if meant[stream] == nil { meant[stream] = readings.filter { !own.contains($0) } }
    }

    /// How the names in the next event of `stream` are to be read.
    package mutating func readings(for frame: Frame, in bytes: RawSpan, of stream: ReplicaID) throws -> [StreamReading]
    {
        let own = streams.readings(to: stream)
        // A stream goes on with what the author of the one before it meant.
        var others = meant[stream] ?? streams.branches[stream].flatMap { meant[$0.parent] } ?? []
        for head in frame.observed(in: bytes) where streams.isParted(head.event.replica) {
            try find(head, &others)
        }
        meant[stream] = others
        return own + others.filter { !own.contains($0) }
    }

    /// Adds what an author means that has observed `head`.
    private mutating func find(_ head: ObservedHead, _ readings: inout [StreamReading]) throws {
        let meant = readings.reduce(head.event) { $1($0) }
        // Where it is known already, or is meant as it was written.
        guard streams.isParted(meant.replica), meant.sequence > counts[meant.replica] else { return }
        for history in streams.histories(from: head.event.replica) {
            var (path, count) = ([ReplicaID](), SequenceNumber(0))
            for stream in history where count < head.event.sequence {
                path.append(stream)
                count += counts[stream]
            }
            guard count >= head.event.sequence, try root(path, head.event.sequence)?.prefix == head.rootPrefix else {
                continue
            }
            for reading in streams.readings(along: path) where !readings.contains(reading) { readings.append(reading) }
            return
        }
        isUncertain = true
    }
}
