import GroundwaveByteCoding
import GroundwaveEvents

// A record's row in the view, all numbers varints but the checksum and stamps:
//
// | | |
// |---|---|
// | checksum | 4 bytes: CRC-32C of the key of the row, and of everything after the checksum |
// | writers | twice the count, 1 more if the record was erased, then each: replica, sequence, stamp (8 bytes), |
// | | position, source |
// | heads | count, then each: field, writer, code and flags (1 byte), index if bit 4 is set, stamp since when (8 bytes) |
// | | if bit 6 is, value if bit 3 is; bit 7: its source is trusted |
// | deletes | count, then each: writer, count, and for each: replica, sequence |
// | superseded early | count, then each: field, replica, sequence, index |
// | assertions | count, then each: field, source, replica, sequence, stamp (8 bytes), hash (8 bytes), |
// | | flags (1 byte): bit 0 element, bit 1 without a head |
// | history | count, last position, then the differences to the end of the row |

/// Why a row of a view could not be used.
///
/// A view is disposable: rebuild it.
public enum RowError: Error, Hashable, Sendable {
    /// The row's checksum does not match its bytes.
    case checksumMismatch
    /// The checksum is right but the content is invalid: a row of another version.
    case malformed
}

extension RecordState {
    /// Appends the row of this record to `writer`.
    ///
    /// Only the writers that are still in use are written.
    ///
    /// - Parameter keyChecksum: The CRC-32C of the key of the row, so that a row whose key was damaged is not
    ///   mistaken for that of another record.
    public func encode(into writer: inout ByteWriter, keyChecksum: UInt32 = 0) {
        let start = writer.count
        writer.append(littleEndian: UInt32(0))
        let kept = keptWriters()
        writer.append(varint: kept.count << 1 | (isErased ? 1 : 0))
        for index in kept.order {
            let author = writers[index]
            writer.append(varint: UInt64(author.replica))
            writer.append(varint: author.sequence)
            writer.append(littleEndian: author.stamp.rawValue)
            writer.append(varint: author.position)
            writer.append(varint: UInt64(author.source))
        }
        writer.append(varint: heads.count)
        values.withSpan { bytes in
            for head in heads {
                writer.append(varint: UInt64(head.field))
                writer.append(varint: UInt64(kept.number[Int(head.writer)]))
                writer.append(head.flags)
                if head.index != 0 { writer.append(varint: UInt64(head.index)) }
                if let since = head.since { writer.append(littleEndian: since.rawValue) }
                if head.hasValue { writer.append(lengthPrefixed: bytes.extracting(head.value)) }
            }
        }
        encodeDeletions(into: &writer, kept)
        encodeSuperseded(into: &writer)
        encodeAssertions(into: &writer)
        writer.append(varint: history.count)
        writer.append(varint: history.last)
        history.deltas.withSpan { writer.append(contentsOf: $0) }
        let checksum = writer.withSpan {
            CRC32C.checksum($0.extracting((start + 4)..<$0.byteCount), continuing: keyChecksum)
        }
        writer.overwrite(littleEndian: checksum, at: start)
    }

    func encodeDeletions(into writer: inout ByteWriter, _ kept: KeptWriters) {
        writer.append(varint: deletions.count)
        for deletion in deletions {
            writer.append(varint: UInt64(kept.number[Int(deletion.writer)]))
            writer.append(varint: deletion.covered.count)
            for event in deletion.covered {
                writer.append(varint: UInt64(event.replica))
                writer.append(varint: event.sequence)
            }
        }
    }

    func encodeSuperseded(into writer: inout ByteWriter) {
        writer.append(varint: superseded.count)
        for entry in superseded.isEmpty ? [] : superseded.sorted(by: { $0.order < $1.order }) {
            writer.append(varint: UInt64(entry.field))
            writer.append(varint: UInt64(entry.replica))
            writer.append(varint: entry.sequence)
            writer.append(varint: UInt64(entry.index))
        }
    }

    func encodeAssertions(into writer: inout ByteWriter) {
        writer.append(varint: assertions.count)
        for entry in assertions {
            writer.append(varint: UInt64(entry.field))
            writer.append(varint: UInt64(entry.source))
            writer.append(varint: UInt64(entry.replica))
            writer.append(varint: entry.sequence)
            writer.append(littleEndian: entry.stamp.rawValue)
            writer.append(littleEndian: entry.valueHash)
            writer.append(UInt8(entry.isElement ? 1 : 0) | UInt8(entry.hasNoHead ? 2 : 0))
        }
    }

