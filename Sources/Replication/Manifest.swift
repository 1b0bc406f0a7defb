import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// A manifest: what a store has.
///
/// | size | |
/// |---|---|
/// | 16 | the replica that the store writes as |
/// | 8 | when the manifest was made, by the store's clock: milliseconds since 1970 |
/// | 2 | number of heads |
/// | 32 each | head: replica (16), number (8), first 8 bytes of the tree root there; in order of replica |
/// | 2 | number of retained ranges |
/// | 36 each | range: replica (16), first number (8), count (4); first 8 bytes of the tree root at its end |
/// | 2 | number of ranges requested again: they could not be read, or arrived without values |
/// | 28 each | range |
///
/// Integers are little-endian. The roots are needed because event 5 of a replica may be a different event in two
/// stores.
public struct Manifest: Hashable, Sendable {
    /// The maximum number of ranges in a manifest; further ones are left out.
    package static let rangeCount = 1024

    /// The replica that the store writes as.
    public let store: ReplicaID
    /// When the manifest was made, by the clock of that store, in milliseconds since 1970.
    public let milliseconds: Int64
    /// The last event of each branch that the store has and can prove, in order of branch.
    public private(set) var heads: [ObservedHead]
    /// The branches of the log, if the store is this one. Not sent, since other stores find them in the ranges.
    public let streams: Streams
    /// The retained ranges.
    public let kept: [RetainedRange]
    /// If the store is this one, the retained ranges that numbers do not identify: either the log does not have the
    /// events, or the replica has several branches.
    public let apart: Set<RetainedRange>
    /// The ranges requested again: they could not be read, or arrived without values. Each event once, in order.
    public private(set) var wanted: [EventRange]

    /// Creates a manifest from its parts.
    public init(
        store: ReplicaID, milliseconds: Int64, heads: [ObservedHead], kept: [RetainedRange] = [],
        apart: Set<RetainedRange> = [], wanted: [EventRange] = [], streams: Streams = Streams()
    ) {
        self.store = store
        self.milliseconds = milliseconds
        self.heads = heads
        self.kept = kept
        self.wanted = EventSet(wanted).writtenRanges
        self.streams = streams
        self.apart = apart
    }

    /// Creates the manifest of `log`.
    ///
    /// Cost: for each replica as `EventLog.root(of:)`.
    public init(of log: some ReplicatedLog, as identity: Identity, milliseconds: Int64) throws {
        let heads = try log.provenVector(signedBy: identity).entries.prefix(EventLimits.observedCount).compactMap {
            entry in
            try log.root(of: entry.replica, through: entry.sequence).map {
                ObservedHead(event: EventID(entry.replica, entry.sequence), rootPrefix: $0.prefix)
            }
        }
        let (kept, streams) = (try log.retainedFrames().map(RetainedRange.init), try log.streams())
        self.init(
            store: identity.replica, milliseconds: milliseconds, heads: heads,
            kept: Array(kept.prefix(Self.rangeCount)),
            apart: Set(
                try log.pendingFrames().map(RetainedRange.init) + kept.filter { streams.isForked($0.range.replica) }),
            wanted: Array(try log.missingValues().ranges.prefix(Self.rangeCount)), streams: streams)
    }

    /// The part that is sent to other stores.
    var published: Manifest {
        Manifest(store: store, milliseconds: milliseconds, heads: heads, kept: kept, wanted: wanted)
    }

    /// Requests more ranges.
    mutating func want(_ ranges: [EventRange]) { wanted = EventSet(wanted + ranges).writtenRanges }

    /// The heads as a vector.
    public var vector: VersionVector {
        var vector = VersionVector()
        for head in heads { vector[head.event.replica] = head.event.sequence }
        return vector
    }

    /// Returns whether the store has exactly the events that `other` has.
    public func hasSame(as other: Manifest) -> Bool { heads == other.heads }

    /// Updates or inserts a head.
    package mutating func advance(_ head: ObservedHead) {
        if let index = heads.firstIndex(where: { $0.event.replica >= head.event.replica }) {
            if heads[index].event.replica == head.event.replica {
                heads[index] = head
            } else {
                heads.insert(head, at: index)
            }
        } else {
            heads.append(head)
        }
    }
}

extension ByteWriter {
    /// Appends a head: replica (16), number (8), first bytes of the root (8).
    package mutating func append(_ head: ObservedHead) {
        append(head.event.replica)
        append(littleEndian: head.event.sequence)
        append(bigEndian: head.rootPrefix)
    }

