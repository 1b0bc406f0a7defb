import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// A range that a store retains as received. The root identifies its events, since the log may have others with the
/// same numbers.
public struct RetainedRange: Hashable, Sendable {
    /// The replica and the numbers of its events.
    public let range: EventRange
    /// The first 8 bytes of the root of the replica's tree through the last event.
    let rootPrefix: UInt64

    init(range: EventRange, rootPrefix: UInt64) {
        self.range = range
        self.rootPrefix = rootPrefix
    }

    /// The range of a frame.
    package init(_ frame: RangeFrame) {
        var hasher = MerkleHasher()
        self.init(range: frame.range, rootPrefix: frame.endEdge.root(hasher: &hasher).prefix)
    }
}

extension ByteWriter {
    mutating func append(_ kept: RetainedRange) {
        append(kept.range)
        append(bigEndian: kept.rootPrefix)
    }
}

extension ByteReader {
    /// Reads a retained range; `nil` if it is malformed.
    mutating func retainedRange(in bytes: RawSpan) throws(ByteCodingError) -> RetainedRange? {
        let range = try range(in: bytes)
        let rootPrefix = bytes.bigEndianUInt64(at: try skip(8, in: bytes).lowerBound)
        return range.map { RetainedRange(range: $0, rootPrefix: rootPrefix) }
    }
}
