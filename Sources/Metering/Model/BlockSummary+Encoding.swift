import GroundwaveByteCoding

// The summary of a block, as stored in the shape of its event. A cell of a pyramid has such summaries one after the
// other, one for each layout.
//
// | part | form |
// |---|---|
// | form | 1 byte: 2 |
// | layout | channels (varint count), then each: name (1 byte: its place in ``Channel/usualNames`` from 1 on, or 0 and then a text), unit and decimals (1 byte: the place of the unit in Channel.Unit from 0 on, times 16, plus the decimals); ticks per second (varint, 0 for no counter) and, if there is a counter, its modulus (varint) |
// | patterns | their number (varint): 1 if every row has all channels and, in a block, the counter; 0 if not, in joined blocks; else the patterns of the rows, each once, that of the last row last (varints: see RowPattern) |
// | rows | number of the first row, count, difference of the numbers from the first row to the end (varints) |
// | times | the first (8 bytes, little-endian), then last, least and greatest less the first (signed varints) |
// | ticks | if there is a counter: first (signed varint), last less first (signed varint) |
// | channels | each: unless the number of patterns is 1, the number of rows that have it (varint); first (signed varint), last less first (signed varint), first less least, greatest less first (varints), sum less this number times first (signed, 128 bits, varint) |
// | totals | milliseconds covered (varint), charge, energy (signed, 128 bits, varints) |
// | counts | rows missing by the counter, by requests, by estimate; gaps, repeats (varints) |
// | marks | count (varint), then each: rows since the mark before (varint), kind (1 byte: see Mark.Kind), count (varint) |
//
// A signed varint is zigzag: 0, -1, 1, -2, … are written as 0, 1, 2, 3, …. Differences wrap around.

/// The reason why bytes are not a summary of blocks.
public enum SummaryError: Error, Hashable, Sendable {
    /// The bytes begin with an unknown form, perhaps of a later version.
    case unknownForm(UInt8)
    /// The bytes are malformed.
    case malformed
}

extension BlockSummary {
    static let form: UInt8 = 2
    /// The most rows that a summary counts.
    static let countLimit = UInt64(Int32.max) * 4096
    /// The most marks of a block: before each row, and behind the last one, repeats, a step of the wall clock, a gap
    /// and a new rate.
    public static let markLimit = 4 * (SampleBlock.rowLimit + 1)

