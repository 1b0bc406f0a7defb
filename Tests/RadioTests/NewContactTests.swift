import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords
import GroundwaveSeededNumbers
import Testing

@testable import GroundwaveRadio

@Suite struct `A contact that a file brings` {
    private static let fields: ADIFFields = [
        ADIFField(.call, "N0CALL"), ADIFField(.qsoDate, "20260501"), ADIFField(.timeOn, "1234"),
        ADIFField(.band, "20m"), ADIFField(FieldName("APP_X_Y"), "unknown"), ADIFField(.mode, "CW"),
        ADIFField(.comment, "gr\u{FC}\u{DF}e"), ADIFField(FieldName("POTA_REF"), "US-0001,US-0002"),
        ADIFField(.freq, "14.05"), ADIFField(FieldName("NOTES"), ""),
    ]

    /// The names of the fields in order: twice the number of a known one; else twice the length plus one, then the name.
    private static var order: [UInt8] {
        var writer = ByteWriter()
        for name in fields.map(\.name) {
            if name.isKnown {
                writer.append(varint: UInt64(name.number) * 2)
            } else {
                writer.append(varint: UInt64(name.name.utf8.count) * 2 + 1)
                writer.append(contentsOf: Array(name.name.utf8))
            }
        }
        return writer.bytes
    }

    /// The operations in plain words: values in the order of the file, registers, lists, and what the import notes.
    private static func operations(session: RecordID?) -> [FieldOperation] {
        func number(_ name: FieldName) -> FieldKey { .number(UInt32(name.number)) }
        func set(_ key: FieldKey, _ value: [UInt8]) -> FieldOperation { FieldOperation(.set, key, value: value) }
        func register(_ number: UInt32, _ members: String?...) -> FieldOperation {
            set(.number(number), Register(members.map { $0.map { Array($0.utf8) } }).encode())
        }
        let key = ContactKey(
            call: Array("N0CALL".utf8), date: Array("20260501".utf8), time: Array("1234".utf8),
            frequency: Array("14.05".utf8), band: Array("20m".utf8), mode: Array("CW".utf8), submode: [], station: [])
        let lists = ["US-0001", "US-0002"].map {
            FieldOperation(.add, number(FieldName("POTA_REF")), value: Array($0.utf8))
        }
        return [
            set(number(.call), Array("N0CALL".utf8)), set(.name("APP_X_Y"), Array("unknown".utf8)),
            set(number(.comment), Array("gr\u{FC}\u{DF}e".utf8)), set(number(FieldName("NOTES")), []),
            register(QSOKind.Number.start, "20260501", "1234"), register(QSOKind.Number.frequency, "14.05", "20m"),
            register(QSOKind.Number.emission, "CW", nil),
        ] + lists + [
            set(.number(QSOKind.Number.order), Self.order),
            set(.number(QSOKind.Number.importKey), ImportedKey(key: key.id, occurrence: 3).bytes),
        ] + (session.map { [set(.number(QSOKind.Number.session), $0.bytes)] } ?? [])
    }

    @Test(arguments: [nil, RecordID(high: 5, low: 6)], [false, true])
    func `is written as the change of its operations would be`(session: RecordID?, isTrusted: Bool) throws {
        let (id, source) = (RecordID(high: 1, low: 2), SourceID(name: "Test"))
        let contact = NewContact(
            id, ImportedRecord(ADIFRecord(fields: Self.fields)), occurrence: 3, session: session, source: source,
            isTrusted: isTrusted)
        let change = Change(
            kind: "qso", record: id, source: source, isTrusted: isTrusted, operations: Self.operations(session: session)
        )
        func bytes(_ append: (inout DraftBatch, inout SeededGenerator) -> Void) -> [[UInt8]] {
            var (draft, generator) = (DraftBatch(), SeededGenerator(seed: 7))
            append(&draft, &generator)
            return draft.withEvent(at: 0) { shape, values in [shape.toArray(), values.toArray()] }
        }
        let written = bytes { $0.append(contact, using: &$1) }
        #expect(written == bytes { $0.append(change, by: ReplicaID(high: 9, low: 9), using: &$1) })
        #expect(contact.byteBound == DraftBatch.byteBound(of: change))
        #expect(written.map(\.count).reduce(0, +) <= contact.byteBound)
    }
}
