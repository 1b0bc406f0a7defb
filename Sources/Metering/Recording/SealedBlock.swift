import GroundwaveRecords

/// Rows as an event of the log has them: what is said of them in its shape, and they themselves among its values.
public struct SealedBlock: Hashable, Sendable {
    /// What is said of the rows.
    public let summary: BlockSummary
    /// The rows, encoded: see ``SampleBlock``.
    public let content: [UInt8]

    /// Bytes of an event beside what is said of a block and its rows, without an author: frame, kind, id, and some room.
    public static let envelope = 120

    /// How much of a page may stay empty: what is won by trying again is less.
    private static let slack = 24

    /// Encodes `rows`, which are at least one and at most ``SampleBlock/rowLimit``.
    ///
    /// - Parameter before: The row before the first, for the totals.
    /// - Complexity: O(values), about 25 ns each.
    public init(_ rows: TraceRows, after before: TraceRows?) {
        summary = BlockSummary(of: rows, after: before)
        var columns = [rows.times]
        if rows.layout.tick != nil { columns.append(rows.ticks) }
        content = SampleBlock.encoded(columns + rows.columns, sums: rows.layout.sums)
    }

    /// Encodes as many of `rows` as fill pages of the log: an event that ends in the middle of a page leaves the rest of it
    /// empty.
    ///
    /// - Parameter envelope: How many bytes its event takes beside what is said of the block and its rows.
    /// - Returns: The block, and how many rows it has; fewer than all where that leaves less empty.
    /// - Complexity: As of ``init(_:after:)``, up to six times.
    public static func filling(
        pagesWith rows: TraceRows, after before: TraceRows?, envelope: Int = envelope
    ) -> (block: SealedBlock, count: Int) {
        let whole = SealedBlock(rows, after: before)
        // What a block takes beside its rows: more than that has to be empty, that another one pays.
        let fixed = envelope + whole.summary.bytes.count
        guard let room = PageRoom.worthFilling(by: envelope + whole.byteCount, orLosing: fixed) else {
            return (whole, rows.count)
        }
        var best: (block: SealedBlock, count: Int)?
        // The rows are not all alike: it takes some steps between too few and too many.
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

    /// How many bytes the rows take, and what is said of them.
    var byteCount: Int { content.count + summary.bytes.count }

    /// The block as a change has it.
    public var block: SeriesBlock {
        SeriesBlock(first: summary.first, count: summary.count, summary: summary.bytes, content: content)
    }
}

/// How LMDB lays events on pages of 4,096 bytes: those of up to 2,022 share them, best two on a page; each other has
/// pages of its own, the first of which begins with 16 bytes.
enum PageRoom {
    private static let (page, header, shared) = (4096, 16, 2022)

    /// How many bytes fill pages that an event of `byteCount` would not; `nil` where it leaves at most `loss` of them empty.
    static func worthFilling(by byteCount: Int, orLosing loss: Int) -> Int? {
        if byteCount <= shared { return nil }
        let pages = (byteCount + header) / page
        let rest = (byteCount + header) % page
        if rest == 0 || page - rest <= loss { return nil }
        return pages == 0 ? shared : pages * page - header
    }
}

extension TraceRows {
    /// The rows that a block has.
    ///
    /// - Parameter summary: What is said of them.
    /// - Throws: ``SummaryError`` where the content does not go with it, ``BlockError`` or `ByteCodingError` where it is
    ///   malformed.
    /// - Complexity: O(values), about 3 ns each.
    public init(_ content: RawSpan, of summary: BlockSummary) throws {
        let columns = try Self.columns(content, of: summary) { _ in true }
        self.init(summary.layout, first: summary.first)
        times = columns.times
        ticks = columns.ticks
        self.columns = columns.channels
        marks = summary.marks
    }

    /// Of the rows that a block has those of `channels` that it has, without the meter's counter.
    ///
    /// Cost: as of ``init(_:of:)``, of these values and the times alone.
    public init(_ content: RawSpan, of summary: BlockSummary, only channels: [Channel]) throws {
        let all = summary.layout.channels
        let columns = try Self.columns(content, of: summary) { channels.contains(all[$0]) }
        let places = all.indices.filter { channels.contains(all[$0]) }
        self.init(Layout(places.map { all[$0] }), first: summary.first)
        times = columns.times
        self.columns = places.map { columns.channels[$0] }
        marks = summary.marks
    }

    /// The columns of a block; those of channels that are not wanted are empty, and of a counter where any is not.
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