    struct KeptWriters {
        var count = 0
        var order: [Int] = []
        var number: [UInt32]
    }

    /// The writers to which a head or a delete still refers, in the order of first use.
    func keptWriters() -> KeptWriters {
        var kept = KeptWriters(number: [UInt32](repeating: .max, count: writers.count))
        func keep(_ index: UInt32) {
            guard kept.number[Int(index)] == .max else { return }
            kept.number[Int(index)] = UInt32(kept.count)
            kept.order.append(Int(index))
            kept.count += 1
        }
        for head in heads { keep(head.writer) }
        for deletion in deletions { keep(deletion.writer) }
        return kept
    }

    /// Replaces this state with the one in `row`.
    ///
    /// If it throws, the state is incomplete and must be discarded.
    public mutating func decode(_ row: RawSpan, keyChecksum: UInt32 = 0) throws(RowError) {
        removeAll()
        guard row.byteCount >= 4 else { throw .malformed }
        let checksum = CRC32C.checksum(row.extracting(4..<row.byteCount), continuing: keyChecksum)
        guard checksum == row.uint32(at: 0) else { throw .checksumMismatch }
        do throws(ByteCodingError) {
            var reader = ByteReader(at: 4)
            try decodeWriters(row, &reader)
            try decodeHeads(row, &reader)
            try decodeRest(row, &reader)
        } catch { throw .malformed }
        guard pointsAtWriters else { throw .malformed }
    }

    /// Replaces this state with the one in `row`, and refuses local numbers that `names` does not have.
    ///
    /// The result can be made a ``Record`` with these names.
    public mutating func decode(
        _ row: RawSpan, names: borrowing Names, keyChecksum: UInt32 = 0
    ) throws(RowError) {
        try decode(row, keyChecksum: keyChecksum)
        guard isNamed(by: names) else { throw .malformed }
    }

    /// Whether `names` has all local numbers.
    func isNamed(by names: borrowing Names) -> Bool {
        let (replicas, sources, fields) = (names.replicas.count, names.sources.count, names.fields.count)
        func isNamed(_ field: FieldOrdinal) -> Bool {
            field < .firstNamed || Int(field - .firstNamed) < fields
        }
        return writers.allSatisfy { Int($0.replica) < replicas && Int($0.source) <= sources }
            && heads.allSatisfy { isNamed($0.field) }
            && deletions.allSatisfy { $0.covered.allSatisfy { Int($0.replica) < replicas } }
            && assertions.allSatisfy { Int($0.source) <= sources && isNamed($0.field) }
    }

    /// Whether the writer indexes of all heads and deletes are valid.
    var pointsAtWriters: Bool {
        heads.allSatisfy { Int($0.writer) < writers.count } && deletions.allSatisfy { Int($0.writer) < writers.count }
    }

    private mutating func decodeWriters(_ row: RawSpan, _ reader: inout ByteReader) throws(ByteCodingError) {
        let count = try reader.count(in: row, limit: 2 * row.byteCount + 1)
        isErased = count & 1 != 0
        for _ in 0..<(count >> 1) {
            writers.append(
                Writer(
                    replica: UInt32(try reader.count(in: row, limit: Int(UInt32.max))),
                    sequence: try reader.varint(in: row), stamp: Stamp(rawValue: try reader.uint64(in: row)),
                    position: try reader.varint(in: row),
                    source: UInt32(try reader.count(in: row, limit: Int(UInt32.max)))))
        }
    }

    private mutating func decodeHeads(_ row: RawSpan, _ reader: inout ByteReader) throws(ByteCodingError) {
        let count = try reader.count(in: row, limit: row.byteCount)
        for _ in 0..<count {
            let field = UInt32(try reader.count(in: row, limit: Int(UInt32.max)))
            let author = UInt32(try reader.count(in: row, limit: Int(UInt32.max)))
            var head = try Head(field: field, writer: author, flags: reader.byte(in: row), at: reader.offset)
            if head.index != 0 { head.index = UInt32(try reader.count(in: row, limit: Int(UInt32.max))) }
            if head.since != nil { head.since = Stamp(rawValue: try reader.uint64(in: row)) }
            if head.hasValue { head.value = appendValue(row.extracting(try reader.lengthPrefixed(in: row))) }
            heads.append(head)
        }
    }

