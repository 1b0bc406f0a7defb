import GroundwaveByteCoding
import GroundwaveEvents

/// The streams of a log: which histories of which replicas have parted, and where.
///
/// A replica's events are one stream as long as it has one history. Where two stores went on under its name, its own
/// events, the trunk, end with the last batch that both histories have, and each of the two goes on as a stream with an
/// id of its own, numbered from 1. Everything but ranges and signatures takes a stream for a replica: it has numbers, a
/// head, a tree, heads of fields. A stream may part again. Since its id comes from what it begins with, every store
/// gives it the same one, whichever history came first and in whichever order forks are learnt of.
public struct Streams: Hashable, Sendable {
    /// How a stream begins.
    public struct Branch: Hashable, Sendable {
        /// The stream that it goes on from: a replica, or another such stream.
        public let parent: ReplicaID
        /// The last event of that one: 0 where the very first batches differ.
        public let after: SequenceNumber

        package init(parent: ReplicaID, after: SequenceNumber) {
            self.parent = parent
            self.after = after
        }
    }

    /// All streams that go on from another one.
    public private(set) var branches: [ReplicaID: Branch] = [:]

    /// No stream but the replicas themselves.
    public init() {}

    /// Whether every replica has one history.
    public var isEmpty: Bool { branches.isEmpty }

    /// The id of the stream of `replica` whose first batch ends where the replica's tree has `root`.
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

    /// The replica whose key has signed the events of `stream`: itself, unless it goes on from another one.
    public func origin(of stream: ReplicaID) -> ReplicaID { path(to: stream)[0] }

    /// The streams that one after the other make the history that ends with `stream`, the replica first.
    public func path(to stream: ReplicaID) -> [ReplicaID] {
        var path = [stream]
        while let branch = branches[path[path.count - 1]] { path.append(branch.parent) }
        return path.reversed()
    }

    /// The streams that go on from `stream`, in order of id; it has no further events of its own then.
    public func children(of stream: ReplicaID) -> [ReplicaID] {
        if branches.isEmpty { return [] }
        return branches.filter { $0.value.parent == stream }.keys.sorted()
    }

    /// Whether several histories go on from `stream`.
    public func isParted(_ stream: ReplicaID) -> Bool { branches.contains { $0.value.parent == stream } }

    /// All histories that go on from `stream` or end with it, each as its streams from there on.
    package func histories(from stream: ReplicaID) -> [[ReplicaID]] {
        let children = children(of: stream)
        if children.isEmpty { return [[stream]] }
        return children.flatMap { child in histories(from: child).map { [stream] + $0 } }
    }

    /// How many events of its replica's history stand before the first one of `stream`.
    public func base(of stream: ReplicaID) -> SequenceNumber {
        var (base, next) = (SequenceNumber(0), stream)
        while let branch = branches[next] {
            base += branch.after
            next = branch.parent
        }
        return base
    }

    /// The numbers that the events of `range`, which are of a stream, have in the history of its replica; clamped, since
    /// whoever names events may name any numbers.
    func numbers(of range: EventRange) -> ClosedRange<SequenceNumber> {
        let base = base(of: range.replica)
        func number(_ sequence: SequenceNumber) -> SequenceNumber {
            let (sum, overflow) = base.addingReportingOverflow(sequence)
            return overflow ? .max : sum
        }
        return number(range.first)...number(range.last)
    }

    /// Whether every stream goes on from a replica in the end, behind as many events as can be counted.
    ///
    /// A damaged log may say otherwise, and whoever followed its rows would never end.
    var isSound: Bool {
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

    /// What stands before `event` in its history: an event, or `nil` for the first one of all.
    package func predecessor(of event: EventID) -> EventID? {
        if event.sequence > 1 { return EventID(event.replica, event.sequence - 1) }
        guard let branch = branches[event.replica] else { return nil }
        if branch.after > 0 { return EventID(branch.parent, branch.after) }
        return predecessor(of: EventID(branch.parent, 1))
    }

    /// What a store with `other` has and one with `vector`, which knows of these streams, lacks.
    ///
    /// A store that has not learnt that a replica has parted counts the events of a stream as the replica's own. What it
    /// has of them shows once it has.
    public func ranges(of other: VersionVector, missingFrom vector: VersionVector) -> [EventRange] {
        other.ranges(missingFrom: vector).filter { !isParted($0.replica) }
    }

    /// The last event of each stream in the history that ends with `event`, that one first.
    package func heads(upTo event: EventID) -> [EventID] {
        var heads = [event]
        while let branch = branches[heads[heads.count - 1].replica] {
            heads.append(EventID(branch.parent, branch.after))
        }
        return heads.filter { $0.sequence > 0 }
    }

    /// How the names of an event of `stream` are read: those of its replica and of the streams before it.
    package func readings(to stream: ReplicaID) -> [StreamReading] { readings(along: path(to: stream)) }

    /// How names of the first stream of `path` are read by who means the history along it.
    package func readings(along path: [ReplicaID]) -> [StreamReading] {
        path.dropFirst().compactMap { stream in
            branches[stream].map { StreamReading(replica: $0.parent, after: $0.after, stream: stream) }
        }
    }

    /// The events of `stream` behind its number `after` are those of `part` from now on; what went on from `stream`
    /// goes on from that.
    package mutating func part(_ stream: ReplicaID, after: SequenceNumber, into part: ReplicaID) {
        for child in children(of: stream) {
            guard let branch = branches[child] else { continue }
            branches[child] = Branch(parent: part, after: branch.after - after)
        }
        add(part, to: stream, after: after)
    }

    /// A history that goes on from `stream` behind its number `after`.
    package mutating func add(_ part: ReplicaID, to stream: ReplicaID, after: SequenceNumber) {
        branches[part] = Branch(parent: stream, after: after)
    }
}
