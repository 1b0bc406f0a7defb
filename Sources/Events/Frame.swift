import GroundwaveByteCoding

/// Why bytes are not a frame, or not the frame that was written.
public enum FrameError: Error, Hashable, Sendable {
    /// The bytes do not start with the magic of a frame.
    case notAFrame
    /// The length of the frame is `length`, but only `available` bytes are there.
    case truncated(length: Int, available: Int)
    /// The lengths within the frame do not add up, or they or the event's number exceed ``EventLimits``.
    case malformed
    /// The checksum at the end of the frame and the one computed from its bytes differ.
    case checksumMismatch(stored: UInt32, computed: UInt32)
}

extension FrameError: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .notAFrame: "no event begins there"
        case .truncated(let length, let available): "\(available) of its \(length) bytes are there"
        case .malformed: "its lengths do not add up"
        case .checksumMismatch: "its checksum does not match"
        }
    }
}

/// The size limits of events.
///
/// Anything larger is refused before memory is allocated for it.
public enum EventLimits {
    /// The maximum number of events in a batch.
    public static let batchCount = 4096
    /// The maximum size of all frames of a batch together, and so of one event: 4 MiB.
    public static let batchBytes = 4 << 20
    /// The maximum number of heads that one event may list as observed.
    public static let observedCount = 1024
    /// The highest number of an event: more than any log has room for, and low enough that sums over some thousand
    /// replicas do not overflow.
    public static let sequenceNumber: SequenceNumber = 1 << 48
}

/// One event as it is stored: the positions of its parts, and the numbers of its header.
///
/// | offset | size | |
/// |---|---|---|
/// | 0 | 4 | magic, `GWE1` |
/// | 4 | 4 | length of the whole frame in bytes, including this header and the checksum |
/// | 8 | 4 | checksum of the previous frame in this log, 0 for the first |
/// | 12 | 2 | length of the header part |
/// | 14 | 2 | flags, see below |
/// | 16 | 4 | length of the shape part |
/// | 20 | … | header, shape, values, one after the other |
/// | … | … | if bit 1 is set, the name resolutions here: ``NameResolution``s of 40 bytes, then their number (2) |
/// | length − 4 | 4 | CRC-32C of everything before it |
///
/// Flags: bit 0, the values are withheld and replaced by their 32-byte SHA-256; bit 1, name resolutions follow the
/// values; bit 2 alone, the event is lost: only its identifier and a stamp are left, and shape and values are empty.
///
/// Name resolutions are not hashed, and never leave the log.
///
/// The header part: replica (16), sequence (8), stamp (8), rest (2: how many events of the batch follow), number of
/// observed heads (2; bit 15: these are all that its author had, not only those that moved), and for each: replica
/// (16), sequence (8), first 8 bytes of the tree root there.
///
/// All integers are little-endian, ids are bytes. A frame is recognisable without anything around it, so it can be
/// found in a file whose tree is destroyed; the checksum of its predecessor distinguishes a current frame from a
/// stale copy.
public struct Frame: Hashable, Sendable {
    /// The first four bytes of every frame: `GWE1`.
    public static let magic: UInt32 = 0x3145_5747
    /// The size of a frame before its header part, in bytes.
    @usableFromInline package static let prefixSize = 20
    /// The size of a header part that observed nothing, in bytes.
    @usableFromInline static let fixedHeaderSize = 36
    @usableFromInline static let observedSize = 32
    /// The maximum size of a frame with the maximum number of name resolutions, in bytes.
    @usableFromInline package static let lengthLimit = EventLimits.batchBytes + NameResolution.size * Int(UInt16.max)
    /// The flags of the placeholder of a lost event; below, its size in bytes.
    @usableFromInline static let lostFlag: UInt16 = 4
    @usableFromInline package static let lostLength = prefixSize + fixedHeaderSize + 4
    /// The bit of the observed count that marks the observed heads as complete.
    @usableFromInline static let observesAllBit: UInt16 = 0x8000

