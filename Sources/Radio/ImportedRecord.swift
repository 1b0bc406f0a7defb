import GroundwaveADIF
import GroundwaveRecords

/// A record of a file as values of a contact: a first import writes them, a later one compares them.
package struct ImportedRecord: Sendable {
    /// The plain fields and registers with their values, most of which are slices of the record's bytes.
    var values: [(key: FieldKey, value: ArraySlice<UInt8>)] = []
    /// The collections with their elements.
    var collections: [(key: FieldKey, elements: [[UInt8]])] = []
    /// The names of the fields in order.
    var order: [FieldName] = []
    /// The key by which the contact is recognised.
    let key: ContactKey
    /// The ids that services assigned to the contact: field and id.
    var serviceIDs: [(field: String, id: ArraySlice<UInt8>)] = []

    /// Takes the fields of `record` apart.
    package init(_ record: ADIFRecord) {
        let fields = record.fields
        let hasDuplicates = record.warnings.contains { $0.code == .duplicateField }
        values.reserveCapacity(fields.count)
        order.reserveCapacity(fields.count)
        var members = [ArraySlice<UInt8>?](repeating: nil, count: RegisterTable.shared.memberCount)
        var station: ArraySlice<UInt8> = []
        var call: ArraySlice<UInt8> = []
        for field in fields {
            let name = field.name
            // The reader has already reported a warning.
            if hasDuplicates, order.contains(name) { continue }
            let value = hasDuplicates ? Self.value(of: name, in: fields) : field.value
            order.append(name)
            guard name.isKnown else {
                values.append((.name(name.name), value))
                if !value.isEmpty, ContactIndex.serviceFields.contains(name.name) {
                    serviceIDs.append((name.name, value))
                }
                continue
            }
            if let index = RegisterTable.shared[name.number] {
                members[index] = value
            } else if RegisterTable.shared.isCollection(name.number) {
                collections.append((.number(UInt32(name.number)), Elements.split(Array(value))))
            } else {
                if name == .call { call = value } else if name == .stationCallsign { station = value }
                values.append((.number(UInt32(name.number)), value))
            }
        }
        var start = 0
        for register in QSOKind.registers {
            let end = start + register.members.count
            let value = Register.encode(members[start..<end])
            if !value.isEmpty { values.append((.number(register.number), value[...])) }
            start = end
        }
        func member(_ name: FieldName) -> ArraySlice<UInt8> {
            RegisterTable.shared[name.number].flatMap { members[$0] } ?? []
        }
        key = ContactKey(
            call: call, date: member(.qsoDate), time: member(.timeOn), frequency: member(.freq), band: member(.band),
            mode: member(.mode), submode: member(.submode), station: station)
    }

    /// Returns the value of a field that may be repeated: the effective one, which the subscript selects; of comments and
    /// notes all that differ, one after the other.
    private static func value(of name: FieldName, in fields: ADIFFields) -> ArraySlice<UInt8> {
        guard let separator = separator(of: name) else { return fields[name]?.value ?? [] }
        var parts: [[UInt8]] = []
        for field in fields where field.name == name {
            let value = Array(field.value)
            if !value.isEmpty, !parts.contains(value) { parts.append(value) }
        }
        return Array(parts.joined(separator: separator))[...]
    }

    /// What stands between the values of a repeated field that people write in; `nil` for any other field.
    private static func separator(of name: FieldName) -> [UInt8]? {
        switch name.dataType {
        case .multilineString, .internationalMultilineString: [0x0D, 0x0A]
        default: name == .comment || name == .commentIntl ? Array("; ".utf8) : nil
        }
    }
}

/// The destination of each known field by its number; a look-up takes one array access.
struct RegisterTable: Sendable {
    static let shared = RegisterTable()

    /// The number of fields that are members of registers.
    let memberCount: Int
    private let places: [Int?]
    private let collections: [Bool]

    private init() {
        var places = [Int?](repeating: nil, count: Int(FieldName.maximumNumber) + 1)
        var collections = [Bool](repeating: false, count: places.count)
        var index = 0
        for name in QSOKind.registers.flatMap(\.members) {
            places[Int(FieldName(name).number)] = index
            index += 1
        }
        for name in QSOKind.collections { collections[Int(FieldName(name).number)] = true }
        memberCount = index
        self.places = places
        self.collections = collections
    }

    /// The index among the members of all registers, concatenated; `nil` for a field outside of registers.
    subscript(number: UInt16) -> Int? { places[Int(number)] }

    /// Whether the field is a collection.
    func isCollection(_ number: UInt16) -> Bool { collections[Int(number)] }
}
