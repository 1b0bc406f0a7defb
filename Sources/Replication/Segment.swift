import GroundwaveByteCoding
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat

/// A stored sequence of ranges that one store has pushed to a transport, or put into a bundle.
///
/// | size | |
/// |---|---|
/// | 4 | magic, `GWG1` |
/// | 4 | length of the whole segment in bytes |
/// | 16 | log |
/// | 32 | public key of the store's replica |
/// | 64 | signature of the log and the manifest: a storage provider cannot forge what a store has |
/// | 4 | length of the manifest in bytes |
/// | … | the manifest: a ``Manifest`` |
/// | … | range frames, one after another |
/// | 4 | CRC-32C of everything before it |
public struct Segment: Sendable {
    /// The first four bytes: `GWG1`.
    public static let magic: UInt32 = 0x3147_5747
    /// The maximum size of a segment in bytes.
    public static let byteLimit = 8 << 20
    /// The size of the ranges in bytes at which a segment is full.
    static let preferredBytes = 4 << 20
    private static let prefixSize = 124
    /// The byte range that distinguishes two segments of the same name: the beginning of the signature.
    static let markRange = 56..<64

    /// The byte range that tells of which log a segment is.
    static let logRange = 0..<24

    /// Returns the log in the bytes read from ``logRange``; `nil` if they do not begin as a segment.
    static func log(_ bytes: [UInt8]) -> LogID? {
        guard bytes.count == logRange.count, bytes.span.bytes.uint32(at: 0) == magic else { return nil }
        return LogID(at: 8, of: bytes.span.bytes)
    }

    /// Returns the mark that distinguishes `segment` from another one of its name; `nil` if it is truncated before
    /// the mark.
    static func mark(of segment: [UInt8]) -> UInt64? {
        segment.count >= markRange.upperBound ? mark(Array(segment[markRange])) : nil
    }

    /// Returns the mark in the bytes read from ``markRange``; `nil` if they are truncated.
    static func mark(_ bytes: [UInt8]) -> UInt64? {
        bytes.count == markRange.count ? bytes.span.bytes.uint64(at: 0) : nil
    }

    /// The manifest of the store when it wrote the segment.
    public let manifest: Manifest
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
        /// The signature is not that of the store named in the manifest.
        case wrongSignature
    }

    /// Returns the encoded segment.
    public static func bytes(log: LogID, _ manifest: Manifest, _ ranges: [RangeFrame], by identity: Identity)
        -> [UInt8]
    {
        var manifestBytes = ByteWriter()
        manifestBytes.append(manifest)
        var writer = ByteWriter()
        writer.append(littleEndian: magic)
        writer.append(littleEndian: UInt32(0))
        writer.append(log)
        writer.append(contentsOf: identity.publicKey)
        writer.append(contentsOf: identity.sign(message(log, manifestBytes.bytes)))
        writer.append(littleEndian: UInt32(manifestBytes.count))
        writer.append(contentsOf: manifestBytes.bytes)
        for range in ranges { writer.append(contentsOf: range.bytes) }
        writer.overwrite(littleEndian: UInt32(writer.count + 4), at: 4)
        writer.appendChecksum(from: 0)
        return writer.bytes
    }

    /// Reads a segment of `log`. Splits the ranges, but does not check them.
    ///
    /// - Parameter isValid: The check of a signature of a message by a public key, if not the usual one.
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
        let manifestEnd = Self.prefixSize + Int(span.uint32(at: 120))
        guard manifestEnd <= end else { throw .malformed }
        let manifestBytes = span.extracting(Self.prefixSize..<manifestEnd)
        var reader = ByteReader()
        guard let manifest = try? reader.manifest(in: manifestBytes), (try? reader.finish(in: manifestBytes)) != nil
        else {
            throw .malformed
        }
        let key = span.extracting(24..<56).toArray()
        guard Identity.replica(publicKey: key) == manifest.store,
            isValid(span.extracting(56..<120).toArray(), Self.message(log, manifestBytes.toArray()), key)
        else { throw .wrongSignature }
        self.manifest = manifest
        var ranges: [[UInt8]] = []
        var start = manifestEnd
        while start < end {
            let rest = span.extracting(start..<end)
            guard let count = try? RangeFrame.byteCount(of: rest), count <= rest.byteCount else { throw .malformed }
            ranges.append(rest.extracting(0..<count).toArray())
            start += count
        }
        self.ranges = ranges
    }

    private static func message(_ log: LogID, _ manifest: [UInt8]) -> [UInt8] {
        Array("groundwave statement".utf8) + log.bytes + manifest
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
        case .wrongSignature: "its signature is not that of its store"
        }
    }
}