    /// The size of the whole frame, in bytes.
    public let length: Int
    /// The checksum of the previous frame in the log.
    public let previousChecksum: UInt32
    /// The identifier of the event, after name resolution.
    public let id: EventID
    /// When it was written, by its replica's hybrid clock.
    public let stamp: Stamp
    /// The number of events of the same batch that follow; 0 for the last one.
    public let rest: Int
    /// Whether the observed heads are all that the author had; if not, they are those that moved since its previous
    /// event.
    public let observesAll: Bool
    /// Whether the values are withheld and only their hash is left.
    public let isWithheld: Bool
    /// Whether this is the placeholder of an event that was lost with a damaged file: it has no content, and no leaf.
    public let isLost: Bool
    /// The range of the header part within the frame.
    public let header: Range<Int>
    /// The range of the shape within the frame.
    public let shape: Range<Int>
    /// The range of the values, or of their hash, within the frame.
    public let values: Range<Int>
    /// The range of the name resolutions and the number after them within the frame; empty if there are none.
    @usableFromInline let resolutions: Range<Int>

    /// Parses the frame at the start of `bytes`, which may continue after it.
    ///
    /// Does not verify the checksum.
    ///
    /// Cost: about ten loads, and no allocation.
    @inlinable
    public init(parsing bytes: RawSpan) throws(FrameError) {
        let available = bytes.byteCount
        guard available >= Self.prefixSize, bytes.uint32(at: 0) == Self.magic else { throw .notAFrame }
        let length = Int(bytes.uint32(at: 4))
        let headerLength = Int(bytes.uint16(at: 12))
        let shapeLength = Int(bytes.uint32(at: 16))
        guard length <= available else { throw .truncated(length: length, available: available) }
        let valuesStart = Self.prefixSize &+ headerLength &+ shapeLength
        guard headerLength >= Self.fixedHeaderSize, length <= Self.lengthLimit, valuesStart &+ 4 <= length
        else { throw .malformed }
        let flags = bytes.uint16(at: 14)
        let observedWord = bytes.uint16(at: Self.prefixSize &+ 34)
        let observedCount = Int(observedWord & ~Self.observesAllBit)
        let rest = Int(bytes.uint16(at: Self.prefixSize &+ 32))
        let resolutionsLength = flags & 2 == 0 ? 0 : 2 &+ Int(bytes.uint16(at: length &- 6)) &* NameResolution.size
        let valuesEnd = length &- 4 &- resolutionsLength
        guard headerLength == Self.fixedHeaderSize &+ observedCount &* Self.observedSize, flags <= Self.lostFlag,
            flags < Self.lostFlag || headerLength == Self.fixedHeaderSize && length == Self.lostLength,
            valuesStart <= valuesEnd, length &- resolutionsLength <= EventLimits.batchBytes,
            flags & 1 == 0 || valuesStart &+ 32 == valuesEnd,
            observedCount <= EventLimits.observedCount, rest < EventLimits.batchCount
        else { throw .malformed }
        self.length = length
        previousChecksum = bytes.uint32(at: 8)
        isWithheld = flags & 1 == 1
        isLost = flags == Self.lostFlag
        observesAll = observedWord & Self.observesAllBit != 0
        let written = EventID(ReplicaID(at: Self.prefixSize, of: bytes), bytes.uint64(at: Self.prefixSize &+ 16))
        guard written.sequence >= 1, written.sequence <= EventLimits.sequenceNumber else { throw .malformed }
        resolutions = valuesEnd..<(length &- 4)
        id =
            resolutionsLength == 0
            ? written : WrittenNames.resolutions(in: bytes, resolutions).reduce(written) { $1($0) }
        stamp = Stamp(rawValue: bytes.uint64(at: Self.prefixSize &+ 24))
        self.rest = rest
        header = Self.prefixSize..<(Self.prefixSize &+ headerLength)
        shape = header.upperBound..<valuesStart
        values = valuesStart..<valuesEnd
    }

    /// Parses the frame at the start of `bytes` and verifies its checksum.
    ///
    /// Cost: about 15 ns for 200 bytes.
    @inlinable
    public init(verifying bytes: RawSpan) throws(FrameError) {
        try self.init(parsing: bytes)
        let stored = Self.checksum(of: bytes, length: length)
        let computed = CRC32C.checksum(bytes.extracting(0..<(length &- 4)))
        guard stored == computed else { throw .checksumMismatch(stored: stored, computed: computed) }
    }

