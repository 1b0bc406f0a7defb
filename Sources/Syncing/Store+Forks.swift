import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveStore

/// A fork of a replica's history: two stores continued as one replica, with nothing to tell them apart.
public struct Fork: Hashable, Sendable {
    /// One of the histories after the fork, which counts like a replica of its own.
    public struct Branch: Hashable, Sendable {
        /// Its ID, the same in every store.
        public let stream: ReplicaID
        /// The hash of its first event.
        public let first: Hash256
        /// The number of its events here, up to its next fork.
        public let events: UInt64
        /// The number of these that were taken back.
        public let takenBack: UInt64
        /// When the last of them was written, by its clock: milliseconds since 1970.
        public let lastWritten: Int64
    }

    /// The replica whose history forks.
    public let replica: ReplicaID
    /// The branch that forks: the replica itself, or one of its branches.
    public let stream: ReplicaID
    /// The number of the last event of that branch, which all of the histories share; 0 if their first events differ.
    public let after: SequenceNumber
    /// The number that the replica gave to the first event of each branch.
    public let split: SequenceNumber
    /// The branches, in order of ID.
    public let branches: [Branch]

    /// Whether the fork is resolved: in all branches but at most one, events were taken back.
    public var isResolved: Bool { branches.count { $0.takenBack == 0 } <= 1 }
}

extension Store {
    /// Returns the forks, in order of replica, then of number. No history is lost: all of them are in the log and
    /// count.
    ///
    /// - Throws: As ``read(_:)``.
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

    /// Returns the events of the other branches of the fork that `stream` belongs to, and of all branches that
    /// continue these. Taking them back with ``revert(_:note:author:)-(EventSet,_,_)`` makes `stream` alone count.
    /// Erasures and archives are left out, since they cannot be taken back.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if `stream` is not a branch of a fork.
    public func events(beside stream: ReplicaID) throws -> EventSet {
        try describing {
            let (streams, vector) = (try log.streams(), try log.vector())
            guard let parent = streams.branches[stream]?.parent else {
                throw StoreError(
                    .notFound, "There is no history \(stream.short).", hint: "To see them: \(.list(.histories))")
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
