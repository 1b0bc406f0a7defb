import GroundwaveByteCoding

/// The symbols of the columns of a block, decoded together.
///
/// A symbol needs the state that the symbol before it left, so a processor that decodes one stream mostly waits.
/// Streams with one state are therefore decoded four side by side.
struct BlockSymbols {
    /// The slots of all tables, ``FrequencyTable/total`` each.
    private(set) var slots: [SymbolSlot] = []
    private var streams: [SymbolStream] = []
    /// The words of all streams.
    private var words: [UInt16] = []
    /// The number of symbols of all streams.
    private var count = 0

    /// Creates the symbols of a block of which about `columnCount` columns are decoded.
    init(rowCount: Int, columnCount: Int) {
        // Most columns have one or two tables, and words and zeros for most rows. Memory that stays free is not touched.
        slots.reserveCapacity(2 * columnCount * FrequencyTable.total)
        streams.reserveCapacity(columnCount)
        words.reserveCapacity(columnCount * rowCount)
    }

    /// Adds a table of the symbols that have these codes and meanings. It stays empty if no symbol occurs; a block that
    /// uses it nonetheless fails the check at the end.
    mutating func addTable(_ codes: [UInt8], _ meanings: [SymbolMeaning]) {
        let start = slots.count
        slots.append(contentsOf: repeatElement(.empty, count: FrequencyTable.total))
        var span = slots.mutableSpan
        FrequencyTable(codes: codes)?.fill(&span, from: start, meanings)
    }

    /// Returns the places of `count` symbols that will be read by `tables`.
    mutating func stretch(of count: Int, by tables: SymbolTables) -> SymbolStretch {
        defer { self.count += count }
        return SymbolStretch(
            table: tables.isOneSymbol ? nil : tables.start, hasContexts: tables.hasContexts,
            places: self.count..<self.count + count)
    }

    /// Adds a stream: the symbols of `first`, if any, then those of `second`.
    mutating func add(_ first: SymbolStretch?, _ second: SymbolStretch, _ bytes: RawSpan) throws(BlockError) {
        streams.append(try SymbolStream(first, second, bytes, &words))
    }

    /// Returns the symbols of all stretches at their places.
    ///
    /// - Throws: ``BlockError/malformed`` if a stream does not end with its bytes, and with the states that it began to
    ///   be written with.
    consuming func decoded() throws(BlockError) -> [UInt8] {
        var symbols = [UInt8](repeating: 0, count: count)
        var streams = streams
        Self.decode(&streams, slots.span, words.span, into: symbols.mutableSpan)
        guard streams.allSatisfy({ $0.isAtEnd }) else { throw .malformed }
        return symbols
    }

    private static func decode(
        _ streams: inout [SymbolStream], _ slots: Span<SymbolSlot>, _ words: Span<UInt16>,
        into symbols: consuming MutableSpan<UInt8>
    ) {
        for index in streams.indices where streams[index].isPaired {
            while streams[index].left > 0 { read(&streams[index], slots, words, into: &symbols) }
        }
        var lanes: [Int] = []
        for index in streams.indices where !streams[index].isPaired && streams[index].left > 0 {
            lanes.append(index)
            while lanes.count == 4 { read(&streams, &lanes, slots, words, into: &symbols) }
        }
        while !lanes.isEmpty { read(&streams, &lanes, slots, words, into: &symbols) }
    }

    /// Reads what is left of a stretch of a stream with two states.
    private static func read(
        _ stream: inout SymbolStream, _ slots: Span<SymbolSlot>, _ words: Span<UInt16>,
        into symbols: inout MutableSpan<UInt8>
    ) {
        var cursor = stream.cursor
        if stream.hasContexts {
            for _ in 0..<stream.left {
                cursor.read(slots, words, into: &symbols)
                cursor.swapStates()
            }
        } else {
            for _ in 0..<stream.left {
                cursor.read(slots, words, into: &symbols, hasContexts: false)
                cursor.swapStates()
            }
        }
        stream.cursor = cursor
        stream.advance(by: stream.left)
    }

    /// Reads symbols of the streams whose indices are `lanes`, until one of them has no more; that leaves the lanes.
    private static func read(
        _ streams: inout [SymbolStream], _ lanes: inout [Int], _ slots: Span<SymbolSlot>, _ words: Span<UInt16>,
        into symbols: inout MutableSpan<UInt8>
    ) {
        // Three take as long as two and one.
        let width = lanes.count == 3 ? 2 : lanes.count
        let count = lanes[..<width].reduce(Int.max) { min($0, streams[$1].left) }
        var a = streams[lanes[0]].cursor
        if width == 1 {
            for _ in 0..<count { a.read(slots, words, into: &symbols) }
        } else {
            var b = streams[lanes[1]].cursor
            if width == 2 {
                for _ in 0..<count {
                    a.read(slots, words, into: &symbols)
                    b.read(slots, words, into: &symbols)
                }
            } else {
                var (c, d) = (streams[lanes[2]].cursor, streams[lanes[3]].cursor)
                for _ in 0..<count {
                    a.read(slots, words, into: &symbols)
                    b.read(slots, words, into: &symbols)
                    c.read(slots, words, into: &symbols)
                    d.read(slots, words, into: &symbols)
                }
                (streams[lanes[2]].cursor, streams[lanes[3]].cursor) = (c, d)
            }
            streams[lanes[1]].cursor = b
        }
        streams[lanes[0]].cursor = a
        for lane in lanes[..<width] { streams[lane].advance(by: count) }
        lanes.removeAll { streams[$0].left == 0 }
    }
}
