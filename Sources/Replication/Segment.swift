import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// A stored sequence of ranges: what one store has pushed to a transport at one time, several such segments packed into
/// one object, or a part of a bundle.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWG1` |
/// | 4 | length of the whole segment in bytes |
/// | 16 | log |
/// | 16 | replica that the store writes as |
/// | 8 | number of the segment; of a pack, that of the first segment in it |
/// | 8 | the same number; of a pack, that of the last segment in it |
/// | … | range frames, one after another: each proves itself |
/// | 4 | CRC-32C of everything before it |
public struct Segment: Sendable {
    /// The first four bytes: `GWG1`.
    public static let magic: UInt32 = 0x3147_5747
    /// The maximum size of a segment in bytes.
    public static let byteLimit = 8 << 20
    /// The size of the ranges in bytes at which a segment is full.
    static let preferredBytes = 4 << 20
    /// The size of what precedes the ranges, in bytes.
    static let prefixSize = 56

    /// The byte range that tells of which log a segment, or a catalog, is.
    static let logRange = 0..<24

    /// Returns the log in the bytes read from ``logRange``; `nil` if they do not begin as a segment or a catalog.
    static func log(_ bytes: [UInt8]) -> LogID? {
        guard bytes.count == logRange.count else { return nil }
        let found = bytes.span.bytes.uint32(at: 0)
        return found == magic || found == Catalog.magic ? LogID(at: 8, of: bytes.span.bytes) : nil
    }

    /// The replica of the store that wrote the segment.
    public let store: ReplicaID
    /// The numbers of the segments in it.
    public let numbers: ClosedRange<UInt64>
    /// The encoded ranges, not checked yet.
    public let ranges: [[UInt8]]

    /// Why bytes are not a valid segment.
    public enum Failure: Error, Hashable, Sendable {
        /// They are not a segment, or too short for one.
        case notASegment
        /// Lengths are inconsistent.
        case malformed
        /// The checksum does not match.
        case checksumMismatch
        /// The segment is of another log.
        case otherLog(LogID)
    }

    /// Returns the encoded segment, with encoded ranges.
    public static func bytes(
        log: LogID, of store: ReplicaID, _ numbers: ClosedRange<UInt64>, _ ranges: [[UInt8]]
    ) -> [UInt8] {
        var writer = ByteWriter(capacity: prefixSize + ranges.reduce(4) { $0 + $1.count })
        writer.append(littleEndian: magic)
        writer.append(littleEndian: UInt32(0))
        writer.append(log)
        writer.append(store)
        writer.append(littleEndian: numbers.lowerBound)
        writer.append(littleEndian: numbers.upperBound)
        for range in ranges { writer.append(contentsOf: range) }
        writer.overwrite(littleEndian: UInt32(writer.count + 4), at: 4)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// Reads a segment of `log`. Splits the ranges, but does not check them.
    public init(reading bytes: [UInt8], of log: LogID) throws(Failure) {
        let span = bytes.span.bytes
        guard span.byteCount >= Self.prefixSize + 4, span.uint32(at: 0) == Self.magic else { throw .notASegment }
        guard Int(span.uint32(at: 4)) == span.byteCount, span.byteCount <= Self.byteLimit else { throw .malformed }
        let end = span.byteCount - 4
        guard CRC32C.checksum(span.extracting(0..<end)) == span.uint32(at: end) else { throw .checksumMismatch }
        let found = LogID(at: 8, of: span)
        guard found == log else { throw .otherLog(found) }
        let (first, last) = (span.uint64(at: 40), span.uint64(at: 48))
        guard first >= 1, first <= last, last <= RemoteLayout.segmentLimit else { throw .malformed }
        (store, numbers) = (ReplicaID(at: 24, of: span), first...last)
        var ranges: [[UInt8]] = []
        var start = Self.prefixSize
        while start < end {
            let rest = span.extracting(start..<end)
            guard let count = try? RangeFrame.byteCount(of: rest), count <= rest.byteCount else { throw .malformed }
            ranges.append(rest.extracting(0..<count).toArray())
            start += count
        }
        self.ranges = ranges
    }
}

extension Segment.Failure: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .notASegment: "it does not begin as one"
        case .malformed: "its lengths do not add up"
        case .checksumMismatch: "its checksum does not match"
        case .otherLog(let log): "it is from another log, \(log.short)"
        }
    }
}
