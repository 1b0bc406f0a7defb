import GroundwaveADIF
import GroundwaveEvents
import GroundwaveRecords

// A contact as a walk reads it: from the values that its row shows, without a `Record`.

extension QSOKind {
    /// Where each known field of ADIF is kept: its own field, or a member of a register; by the number of the field.
    private static let places: [(field: FieldOrdinal, member: Int?)] = {
        var places = (0...FieldName.maximumNumber).map { (field: FieldOrdinal($0), member: Int?.none) }
        for register in registers {
            for (index, name) in register.members.enumerated() {
                places[Int(FieldName(name).number)] = (register.number, index)
            }
        }
        return places
    }()

    /// The members of each register, by the number of the register counted from the first one.
    private static let members = registers.map { $0.members.map { FieldName($0) } }

    /// The known field that is kept alone under its number; `nil` if `field` is none.
    static func plainField(_ field: FieldOrdinal) -> FieldName? {
        field < places.count && places[Int(field)] == (field, nil) ? FieldName(number: UInt16(field)) : nil
    }

    static func place(of known: FieldName) -> (field: FieldOrdinal, member: Int?) { places[Int(known.number)] }

    /// Whether `field` is a register.
    static func isRegister(_ field: FieldOrdinal) -> Bool {
        field >= Number.start && field < Number.start + UInt32(members.count)
    }

    /// The members of the register `field`; `nil` if it is none.
    static func members(of field: FieldOrdinal) -> [FieldName]? {
        isRegister(field) ? members[Int(field - Number.start)] : nil
    }
}

extension ShownValues {
    /// The value that a contact shows for an ADIF field; `nil` if it has none.
    package func value(_ name: FieldName) -> ArraySlice<UInt8>? {
        guard name.isKnown else { return value(named: name.name) }
        let place = QSOKind.place(of: name)
        let value = QSOKind.collectionNames.contains(name) ? elements(place.field) : value(place.field)
        guard let member = place.member else { return value }
        return value.flatMap { Register.member(member, of: $0) }
    }

    /// The text that a contact shows for an ADIF field; `nil` if it has none.
    package func text(_ name: FieldName) -> String? { value(name).map { ValueText(decoding: $0).string } }

    /// The start of a contact, in seconds since 1970; `nil` if the date is invalid. An invalid time counts as 00:00.
    package var startSeconds: Int64? {
        let start = value(QSOKind.Number.start) ?? []
        return ContactTime.seconds(
            date: Register.member(0, of: start) ?? [], time: Register.member(1, of: start) ?? [])
    }

    /// The session that a contact belongs to; `nil` if it belongs to none.
    var session: RecordID? { value(QSOKind.Number.session).flatMap { $0.count == 16 ? RecordID(Array($0)) : nil } }

    /// Whether it is a note of an activation instead of a contact.
    var isMetadata: Bool {
        guard let mode = value(.mode), QSOKind.metadataModes.contains(where: { $0.utf8.count == mode.count }) else {
            return false
        }
        return QSOKind.metadataModes.contains(ValueText(decoding: mode).string.uppercased())
    }
}
