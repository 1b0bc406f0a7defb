import GroundwaveByteCoding
import GroundwaveEvents

// Records of one kind, stored column by column: the content of one column is similar, so it compresses well.
//
// | column | holds |
// |---|---|
// | ids | upper halves of all ids as differences (varints; ids ascend), then lower halves (8 bytes each, big-endian) |
// | counts | per record: writers, heads (varints), flags: bit 0 deletes, bit 1 superseded early, bit 2 assertions, |
// | | bit 3 more events, bit 4 erased |
// | replicas | per writer: its local number |
// | numbers | the event numbers of all writers as eight planes: first the lowest byte of each, then the next |
// | stamps | for each distinct event of the writers, by replica and number: the difference to the last one, zigzag |
// | sources | per writer |
// | heads | per head: field, writer, code and flags as in a row, index if bit 4 is set, stamp since when (8 bytes) if |
// | | bit 6 is |
// | rest | per record, by its flags: deletes, superseded early, assertions, as in a row; other events of its history: |
// | | count, then replica and number of each |
// | values | count of fields; for each, ascending: field, length of its column; then the columns: length and bytes |
// | | of each value |
//
// Each column but the last is preceded by its length. Positions are left out: they differ between stores.

/// Collects the states of records as columns.
public struct RecordColumnsWriter {
    /// The number of records.
    public private(set) var count = 0

    private var lastHigh: UInt64 = 0
    private var highs = ByteWriter()
    private var lows = ByteWriter()
    private var counts = ByteWriter()
    private var replicas = ByteWriter()
    private var numbers: [SequenceNumber] = []
    private var stamps: [WriterName: Stamp] = [:]
    private var sources = ByteWriter()
    private var heads = ByteWriter()
    private var rest = ByteWriter()
    private var values: [FieldOrdinal: ByteWriter] = [:]

    struct WriterName: Hashable {
        var replica: UInt32
        var number: SequenceNumber
    }

    /// No records.
    public init() {}

    /// The approximate number of bytes.
    public var byteCount: Int {
        highs.count + lows.count + counts.count + replicas.count + numbers.count * 8 + sources.count + heads.count
            + rest.count + valueBytes
    }
    private var valueBytes = 0

    /// Adds a record; ids must ascend.
    ///
    /// - Parameter history: All events of the record, by the local numbers of their replicas, ascending by position.
    public mutating func append(
        _ id: RecordID, _ state: RecordState, history: [(replica: UInt32, sequence: SequenceNumber)]
    ) {
        precondition(count == 0 || id.high >= lastHigh, "records come in order of their ids")
        count += 1
        highs.append(varint: id.high - lastHigh)
        lows.append(bigEndian: id.low)
        lastHigh = id.high
        let kept = state.keptWriters()
        var known: Set<WriterName> = []
        for index in kept.order {
            let writer = state.writers[index]
            let name = WriterName(replica: writer.replica, number: writer.sequence)
            known.insert(name)
            replicas.append(varint: UInt64(writer.replica))
            numbers.append(writer.sequence)
            stamps[name] = writer.stamp
            sources.append(varint: UInt64(writer.source))
        }
        for head in state.heads { append(head, of: state, kept) }
        let others = history.filter { !known.contains(WriterName(replica: $0.replica, number: $0.sequence)) }
        counts.append(varint: kept.count)
        counts.append(varint: state.heads.count)
        counts.append(
            UInt8(state.deletions.isEmpty ? 0 : 1) | UInt8(state.superseded.isEmpty ? 0 : 2)
                | UInt8(state.assertions.isEmpty ? 0 : 4) | UInt8(others.isEmpty ? 0 : 8)
                | UInt8(state.isErased ? 16 : 0))
        if !state.deletions.isEmpty { state.encodeDeletions(into: &rest, kept) }
        if !state.superseded.isEmpty { state.encodeSuperseded(into: &rest) }
        if !state.assertions.isEmpty { state.encodeAssertions(into: &rest) }
        if !others.isEmpty {
            rest.append(varint: others.count)
            for event in others {
                rest.append(varint: UInt64(event.replica))
                rest.append(varint: event.sequence)
            }
        }
    }

    private mutating func append(_ head: RecordState.Head, of state: RecordState, _ kept: RecordState.KeptWriters) {
        heads.append(varint: UInt64(head.field))
        heads.append(varint: UInt64(kept.number[Int(head.writer)]))
        heads.append(head.flags)
        if head.index != 0 { heads.append(varint: UInt64(head.index)) }
        if let since = head.since { heads.append(littleEndian: since.rawValue) }
        guard head.hasValue else { return }
        state.values.withSpan { bytes in
            values[head.field, default: ByteWriter()].append(lengthPrefixed: bytes.extracting(head.value))
        }
        valueBytes += head.value.count + 1
    }

    /// All columns.
    public func encode() -> [UInt8] {
        var writer = ByteWriter(capacity: byteCount + 1024)
        for column in [highs.bytes + lows.bytes, counts.bytes, replicas.bytes, planes, stampColumn, sources.bytes] {
            writer.append(lengthPrefixed: column)
        }
        writer.append(lengthPrefixed: heads.bytes)
        writer.append(lengthPrefixed: rest.bytes)
        let fields = values.sorted { $0.key < $1.key }
        writer.append(varint: fields.count)
        for (field, column) in fields {
            writer.append(varint: UInt64(field))
            writer.append(varint: column.count)
        }
        for (_, column) in fields { column.withSpan { writer.append(contentsOf: $0) } }
        return writer.bytes
    }

    private var planes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(numbers.count * 8)
        for plane in 0..<8 {
            for number in numbers { result.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(plane)))) }
        }
        return result
    }

    private var stampColumn: [UInt8] {
        var writer = ByteWriter()
        var last: UInt64 = 0
        for (_, stamp) in stamps.sorted(by: { ($0.key.replica, $0.key.number) < ($1.key.replica, $1.key.number) }) {
            writer.append(varint: ZigZag.encode(stamp.rawValue &- last))
            last = stamp.rawValue
        }
        return writer.bytes
    }
}

/// Encodes small differences of either sign as small numbers.
enum ZigZag {
    static func encode(_ difference: UInt64) -> UInt64 {
        let signed = Int64(bitPattern: difference)
        return UInt64(bitPattern: (signed << 1) ^ (signed >> 63))
    }

    static func decode(_ number: UInt64) -> UInt64 { (number >> 1) ^ (0 &- (number & 1)) }
}
