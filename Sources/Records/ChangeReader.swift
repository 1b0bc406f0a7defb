import GroundwaveByteCoding
import GroundwaveEvents

/// Why an event could not be read as a change.
public enum ChangeError: Error, Hashable, Sendable {
    /// The event has a type, a version or an operation that only a later version of this program may know.
    case unknown(type: UInt8, version: UInt64)
    /// The bytes are not a well-formed change.
    case malformed(ByteCodingError)
    /// The change breaks a rule: an empty name, a replica that is not in its table, or a delete beside other
    /// operations.
    case inconsistent
}

extension ChangeError: CustomStringConvertible {
    /// A description of the error.
    public var description: String {
        switch self {
        case .unknown(let type, let version):
            "an event of type \(type) in version \(version), which a later version may know"
        case .malformed(let error): "not a well-formed change: \(error)"
        case .inconsistent: "a change that breaks a rule of changes"
        }
    }
}

/// Walks through the change in an event's shape and values, without creating values for what it skips.
///
/// It holds offsets only; each call must pass the same shape and values.
public struct ChangeReader: Sendable {
    static let changeType: UInt8 = 1
    static let version: UInt64 = 1

    /// The range of the kind's name in the shape.
    public let kind: Range<Int>
    /// The id of the record.
    public let record: RecordID
    /// The import source of the change.
    public let source: SourceID?
    /// Whether what the source says counts as what a person says.
    public let isTrusted: Bool
    /// The range of the ids of related records in the shape; empty if there are none.
    private let relatedTable: Range<Int>
    /// The number of operations that are still to be read.
    public private(set) var remaining: Int
    /// The block that is added to the record's series.
    public let block: Block?

    /// A block of a series, as ranges of the bytes.
    public struct Block: Sendable {
        /// The number of its first item.
        public let first: UInt64
        /// The number of items.
        public let count: UInt64
        /// The range of the summary in the shape.
        public let summary: Range<Int>
    }

    private let names: WrittenNames
    private let replicaTable: Range<Int>
    private var shapeReader: ByteReader
    private var valuesReader: ByteReader
    private let hasValues: Bool

    /// Begins to read the change in `shape`.
    ///
    /// - Parameter names: The author of the event, and the name resolutions for it.
    public init(shape: RawSpan, isWithheld: Bool, by names: WrittenNames) throws(ChangeError) {
        var reader = ByteReader()
        let type: UInt8
        let version: UInt64
        do throws(ByteCodingError) {
            type = try reader.byte(in: shape)
            version = try reader.varint(in: shape)
        } catch { throw .malformed(error) }
        guard type == Self.changeType, version == Self.version else { throw .unknown(type: type, version: version) }
        let flags: UInt8
        do throws(ByteCodingError) {
            kind = try reader.lengthPrefixed(in: shape)
            record = RecordID(at: try reader.skip(16, in: shape).lowerBound, of: shape)
            flags = try reader.byte(in: shape)
        } catch { throw .malformed(error) }
        guard flags <= 15 else { throw .unknown(type: type, version: version) }
        isTrusted = flags & 4 != 0
        do throws(ByteCodingError) {
            source =
                flags & 1 == 0
                ? nil : SourceID(rawValue: shape.bigEndianUInt64(at: try reader.skip(8, in: shape).lowerBound))
            let related = flags & 8 == 0 ? 0 : try reader.count(in: shape, limit: ChangeLimits.relatedCount)
            relatedTable = try reader.skip(related * 16, in: shape)
            let replicas = try reader.count(in: shape, limit: shape.byteCount / 16)
            replicaTable = try reader.skip(replicas * 16, in: shape)
            remaining = try reader.count(in: shape, limit: ChangeLimits.operationCount)
            if flags & 2 == 0 {
                block = nil
            } else {
                let (first, count) = (try reader.varint(in: shape), try reader.varint(in: shape))
                block = Block(first: first, count: count, summary: try reader.lengthPrefixed(in: shape))
            }
            shapeReader = reader
        } catch { throw .malformed(error) }
        guard !kind.isEmpty, kind.count <= ChangeLimits.nameBytes else { throw .inconsistent }
        // Only a source is trusted, and a flag announces no empty table.
        guard flags & 5 != 4, flags & 8 == 0 || !relatedTable.isEmpty && flags & 2 == 0 else { throw .inconsistent }
        if let block {
            guard remaining == 0, block.count >= 1, !block.first.addingReportingOverflow(block.count).overflow,
                block.summary.count <= ChangeLimits.summaryBytes
            else { throw .inconsistent }
        }
        // A kind with a zero byte would sort among the keys of another kind.
        for offset in kind where shape.byte(at: offset) == 0 { throw .inconsistent }
        guard shape.extracting(kind).isUTF8 else { throw .malformed(.notUTF8(offset: kind.lowerBound)) }
        self.names = names
        hasValues = !isWithheld
        valuesReader = ByteReader(at: ChangeLimits.nonceBytes)
    }

