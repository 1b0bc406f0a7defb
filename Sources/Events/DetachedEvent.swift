import ByteCoding

/// One event outside of any log: exactly the bytes that its leaf hashes.
public struct DetachedEvent: Hashable, Sendable {
    /// The event as a frame without a predecessor.
    private let bytes: [UInt8]
    private let frame: Frame

    /// The event of `frame`, which was parsed from `bytes`.
    public init(_ frame: Frame, in bytes: RawSpan) {
        func part(_ range: Range<Int>) -> [UInt8] { bytes.extracting(range).toArray() }
        let event = try? DetachedEvent(
            header: part(frame.header), shape: part(frame.shape), values: part(frame.values),
            isWithheld: frame.isWithheld)
        guard let event else { preconditionFailure("The parts of a frame make a frame.") }
        self = event
    }

    /// An event from parts of any origin.
    ///
    /// - Parameter values: The values; if `isWithheld`, their 32-byte SHA-256.
    /// - Throws: ``FrameError/malformed`` if the header is invalid, or a part exceeds ``EventLimits``.
    public init(header: [UInt8], shape: [UInt8], values: [UInt8], isWithheld: Bool) throws(FrameError) {
        let length = Frame.prefixSize + header.count + shape.count + values.count + 4
        guard length <= EventLimits.batchBytes, header.count <= UInt16.max else { throw .malformed }
        var writer = ByteWriter(capacity: length)
        writer.append(littleEndian: Frame.magic)
        writer.append(littleEndian: UInt32(length))
        writer.append(littleEndian: UInt32(0))
        writer.append(littleEndian: UInt16(header.count))
        writer.append(littleEndian: UInt16(isWithheld ? 1 : 0))
        writer.append(littleEndian: UInt32(shape.count))
        for part in [header, shape, values] { writer.append(contentsOf: part) }
        writer.appendChecksum(from: 0)
        let bytes = writer.bytes
        frame = try Frame(parsing: bytes.span.bytes)
        self.bytes = bytes
    }

    /// The identifier of the event.
    public var id: EventID { frame.id }
    /// When it was written, by its replica's clock.
    public var stamp: Stamp { frame.stamp }
    /// Whether the values are withheld and only their hash is left.
    public var isWithheld: Bool { frame.isWithheld }

    /// The header: replica, number, stamp, and observed heads.
    public var header: [UInt8] { Array(bytes[frame.header]) }
    /// The shape: what the event changed, without personal text.
    public var shape: [UInt8] { Array(bytes[frame.shape]) }
    /// The values, or their SHA-256 if they are withheld.
    public var values: [UInt8] { Array(bytes[frame.values]) }

    /// The leaf of the event: see ``MerkleHasher/leaf(of:in:)``.
    public var leaf: Hash256 {
        var hasher = MerkleHasher()
        return hasher.leaf(of: frame, in: bytes.span.bytes)
    }
}