    /// The encoded summary.
    public var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 160 + 12 * cells.count + 3 * marks.count)
        append(to: &writer)
        return writer.bytes
    }

    func append(to writer: inout ByteWriter) {
        writer.append(Self.form)
        writer.append(layout)
        let hasAll = patterns.isEmpty && cells.allSatisfy { UInt64($0.count) == count }
        writer.append(varint: hasAll ? 1 : patterns.count)
        for pattern in patterns { writer.append(varint: pattern.bits) }
        writer.append(varint: first)
        writer.append(varint: count)
        writer.append(varint: end &- first)
        writer.append(littleEndian: UInt64(bitPattern: firstTime))
        for time in [lastTime, leastTime, greatestTime] { writer.append(signed: time &- firstTime) }
        if layout.tick != nil {
            writer.append(signed: firstTick)
            writer.append(signed: lastTick &- firstTick)
        }
        for cell in cells {
            if !hasAll { writer.append(varint: cell.count) }
            writer.append(signed: cell.first)
            writer.append(signed: cell.last &- cell.first)
            writer.append(varint: UInt64(bitPattern: cell.first &- cell.least))
            writer.append(varint: UInt64(bitPattern: cell.greatest &- cell.first))
            writer.append(wide: cell.sum &- Int128(cell.count) &* Int128(cell.first))
        }
        writer.append(varint: totals.covered)
        writer.append(wide: totals.charge)
        writer.append(wide: totals.energy)
        writer.append(varint: missing.counted)
        writer.append(varint: missing.unanswered)
        writer.append(varint: missing.estimated)
        writer.append(varint: gapCount)
        writer.append(varint: repeatCount)
        writer.append(varint: marks.count)
        var row = 0
        for mark in marks {
            writer.append(varint: mark.row - row)
            writer.append(mark.kind.rawValue)
            writer.append(varint: mark.count)
            row = mark.row
        }
    }

    /// Decodes `bytes`, which hold exactly one summary. Whether it matches its rows is not checked.
    ///
    /// - Throws: `SummaryError` if they are not a summary.
    public init(_ bytes: RawSpan) throws(SummaryError) {
        var known = KnownLayout()
        try self.init(bytes, &known)
    }

    /// Decodes `bytes` as ``init(_:)`` does, but reuses the layout if it is the same as in `known`. For reading many
    /// blocks.
    ///
    /// - Throws: As ``init(_:)``.
    public init(_ bytes: RawSpan, _ known: inout KnownLayout) throws(SummaryError) {
        var reader = ByteReader()
        self = try Self.translating { try BlockSummary(&reader, bytes, &known) }
        guard reader.offset == bytes.byteCount else { throw .malformed }
    }

    /// Decodes the consecutive summaries in `bytes`, the content of a cell. No bytes give none.
    ///
    /// - Throws: `SummaryError` if they are not summaries.
    public static func all(in bytes: RawSpan) throws(SummaryError) -> [BlockSummary] {
        var known = KnownLayout()
        return try all(in: bytes, &known)
    }

    static func all(in bytes: RawSpan, _ known: inout KnownLayout) throws(SummaryError) -> [BlockSummary] {
        var reader = ByteReader()
        var all: [BlockSummary] = []
        while reader.offset < bytes.byteCount {
            all.append(try translating { try BlockSummary(&reader, bytes, &known) })
        }
        return all
    }

    private static func translating(_ body: () throws -> BlockSummary) throws(SummaryError) -> BlockSummary {
        do { return try body() } catch let error as SummaryError { throw error } catch { throw .malformed }
    }

    private init(_ reader: inout ByteReader, _ bytes: RawSpan, _ known: inout KnownLayout) throws {
        let form = try reader.byte(in: bytes)
        guard form == Self.form else { throw SummaryError.unknownForm(form) }
        let layout = try known.read(&reader, in: bytes)
        let (patterns, hasAll) = try reader.patterns(of: layout, in: bytes)
        let (first, count) = (try reader.varint(in: bytes), try reader.varint(in: bytes))
        let span = try reader.varint(in: bytes)
        guard count >= 1, count <= Self.countLimit, first <= .max - Self.countLimit, span >= 1, span <= .max - first
        else { throw SummaryError.malformed }
        let end = first + span
        let time = Int64(bitPattern: try reader.uint64(in: bytes))
        let last = time &+ (try reader.signed(in: bytes))
        let least = time &+ (try reader.signed(in: bytes))
        let greatest = time &+ (try reader.signed(in: bytes))
        let tick = layout.tick == nil ? 0 : try reader.signed(in: bytes)
        let lastTick = layout.tick == nil ? 0 : tick &+ (try reader.signed(in: bytes))
        var cells: [Cell] = []
        for _ in layout.channels {
            let valueCount = hasAll ? count : try reader.varint(in: bytes)
            var cell = Cell(try reader.signed(in: bytes))
            cell.last = cell.first &+ (try reader.signed(in: bytes))
            cell.least = cell.first &- Int64(bitPattern: try reader.varint(in: bytes))
            cell.greatest = cell.first &+ Int64(bitPattern: try reader.varint(in: bytes))
            cell.count = Int(clamping: valueCount)
            cell.sum = try reader.wide(in: bytes) &+ Int128(valueCount) &* Int128(cell.first)
            guard valueCount >= 1, valueCount <= count, cell.least <= min(cell.first, cell.last),
                cell.greatest >= max(cell.first, cell.last)
            else { throw SummaryError.malformed }
            cells.append(cell)
        }
        var totals = Totals()
        totals.covered = try reader.varint(in: bytes)
        totals.charge = try reader.wide(in: bytes)
        totals.energy = try reader.wide(in: bytes)
        var missing = MissingRows()
        missing.counted = try reader.varint(in: bytes)
        missing.unanswered = try reader.varint(in: bytes)
        missing.estimated = try reader.varint(in: bytes)
        let (gaps, repeats) = (try reader.varint(in: bytes), try reader.varint(in: bytes))
        let markCount = try reader.count(in: bytes, limit: Self.markLimit)
        var (marks, row) = ([Mark](), 0)
        for _ in 0..<markCount {
            row += try reader.count(in: bytes, limit: SampleBlock.rowLimit)
            guard UInt64(row) <= count, let kind = Mark.Kind(rawValue: try reader.byte(in: bytes)) else {
                throw SummaryError.malformed
            }
            marks.append(Mark(kind, before: row, count: try reader.varint(in: bytes)))
        }
        self.init(
            layout: layout, patterns: patterns, first: first, count: count, end: end, firstTime: time, lastTime: last,
            leastTime: least,
            greatestTime: greatest, firstTick: tick, lastTick: lastTick, cells: cells, totals: totals,
            missing: missing, gapCount: gaps, repeatCount: repeats, marks: marks)
    }
}

/// The layout that was read last. Consecutive blocks nearly always have the same layout.
public struct KnownLayout: Sendable {
    private var bytes: [UInt8] = []
    private var layout: Layout?

