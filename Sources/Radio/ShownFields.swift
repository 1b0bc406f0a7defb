import GroundwaveADIF
import GroundwaveRecords

/// The ADIF fields that contacts show, one contact after the other: what ``Record/adifFields`` says of one, without its
/// memory for each contact.
package struct ShownFields: ~Copyable {
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