    /// The checksum at the end of the frame in `bytes`, which the next frame stores as that of its predecessor.
    @inlinable
    public func checksum(in bytes: RawSpan) -> UInt32 { Self.checksum(of: bytes, length: length) }

    @inlinable
    static func checksum(of bytes: RawSpan, length: Int) -> UInt32 { bytes.uint32(at: length &- 4) }

    /// The author's name as written, with the name resolutions for it and for the names in the shape.
    @inlinable
    public func names(in bytes: RawSpan) -> WrittenNames {
        resolutions.isEmpty
            ? WrittenNames(of: id)
            : WrittenNames(
                of: EventID(ReplicaID(at: header.lowerBound, of: bytes), bytes.uint64(at: header.lowerBound + 16)),
                resolutions: WrittenNames.resolutions(in: bytes, resolutions))
    }

    /// Whether values are missing that may arrive later: the event is lost, or its values are withheld.
    @inlinable
    public var isPartial: Bool { isWithheld || isLost }

    /// Whether `bytes`, which may not be a frame at all, are partial like ``isPartial``.
    @inlinable
    public static func isPartial(_ bytes: RawSpan) -> Bool {
        bytes.byteCount >= prefixSize && bytes.uint16(at: 14) & (1 | lostFlag) != 0
    }

    /// Whether the frame has name resolutions.
    public var hasResolutions: Bool { !resolutions.isEmpty }

    /// The heads of other replicas that moved since this replica's previous event, or all of them if ``observesAll``;
    /// in order of replica, by the names that the author wrote.
    public func observed(in bytes: RawSpan) -> [ObservedHead] {
        stride(from: header.lowerBound + Self.fixedHeaderSize, to: header.upperBound, by: Self.observedSize).map {
            ObservedHead(
                event: EventID(ReplicaID(at: $0, of: bytes), bytes.uint64(at: $0 + 16)),
                rootPrefix: bytes.bigEndianUInt64(at: $0 + 24))
        }
    }
}

/// The last event of another replica that an author had, and its branch.
public struct ObservedHead: Hashable, Sendable {
    /// The event.
    public let event: EventID
    /// The first eight bytes of the root of that replica's tree there: the number alone does not identify the branch.
    public let rootPrefix: UInt64

    /// The head `event` of the branch whose root starts with `rootPrefix`.
    public init(event: EventID, rootPrefix: UInt64) {
        self.event = event
        self.rootPrefix = rootPrefix
    }
}

/// The header that the writer adds to a draft to make it an event.
public struct EventHeader: Hashable, Sendable {
    /// The identifier of the event.
    public var id: EventID
    /// The stamp, the same for all events of a batch.
    public var stamp: Stamp
    /// The number of events of the batch that follow.
    public var rest: Int
    /// The heads of other replicas that moved since the previous event, or all of them.
    public var observed: [ObservedHead]
    /// Whether `observed` holds all heads.
    public var observesAll: Bool

    /// A header of these parts.
    public init(id: EventID, stamp: Stamp, rest: Int, observed: [ObservedHead] = [], observesAll: Bool = false) {
        self.id = id
        self.stamp = stamp
        self.rest = rest
        self.observed = observed
        self.observesAll = observesAll
    }
}