    /// Whether the change is about other records, too: see ``Change/related``.
    public var hasRelated: Bool { !relatedTable.isEmpty }

    /// Returns the related records: see ``Change/related``.
    public func related(in shape: RawSpan) -> [RecordID] {
        stride(from: relatedTable.lowerBound, to: relatedTable.upperBound, by: 16).map { RecordID(at: $0, of: shape) }
    }

    /// Whether the change says anything of `record`: it writes to it, or erases it. One that only repeats values of it does
    /// not. The reader must not have read anything yet.
    public func affects(_ record: RecordID, shape: RawSpan, values: RawSpan) -> Bool {
        if self.record == record { return true }
        guard hasRelated, related(in: shape).contains(record) else { return false }
        return isErase(shape: shape, values: values)
    }

    /// Whether the change erases its record and those related to it. The reader must not have read anything yet.
    public func isErase(shape: RawSpan, values: RawSpan) -> Bool {
        var reader = self
        return (try? reader.next(shape: shape, values: values))??.code == .erase
    }

    /// Skips author and note, up to the first value.
    public mutating func skipNote(in values: RawSpan) throws(ChangeError) { _ = try noteParts(in: values) }

    /// Reads author and note, up to the first value; returns an empty note if values are withheld.
    public mutating func note(in values: RawSpan) throws(ChangeError) -> AuditNote {
        guard let parts = try noteParts(in: values) else { return AuditNote() }
        func text(_ range: Range<Int>) throws(ChangeError) -> String {
            guard let text = String(validating: values.extracting(range).toArray(), as: UTF8.self) else {
                throw .malformed(.notUTF8(offset: range.lowerBound))
            }
            return text
        }
        return AuditNote(
            author: try text(parts.author), text: try text(parts.text), correlation: try text(parts.correlation),
            causation: try text(parts.causation))
    }

    /// Where the parts of a note are.
    private typealias NoteParts = (
        author: Range<Int>, text: Range<Int>, correlation: Range<Int>, causation: Range<Int>
    )

    /// Skips the note and returns its parts; `nil` if values are withheld.
    private mutating func noteParts(in values: RawSpan) throws(ChangeError) -> NoteParts? {
        guard hasValues else { return nil }
        let isTraced: Bool
        var parts: NoteParts = (0..<0, 0..<0, 0..<0, 0..<0)
        do throws(ByteCodingError) {
            let start = valuesReader.offset
            let first = try valuesReader.varint(in: values)
            isTraced = first & 1 == 1
            guard first >> 1 <= UInt64(values.byteCount) else {
                throw .tooLong(offset: start, length: first >> 1, limit: values.byteCount)
            }
            parts.author = try valuesReader.skip(Int(first >> 1), in: values)
            parts.text = try valuesReader.lengthPrefixed(in: values)
            if isTraced {
                parts.correlation = try valuesReader.lengthPrefixed(in: values)
                parts.causation = try valuesReader.lengthPrefixed(in: values)
            }
        } catch { throw .malformed(error) }
        // A note that says neither is written without the mark.
        guard !isTraced || !parts.correlation.isEmpty || !parts.causation.isEmpty else { throw .inconsistent }
        return parts
    }

    /// Returns the range of the block's items in the values, after the note; `nil` if they are withheld or there is
    /// no block.
    public mutating func blockContent(in values: RawSpan) throws(ChangeError) -> Range<Int>? {
        guard hasValues, block != nil else { return nil }
        do throws(ByteCodingError) { return try valuesReader.lengthPrefixed(in: values) } catch {
            throw .malformed(error)
        }
    }

    /// One operation, as ranges of the bytes.
    public struct Step: Sendable {
        /// What the operation does.
        public let code: OperationCode
        /// The number of the field; `nil` if it has a name.
        public let fieldNumber: UInt32?
        /// The range of the field's name in the shape; empty if it has a number.
        public let fieldName: Range<Int>
        /// The number of superseded heads: read each with ``ChangeReader/head(in:)`` before the next step.
        public let headCount: Int
        /// The range of the value among the values; `nil` if there is none, or if it is withheld.
        public let value: Range<Int>?
        /// When the source first wrote to the field; `nil` if it is the event itself that did.
        public let since: Stamp?
        let hasIndexes: Bool
    }

