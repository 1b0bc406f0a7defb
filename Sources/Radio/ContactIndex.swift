import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// The indexes of contacts. The numbers are stored in the views; changing the keys of one requires a new version of it.
enum ContactIndex {
    /// Start time of the contact and what is asked most: see ``IndexedContact``.
    static let time: UInt8 = 1
    /// Call in upper case, a zero byte, start time; of a call such as DL/W1AW/P also W1AW: see ``CallSign``.
    static let call: UInt8 = 2
    /// ``ContactKey``: of the shown values, and as computed by the import that created the contact.
    static let key: UInt8 = 3
    /// Import source: 8 bytes.
    static let source: UInt8 = 4
    /// Field name, `=`, and the id that a service assigned to the contact.
    static let service: UInt8 = 5
    /// The session's id: 16 bytes.
    static let session: UInt8 = 6

    /// All of them.
    static let all = [
        IndexSchema(time, "time"), IndexSchema(call, "call"), IndexSchema(key, "key"), IndexSchema(source, "source"),
        IndexSchema(service, "service"), IndexSchema(session, "session"),
    ]

    /// The fields that contain the id that a service or another program has given to a contact.
    static let serviceFields = ["APP_QRZLOG_LOGID", "APP_POLO_UUID", "APP_N1MM_ID"]

    static func addEntries(of values: borrowing ShownValues, to entries: inout IndexEntries) {
        let contact = KeyFields(values)
        let seconds = contact.startSeconds ?? 0
        entries.add(to: time) { append(timeOf: values, contact, to: &$0) }
        entries.add(to: call) { $0.append(callKey: contact.call, seconds: timeNumber(seconds)) }
        if contact.call.contains(UInt8(ascii: "/")) {
            let (folded, base) = (
                ContactKey.folded(contact.call), CallSign.base(of: ContactKey.folded(contact.call)[...])
            )
            if base.count < folded.count {
                entries.add(to: call) { $0.append(callKey: base, seconds: timeNumber(seconds)) }
            }
        }
        entries.add(to: key) { $0.append(contact.key.id) }
        if let imported = values.value(QSOKind.Number.importKey).flatMap({ ImportedKey($0) }),
            imported.key != contact.key.id
        {
            entries.add(to: key) { $0.append(imported.key) }
        }
        for source in values.sources { entries.add(to: Self.source) { $0.append(bigEndian: source.rawValue) } }
        for field in serviceFields {
            if let id = values.value(named: field), !id.isEmpty { entries.add(serviceKey(field, id)[...], to: service) }
        }
        if let id = values.value(QSOKind.Number.session) { entries.add(id, to: session) }
    }

    /// Returns the key that a contact has in the index of times.
    static func timeKey(of values: borrowing ShownValues) -> [UInt8] {
        var writer = ByteWriter(capacity: 14)
        append(timeOf: values, KeyFields(values), to: &writer)
        return writer.bytes
    }

    private static func append(timeOf values: borrowing ShownValues, _ contact: KeyFields, to key: inout ByteWriter) {
        key.append(bigEndian: timeNumber(contact.startSeconds ?? 0))
        IndexedContact.Facts(values, contact).append(to: &key)
    }

    static func callKey(_ call: some Collection<UInt8>, seconds: Int64) -> [UInt8] {
        var writer = ByteWriter(capacity: call.count + 9)
        writer.append(callKey: call, seconds: timeNumber(seconds))
        return writer.bytes
    }

    /// Returns seconds since 1970 as 8 bytes in order of time, also before 1970: big-endian with the sign bit
    /// inverted.
    static func timeKey(_ seconds: Int64) -> [UInt8] { bigEndian(timeNumber(seconds)) }

    private static func timeNumber(_ seconds: Int64) -> UInt64 { UInt64(bitPattern: seconds) ^ (1 << 63) }

    /// Returns the seconds that are encoded in such a key.
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

extension ViewReader {
    /// Returns the contact to which a service or another program has given an id: of several, one that shows.
    ///
    /// - Parameter field: One of ``ContactIndex/serviceFields``.
    package func contact(withServiceID id: [UInt8], in field: String) throws -> RecordID? {
        let key = ContactIndex.serviceKey(field, id)
        var found: RecordID?
        try forEachEntry(of: QSOKind.name, index: ContactIndex.service, prefix: key) { entry, id in
            guard entry.byteCount == key.count else { return true }
            let isVisible = try record(QSOKind.name, id)?.isVisible ?? false
            if found == nil || isVisible { found = id }
            return !isVisible
        }
        return found
    }
}

extension ByteWriter {
    fileprivate mutating func append(callKey call: some Collection<UInt8>, seconds: UInt64) {
        append(folded: call)
        append(UInt8(0))
        append(bigEndian: seconds)
    }
}

/// The fields of a contact that keys and indexes are computed from.
struct KeyFields {
    let call: ArraySlice<UInt8>
    let frequency: ArraySlice<UInt8>
    let band: ArraySlice<UInt8>
    let mode: ArraySlice<UInt8>
    let submode: ArraySlice<UInt8>
    let key: ContactKey
    /// Seconds since 1970; `nil` if the date is invalid. An invalid time counts as 00:00.
    let startSeconds: Int64?

    init(_ values: borrowing ShownValues) { self.init { values.value($0) } }

    /// - Parameter value: Returns the value of the field or register with a number, if it has one.
    init(_ value: (UInt32) -> ArraySlice<UInt8>?) {
        func members(_ number: UInt32) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
            var members: (ArraySlice<UInt8>, ArraySlice<UInt8>) = ([], [])
            Register.forEachMember(of: value(number) ?? []) { member, value in
                if member == 0 { members.0 = value } else if member == 1 { members.1 = value }
            }
            return members
        }
        call = value(UInt32(FieldName.call.number)) ?? []
        let (date, time) = members(QSOKind.Number.start)
        (frequency, band) = members(QSOKind.Number.frequency)
        (mode, submode) = members(QSOKind.Number.emission)
        startSeconds = ContactTime.seconds(date: date, time: time)
        key = ContactKey(
            call: call, date: date, time: time, frequency: frequency, band: band, mode: mode, submode: submode,
            station: value(UInt32(FieldName.stationCallsign.number)) ?? [])
    }
}

/// The key and occurrence under which an import created a contact: 16 bytes, then the occurrence as a varint.
struct ImportedKey {
    let key: RecordID
    let occurrence: Int

    init(key: RecordID, occurrence: Int) {
        self.key = key
        self.occurrence = occurrence
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 17 else { return nil }
        let span = bytes.span.bytes
        key = RecordID(at: 0, of: span)
        var reader = ByteReader(at: 16)
        guard let occurrence = try? reader.varint(in: span), occurrence <= UInt64(Int32.max) else { return nil }
        self.occurrence = Int(occurrence)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 18)
        writer.append(key)
        writer.append(varint: occurrence)
        return writer.bytes
    }
}
