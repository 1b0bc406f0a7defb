import GroundwaveByteCoding

/// One event apart from any log: just the bytes that its leaf is the hash of.
public struct DetachedEvent: Hashable, Sendable {
    /// The event as a frame that follows no other.
    private let bytes: [UInt8]
    private let frame: Frame

    /// The event in `bytes`, where `frame` was read.
    public init(_ frame: Frame, in bytes: RawSpan) {
        func part(_ range: Range<Int>) -> [UInt8] { bytes.extracting(range).toArray() }
        let event = try? DetachedEvent(
            header: part(frame.header), shape: part(frame.shape), values: part(frame.values),
            isWithheld: frame.isWithheld)
        guard let event else { preconditionFailure("The parts of a frame make a frame.") }
        self = event
    }

    /// An event of parts that came from somewhere.
    ///
    /// - Parameter values: The values; where `isWithheld`, their 32-byte SHA-256.
    /// - Throws: ``FrameError/malformed`` where the header is none, or a part exceeds ``EventLimits``.
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

    /// The name of the event.
    public var id: EventID { frame.id }
    /// When it was written, by its replica's clock.
    public var stamp: Stamp { frame.stamp }
    /// Whether the values are gone and only their hash is left.
    public var isWithheld: Bool { frame.isWithheld }

    /// Whose event it is, which number, when, after what.
    public var header: [UInt8] { Array(bytes[frame.header]) }
    /// What it changed; no personal text.
    public var shape: [UInt8] { Array(bytes[frame.shape]) }
    /// The values, or their SHA-256 where they are withheld.
    public var values: [UInt8] { Array(bytes[frame.values]) }

    /// The leaf of the event: see ``MerkleHasher/leaf(of:in:)``.
    public var leaf: Hash256 {
        var hasher = MerkleHasher()
        return hasher.leaf(of: frame, in: bytes.span.bytes)
    }
}