    /// Reads the next operation; `nil` after the last one.
    ///
    /// All heads of the previous operation must have been read.
    public mutating func next(shape: RawSpan, values: RawSpan) throws(ChangeError) -> Step? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        let first: UInt8
        do throws(ByteCodingError) { first = try shapeReader.byte(in: shape) } catch { throw .malformed(error) }
        guard let code = OperationCode(rawValue: first & 0x0F), first < 0x80 else {
            throw .unknown(type: first, version: Self.version)
        }
        // The shape marks a value even if the values are withheld.
        guard (first & 0x10 != 0) == code.hasValue else { throw .inconsistent }
        // Only a source has a first time, and only a value has a place.
        let hasSince = first & 0x40 != 0
        guard !hasSince || source != nil && (code == .set || code == .candidate) else { throw .inconsistent }
        do throws(ByteCodingError) {
            let field = try shapeReader.varint(in: shape)
            var number: UInt32?
            var name = 0..<0
            if field & 1 == 0 {
                guard field >> 1 < UInt64(FieldOrdinal.firstNamed) else { throw .malformedVarint(offset: 0) }
                number = UInt32(field >> 1)
            } else {
                guard field >> 1 <= UInt64(ChangeLimits.nameBytes) else {
                    throw .tooLong(offset: shapeReader.offset, length: field >> 1, limit: ChangeLimits.nameBytes)
                }
                name = try shapeReader.skip(Int(field >> 1), in: shape)
            }
            let since = hasSince ? Stamp(rawValue: try shapeReader.uint64(in: shape)) : nil
            let heads = try shapeReader.count(in: shape, limit: shape.byteCount)
            var value: Range<Int>?
            if first & 0x10 != 0, hasValues { value = try valuesReader.lengthPrefixed(in: values) }
            return Step(
                code: code, fieldNumber: number, fieldName: name, headCount: heads, value: value, since: since,
                hasIndexes: first & 0x20 != 0)
        } catch { throw .malformed(error) }
    }

    /// Reads the next superseded head of `step`.
    public mutating func head(of step: Step, in shape: RawSpan) throws(ChangeError) -> HeadID {
        let table: UInt64
        let sequence: UInt64
        var index: UInt64 = 0
        do throws(ByteCodingError) {
            table = try shapeReader.varint(in: shape)
            sequence = try shapeReader.varint(in: shape)
            if step.hasIndexes { index = try shapeReader.varint(in: shape) }
        } catch { throw .malformed(error) }
        let replicas = UInt64(replicaTable.count / 16)
        guard table <= replicas + 1, index <= UInt64(UInt32.max) else { throw .inconsistent }
        let written: EventID
        if table == 0 {
            written = EventID(names.author, sequence)
        } else if table <= replicas {
            written = EventID(ReplicaID(at: replicaTable.lowerBound + Int(table - 1) * 16, of: shape), sequence)
        } else {
            // An event of the same batch, by how many events it is before this one.
            guard (1..<names.event.sequence).contains(sequence) else { throw .inconsistent }
            written = EventID(names.author, names.event.sequence - sequence)
        }
        return HeadID(names(written), index: UInt32(index))
    }

    /// Throws unless shape and values were read to their ends.
    public func finish(shape: RawSpan, values: RawSpan) throws(ChangeError) {
        guard remaining == 0, shapeReader.offset == shape.byteCount,
            !hasValues || valuesReader.offset == values.byteCount
        else { throw .inconsistent }
    }
}

extension Change {
    /// Decodes a whole change, for looking at single events.
    ///
    /// A withheld value is `nil`, and a withheld block has no content.
    ///
    /// - Throws: `ChangeError` if the bytes are malformed.
    public init(shape: RawSpan, values: RawSpan, isWithheld: Bool, by names: WrittenNames) throws(ChangeError) {
        var reader = try ChangeReader(shape: shape, isWithheld: isWithheld, by: names)
        try reader.skipNote(in: values)
        var operations: [FieldOperation] = []
        while let step = try reader.next(shape: shape, values: values) {
            var heads: [HeadID] = []
            for _ in 0..<step.headCount { heads.append(try reader.head(of: step, in: shape)) }
            let value = step.value.map { values.extracting($0).toArray() }
            operations.append(
                FieldOperation(step.code, try step.key(in: shape), supersedes: heads, value: value, since: step.since))
        }
        let content = try reader.blockContent(in: values)
        try reader.finish(shape: shape, values: values)
        self.init(
            kind: String(decoding: shape.extracting(reader.kind).toArray(), as: UTF8.self), record: reader.record,
            source: reader.source, isTrusted: reader.isTrusted, related: reader.related(in: shape),
            operations: operations)
        block = reader.block.map { block in
            SeriesBlock(
                first: block.first, count: block.count, summary: shape.extracting(block.summary).toArray(),
                content: content.map { values.extracting($0).toArray() } ?? [])
        }
    }
}

extension ChangeReader {
    /// Reads the whole change and throws if any of it is malformed or breaks a rule of ``Change``.
    public mutating func validate(shape: RawSpan, values: RawSpan) throws(ChangeError) {
        try skipNote(in: values)
        let operationCount = remaining
        var written = WrittenFields()
        while let step = try next(shape: shape, values: values) {
            if step.code.concernsWholeRecord, operationCount != 1 { throw .inconsistent }
            let field = try step.key(in: shape)
            let key = step.code == .revive ? .life : field
            let place = operationCount - remaining - 1
            if step.code.writesHead, place == 0 || !step.code.isNamedByPlace {
                guard written.insert(key) else { throw .inconsistent }
            }
            for _ in 0..<step.headCount { _ = try head(of: step, in: shape) }
        }
        _ = try blockContent(in: values)
        try finish(shape: shape, values: values)
    }
}
