import GroundwaveByteCoding
import GroundwaveCompression
import GroundwaveRecords

/// Bytes that went over the line between a host and a meter: one way, and at once.
public struct CapturedBytes: Hashable, Sendable {
    /// Who said them.
    public enum Way: UInt8, Hashable, Sendable {
        /// The meter.
        case received = 0
        /// The host.
        case sent = 1
    }

    /// Who said them.
    public let way: Way
    /// When they reached the host, or left it: milliseconds since 1970.
    public let time: Int64
    /// The bytes, of which there is one at least.
    public let bytes: [UInt8]

    /// Bytes that went over the line.
    public init(_ way: Way, at time: Int64, _ bytes: [UInt8]) { (self.way, self.time, self.bytes) = (way, time, bytes) }
}

/// What was said over the line to a meter, in order: the rows of a trace before they were decoded. Its items are bytes.
public struct Capture: Hashable, Sendable {
    /// How many bytes came before.
    public private(set) var first: UInt64
    /// What was said.
    public private(set) var pieces: [CapturedBytes] = []
    /// How many bytes that is.
    public private(set) var byteCount = 0

    /// Nothing yet, behind so many bytes.
    public init(first: UInt64 = 0) { self.first = first }

    /// Adds what was said next.
    public mutating func append(_ piece: CapturedBytes) {
        guard !piece.bytes.isEmpty else { return }
        pieces.append(piece)
        byteCount += piece.bytes.count
    }

    /// Takes out all of it; what is said next follows it.
    public mutating func removeAll() {
        first += UInt64(byteCount)
        (pieces, byteCount) = ([], 0)
    }

    /// What was said behind the first `count` pieces.
    public func dropFirst(_ count: Int) -> Capture {
        var rest = Capture(first: first + UInt64(pieces[..<count].reduce(0) { $0 + $1.bytes.count }))
        for piece in pieces[count...] { rest.append(piece) }
        return rest
    }

    /// A capture is sealed when it has so many bytes.
    public static let sealedByteCount = 1 << 16
    /// The most bytes of a block: what one that was sealed late has, and room.
    static let byteLimit = 1 << 22
}

// As a block of a series:
//
// | part | form |
// |---|---|
// | summary | form (1 byte: 1), time of the first piece (8 bytes, milliseconds since 1970), time of the last less that (signed varint), pieces (varint) |
// | content | bytes of what follows when it is long again (varint), then compressed by Zstandard: each piece's time less that of the one before (signed varint), twice its bytes and 1 where the host said it (varint); then the bytes of all |
extension Capture {
    static let form: UInt8 = 1

    /// The capture as a change has it; there is something in it.
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
            content.append(varint: piece.bytes.count << 1 | Int(piece.way.rawValue))
            time = piece.time
        }
        for piece in pieces { content.append(contentsOf: piece.bytes) }
        var compressed = ByteWriter(capacity: content.count / 2)
        compressed.append(varint: content.count)
        compressed.append(contentsOf: content.withSpan { Zstd.compress($0, level: 6) })
        return SeriesBlock(
            first: first, count: UInt64(byteCount), summary: summary.bytes, content: compressed.bytes)
    }

    /// The capture that a block has, whose items begin with number `first`.
    ///
    /// - Throws: ``SummaryError``, `ByteCodingError` or `Zstd.Failure` where summary or content is malformed.
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
            var heads: [(way: CapturedBytes.Way, time: Int64, count: Int)] = []
            for _ in 0..<count {
                time &+= try reader.signed(in: long)
                let word = try reader.count(in: long, limit: 2 * Self.byteLimit + 1)
                heads.append((word & 1 == 0 ? .received : .sent, time, word >> 1))
            }
            for head in heads {
                let place = try reader.skip(head.count, in: long)
                append(CapturedBytes(head.way, at: head.time, long.extracting(place).toArray()))
            }
            guard reader.offset == long.byteCount, pieces.count == count else { throw SummaryError.malformed }
        }
    }
}
