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

    /// The members of the register `field`; `nil` if it is none.
    static func members(of field: FieldOrdinal) -> [FieldName]? {
        field >= Number.start && field < Number.start + UInt32(members.count)
            ? members[Int(field - Number.start)] : nil
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

/// The ADIF fields that contacts show, one contact after the other: what ``Record/adifFields`` says of one, without its
/// memory for each contact.
package struct ContactRow: ~Copyable {
    /// A field of the contact at hand.
    package typealias Field = (name: FieldName, value: ArraySlice<UInt8>)

    private var heads: [Int] = []
    private var shown: [(field: Field, isTaken: Bool)] = []
    private var fields: [Field] = []
    /// Where each name stands in `shown`; only of a contact of many fields.
    private var places: [FieldName: Int] = [:]
    /// The names of fields that have no number in the schema, by their local number.
    private var names: [FieldOrdinal: FieldName] = [:]
    /// Names without a number as sources spell them.
    private var spellings: [(bytes: [UInt8], name: FieldName)] = []

    /// Room for the fields of a contact.
    package init() {}

    /// Passes the fields of a contact to `body`: those of its source in their order, then those added since. Each name
    /// occurs once. Values that were not edited are the bytes of the source; internal fields are left out.
    ///
    /// The array must not be kept: its memory is used again for the next contact.
    package mutating func withFields<Result>(
        of contact: borrowing ShownValues, _ body: ([Field]) throws -> Result
    ) rethrows -> Result {
        // Else the slices would keep the bytes, and the next row would be read into other ones.
        defer {
            places.removeAll()
            shown.removeAll(keepingCapacity: true)
            fields.removeAll(keepingCapacity: true)
        }
        findShown(contact)
        if let order = contact.value(QSOKind.Number.order) { takeInOrder(order, contact) }
        for place in shown.indices where !shown[place].isTaken { fields.append(shown[place].field) }
        return try body(fields)
    }

    /// Finds what the contact shows, in order of keys.
    private mutating func findShown(_ contact: borrowing ShownValues) {
        contact.sortHeads(into: &heads)
        contact.forEachField(in: heads) { field, value in
            guard let value, !QSOKind.isInternal(field) else { return }
            guard let members = QSOKind.members(of: field) else {
                let name = name(of: field, contact)
                // A name may be that of a field that has a number, too, or differ from another one in case.
                if field <= Self.lastKnown || place(of: name) == nil { show(name, value) }
                return
            }
            // In order of the members: a register that was completed may have them in another one.
            for (member, name) in members.enumerated() {
                if let value = Register.member(member, of: value) { show(name, value) }
            }
        }
    }

    private mutating func show(_ name: FieldName, _ value: ArraySlice<UInt8>) {
        shown.append(((name, value), false))
        guard shown.count > Self.fewFields else { return }
        if places.isEmpty {
            for (place, other) in shown.enumerated().reversed() { places[other.field.name] = place }
        } else {
            places[name] = places[name] ?? shown.count - 1
        }
    }

    private static let lastKnown = FieldOrdinal(FieldName.maximumNumber)

    private mutating func name(of field: FieldOrdinal, _ contact: borrowing ShownValues) -> FieldName {
        if let known = QSOKind.plainField(field) { return known }
        if let known = names[field] { return known }
        let name = FieldName(QSOKind.schema.name(of: contact.names.field(field)))
        names[field] = name
        return name
    }

    private mutating func name(spelt spelling: ArraySlice<UInt8>) -> FieldName {
        if let known = spellings.first(where: { $0.bytes.elementsEqual(spelling) }) { return known.name }
        let name = FieldName(bytes: spelling)
        if spellings.count < Self.mostSpellings { spellings.append((Array(spelling), name)) }
        return name
    }

    /// The place in `shown` of the field that has this name, and was not taken yet.
    private func place(of name: FieldName) -> Int? {
        let place = places.isEmpty ? shown.firstIndex { $0.field.name == name } : places[name]
        return place.flatMap { shown[$0].isTaken ? nil : $0 }
    }

    /// Up to so many fields are looked through for each of them.
    private static let fewFields = 64
    /// So many names without a number are remembered: more are looked through in no less time than one is made.
    private static let mostSpellings = 32

    /// Takes the fields in the order of the source.
    private mutating func takeInOrder(_ order: ArraySlice<UInt8>, _ contact: borrowing ShownValues) {
        FieldOrder.forEachName(in: order) { known, spelling in
            let name = known ?? name(spelt: spelling)
            if let place = place(of: name) {
                shown[place].isTaken = true
                fields.append(shown[place].field)
            } else if QSOKind.collectionNames.contains(name), !heads.contains(where: { contact.isHead($0, of: name) }) {
                // A list without elements has no heads, so only the order shows that the source had it.
                fields.append((name, []))
            }
        }
    }
}

extension ShownValues {
    fileprivate func isHead(_ index: Int, of known: FieldName) -> Bool {
        state.heads[index].field == FieldOrdinal(known.number)
    }
}