    /// Appends the value of a head and returns its range.
    mutating func appendValue(_ value: RawSpan) -> Range<Int> {
        let start = values.count
        values.append(contentsOf: value)
        return start..<values.count
    }

    private mutating func decodeRest(_ row: RawSpan, _ reader: inout ByteReader) throws(ByteCodingError) {
        try decodeDeletions(row, &reader)
        try decodeSuperseded(row, &reader)
        try decodeAssertions(row, &reader)
        let count = try reader.count(in: row, limit: Int.max)
        let last = try reader.varint(in: row)
        try history.read(count: count, last: last, deltasFrom: reader.offset, of: row)
    }

    mutating func decodeDeletions(_ row: RawSpan, _ reader: inout ByteReader) throws(ByteCodingError) {
        let any = Int(UInt32.max)
        for _ in 0..<(try reader.count(in: row, limit: row.byteCount)) {
            var deletion = Deletion(writer: UInt32(try reader.count(in: row, limit: any)), covered: [])
            for _ in 0..<(try reader.count(in: row, limit: row.byteCount)) {
                deletion.covered.append((UInt32(try reader.count(in: row, limit: any)), try reader.varint(in: row)))
            }
            deletions.append(deletion)
        }
    }

    mutating func decodeSuperseded(_ row: RawSpan, _ reader: inout ByteReader) throws(ByteCodingError) {
        let any = Int(UInt32.max)
        for _ in 0..<(try reader.count(in: row, limit: row.byteCount)) {
            superseded.insert(
                Superseded(
                    field: UInt32(try reader.count(in: row, limit: any)),
                    replica: UInt32(try reader.count(in: row, limit: any)), sequence: try reader.varint(in: row),
                    index: UInt32(try reader.count(in: row, limit: any))))
        }
    }

    mutating func decodeAssertions(_ row: RawSpan, _ reader: inout ByteReader) throws(ByteCodingError) {
        let any = Int(UInt32.max)
        for _ in 0..<(try reader.count(in: row, limit: row.byteCount)) {
            var entry = Assertion(
                field: UInt32(try reader.count(in: row, limit: any)),
                source: UInt32(try reader.count(in: row, limit: any)),
                replica: UInt32(try reader.count(in: row, limit: any)), sequence: try reader.varint(in: row),
                stamp: Stamp(rawValue: try reader.uint64(in: row)), valueHash: try reader.uint64(in: row),
                isElement: false, hasNoHead: false)
            let flags = try reader.byte(in: row)
            entry.isElement = flags & 1 != 0
            entry.hasNoHead = flags & 2 != 0
            assertions.append(entry)
        }
    }
}

// | bits of a head's byte | |
// |---|---|
// | 0–2 | the code of its operation |
// | 3 | a value follows |
// | 4 | an index follows |
// | 5 | its value is withheld |
// | 6 | the stamp since when follows |
extension RecordState.Head {
    /// Whether there is a value.
    var hasValue: Bool { code.hasValue && !isWithheld }

    /// The byte that describes the head.
    var flags: UInt8 {
        code.rawValue | (hasValue ? 0x08 : 0) | (index != 0 ? 0x10 : 0) | (isWithheld ? 0x20 : 0)
            | (since == nil ? 0 : 0x40) | (isTrusted ? 0x80 : 0)
    }

    /// A head from its byte; an index that follows is 1 and a stamp 0 until they are read, and the value is empty.
    init(field: FieldOrdinal, writer: UInt32, flags: UInt8, at offset: Int) throws(ByteCodingError) {
        let isWithheld = flags & 0x20 != 0
        let hasValue = flags & 0x08 != 0
        guard let code = OperationCode(rawValue: flags & 0x07), code.writesHead,
            code.hasValue ? hasValue != isWithheld : !hasValue && !isWithheld
        else { throw .malformedVarint(offset: offset) }
        self.init(
            field: field, writer: writer, index: flags & 0x10 != 0 ? 1 : 0, code: code, isWithheld: isWithheld,
            isTrusted: flags & 0x80 != 0, since: flags & 0x40 != 0 ? Stamp(rawValue: 0) : nil, value: 0..<0)
    }
}
