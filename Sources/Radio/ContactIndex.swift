import ADIF
import ByteCoding
import Events
import Records

/// What contacts are found by. The numbers are in the views; changing what one means raises the kind's version.
enum ContactIndex {
    /// Start of the contact: see ``timeKey(_:)``.
    static let time: UInt8 = 1
    /// Call in upper case, 0, start.
    static let call: UInt8 = 2
    /// ``ContactKey``: as shown now, and as the import that made the contact knew it.
    static let key: UInt8 = 3
    /// Import source: 8 bytes.
    static let source: UInt8 = 4
    /// Field name, `=`, and the id that a service gave the contact.
    static let service: UInt8 = 5
    /// The session's id: 16 bytes.
    static let session: UInt8 = 6

    /// Fields by which a service names a contact.
    static let serviceFields = ["APP_QRZLOG_LOGID", "APP_POLO_UUID"]

    static func entries(_ values: ShownValues) -> [IndexEntry] {
        let contact = KeyFields(values)
        let seconds = contact.startSeconds ?? 0
        var entries = [
            IndexEntry(index: time, key: timeKey(seconds)),
            IndexEntry(index: call, key: callKey(contact.call, seconds: seconds)),
            IndexEntry(index: key, key: contact.key.bytes),
        ]
        if let imported = values.value(QSOKind.Number.importKey).flatMap({ ImportedKey(Array($0)) }),
            imported.key != contact.key.id
        {
            entries.append(IndexEntry(index: key, key: imported.key.bytes))
        }
        for source in values.sources { entries.append(IndexEntry(index: Self.source, key: bigEndian(source.rawValue))) }
        for field in serviceFields {
            if let id = values.value(named: field), !id.isEmpty {
                entries.append(IndexEntry(index: service, key: serviceKey(field, id)))
            }
        }
        if let id = values.value(QSOKind.Number.session) { entries.append(IndexEntry(index: session, key: Array(id))) }
        return entries
    }

    static func callKey(_ call: some Collection<UInt8>, seconds: Int64) -> [UInt8] {
        ContactKey.folded(call) + [0] + timeKey(seconds)
    }

    /// Seconds since 1970 as 8 bytes whose order is that of time, also before 1970: with the sign bit turned round.
    static func timeKey(_ seconds: Int64) -> [UInt8] { bigEndian(UInt64(bitPattern: seconds) ^ (1 << 63)) }

    /// The seconds that such a key says.
    static func seconds(_ key: UInt64) -> Int64 { Int64(bitPattern: key ^ (1 << 63)) }

    static func serviceKey(_ field: String, _ id: some Collection<UInt8>) -> [UInt8] {
        Array(field.utf8) + [UInt8(ascii: "=")] + Array(id)
    }

    static func bigEndian(_ value: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: 8)
        writer.append(bigEndian: value)
        return writer.bytes
    }
}

/// The few fields of a contact that keys and indexes are made of.
struct KeyFields {
    let call: [UInt8]
    let start: Register
    let key: ContactKey

    init(_ values: ShownValues) {
        func register(_ number: UInt32, _ count: Int) -> Register {
            Register(decoding: values.value(number).map { Array($0) } ?? [], memberCount: count)
        }
        call = values.value(UInt32(FieldName.call.number)).map { Array($0) } ?? []
        start = register(QSOKind.Number.start, 2)
        let frequency = register(QSOKind.Number.frequency, 2)
        let emission = register(QSOKind.Number.emission, 2)
        key = ContactKey(
            call: call, date: start.values[0] ?? [], time: start.values[1] ?? [],
            frequency: frequency.values[0] ?? [], band: frequency.values[1] ?? [], mode: emission.values[0] ?? [],
            submode: emission.values[1] ?? [],
            station: values.value(UInt32(FieldName.stationCallsign.number)).map { Array($0) } ?? [])
    }

    /// Seconds since 1970, or `nil` where date or time is no date or time.
    var startSeconds: Int64? { ContactTime.seconds(date: start.values[0] ?? [], time: start.values[1] ?? []) }
}

/// The key and occurrence under which an import made a contact: 16 bytes, then the occurrence as a varint.
struct ImportedKey {
    let key: RecordID
    let occurrence: Int

    init(key: RecordID, occurrence: Int) {
        self.key = key
        self.occurrence = occurrence
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 17 else { return nil }
        key = RecordID(bytes)
        let occurrence = bytes.withSpan { span in
            var reader = ByteReader(at: 16)
            return try? reader.varint(in: span)
        }
        guard let occurrence, occurrence <= UInt64(Int32.max) else { return nil }
        self.occurrence = Int(occurrence)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 18)
        writer.append(key)
        writer.append(varint: occurrence)
        return writer.bytes
    }
}
