import GroundwaveByteCoding

/// Events that were not appended yet: the shapes and values of one batch, in the order in which they happened.
///
/// A batch is atomic everywhere: one commit, one run of positions, one stamp; it is shown when all of it is there, on
/// every replica. The pieces lie in one buffer, so that a batch of thousands costs two allocations, not thousands.
public struct DraftBatch: Sendable {
    private var buffer: ByteWriter
    private var ends: [(shape: Int, values: Int)] = []

    /// An empty batch.
    public init(capacity: Int = 0) { buffer = ByteWriter(capacity: capacity) }

    /// The number of events.
    public var count: Int { ends.count }

    /// Whether there is nothing to append.
    public var isEmpty: Bool { ends.isEmpty }

    /// The bytes of shapes and values so far; headers come on top, at most ``overheadPerEvent`` bytes each.
    public var byteCount: Int { buffer.count }

    /// What a frame adds to shape and values when its author observed nothing.
    public static let overheadPerEvent = Frame.prefixSize + Frame.fixedHeaderSize + 4

    /// Whether the batch keeps to the limits.
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

    /// Appends one event, whose parts the closures write.
    public mutating func append(shape: (inout ByteWriter) -> Void, values: (inout ByteWriter) -> Void) {
        shape(&buffer)
        let shapeEnd = buffer.count
        values(&buffer)
        ends.append((shapeEnd, buffer.count))
    }

    /// Hands out shape and values of the event at `index`, from 0.
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
