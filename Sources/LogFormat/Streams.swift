import GroundwaveByteCoding
import GroundwaveEvents

/// The branches of a log: which histories of which replicas have forked, and where.
///
/// A replica with one history is one branch. If two stores continued under its name, the replica's own events, the
/// trunk, end with the last batch that both histories share, and each of the two continues as a branch with its own id,
/// numbered from 1. Except in ranges and signatures, a branch is treated like a replica: it has numbers, a head, a
/// tree, heads of fields. A branch may fork again. Its id is derived from its first events, so every store assigns the
/// same one, regardless of which history it had first and in which order it learnt of forks.
public struct Streams: Hashable, Sendable {
    /// The start of a branch.
    public struct Branch: Hashable, Sendable {
        /// The branch that it continues: a replica, or another branch.
        public let parent: ReplicaID
        /// The number of the parent's last shared event: 0 if the very first batches differ.
        public let after: SequenceNumber

        package init(parent: ReplicaID, after: SequenceNumber) {
            self.parent = parent
            self.after = after
        }

        // As a row: the parent (16), the number (8).
        package init?(_ row: RawSpan) {
            guard row.byteCount == 24 else { return nil }
            self.init(parent: ReplicaID(at: 0, of: row), after: row.uint64(at: 16))
        }

        package var bytes: [UInt8] {
            var writer = ByteWriter(capacity: 24)
            writer.append(parent)
            writer.append(littleEndian: after)
            return writer.bytes
        }
    }

    /// All branches that continue another one.
    public private(set) var branches: [ReplicaID: Branch] = [:]

    /// Creates a set without forks.
    public init() {}

    /// Whether every replica has one history.
    public var isEmpty: Bool { branches.isEmpty }

    /// Returns the id of the branch of `replica` whose first batch ends where the replica's tree has `root`.
    package static func id(of replica: ReplicaID, firstBatchTo root: Hash256) -> ReplicaID {
        var writer = ByteWriter()
        writer.append(contentsOf: [UInt8]("groundwave stream".utf8))
        writer.append(replica)
        writer.append(root)
        let hash = writer.withSpan { Hash256(hashing: $0) }
        writer.removeAll()
        writer.append(hash)
        return writer.withSpan { ReplicaID(at: 0, of: $0) }
    }

    /// Returns the replica whose key has signed the events of `stream`: `stream` itself, unless it is a child branch.
    public func origin(of stream: ReplicaID) -> ReplicaID { path(to: stream)[0] }

    /// Returns the branches of the history that ends with `stream`, the replica first.
    public func path(to stream: ReplicaID) -> [ReplicaID] {
        var path = [stream]
        while let branch = branches[path[path.count - 1]] { path.append(branch.parent) }
        return path.reversed()
    }

    /// Returns the branches that continue `stream`, in order of id; if there are any, `stream` gets no more events
    /// itself.
    public func children(of stream: ReplicaID) -> [ReplicaID] {
        if branches.isEmpty { return [] }
        return branches.filter { $0.value.parent == stream }.keys.sorted()
    }

    /// Whether branches continue `stream`.
    public func isForked(_ stream: ReplicaID) -> Bool { branches.contains { $0.value.parent == stream } }

    /// Returns all histories that pass through or end with `stream`, each as its branches from there on.
    package func histories(from stream: ReplicaID) -> [[ReplicaID]] {
        let children = children(of: stream)
        if children.isEmpty { return [[stream]] }
        return children.flatMap { child in histories(from: child).map { [stream] + $0 } }
    }

    /// Returns the number of events of its replica's history before the first one of `stream`.
    public func base(of stream: ReplicaID) -> SequenceNumber {
        var (base, next) = (SequenceNumber(0), stream)
        while let branch = branches[next] {
            base += branch.after
            next = branch.parent
        }
        return base
    }

    /// Converts the numbers of `range`, which is of a branch, to those in the history of its replica. Clamped, since
    /// `range` may name any numbers.
    package func numbers(of range: EventRange) -> ClosedRange<SequenceNumber> {
        let base = base(of: range.replica)
        func number(_ sequence: SequenceNumber) -> SequenceNumber {
            let (sum, overflow) = base.addingReportingOverflow(sequence)
            return overflow ? .max : sum
        }
        return number(range.first)...number(range.last)
    }

    /// Whether every branch leads back to a replica, and all numbers are small enough to count.
    ///
    /// In a damaged log the rows may form a cycle, and following them would never end.
    package var isSound: Bool {
        branches.keys.allSatisfy { stream in
            var (base, next, steps) = (SequenceNumber(0), stream, 0)
            while let branch = branches[next] {
                let (sum, overflow) = base.addingReportingOverflow(branch.after)
                steps += 1
                guard !overflow, sum <= .max / 2, steps <= branches.count else { return false }
                (base, next) = (sum, branch.parent)
            }
            return true
        }
    }

    /// Returns the event before `event` in its history; `nil` for the first event.
    package func predecessor(of event: EventID) -> EventID? {
        if event.sequence > 1 { return EventID(event.replica, event.sequence - 1) }
        guard let branch = branches[event.replica] else { return nil }
        if branch.after > 0 { return EventID(branch.parent, branch.after) }
        return predecessor(of: EventID(branch.parent, 1))
    }

    /// Returns the events that a store with `other` has and a store with `vector`, which knows these branches, is
    /// missing.
    ///
    /// A store that does not know that a replica has forked counts the events of a branch as the replica's own. Which
    /// of them it has is visible only once it knows the fork.
    public func ranges(of other: VersionVector, missingFrom vector: VersionVector) -> [EventRange] {
        other.ranges(missingFrom: vector).filter { !isForked($0.replica) }
    }

    /// Returns the last event of each branch in the history that ends with `event`, that of `event` first.
    package func heads(upTo event: EventID) -> [EventID] {
        var heads = [event]
        while let branch = branches[heads[heads.count - 1].replica] {
            heads.append(EventID(branch.parent, branch.after))
        }
        return heads.filter { $0.sequence > 0 }
    }

    /// Returns the name resolutions for events of `stream`: those of its replica and of the branches before it.
    package func resolutions(to stream: ReplicaID) -> [NameResolution] { resolutions(along: path(to: stream)) }

    /// Returns the name resolutions of the first branch of `path` for an author that means the history along `path`.
    package func resolutions(along path: [ReplicaID]) -> [NameResolution] {
        path.dropFirst().compactMap { stream in
            branches[stream].map { NameResolution(replica: $0.parent, after: $0.after, stream: stream) }
        }
    }

    /// Moves the events of `stream` behind number `after` to `newBranch`; the children of `stream` become children of
    /// `newBranch`.
    package mutating func fork(_ stream: ReplicaID, after: SequenceNumber, into newBranch: ReplicaID) {
        for child in children(of: stream) {
            guard let branch = branches[child] else { continue }
            branches[child] = Branch(parent: newBranch, after: branch.after - after)
        }
        add(newBranch, to: stream, after: after)
    }

    /// Adds `branch`, which continues `stream` behind its number `after`.
    package mutating func add(_ branch: ReplicaID, to stream: ReplicaID, after: SequenceNumber) {
        branches[branch] = Branch(parent: stream, after: after)
    }
}
