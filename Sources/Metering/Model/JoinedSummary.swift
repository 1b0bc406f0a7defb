import GroundwaveByteCoding

// The summary of several blocks, as stored in a cell of the views.
//
// | part | form |
// |---|---|
// | flags | 1 byte: bit 0, the blocks are in order; bit 1, rows are missing before the first; bit 2, after the last |
// | blocks | their number (varint) |
// | end | number of the row after the last one (varint) |
// | parts | for each layout, the joined summary of its blocks: see BlockSummary+Encoding.swift |

/// The joined summary of several blocks of a trace.
public struct JoinedSummary: Hashable, Sendable {
    /// The joined summary of the rows of each layout, in order of their first rows; without patterns and marks.
    public internal(set) var parts: [BlockSummary] = []
    /// The number of blocks.
    public private(set) var blockCount = 0
    /// The number of the last row plus 1.
    public private(set) var end: UInt64 = 0
    /// Whether every block could be read and began at or after the end of the blocks before it.
    ///
    /// If not, counts, sums and limits cover only the blocks that could be read. The first and last values and times,
    /// and the rows missing before and after them, must then be read from the blocks themselves.
    public private(set) var isInOrder = true
    /// Whether rows are missing before the first one.
    public private(set) var isAfterGap = false
    /// Whether rows are missing after the last one.
    public private(set) var isBeforeGap = false

    /// Creates a summary of no blocks.
    public init() {}

    /// Creates the summary of one block.
    public init(_ block: BlockSummary) {
        (isAfterGap, isBeforeGap) = (block.isAfterGap, block.isBeforeGap)
        (blockCount, end) = (1, block.first &+ block.count)
        var part = block
        (part.patterns, part.marks) = ([], [])
        parts = [part]
    }

    /// The number of rows.
    public var rowCount: UInt64 { parts.reduce(0) { $0 &+ $1.count } }
    /// The earliest time of any row: milliseconds since 1970.
    public var leastTime: Int64? { parts.map(\.leastTime).min() }
    /// The latest time of any row.
    public var greatestTime: Int64? { parts.map(\.greatestTime).max() }
    /// The number of gaps: places where rows are missing.
    public var gapCount: UInt64 { parts.reduce(0) { $0 &+ $1.gapCount } }
    /// The number of missing rows in all gaps, by how they were told.
    public var missing: MissingRows { parts.reduce(into: MissingRows()) { $0.add($1.missing) } }
    /// The number of missing rows in all gaps.
    public var missingCount: UInt64 { missing.total }
    /// The number of repeated rows.
    public var repeatCount: UInt64 { parts.reduce(0) { $0 &+ $1.repeatCount } }

    /// The channels of all layouts, in order of first appearance, with the summary of their values: each name and unit
    /// once, in the finest of its decimals.
    public var channels: [(channel: Channel, cell: Cell)] {
        Layout.channels(of: parts.map(\.layout)).compactMap { channel in
            var (joined, end) = (Cell?.none, UInt64(0))
            for part in parts {
                guard let source = Layout([channel]).sources(in: part.layout)[0] else { continue }
                let cell = part.cells[source.column].scaled(by: source.factor)
                guard let before = joined else {
                    (joined, end) = (cell, part.end)
                    continue
                }
                joined?.append(cell)
                // Rows of the layouts may alternate: the last value is that of the last row.
                if part.end < end { joined?.last = before.last }
                end = max(end, part.end)
            }
            return joined.map { (channel, $0) }
        }
    }

    /// Appends blocks whose rows should come after these; otherwise ``isInOrder`` becomes `false`.
    public mutating func append(_ next: JoinedSummary) {
        let isBehind = next.parts.allSatisfy { $0.first >= end }
        isInOrder = isInOrder && next.isInOrder && isBehind
        if next.blockCount == 0 { return }
        if blockCount == 0 { isAfterGap = next.isAfterGap }
        isBeforeGap = next.isBeforeGap
        end = max(end, next.end)
        blockCount &+= next.blockCount
        for part in next.parts {
            if let index = parts.firstIndex(where: { $0.layout == part.layout }) {
                parts[index] = parts[index].joined(with: part)
            } else {
                parts.append(part)
            }
        }
        if !isInOrder { parts.sort { ($0.first, $0.count) < ($1.first, $1.count) } }
    }

    /// Records a block that could not be read: see ``isInOrder``.
    mutating func addUnread() { isInOrder = false }
}

extension BlockSummary {
    /// Whether rows are missing before the first one.
    public var isAfterGap: Bool { marks.contains { $0.kind.isGap && $0.row == 0 } }
    /// Whether rows are missing after the last one.
    public var isBeforeGap: Bool { marks.contains { $0.kind.isGap && $0.row >= count } }
}

extension JoinedSummary {
    /// The encoded summary.
    public var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16 + 256 * parts.count)
        writer.append((isInOrder ? 1 : 0) | (isAfterGap ? 2 : 0) | (isBeforeGap ? 4 : 0) as UInt8)
        writer.append(varint: blockCount)
        writer.append(varint: end)
        for part in parts { part.append(to: &writer) }
        return writer.bytes
    }

    /// Decodes `bytes`.
    ///
    /// - Throws: `SummaryError` if they are not the content of a cell.
    public init(_ bytes: RawSpan) throws(SummaryError) {
        var known = KnownLayout()
        try self.init(bytes, &known)
    }

    /// Decodes `bytes` as ``init(_:)-(RawSpan)`` does, but reuses a layout that is the same as in `known`. For reading many
    /// cells.
    ///
    /// - Throws: As ``init(_:)-(RawSpan)``.
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
