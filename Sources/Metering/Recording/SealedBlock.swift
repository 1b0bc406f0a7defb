import Records

/// Rows as an event of the log has them: what is said of them in its shape, and they themselves among its values.
public struct SealedBlock: Hashable, Sendable {
    /// What is said of the rows.
    public let summary: BlockSummary
    /// The rows, encoded: see ``SampleBlock``.
    public let content: [UInt8]

    /// Bytes of an event beside what is said of a block and its rows: frame, kind, id, author, and some room.
    static let envelope = 200
    /// Bytes of a page, and of the header of the first page of a value that has pages of its own.
    private static let (page, pageHeader) = (4096, 16)

    /// Encodes `rows`, which are at least one and at most ``SampleBlock/rowLimit``.
    ///
    /// - Parameter before: The row before the first, for the totals.
    /// - Complexity: O(values), about 50 ns each.
    public init(_ rows: TraceRows, after before: TraceRows?) {
        summary = BlockSummary(of: rows, after: before)
        var columns = [rows.times]
        if rows.layout.tick != nil { columns.append(rows.ticks) }
        content = SampleBlock.encoded(columns + rows.columns, sums: rows.layout.sums)
    }

    /// Encodes as many of `rows` as fill whole pages of the log: an event that ends in the middle of a page leaves the rest
    /// of it empty.
    ///
    /// - Returns: The block, and how many rows it has; fewer than all where that leaves less empty.
    /// - Complexity: As of ``init(_:after:)``, up to three times.
    public static func filling(pagesWith rows: TraceRows, after before: TraceRows?) -> (block: SealedBlock, count: Int)
    {
        let whole = SealedBlock(rows, after: before)
        let bytes = whole.byteCount + pageHeader
        let pages = bytes / page
        // Up to about 2 KB several events share a page.
        guard bytes % page != 0, pages >= 1, page - bytes % page > bytes / 20 else { return (whole, rows.count) }
        var count = rows.count * (pages * page - pageHeader) / bytes
        for _ in 1...2 {
            guard count >= 1 else { break }
            let block = SealedBlock(rows.split(at: count).0, after: before)
            if block.byteCount + pageHeader <= pages * page { return (block, count) }
            count = count * 49 / 50
        }
        return (whole, rows.count)
    }

    /// About how many bytes its event takes.
    var byteCount: Int { content.count + summary.bytes.count + Self.envelope }

    /// The block as a change has it.
    public var block: SeriesBlock {
        SeriesBlock(first: summary.first, count: summary.count, summary: summary.bytes, content: content)
    }
}

extension TraceRows {
    /// The rows that a block has.
    ///
    /// - Parameter summary: What is said of them.
    /// - Throws: ``SummaryError`` where the content does not go with it, ``BlockError`` or `ByteCodingError` where it is
    ///   malformed.
    /// - Complexity: O(values), about 10 ns each.
    public init(_ content: RawSpan, of summary: BlockSummary) throws {
        var columns = try SampleBlock.decoded(content)
        let extra = summary.layout.tick == nil ? 1 : 2
        guard columns.count == summary.layout.channels.count + extra, UInt64(columns[0].count) == summary.count else {
            throw SummaryError.malformed
        }
        self.init(summary.layout, first: summary.first)
        times = columns[0]
        if extra == 2 { ticks = columns[1] }
        columns.removeFirst(extra)
        self.columns = columns
        marks = summary.marks
    }
}

extension Layout {
    /// What charge and energy may be foretold by: where the columns of a block stand that they are sums of.
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
