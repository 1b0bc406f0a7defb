import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveRecords

/// A record of a file as values of a contact: a first import writes them, a later one compares them.
///
/// All values lie in one array, and a copy is a reference: records are passed from one stage of an import to the next.
package final class ImportedRecord: Sendable {
    /// A plain field or a register, with the place of its value.
    struct Value: Sendable {
        /// The number of the field; 0 for one that has a name.
        let number: FieldOrdinal
        /// Which of ``ImportedRecord/names`` it has; 0 for a field with a number.
        let name: Int
        /// Where its value lies in ``ImportedRecord/bytes``.
        let range: Range<Int>
    }

    /// The values, one after the other.
    let bytes: [UInt8]
    /// The plain fields in the order of the file, then the registers.
    let values: [Value]
    /// The names of the fields that have no number.
    let names: [String]
    /// The collections with their elements.
    let collections: [(key: FieldKey, elements: [[UInt8]])]
    /// The names of all fields in the order of the file: see ``FieldOrder``.
    let order: [UInt8]
    /// The key by which the contact is recognised.
    let key: ContactKey
    /// The ids that services assigned to the contact: field and id.
    let serviceIDs: [(field: String, id: [UInt8])]

    /// Takes the fields of `record` apart.
    package init(_ record: ADIFRecord) {
        // The reader has already reported a warning.
        let hasDuplicates = record.warnings.contains { $0.code == .duplicateField }
        let fields = hasDuplicates ? Self.withoutDuplicates(record.fields) : record.fields
        let source = fields.bytes
        let table = RegisterTable.shared
        var values: [Value] = []
        values.reserveCapacity(fields.count + 4)
        var names: [String] = []
        var collections: [(key: FieldKey, elements: [[UInt8]])] = []
        var serviceIDs: [(field: String, id: [UInt8])] = []
        var writer = ByteWriter(capacity: source.count)
        var order = ByteWriter(capacity: 2 * fields.count + 32)
        var members = [Range<Int>?](repeating: nil, count: table.memberCount)
        var (call, station) = (0..<0, 0..<0)
        fields.forEachPlace { number, spelling, place in
            var name = 0
            if number == 0 {
                let text = FieldName(bytes: source[spelling]).name
                order.append(field: .name(text))
                if !place.isEmpty, ContactIndex.serviceFields.contains(text) {
                    serviceIDs.append((text, Array(source[place])))
                }
                name = names.count
                names.append(text)
            } else {
                order.append(field: .number(UInt32(number)))
                if let index = table[number] {
                    members[index] = place
                    return
                }
                if table.isCollection(number) {
                    collections.append((.number(UInt32(number)), ListSyntax.commas.split(Array(source[place]))))
                    return
                }
                if number == Self.call { call = place } else if number == Self.station { station = place }
            }
            let start = writer.count
            writer.append(contentsOf: source.span.bytes.extracting(place))
            values.append(Value(number: FieldOrdinal(number), name: name, range: start..<writer.count))
        }
        var first = 0
        for register in QSOKind.registers {
            let start = writer.count
            for index in register.members.indices {
                guard let place = members[first + index] else { continue }
                writer.append(member: index, source.span.bytes.extracting(place))
            }
            first += register.members.count
            if writer.count > start {
                values.append(Value(number: register.number, name: 0, range: start..<writer.count))
            }
        }
        func member(_ name: FieldName) -> ArraySlice<UInt8> {
            source[table[name.number].flatMap { members[$0] } ?? 0..<0]
        }
        key = ContactKey(
            call: source[call], date: member(.qsoDate), time: member(.timeOn), frequency: member(.freq),
            band: member(.band), mode: member(.mode), submode: member(.submode), station: source[station])
        (self.values, self.names, self.collections, self.serviceIDs) = (values, names, collections, serviceIDs)
        self.order = order.bytes
        bytes = writer.bytes
    }

    private static let call = FieldName.call.number
    private static let station = FieldName.stationCallsign.number

    /// The field of a value.
    func key(of value: Value) -> FieldKey { value.number > 0 ? .number(value.number) : .name(names[value.name]) }

    /// Returns `fields` with each name once, where it is first.
    private static func withoutDuplicates(_ fields: ADIFFields) -> ADIFFields {
        var names: Set<FieldName> = []
        return ADIFFields(
            fields.lazy.map(\.name).filter { names.insert($0).inserted }.map { name in
                ADIFField(name, value: value(of: name, in: fields))
            })
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
