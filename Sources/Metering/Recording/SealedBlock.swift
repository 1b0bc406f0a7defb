import GroundwaveRecords

/// Rows in the form of an event of the log: their summary in its shape, the rows among its values.
public struct SealedBlock: Hashable, Sendable {
    /// The summary of the rows.
    public let summary: BlockSummary
    /// The rows, encoded: see ``SampleBlock``.
    public let content: [UInt8]

    /// The bytes of an event besides the summary and the rows, without an author: frame, kind, id, and some reserve.
    public static let envelope = 120

    /// The most patterns of a block: a summary has at most 64 KiB, and most of it is for marks.
    private static let patternLimit = 256

    /// The last rows get a block of their own if they are at least one in so many.
    private static let lastPart = 4

    /// The most unused bytes of a page that are accepted: another attempt would save less.
    private static let slack = 24

    /// Encodes `rows`, which are at least one and at most ``SampleBlock/rowLimit``.
    ///
    /// - Parameter before: The row before these, if known, for the totals.
    /// - Complexity: O(values), about 25 ns each.
    public init(_ rows: TraceRows, after before: RowBefore?) {
        let rows = rows.compacted()
        summary = BlockSummary(compacted: rows, after: before)
        let columns = BlockColumns(of: summary)
        content = SampleBlock.encoded(columns.encoded(rows), sums: columns.sums)
    }

    /// Encodes as many of `rows` as fill pages of the log: an event that ends in the middle of a page wastes the rest
    /// of it.
    ///
    /// The last rows of a trace may waste a page: where few of them would be left, a block of their own costs bytes that go
    /// to all devices and archives, and the page is wasted once.
    ///
    /// - Parameters:
    ///   - envelope: The bytes of the event besides the summary and the rows.
    ///   - isLast: Whether no rows follow.
    /// - Returns: The block and its number of rows, fewer than all if that wastes less.
    /// - Complexity: Up to six times that of ``init(_:after:)``.
    public static func filling(
        pagesWith rows: TraceRows, after before: RowBefore?, envelope: Int = envelope, isLast: Bool = false
    ) -> (block: SealedBlock, count: Int) {
        let fitting = rows.count(ofPatterns: patternLimit)
        let isLast = isLast && fitting == rows.count
        let rows = fitting < rows.count ? rows.split(at: fitting).0 : rows
        let whole = SealedBlock(rows, after: before)
        // The fixed cost of a block: an additional block must save more than that.
        let fixed = envelope + whole.summary.bytes.count
        guard let room = PageRoom.worthFilling(by: envelope + whole.byteCount, orLosing: fixed) else {
            return (whole, rows.count)
        }
        var best: (block: SealedBlock, count: Int)?
        // Row sizes differ, so an interpolation takes several steps.
        var (few, many) = ((count: 0, bytes: fixed), (count: rows.count, bytes: envelope + whole.byteCount))
        for _ in 1...5 {
            let wanted = room - slack / 2 - few.bytes
            let count = few.count + (many.count - few.count) * wanted / (many.bytes - few.bytes)
            guard count > few.count, count < many.count else { break }
            let block = SealedBlock(rows.split(at: count).0, after: before)
            let bytes = envelope + block.byteCount
            if bytes > room {
                many = (count, bytes)
                continue
            }
            best = (block, count)
            few = (count, bytes)
            if room - bytes <= slack { break }
        }
        guard let best, !isLast || (rows.count - best.count) * lastPart >= rows.count else {
            return (whole, rows.count)
        }
        return best
    }

    /// The size of the rows and their summary in bytes.
    var byteCount: Int { content.count + summary.bytes.count }

    /// The block as a block of a series.
    public var block: SeriesBlock {
        SeriesBlock(first: summary.first, count: summary.count, summary: summary.bytes, content: content)
    }
}

/// The layout of events on LMDB pages of 4,096 bytes: events of up to 2,022 bytes share pages, at best two on a page.
/// A larger event has pages of its own, the first of which begins with 16 bytes.
enum PageRoom {
    private static let (page, header, shared) = (4096, 16, 2022)

    /// Returns the size of an event that fills its pages, below `byteCount`; `nil` if an event of `byteCount` wastes
    /// at most `loss` bytes.
    static func worthFilling(by byteCount: Int, orLosing loss: Int) -> Int? {
        if byteCount <= shared { return nil }
        let pages = (byteCount + header) / page
        let rest = (byteCount + header) % page
        if rest == 0 || page - rest <= loss { return nil }
        return pages == 0 ? shared : pages * page - header
    }
}
