import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents

/// Ranges at rest: what one store has left at a transport, or put into a bundle, at one time.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWG1` |
/// | 4 | length of the whole segment in bytes |
/// | 16 | log |
/// | 32 | public key of the store's replica |
/// | 64 | its signature of what stands before the ranges and is not signature: a provider cannot make up what a store has |
/// | 4 | bytes of the statement |
/// | … | the ``Statement`` |
/// | … | range frames, one after the other |
/// | 4 | CRC-32C of everything before it |
public struct Segment: Sendable {
    /// The first four bytes: `GWG1`.
    public static let magic: UInt32 = 0x3147_5747
    /// The most bytes of a segment.
    public static let byteLimit = 8 << 20
    /// After so many bytes of ranges a segment is closed.
    static let preferredBytes = 4 << 20
    private static let prefixSize = 124
    /// Where the bytes stand that tell two segments of one name apart: the beginning of the signature.
    static let markPlace = 56..<64

    /// What tells `segment` from another one of its name; `nil` where that is cut off.
    static func mark(of segment: [UInt8]) -> UInt64? {
        segment.count >= markPlace.upperBound ? mark(Array(segment[markPlace])) : nil
    }

    /// The same, of the bytes at ``markPlace``.
    static func mark(_ bytes: [UInt8]) -> UInt64? {
        bytes.count == markPlace.count ? bytes.span.bytes.uint64(at: 0) : nil
    }

    /// What the store had when it wrote this.
    public let statement: Statement
    /// The ranges, as bytes that were not looked into yet.
    public let ranges: [[UInt8]]

    /// Why bytes are no segment.
    public enum Failure: Error, Hashable, Sendable {
        /// They are none, or not all of one.
        case notASegment
        /// Lengths do not add up.
        case malformed
        /// They were changed on their way.
        case checksumMismatch
        /// It is of another log.
        case otherLog(LogID)
        /// It was not signed by the store that it says it is of.
        case wrongSignature
    }

    /// The bytes of a segment.
    public static func bytes(log: LogID, _ statement: Statement, _ ranges: [RangeFrame], by identity: Identity)
        -> [UInt8]
    {
        var said = ByteWriter()
        said.append(statement)
        var writer = ByteWriter()
        writer.append(littleEndian: magic)
        writer.append(littleEndian: UInt32(0))
        writer.append(log)
        writer.append(contentsOf: identity.publicKey)
        writer.append(contentsOf: identity.sign(message(log, said.bytes)))
        writer.append(littleEndian: UInt32(said.count))
        writer.append(contentsOf: said.bytes)
        for range in ranges { writer.append(contentsOf: range.bytes) }
        writer.overwrite(littleEndian: UInt32(writer.count + 4), at: 4)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// Reads a segment of `log`; the ranges are only cut apart.
    ///
    /// - Parameter isValid: What to ask about a signature, its message and a public key, where it is not the usual check.
    public init(
        reading bytes: [UInt8], of log: LogID,
        isValid: (_ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8]) -> Bool = Identity.isValid
    ) throws(Failure) {
        let span = bytes.span.bytes
        guard span.byteCount >= Self.prefixSize + 4, span.uint32(at: 0) == Self.magic else { throw .notASegment }
        guard Int(span.uint32(at: 4)) == span.byteCount, span.byteCount <= Self.byteLimit else { throw .malformed }
        let end = span.byteCount - 4
        guard CRC32C.checksum(span.extracting(0..<end)) == span.uint32(at: end) else { throw .checksumMismatch }
        let found = LogID(at: 8, of: span)
        guard found == log else { throw .otherLog(found) }
        let statementEnd = Self.prefixSize + Int(span.uint32(at: 120))
        guard statementEnd <= end else { throw .malformed }
        let said = span.extracting(Self.prefixSize..<statementEnd)
        var reader = ByteReader()
        guard let statement = try? reader.statement(in: said), (try? reader.finish(in: said)) != nil else {
            throw .malformed
        }
        let key = span.extracting(24..<56).toArray()
        guard Identity.replica(publicKey: key) == statement.store,
            isValid(span.extracting(56..<120).toArray(), Self.message(log, said.toArray()), key)
        else { throw .wrongSignature }
        self.statement = statement
        var ranges: [[UInt8]] = []
        var start = statementEnd
        while start < end {
            let rest = span.extracting(start..<end)
            guard let count = try? RangeFrame.byteCount(of: rest), count <= rest.byteCount else { throw .malformed }
            ranges.append(rest.extracting(0..<count).toArray())
            start += count
        }
        self.ranges = ranges
    }

    private static func message(_ log: LogID, _ statement: [UInt8]) -> [UInt8] {
        Array("groundwave statement".utf8) + log.bytes + statement
    }
}
