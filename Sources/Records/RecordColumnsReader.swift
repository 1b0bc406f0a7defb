import GroundwaveByteCoding
import GroundwaveEvents

/// Reads the records that a ``RecordColumnsWriter`` wrote, one after the other, into a reused state.
///
/// The bytes are not trusted: whatever they hold, the result is a state within the bounds of `names`, or an error.
public struct RecordColumnsReader {
    /// The maximum number of records that are read at once.
    public static let limit = 1 << 16

    private let count: Int
    private let lows: Range<Int>
    private var highs: ByteReader
    private var counts: ByteReader
    private var replicas: ByteReader
    private let numbers: Range<Int>
    private let writerCount: Int
    private var sources: ByteReader
    private var heads: ByteReader
    private var rest: ByteReader
    /// The columns of values, in order of their fields.
    private var fields: [FieldOrdinal] = []
    private var values: [ByteReader] = []
    private var valueEnds: [Int] = []
    private var stamps: [RecordColumnsWriter.WriterName: Stamp] = [:]
    private var ends: [Int] = []

    private var next = 0
    private var nextWriter = 0
    private var high: UInt64 = 0

    /// Begins to read `count` records in `bytes`.
    public init(_ bytes: RawSpan, count: Int) throws(ByteCodingError) {
        guard count <= Self.limit else { throw .tooLong(offset: 0, length: UInt64(count), limit: Self.limit) }
        var reader = ByteReader()
        var columns: [Range<Int>] = []
        for _ in 0..<8 { columns.append(try reader.lengthPrefixed(in: bytes)) }
        let fieldCount = try reader.count(in: bytes, limit: bytes.byteCount)
        var lengths: [Int] = []
        for _ in 0..<fieldCount {
            let field = UInt32(try reader.count(in: bytes, limit: Int(UInt32.max)))
            guard fields.last.map({ $0 < field }) ?? true else { throw .malformedVarint(offset: reader.offset) }
            fields.append(field)
            lengths.append(try reader.count(in: bytes, limit: bytes.byteCount))
        }
        for length in lengths {
            let column = try reader.skip(length, in: bytes)
            values.append(ByteReader(at: column.lowerBound))
            valueEnds.append(column.upperBound)
        }
        try reader.finish(in: bytes)
        guard columns[0].count >= count * 9, columns[3].count % 8 == 0 else { throw Self.malformed(columns[0]) }
        self.count = count
        highs = ByteReader(at: columns[0].lowerBound)
        lows = (columns[0].upperBound - 8 * count)..<columns[0].upperBound
        counts = ByteReader(at: columns[1].lowerBound)
        replicas = ByteReader(at: columns[2].lowerBound)
        numbers = columns[3]
        writerCount = columns[3].count / 8
        sources = ByteReader(at: columns[5].lowerBound)
        heads = ByteReader(at: columns[6].lowerBound)
        rest = ByteReader(at: columns[7].lowerBound)
        ends = [lows.lowerBound] + columns[1...].map(\.upperBound)
        try readStamps(bytes, columns[2], columns[4])
    }

    private static func malformed(_ range: Range<Int>) -> ByteCodingError { .malformedVarint(offset: range.lowerBound) }

    /// Reads the stamp of each event; the stamps are in the order of the events.
    private mutating func readStamps(
        _ bytes: RawSpan, _ replicas: Range<Int>, _ column: Range<Int>
    ) throws(ByteCodingError) {
        var names: Set<RecordColumnsWriter.WriterName> = []
        var reader = ByteReader(at: replicas.lowerBound)
        for writer in 0..<writerCount {
            let replica = UInt32(try reader.count(in: bytes, limit: Int(UInt32.max)))
            names.insert(.init(replica: replica, number: number(of: writer, bytes)))
        }
        guard reader.offset == replicas.upperBound else { throw Self.malformed(replicas) }
        var stampReader = ByteReader(at: column.lowerBound)
        var last: UInt64 = 0
        stamps.reserveCapacity(names.count)
        for name in names.sorted(by: { ($0.replica, $0.number) < ($1.replica, $1.number) }) {
            last &+= ZigZag.decode(try stampReader.varint(in: bytes))
            stamps[name] = Stamp(rawValue: last)
        }
        guard stampReader.offset == column.upperBound else { throw Self.malformed(column) }
    }

    private func number(of writer: Int, _ bytes: RawSpan) -> SequenceNumber {
        var number: UInt64 = 0
        for plane in 0..<8 {
            let byte = bytes.byte(at: numbers.lowerBound + plane * writerCount + writer)
            number |= UInt64(byte) << (8 * UInt64(plane))
        }
        return number
    }

