import Records

/// Rows in the form of an event of the log: their summary in its shape, the rows among its values.
public struct SealedBlock: Hashable, Sendable {
    /// The summary of the rows.
    public let summary: BlockSummary
    /// The rows, encoded: see ``SampleBlock``.
    public let content: [UInt8]

    /// The bytes of an event besides the summary and the rows, without an author: frame, kind, id, and some reserve.
    public static let envelope = 120

    /// The most unused bytes of a page that are accepted: another attempt would save less.
    private static let slack = 24

    /// Encodes `rows`, which are at least one and at most ``SampleBlock/rowLimit``.
    ///
    /// - Parameter before: The rows before these; the last of them is needed for the totals.
    /// - Complexity: O(values), about 25 ns each.
    public init(_ rows: TraceRows, after before: TraceRows?) {
        summary = BlockSummary(of: rows, after: before)
        var columns = [rows.times]
        if rows.layout.tick != nil { columns.append(rows.ticks) }
        content = SampleBlock.encoded(columns + rows.columns, sums: rows.layout.sums)
    }

    /// Encodes as many of `rows` as fill pages of the log: an event that ends in the middle of a page wastes the rest
    /// of it.
    ///
    /// - Parameter envelope: The bytes of the event besides the summary and the rows.
    /// - Returns: The block and its number of rows, fewer than all if that wastes less.
    /// - Complexity: Up to six times that of ``init(_:after:)``.
    public static func filling(
        pagesWith rows: TraceRows, after before: TraceRows?, envelope: Int = envelope
    ) -> (block: SealedBlock, count: Int) {
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
        return best ?? (whole, rows.count)
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

extension TraceRows {
    /// Decodes the rows of a block.
    ///
    /// - Parameter summary: The summary of the block.
    /// - Throws: ``SummaryError`` if the content does not match it, ``BlockError`` or `ByteCodingError` if the
    ///   content is malformed.
    /// - Complexity: O(values), about 3 ns each.
    public init(_ content: RawSpan, of summary: BlockSummary) throws {
        let columns = try Self.columns(content, of: summary) { _ in true }
        self.init(summary.layout, first: summary.first)
        times = columns.times
        ticks = columns.ticks
        self.columns = columns.channels
        marks = summary.marks
    }

    /// Decodes only those `channels` of a block that it has, without the meter's counter.
    ///
    /// - Complexity: As ``init(_:of:)``, for these values and the times alone.
    public init(_ content: RawSpan, of summary: BlockSummary, only channels: [Channel]) throws {
        let all = summary.layout.channels
        let columns = try Self.columns(content, of: summary) { channels.contains(all[$0]) }
        let places = all.indices.filter { channels.contains(all[$0]) }
        self.init(Layout(places.map { all[$0] }), first: summary.first)
        times = columns.times
        self.columns = places.map { columns.channels[$0] }
        marks = summary.marks
    }

    /// Decodes the columns of a block. Unwanted channels are empty; so is the counter if any channel is unwanted.
    private static func columns(
        _ content: RawSpan, of summary: BlockSummary, where isWanted: (_ channel: Int) -> Bool
    ) throws -> (times: [Int64], ticks: [Int64], channels: [[Int64]]) {
        let (extra, count) = (summary.layout.tick == nil ? 1 : 2, summary.layout.channels.count)
        let isWhole = (0..<count).allSatisfy(isWanted)
        let columns = try SampleBlock.decoded(content) {
            $0 < extra ? isWhole : $0 - extra < count && isWanted($0 - extra)
        }
        guard columns.count == count + extra, UInt64(columns[0].count) == summary.count else {
            throw SummaryError.malformed
        }
        return (columns[0], extra == 2 ? columns[1] : [], Array(columns[extra...]))
    }
}

extension Layout {
    /// The predictions of charge and energy: for each such column of a block, the columns that it is a sum of.
    var sums: [Int: SampleBlock.Sum] {
        guard let current = currentChannel else { return [:] }
        let offset = tick == nil ? 1 : 2
        var sums: [Int: SampleBlock.Sum] = [:]
        for (index, channel) in channels.enumerated() {
            switch channel.unit {
            case .ampereHour: sums[index + offset] = SampleBlock.Sum(of: current + offset)
            case .wattHour:
                if let voltage = voltageChannel {
                    sums[index + offset] = SampleBlock.Sum(of: voltage + offset, times: current + offset)
                }
            default: break
            }
        }
        return sums
    }
}
