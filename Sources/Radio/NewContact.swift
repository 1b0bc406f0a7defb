import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// A contact that a file brings and that is not stored yet. Its values stay those of the record in the file, until it is written.
package struct NewContact: Sendable {
    fileprivate let id: RecordID
    fileprivate let source: SourceID
    fileprivate let isTrusted: Bool
    private let imported: ImportedRecord
    private let internals: [(key: FieldKey, value: [UInt8])]

    /// - Parameter occurrence: The number of records before this one in the file with its key and station.
    init(
        _ id: RecordID, _ imported: ImportedRecord, occurrence: Int, session: RecordID?, source: SourceID,
        isTrusted: Bool
    ) {
        self.id = id
        self.source = source
        self.isTrusted = isTrusted
        self.imported = imported
        let key = ImportedKey(key: imported.key.id, occurrence: occurrence)
        internals =
            [
                (.number(QSOKind.Number.order), imported.order),
                (.number(QSOKind.Number.importKey), key.bytes),
            ] + (session.map { [(.number(QSOKind.Number.session), $0.bytes)] } ?? [])
    }

    fileprivate func forEachValue(_ body: (OperationCode, FieldKey, RawSpan) -> Void) {
        let bytes = imported.bytes
        for value in imported.values { body(.set, imported.key(of: value), bytes.span.bytes.extracting(value.range)) }
        for (key, elements) in imported.collections {
            for element in elements { body(.add, key, element.span.bytes) }
        }
        for (key, value) in internals { body(.set, key, value.span.bytes) }
    }

    /// The change that creates it.
    package var change: Change {
        var operations: [FieldOperation] = []
        forEachValue { operations.append(FieldOperation($0, $1, value: $2.toArray())) }
        return Change(
            kind: QSOKind.name, record: id, source: source, isTrusted: isTrusted, operations: operations)
    }

    /// The maximum number of bytes that its event takes in a batch.
    package var byteBound: Int { DraftBatch.byteBound(ofFirstValues: forEachValue, QSOKind.name) }
}

extension DraftBatch {
    /// Appends the event that creates a contact.
    package mutating func append(_ contact: NewContact, using generator: inout some RandomNumberGenerator) {
        append(
            firstValuesOf: contact.id, QSOKind.name, source: contact.source, isTrusted: contact.isTrusted,
            contact.forEachValue, using: &generator)
    }
}