    mutating func append(_ range: EventRange) {
        append(range.replica)
        append(littleEndian: range.first)
        append(littleEndian: UInt32(range.count))
    }

    /// Appends a manifest, as the table above says.
    package mutating func append(_ manifest: Manifest) {
        append(manifest.store)
        append(littleEndian: manifest.milliseconds)
        append(littleEndian: UInt16(manifest.heads.count))
        for head in manifest.heads { append(head) }
        append(littleEndian: UInt16(Swift.min(manifest.kept.count, Manifest.rangeCount)))
        for range in manifest.kept.prefix(Manifest.rangeCount) { append(range) }
        append(littleEndian: UInt16(Swift.min(manifest.wanted.count, Manifest.rangeCount)))
        for range in manifest.wanted.prefix(Manifest.rangeCount) { append(range) }
    }
}

extension EventRange {
    /// The range as far as its count fits into four bytes.
    fileprivate var written: EventRange {
        let (end, overflow) = first.addingReportingOverflow(UInt64(UInt32.max) - 1)
        return EventRange(replica, first, through: overflow ? last : min(last, end))
    }
}

extension EventSet {
    /// The ranges of the set as a manifest or a remote cache writes them: in order, each as far as its count fits.
    var writtenRanges: [EventRange] { ranges.map(\.written) }
}

extension ObservedHead {
    /// Whether the number of the event is valid.
    package var canBe: Bool { event.sequence >= 1 && event.sequence <= EventLimits.sequenceNumber }
}

extension ByteReader {
    /// Reads an id of 16 bytes.
    package mutating func id<ID: SixteenByteID>(in bytes: RawSpan) throws(ByteCodingError) -> ID {
        ID(at: try skip(16, in: bytes).lowerBound, of: bytes)
    }

    /// Reads a head, whose number may be invalid: see ``ObservedHead/canBe``.
    package mutating func head(in bytes: RawSpan) throws(ByteCodingError) -> ObservedHead {
        let event = EventID(try id(in: bytes), try uint64(in: bytes))
        return ObservedHead(event: event, rootPrefix: bytes.bigEndianUInt64(at: try skip(8, in: bytes).lowerBound))
    }

    /// Reads a range; `nil` if it is invalid.
    mutating func range(in bytes: RawSpan) throws(ByteCodingError) -> EventRange? {
        let replica: ReplicaID = try id(in: bytes)
        let first = try uint64(in: bytes)
        let count = UInt64(try uint32(in: bytes))
        return EventRange(replica, named: first, through: first &+ count &- 1)
    }

    /// Reads a manifest; `nil` if its contents are invalid.
    package mutating func manifest(in bytes: RawSpan) throws(ByteCodingError) -> Manifest? {
        let store: ReplicaID = try id(in: bytes)
        let milliseconds = Int64(bitPattern: try uint64(in: bytes))
        let count = Int(try uint16(in: bytes))
        guard count <= EventLimits.observedCount else { return nil }
        var heads: [ObservedHead] = []
        for _ in 0..<count { heads.append(try head(in: bytes)) }
        guard
            let kept = try ranges(
                in: bytes, { (reader, bytes) throws(ByteCodingError) in try reader.retainedRange(in: bytes) }),
            let wanted = try ranges(
                in: bytes, { (reader, bytes) throws(ByteCodingError) in try reader.range(in: bytes) })
        else { return nil }
        let isOrdered = zip(heads, heads.dropFirst()).allSatisfy { $0.event.replica < $1.event.replica }
        // Requests in another form could name an event more than once.
        guard isOrdered, heads.allSatisfy(\.canBe), EventSet(wanted).writtenRanges == wanted else { return nil }
        return Manifest(store: store, milliseconds: milliseconds, heads: heads, kept: kept, wanted: wanted)
    }

    private mutating func ranges<Range>(
        in bytes: RawSpan, _ read: (_ reader: inout ByteReader, _ bytes: RawSpan) throws(ByteCodingError) -> Range?
    ) throws(ByteCodingError) -> [Range]? {
        let count = Int(try uint16(in: bytes))
        guard count <= Manifest.rangeCount else { return nil }
        var ranges: [Range] = []
        for _ in 0..<count {
            guard let range = try read(&self, bytes) else { return nil }
            ranges.append(range)
        }
        return ranges
    }
}