    /// Reads the next record into `state`; `nil` after the last one.
    ///
    /// - Parameter position: Returns the position of an event in this store, given the local number of its replica; 0
    ///   if the store does not have it.
    public mutating func next(
        _ bytes: RawSpan, into state: inout RecordState, names: borrowing Names,
        position: (UInt32, SequenceNumber) -> Position
    ) throws(RowError) -> RecordID? {
        do throws(ByteCodingError) {
            guard next < count else {
                try finish()
                return nil
            }
            state.removeAll()
            high &+= try highs.varint(in: bytes)
            let id = RecordID(high: high, low: bytes.bigEndianUInt64(at: lows.lowerBound + 8 * next))
            next += 1
            let writers = try counts.count(in: bytes, limit: writerCount - nextWriter)
            let headCount = try counts.count(in: bytes, limit: bytes.byteCount)
            let flags = try counts.byte(in: bytes)
            state.isErased = flags & 16 != 0
            var positions: [Position] = []
            for _ in 0..<writers { positions.append(try readWriter(bytes, &state, position)) }
            for _ in 0..<headCount { try readHead(bytes, &state) }
            if flags & 1 != 0 { try state.decodeDeletions(bytes, &rest) }
            if flags & 2 != 0 { try state.decodeSuperseded(bytes, &rest) }
            if flags & 4 != 0 { try state.decodeAssertions(bytes, &rest) }
            if flags & 8 != 0 {
                for _ in 0..<(try rest.count(in: bytes, limit: bytes.byteCount)) {
                    let replica = UInt32(try rest.count(in: bytes, limit: Int(UInt32.max)))
                    positions.append(position(replica, try rest.varint(in: bytes)))
                }
            }
            // An event that is not in this store has position 0. A repeated one would need a search of the whole
            // history.
            for position in positions.sorted() where position > state.history.last { state.history.insert(position) }
            guard state.pointsAtWriters, state.isNamed(by: names) else { throw Self.malformed(lows) }
            return id
        } catch { throw .malformed }
    }

    private mutating func readWriter(
        _ bytes: RawSpan, _ state: inout RecordState, _ position: (UInt32, SequenceNumber) -> Position
    ) throws(ByteCodingError) -> Position {
        let replica = UInt32(try replicas.count(in: bytes, limit: Int(UInt32.max)))
        let number = number(of: nextWriter, bytes)
        nextWriter += 1
        guard let stamp = stamps[.init(replica: replica, number: number)] else { throw Self.malformed(numbers) }
        let eventPosition = position(replica, number)
        state.writers.append(
            RecordState.Writer(
                replica: replica, sequence: number, stamp: stamp, position: eventPosition,
                source: UInt32(try sources.count(in: bytes, limit: Int(UInt32.max)))))
        return eventPosition
    }

    private mutating func readHead(_ bytes: RawSpan, _ state: inout RecordState) throws(ByteCodingError) {
        let field = UInt32(try heads.count(in: bytes, limit: Int(UInt32.max)))
        let writer = UInt32(try heads.count(in: bytes, limit: Int(UInt32.max)))
        var head = try RecordState.Head(field: field, writer: writer, flags: heads.byte(in: bytes), at: heads.offset)
        if head.index != 0 { head.index = UInt32(try heads.count(in: bytes, limit: Int(UInt32.max))) }
        if head.since != nil { head.since = Stamp(rawValue: try heads.uint64(in: bytes)) }
        if head.hasValue {
            guard let column = column(of: field) else { throw Self.malformed(lows) }
            head.value = state.appendValue(bytes.extracting(try values[column].lengthPrefixed(in: bytes)))
        }
        state.heads.append(head)
    }

    private func column(of field: FieldOrdinal) -> Int? {
        var (low, high) = (0, fields.count)
        while low < high {
            let middle = (low + high) / 2
            if fields[middle] < field { low = middle + 1 } else { high = middle }
        }
        return low < fields.count && fields[low] == field ? low : nil
    }

    /// Throws unless every column was read exactly to its end.
    private func finish() throws(ByteCodingError) {
        let offsets =
            [highs, counts, replicas].map(\.offset) + [ends[3], ends[4], sources.offset, heads.offset, rest.offset]
        guard offsets == ends, nextWriter == writerCount, values.map(\.offset) == valueEnds else {
            throw Self.malformed(lows)
        }
    }
}