extension ByteWriter {
    /// Appends one event as a frame and returns its checksum, for the frame after it.
    @discardableResult
    public mutating func append(
        frame header: EventHeader, shape: RawSpan, values: RawSpan, isWithheld: Bool = false,
        resolutions: [NameResolution] = [], after previous: UInt32
    ) -> UInt32 {
        let start = count
        let headerLength = Frame.fixedHeaderSize + header.observed.count * Frame.observedSize
        let length =
            Frame.prefixSize + headerLength + shape.byteCount + values.byteCount + NameResolution.size(of: resolutions)
            + 4
        append(littleEndian: Frame.magic)
        append(littleEndian: UInt32(length))
        append(littleEndian: previous)
        append(littleEndian: UInt16(headerLength))
        append(littleEndian: UInt16((isWithheld ? 1 : 0) | (resolutions.isEmpty ? 0 : 2)))
        append(littleEndian: UInt32(shape.byteCount))
        append(header.id.replica)
        append(littleEndian: header.id.sequence)
        append(littleEndian: header.stamp.rawValue)
        append(littleEndian: UInt16(header.rest))
        append(
            littleEndian: UInt16(header.observed.count) | (header.observesAll ? Frame.observesAllBit : 0))
        for head in header.observed {
            append(head.event.replica)
            append(littleEndian: head.event.sequence)
            append(bigEndian: head.rootPrefix)
        }
        append(contentsOf: shape)
        append(contentsOf: values)
        append(resolutions)
        appendChecksum(from: start)
        return withSpan { $0.uint32(at: $0.byteCount - 4) }
    }

    /// Appends a placeholder for the lost event `id` and returns its checksum.
    ///
    /// - Parameter stamp: A stamp between those of the previous and the next event of the replica.
    @discardableResult
    public mutating func append(lost id: EventID, stamp: Stamp, after previous: UInt32) -> UInt32 {
        let (start, nothing) = (count, [UInt8]())
        append(
            frame: EventHeader(id: id, stamp: stamp, rest: 0), shape: nothing.span.bytes, values: nothing.span.bytes,
            after: previous)
        overwrite(littleEndian: UInt32(Frame.fixedHeaderSize) | UInt32(Frame.lostFlag) << 16, at: start + 12)
        truncate(to: count - 4)
        appendChecksum(from: start)
        return withSpan { $0.uint32(at: $0.byteCount - 4) }
    }

    /// Appends `frame`, found in `bytes`, with its values replaced by their hash. The leaf of the event does not
    /// change.
    @discardableResult
    public mutating func append(withholding frame: Frame, in bytes: RawSpan, after previous: UInt32) -> UInt32 {
        if frame.isWithheld { return append(rechaining: bytes.extracting(0..<frame.length), after: previous) }
        let start = count
        let hash = Hash256(hashing: bytes.extracting(frame.values))
        append(contentsOf: bytes.extracting(0..<frame.values.lowerBound))
        append(hash)
        append(contentsOf: bytes.extracting(frame.resolutions))
        overwrite(littleEndian: UInt32(count - start + 4), at: start + 4)
        overwrite(littleEndian: previous, at: start + 8)
        // The length of the header part, which is stored beside the flags, does not change.
        overwrite(littleEndian: UInt32(frame.header.count) | (frame.hasResolutions ? 3 : 1) << 16, at: start + 12)
        appendChecksum(from: start)
        return withSpan { $0.uint32(at: $0.byteCount - 4) }
    }

    /// Appends `frame`, found in `bytes`, with `resolutions` as its name resolutions. The hashed bytes do not change.
    @discardableResult
    public mutating func append(
        _ frame: Frame, in bytes: RawSpan, readAs resolutions: [NameResolution], after previous: UInt32
    ) -> UInt32 {
        let start = count
        append(contentsOf: bytes.extracting(0..<frame.values.upperBound))
        append(resolutions)
        overwrite(littleEndian: UInt32(count - start + 4), at: start + 4)
        overwrite(littleEndian: previous, at: start + 8)
        let flags: UInt32 = (frame.isWithheld ? 1 : 0) | (resolutions.isEmpty ? 0 : 2)
        overwrite(littleEndian: UInt32(frame.header.count) | flags << 16, at: start + 12)
        appendChecksum(from: start)
        return withSpan { $0.uint32(at: $0.byteCount - 4) }
    }

    /// Appends a frame from elsewhere, chained to another predecessor. Its other bytes do not change.
    @discardableResult
    public mutating func append(rechaining frame: RawSpan, after previous: UInt32) -> UInt32 {
        let start = count
        append(contentsOf: frame.extracting(0..<(frame.byteCount - 4)))
        overwrite(littleEndian: previous, at: start + 8)
        appendChecksum(from: start)
        return withSpan { $0.uint32(at: $0.byteCount - 4) }
    }
}
