import GroundwaveByteCoding

/// What one replica's name means from an event on, once its history has parted.
///
/// Two stores that went on under one name, with nothing to tell them apart, have given the same numbers to different
/// events. Each of the two histories is then a stream of its own, and the replica's own events end where they part.
/// Whoever wrote before that was known has written the replica's name all the same; what was written stays as it is,
/// since it was hashed and signed, and beside it stands how it is read.
public struct StreamReading: Hashable, Sendable {
    /// The name that was written.
    public let replica: ReplicaID
    /// The last number up to which it means itself.
    public let after: SequenceNumber
    /// Whose events the later ones are; the first of them is its number 1.
    public let stream: ReplicaID

    /// Bytes of a reading: replica (16), number (8), stream (16).
    @usableFromInline static let size = 40

    /// Bytes of readings and their number: none where there are none.
    static func size(of readings: [StreamReading]) -> Int { readings.isEmpty ? 0 : readings.count * size + 2 }

    /// The events of `replica` behind the number `after` are those of `stream`.
    public init(replica: ReplicaID, after: SequenceNumber, stream: ReplicaID) {
        self.replica = replica
        self.after = after
        self.stream = stream
    }

    /// The event that is meant by a name.
    @inlinable
    public func callAsFunction(_ written: EventID) -> EventID {
        guard written.replica == replica, written.sequence > after else { return written }
        return EventID(stream, written.sequence - after)
    }
}

/// How the names that an event holds are to be read: whose event it is by its own bytes, and what its author meant.
public struct WrittenNames: Hashable, Sendable {
    /// The replica that wrote the event, by the name that it had then.
    public let author: ReplicaID
    /// In the order in which they are applied; none in a log without forks.
    public let readings: [StreamReading]

    /// The names in an event of `author`.
    @inlinable
    public init(of author: ReplicaID, readings: [StreamReading] = []) {
        self.author = author
        self.readings = readings
    }

    /// The event that is meant by a name.
    @inlinable
    public func callAsFunction(_ written: EventID) -> EventID {
        readings.isEmpty ? written : readings.reduce(written) { $1($0) }
    }

    /// The readings that stand at a place of a frame, before their number.
    @usableFromInline
    static func readings(in bytes: RawSpan, _ place: Range<Int>) -> [StreamReading] {
        stride(from: place.lowerBound, to: place.upperBound - 2, by: StreamReading.size).map {
            StreamReading(
                replica: ReplicaID(at: $0, of: bytes), after: bytes.uint64(at: $0 + 16),
                stream: ReplicaID(at: $0 + 24, of: bytes))
        }
    }
}

extension WrittenNames {
    /// The events that are meant by names that follow each other.
    public func callAsFunction(_ written: EventRange) -> [EventRange] {
        readings.reduce([written]) { ranges, reading in ranges.flatMap { reading($0) } }
    }
}

extension StreamReading {
    fileprivate func callAsFunction(_ written: EventRange) -> [EventRange] {
        guard written.replica == replica, written.last > after else { return [written] }
        let later = EventRange(
            stream, Swift.max(written.first, after + 1) - after, through: written.last - after)
        return written.first > after ? [later] : [EventRange(replica, written.first, through: after), later]
    }
}

extension ByteWriter {
    /// Appends readings as they stand in a frame.
    mutating func append(_ readings: [StreamReading]) {
        for reading in readings {
            append(reading.replica)
            append(littleEndian: reading.after)
            append(reading.stream)
        }
        if !readings.isEmpty { append(littleEndian: UInt16(readings.count)) }
    }
}