    /// Creates an empty cache.
    public init() {}

    fileprivate mutating func read(_ reader: inout ByteReader, in all: RawSpan) throws -> Layout {
        let start = reader.offset
        if let layout, all.byteCount - start >= bytes.count,
            all.extracting(start..<start + bytes.count).elementsEqual(bytes.span.bytes)
        {
            reader.offset += bytes.count
            return layout
        }
        let layout = try reader.layout(in: all)
        bytes = all.extracting(start..<reader.offset).toArray()
        self.layout = layout
        return layout
    }
}

extension ByteWriter {
    /// Appends a signed varint.
    mutating func append(signed value: Int64) {
        append(varint: UInt64(bitPattern: (value &<< 1) ^ (value >> 63)))
    }

    /// Appends a signed varint of up to 128 bits: seven bits a byte, the lowest first.
    mutating func append(wide value: Int128) {
        var rest = UInt128(bitPattern: (value &<< 1) ^ (value >> 127))
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(_ layout: Layout) {
        append(varint: layout.channels.count)
        for channel in layout.channels {
            let index = Channel.usualNames.firstIndex(of: channel.name)
            append(UInt8(index.map { $0 + 1 } ?? 0))
            if index == nil { append(text: channel.name) }
            append(UInt8(Channel.Unit.allCases.firstIndex(of: channel.unit) ?? 0) << 4 | UInt8(channel.decimals))
        }
        append(varint: layout.tick?.hertz ?? 0)
        if let tick = layout.tick { append(varint: tick.modulus) }
    }
}

extension ByteReader {
    mutating func signed(in bytes: RawSpan) throws(ByteCodingError) -> Int64 {
        let value = try varint(in: bytes)
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func wide(in bytes: RawSpan) throws(ByteCodingError) -> Int128 {
        var value: UInt128 = 0
        for shift in stride(from: 0, to: 133, by: 7) {
            let byte = try byte(in: bytes)
            value |= UInt128(byte & 0x7F) << UInt128(shift)
            if byte < 0x80 { return Int128(bitPattern: value >> 1) ^ -Int128(bitPattern: value & 1) }
        }
        throw .malformedVarint(offset: offset)
    }

    /// Returns the patterns, and whether every row has all.
    mutating func patterns(of layout: Layout, in bytes: RawSpan) throws -> (patterns: [RowPattern], hasAll: Bool) {
        let count = try count(in: bytes, limit: SampleBlock.rowLimit)
        if count <= 1 { return ([], count == 1) }
        var (patterns, all) = (Set<RowPattern>(), [RowPattern]())
        for _ in 0..<count {
            let pattern = RowPattern(bits: try varint(in: bytes))
            guard pattern.hasChannels, patterns.insert(pattern).inserted else { throw SummaryError.malformed }
            all.append(pattern)
        }
        guard all.reduce(all[0], { $0.union($1) }) == RowPattern(all: layout) else { throw SummaryError.malformed }
        return (all, false)
    }

    mutating func layout(in bytes: RawSpan) throws -> Layout {
        var channels: [Channel] = []
        for _ in 0..<(try count(in: bytes, limit: Layout.channelLimit)) {
            let index = Int(try byte(in: bytes))
            guard index <= Channel.usualNames.count else { throw SummaryError.malformed }
            let name = index == 0 ? try text(in: bytes) : Channel.usualNames[index - 1]
            let measure = Int(try byte(in: bytes))
            let (unit, decimals) = (measure >> 4, measure & 15)
            guard unit < Channel.Unit.allCases.count, decimals <= 9, Channel.allows(name: name) else {
                throw SummaryError.malformed
            }
            channels.append(Channel(name, Channel.Unit.allCases[unit], decimals: decimals))
        }
        guard !channels.isEmpty, Set(channels.map(\.name)).count == channels.count else { throw SummaryError.malformed }
        let hertz = try count(in: bytes, limit: 1_000_000_000)
        if hertz == 0 { return Layout(channels) }
        let modulus = try count(in: bytes, limit: Int(UInt32.max) + 1)
        guard modulus >= 2 else { throw SummaryError.malformed }
        return Layout(channels, tick: Layout.Tick(hertz: hertz, modulus: modulus))
    }
}

extension Channel {
    /// The usual names of channels. Files refer to them by position, so new names are only added at the end.
    static let usualNames =
        [
            "voltage", "current", "power", "resistance", "temperature", "charge", "energy", "d+", "d-", "cc1", "cc2",
            "vdd",
            "mode", "group", "time", "marker",
        ] + (0...9).flatMap { ["group\($0).charge", "group\($0).energy"] }
}
