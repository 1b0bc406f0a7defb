import GroundwaveByteCoding

/// A sixteen-byte identifier; ordered as bytes, shown as Crockford base32.
public protocol SixteenByteID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes, read big-endian.
    var high: UInt64 { get }
    /// The last eight bytes, read big-endian.
    var low: UInt64 { get }
    /// An id from its two halves.
    init(high: UInt64, low: UInt64)
}

extension SixteenByteID {
    /// The id at `offset` in `bytes`; traps if fewer than 16 bytes are there.
    @inlinable
    public init(at offset: Int, of bytes: RawSpan) {
        self.init(high: bytes.bigEndianUInt64(at: offset), low: bytes.bigEndianUInt64(at: offset &+ 8))
    }

    /// The id in the first 16 of `bytes`; traps if there are fewer.
    public init(_ bytes: [UInt8]) { self.init(at: 0, of: bytes.span.bytes) }

    /// A random id.
    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        Self(high: generator.next(), low: generator.next())
    }

    /// Decodes an id from base32 (26 letters); `nil` if `text` is not one.
    public init?(text: some StringProtocol) {
        guard let bytes = Base32.decode(text), bytes.count == 16 else { return nil }
        self.init(bytes)
    }

    /// The 16 bytes, in order.
    public var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.append(self)
        return writer.bytes
    }

    /// All 26 letters of the base32 form.
    public var description: String { Base32.encode(bytes) }

    /// The first 8 letters (40 bits): enough to tell a person's devices or contacts apart in a table.
    public var short: String { Base32.encode(bytes.prefix(5)) }

    /// Byte order.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension ByteWriter {
    /// Appends the 16 bytes of an id.
    public mutating func append(_ id: some SixteenByteID) {
        append(bigEndian: id.high)
        append(bigEndian: id.low)
    }
}

/// One incarnation of one device: the first 16 bytes of the SHA-256 of its public key.
public struct ReplicaID: SixteenByteID {
    /// The first eight bytes, read big-endian.
    public let high: UInt64
    /// The last eight bytes, read big-endian.
    public let low: UInt64

    /// An id from its two halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The identifier of a record within its kind: random if entered by hand, derived if imported.
public struct RecordID: SixteenByteID {
    /// The first eight bytes, read big-endian.
    public let high: UInt64
    /// The last eight bytes, read big-endian.
    public let low: UInt64

    /// An id from its two halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The identifier of a log: the same in every store that shares it.
public struct LogID: SixteenByteID {
    /// The first eight bytes, read big-endian.
    public let high: UInt64
    /// The last eight bytes, read big-endian.
    public let low: UInt64

    /// An id from its two halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The number of an event of a replica: consecutive from 1.
public typealias SequenceNumber = UInt64

/// The position of an event in one store's log: from 1, in the order of arrival.
///
/// The order differs between stores.
public typealias Position = UInt64

/// The identifier of an event in every store: its replica, and its number among the events of that replica.
public struct EventID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The replica that wrote the event.
    public let replica: ReplicaID
    /// The number among that replica's events, from 1.
    public let sequence: SequenceNumber

    /// The event `sequence` of `replica`.
    @inlinable
    public init(_ replica: ReplicaID, _ sequence: SequenceNumber) {
        self.replica = replica
        self.sequence = sequence
    }

    /// By replica, then by number.
    @inlinable
    public static func < (left: EventID, right: EventID) -> Bool {
        left.replica == right.replica ? left.sequence < right.sequence : left.replica < right.replica
    }

    /// `REPLICA.number`, with all letters of the replica.
    public var description: String { "\(replica).\(sequence)" }

    /// `REPLICA.number` with the first 8 letters of the replica: for tables.
    public var short: String { "\(replica.short).\(sequence)" }
}
