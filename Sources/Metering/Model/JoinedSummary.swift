import GroundwaveByteCoding

// What is said of several blocks, as it stands in a cell of the views.
//
// | part | form |
// |---|---|
// | flags | 1 byte: bit 0, the blocks are in order; bit 1, rows are missing before the first one; bit 2, behind the last one |
// | blocks | how many (varint) |
// | end | number of the row behind the last one (varint) |
// | parts | for each layout what is said of its blocks, joined: see BlockSummary+Encoding.swift |

/// What is said of several blocks of a trace, joined.
public struct JoinedSummary: Hashable, Sendable {
    /// What is said of the rows of each layout, in order of their first rows; without marks.
    public private(set) var parts: [BlockSummary] = []
    /// How many blocks there are.
    public private(set) var blockCount = 0
    /// The number of the row behind the last one.
    public private(set) var end: UInt64 = 0
    /// Whether each block began where those before had ended, or behind that, and all could be read.
    ///
    /// Where not, counts, sums and limits are those of the blocks that could be read; which values and times are the first
    /// and the last, and what is missing before and behind these, only the blocks themselves tell.
    public private(set) var isInOrder = true
    /// Whether rows are missing before the first one.
    public private(set) var isAfterGap = false
    /// Whether rows are missing behind the last one.
    public private(set) var isBeforeGap = false

    /// Of no block.
    public init() {}

    /// Of one block.
    public init(_ block: BlockSummary) {
        (isAfterGap, isBeforeGap) = (block.isAfterGap, block.isBeforeGap)
        (blockCount, end) = (1, block.first &+ block.count)
        var part = block
        part.marks = []
        parts = [part]
    }

    /// How many rows there are.
    public var rowCount: UInt64 { parts.reduce(0) { $0 &+ $1.count } }
    /// The earliest time of any row: milliseconds since 1970.
    public var leastTime: Int64? { parts.map(\.leastTime).min() }
    /// The latest time of any row.
    public var greatestTime: Int64? { parts.map(\.greatestTime).max() }
    /// In how many places rows are missing.
    public var gapCount: UInt64 { parts.reduce(0) { $0 &+ $1.gapCount } }
    /// How many rows are missing.
    public var missingCount: UInt64 { parts.reduce(0) { $0 &+ $1.missingCount } }
    /// How many rows came again.
    public var repeatCount: UInt64 { parts.reduce(0) { $0 &+ $1.repeatCount } }

    /// Adds blocks, whose rows should be behind these.
    public mutating func append(_ next: JoinedSummary) {
        let isBehind = next.parts.allSatisfy { $0.first >= end }
        isInOrder = isInOrder && next.isInOrder && isBehind
        if next.blockCount == 0 { return }
        if blockCount == 0 { isAfterGap = next.isAfterGap }
        isBeforeGap = next.isBeforeGap
        end = max(end, next.end)
        blockCount &+= next.blockCount
        for part in next.parts {
            if let place = parts.firstIndex(where: { $0.layout == part.layout }) {
                parts[place] = parts[place].joined(with: part)
            } else {
                parts.append(part)
            }
        }
        if !isInOrder { parts.sort { ($0.first, $0.count) < ($1.first, $1.count) } }
    }

    /// Says that there is a block that could not be read: see ``isInOrder``.
    mutating func addUnread() { isInOrder = false }
}

extension BlockSummary {
    /// Whether rows are missing before the first one.
    public var isAfterGap: Bool { marks.contains { $0.kind == .gap && $0.row == 0 } }
    /// Whether rows are missing behind the last one.
    public var isBeforeGap: Bool { marks.contains { $0.kind == .gap && $0.row >= count } }
}

extension JoinedSummary {
    /// The bytes.
    public var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16 + 256 * parts.count)
        writer.append((isInOrder ? 1 : 0) | (isAfterGap ? 2 : 0) | (isBeforeGap ? 4 : 0) as UInt8)
        writer.append(varint: blockCount)
        writer.append(varint: end)
        for part in parts { part.append(to: &writer) }
        return writer.bytes
    }

    /// What `bytes` say.
    public init(_ bytes: RawSpan) throws(SummaryError) {
        var known = KnownLayout()
        try self.init(bytes, &known)
    }

    /// As ``init(_:)``, of one of many cells: a layout is not read again where it is `known`.
    public init(_ bytes: RawSpan, _ known: inout KnownLayout) throws(SummaryError) {
        var reader = ByteReader()
        do throws(ByteCodingError) {
            let flags = try reader.byte(in: bytes)
            (isInOrder, isAfterGap, isBeforeGap) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
            blockCount = try reader.count(in: bytes, limit: Int(Int32.max))
            end = try reader.varint(in: bytes)
        } catch { throw .malformed }
        parts = try BlockSummary.all(in: bytes.extracting(reader.offset..<bytes.byteCount), &known)
    }
}
