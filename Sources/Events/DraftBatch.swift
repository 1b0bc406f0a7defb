import ByteCoding

/// Events that have not been appended yet: the shapes and values of one batch, in the order in which they happened.
///
/// A batch is atomic everywhere: one commit, one run of positions, one stamp; every replica shows it only when it is
/// complete. The parts lie in one buffer, so that a batch of thousands costs two allocations, not thousands.
public struct DraftBatch: Sendable {
    private var buffer: ByteWriter
    private var ends: [(shape: Int, values: Int)] = []

    /// An empty batch.
    public init(capacity: Int = 0) { buffer = ByteWriter(capacity: capacity) }

    /// The number of events.
    public var count: Int { ends.count }

    /// Whether there is nothing to append.
    public var isEmpty: Bool { ends.isEmpty }

    /// The number of bytes of shapes and values so far; headers add at most ``overheadPerEvent`` bytes each.
    public var byteCount: Int { buffer.count }

    /// The number of bytes that a frame adds to shape and values if its author observed nothing.
    public static let overheadPerEvent = Frame.prefixSize + Frame.fixedHeaderSize + 4

    /// Whether the batch is within the limits.
    public var isWithinLimits: Bool {
        count <= EventLimits.batchCount
            && byteCount + count * Self.overheadPerEvent + EventLimits.observedCount * Frame.observedSize
                <= EventLimits.batchBytes
    }

    /// Whether an event of `byteCount` bytes of shape and values still fits the limits of a batch.
    public func hasRoom(for byteCount: Int) -> Bool {
        // The last event carries the observed heads, at most `observedCount` of them.
        let observed = EventLimits.observedCount * Frame.observedSize
        return count < EventLimits.batchCount
            && self.byteCount + byteCount + (count + 1) * Self.overheadPerEvent + observed <= EventLimits.batchBytes
    }

    /// Appends one event; the closures write its parts.
    public mutating func append(shape: (inout ByteWriter) -> Void, values: (inout ByteWriter) -> Void) {
        shape(&buffer)
        let shapeEnd = buffer.count
        values(&buffer)
        ends.append((shapeEnd, buffer.count))
    }

    /// Lends the shape and the values of the event at `index`, counted from 0, to `body`.
    public func withEvent<Result>(at index: Int, _ body: (_ shape: RawSpan, _ values: RawSpan) throws -> Result)
        rethrows -> Result
    {
        let start = index == 0 ? 0 : ends[index - 1].values
        let end = ends[index]
        return try buffer.withSpan { bytes in
            try body(bytes.extracting(start..<end.shape), bytes.extracting(end.shape..<end.values))
        }
    }
}
