import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveRecords

/// Bytes exchanged between a host and a meter: in one direction, at one time.
public struct CapturedBytes: Hashable, Sendable {
    /// The direction of the bytes.
    public enum Direction: UInt8, Hashable, Sendable {
        /// From the meter to the host.
        case received = 0
        /// From the host to the meter.
        case sent = 1
    }

    /// The direction of the bytes.
    public let direction: Direction
    /// The time at which the bytes reached or left the host, in milliseconds since 1970.
    public let time: Int64
    /// The bytes, at least one.
    public let bytes: [UInt8]

    /// Creates a piece of captured bytes.
    public init(_ direction: Direction, at time: Int64, _ bytes: [UInt8]) {
        (self.direction, self.time, self.bytes) = (direction, time, bytes)
    }
}

/// The bytes exchanged with a meter, in order: the rows of a trace before decoding. The items of this series are
/// bytes.
public struct Capture: Hashable, Sendable {
    /// The number of bytes before the first piece.
    public private(set) var first: UInt64
    /// The captured bytes.
    public private(set) var pieces: [CapturedBytes] = []
    /// The number of captured bytes.
    public private(set) var byteCount = 0

    /// Creates an empty capture that follows `first` bytes.
    public init(first: UInt64 = 0) { self.first = first }

    /// Appends the next piece; an empty one is ignored.
    public mutating func append(_ piece: CapturedBytes) {
        guard !piece.bytes.isEmpty else { return }
        pieces.append(piece)
        byteCount += piece.bytes.count
    }

    /// Removes all pieces; the next piece follows them.
    public mutating func removeAll() {
        first += UInt64(byteCount)
        (pieces, byteCount) = ([], 0)
    }

    /// Returns the pieces after the first `count`.
    public func dropFirst(_ count: Int) -> Capture {
        var rest = Capture(first: first + UInt64(pieces[..<count].reduce(0) { $0 + $1.bytes.count }))
        for piece in pieces[count...] { rest.append(piece) }
        return rest
    }

    /// The number of bytes at which a capture is sealed.
    public static let sealedByteCount = 1 << 16
    /// The most bytes of a block, with room for captures that are sealed late.
    static let byteLimit = 1 << 22
}

// The form of a block of the series:
//
// | part | form |
// |---|---|
// | summary | form (1 byte: 1), time of the first piece (8 bytes, milliseconds since 1970), time of the last less that (signed varint), number of pieces (varint) |
// | content | uncompressed length of the rest (varint), then compressed by Zstandard: for each piece its time less that of the previous piece (signed varint) and twice its byte count, plus 1 if the host sent it (varint); then the bytes of all pieces |
extension Capture {
    static let form: UInt8 = 1

    /// The capture as a block of a series. It must not be empty.
    public var block: SeriesBlock {
        precondition(!pieces.isEmpty, "A block has items.")
        var summary = ByteWriter(capacity: 16)
        summary.append(Self.form)
        summary.append(littleEndian: UInt64(bitPattern: pieces[0].time))
        summary.append(signed: pieces[pieces.count - 1].time &- pieces[0].time)
        summary.append(varint: pieces.count)
        var content = ByteWriter(capacity: byteCount + 4 * pieces.count)
        var time = pieces[0].time
        for piece in pieces {
            content.append(signed: piece.time &- time)
            content.append(varint: piece.bytes.count << 1 | Int(piece.direction.rawValue))
            time = piece.time
        }
        for piece in pieces { content.append(contentsOf: piece.bytes) }
        var compressed = ByteWriter(capacity: content.count / 2)
        compressed.append(varint: content.count)
        compressed.append(contentsOf: content.withSpan { Zstd.compress($0, level: 6) })
        return SeriesBlock(
            first: first, count: UInt64(byteCount), summary: summary.bytes, content: compressed.bytes)
    }

    /// Creates the capture in a block whose first item has number `first`.
    ///
    /// - Throws: ``SummaryError``, `ByteCodingError` or `Zstd.Failure` if summary or content is malformed.
    public init(_ content: RawSpan, summary: RawSpan, first: UInt64) throws {
        self.init(first: first)
        var reader = ByteReader()
        let form = try reader.byte(in: summary)
        guard form == Self.form else { throw SummaryError.unknownForm(form) }
        var time = Int64(bitPattern: try reader.uint64(in: summary))
        _ = try reader.signed(in: summary)
        let count = try reader.count(in: summary, limit: Self.byteLimit)
        reader = ByteReader()
        let length = try reader.count(in: content, limit: Self.byteLimit)
        let long = try Zstd.decompress(content.extracting(reader.offset..<content.byteCount), count: length)
        try long.withSpan { long in
            reader = ByteReader()
            var heads: [(direction: CapturedBytes.Direction, time: Int64, count: Int)] = []
            for _ in 0..<count {
                time &+= try reader.signed(in: long)
                let word = try reader.count(in: long, limit: 2 * Self.byteLimit + 1)
                heads.append((word & 1 == 0 ? .received : .sent, time, word >> 1))
            }
            for head in heads {
                let range = try reader.skip(head.count, in: long)
                append(CapturedBytes(head.direction, at: head.time, long.extracting(range).toArray()))
            }
            guard reader.offset == long.byteCount, pieces.count == count else { throw SummaryError.malformed }
        }
    }
}
