import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveStore

/// Where a replica's history parts: two stores went on under one name, with nothing to tell them apart.
public struct Fork: Hashable, Sendable {
    /// One of the histories from there on, which counts like a replica of its own.
    public struct Branch: Hashable, Sendable {
        /// Its id, the same in every store.
        public let stream: ReplicaID
        /// The hash of its first event.
        public let first: Hash256
        /// How many events of it are here, up to where it parts again.
        public let events: UInt64
        /// How many of these were taken back.
        public let takenBack: UInt64
        /// When the last of them was written, by its clock: milliseconds since 1970.
        public let lastWritten: Int64
    }

    /// Whose histories they are: a device.
    public let replica: ReplicaID
    /// The stream that parts: that replica, or one of its branches.
    public let stream: ReplicaID
    /// The number of the last event of that stream, which all of the histories have; 0 where their first ones differ.
    public let after: SequenceNumber
    /// The number that the replica gave to the first event of each.
    public let split: SequenceNumber
    /// The histories, in order of id.
    public let branches: [Branch]

    /// Whether somebody has decided: of all histories but one everything was taken back that can be.
    public var isResolved: Bool { branches.count { $0.takenBack == 0 } <= 1 }
}

extension Store {
    /// The forks, in order of replica, then of number. Nothing of any history is lost: all of them are in the log and
    /// count.
    ///
    /// - Complexity: A few look-ups for each branch.
    public func forks() throws -> [Fork] {
        try describing {
            let (streams, vector) = (try log.streams(), try log.vector())
            let takenBack = try read { try Reverts(in: $0, log).cancelled }
            let parents = Set(streams.branches.values.map(\.parent))
            let forks = try parents.map { parent in
                let branches = try streams.children(of: parent).compactMap { try branch($0, vector[$0], takenBack) }
                return Fork(
                    replica: streams.origin(of: parent), stream: parent, after: vector[parent],
                    split: streams.base(of: parent) + vector[parent] + 1, branches: branches)
            }
            return forks.filter { $0.branches.count > 1 }.sorted {
                ($0.replica, $0.split, $0.stream) < ($1.replica, $1.split, $1.stream)
            }
        }
    }

    /// The events of the other histories of the fork of which `stream` is one, and of all that goes on from those: what
    /// is to be taken back where `stream` alone is to count, by ``revert(_:note:author:)-(EventSet,_,_)``. Erases and
    /// archives are not among them, since they cannot be taken back.
    ///
    /// - Throws: ``StoreError`` with code `notFound` where `stream` is no history of a fork.
    public func events(beside stream: ReplicaID) throws -> EventSet {
        try describing {
            let (streams, vector) = (try log.streams(), try log.vector())
            guard let parent = streams.branches[stream]?.parent else {
                throw StoreError(
                    .notFound, "There is no history \(stream.short).", hint: "groundwave forks lists them.")
            }
            var events = EventSet()
            for other in streams.children(of: parent) where other != stream {
                for path in streams.histories(from: other) {
                    for part in path where vector[part] > 0 {
                        events.insert(EventRange(part, 1, through: vector[part]))
                    }
                }
            }
            return events.subtracting(try read { try FinalBatches(in: $0, log).events })
        }
    }

    private func branch(_ stream: ReplicaID, _ count: UInt64, _ takenBack: EventSet) throws -> Fork.Branch? {
        guard let first = try log.leaf(of: EventID(stream, 1)),
            let position = try log.position(of: EventID(stream, count))
        else { return nil }
        let written = try log.withEvent(at: position) { frame, _ in frame.stamp.milliseconds }
        let rest = EventSet([EventRange(stream, 1, through: count)]).subtracting(takenBack)
        return Fork.Branch(
            stream: stream, first: first, events: count, takenBack: count - rest.count, lastWritten: written ?? 0)
    }
}
