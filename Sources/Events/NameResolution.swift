import GroundwaveByteCoding

/// The name resolution of one replica after a fork: which branch its later event numbers belong to.
///
/// Two stores that continued under one name, without a means to distinguish them, have given the same numbers to
/// different events. Each of the two histories then becomes a separate branch, and the replica's own events end at
/// the fork point. Events written before the fork was detected use the replica's name for events of a branch. They
/// stay unchanged, since they are hashed and signed; the name resolution is stored beside them.
public struct NameResolution: Hashable, Sendable {
    /// The name as written.
    public let replica: ReplicaID
    /// The last number for which the name stands for the replica itself.
    public let after: SequenceNumber
    /// The branch that the later events belong to; the first of them is its number 1.
    public let stream: ReplicaID

    /// The size of an encoded name resolution, in bytes: replica (16), number (8), branch (16).
    @usableFromInline static let size = 40

    /// The size of encoded name resolutions and their number, in bytes; 0 if there are none.
    static func size(of resolutions: [NameResolution]) -> Int { resolutions.isEmpty ? 0 : resolutions.count * size + 2 }

    /// Resolves the events of `replica` after the number `after` to `stream`.
    public init(replica: ReplicaID, after: SequenceNumber, stream: ReplicaID) {
        self.replica = replica
        self.after = after
        self.stream = stream
    }

    /// The event that the name `written` refers to.
    @inlinable
    public func callAsFunction(_ written: EventID) -> EventID {
        guard written.replica == replica, written.sequence > after else { return written }
        return EventID(stream, written.sequence - after)
    }
}

/// The resolution of the names in an event: its own name as written, and what to apply to each name.
public struct WrittenNames: Hashable, Sendable {
    /// The event itself, by the name that it had when it was written.
    public let event: EventID
    /// The name resolutions, in the order in which they are applied; none in a log without forks.
    public let resolutions: [NameResolution]

    /// The names in `event`.
    @inlinable
    public init(of event: EventID, resolutions: [NameResolution] = []) {
        self.event = event
        self.resolutions = resolutions
    }

    /// The replica that wrote the event, by the name that it had then.
    @inlinable public var author: ReplicaID { event.replica }

    /// The event that the name `written` refers to.
    @inlinable
    public func callAsFunction(_ written: EventID) -> EventID {
        resolutions.isEmpty ? written : resolutions.reduce(written) { $1($0) }
    }

    /// The name resolutions at `range` in a frame; the range includes the number after them.
    @usableFromInline
    static func resolutions(in bytes: RawSpan, _ range: Range<Int>) -> [NameResolution] {
        stride(from: range.lowerBound, to: range.upperBound - 2, by: NameResolution.size).map {
            NameResolution(
                replica: ReplicaID(at: $0, of: bytes), after: bytes.uint64(at: $0 + 16),
                stream: ReplicaID(at: $0 + 24, of: bytes))
        }
    }
}

extension WrittenNames {
    /// The events that the consecutive names `written` refer to.
    public func callAsFunction(_ written: EventRange) -> [EventRange] {
        resolutions.reduce([written]) { ranges, resolution in ranges.flatMap { resolution($0) } }
    }
}

extension NameResolution {
    fileprivate func callAsFunction(_ written: EventRange) -> [EventRange] {
        guard written.replica == replica, written.last > after else { return [written] }
        let later = EventRange(
            stream, Swift.max(written.first, after + 1) - after, through: written.last - after)
        return written.first > after ? [later] : [EventRange(replica, written.first, through: after), later]
    }
}

extension ByteWriter {
    /// Appends name resolutions as a frame stores them.
    mutating func append(_ resolutions: [NameResolution]) {
        for resolution in resolutions {
            append(resolution.replica)
            append(littleEndian: resolution.after)
            append(resolution.stream)
        }
        if !resolutions.isEmpty { append(littleEndian: UInt16(resolutions.count)) }
    }
}
