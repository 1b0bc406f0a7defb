import ADIF
import Records

/// One record of a file as heads of a contact: what a first import writes, and what a later one compares.
struct ImportedRecord {
    /// A plain field or register and its value.
    var values: [(key: FieldKey, value: [UInt8])] = []
    /// Collections and their elements.
    var collections: [(key: FieldKey, elements: [[UInt8]])] = []
    /// The names in order.
    var order: [FieldName] = []
    /// The key under which it is known again.
    let key: ContactKey
    /// The ids that services gave it: field and id.
    var serviceIDs: [(field: String, id: [UInt8])] = []

    init(_ fields: ADIFFields) {
        var seen: Set<FieldName> = []
        var registers: [UInt32: Register] = [:]
        var registerOrder: [UInt32] = []
        for field in fields {
            let name = field.name
            // Of a field that occurs twice the subscript says which one counts; the reader has warned of it.
            guard seen.insert(name).inserted, let counting = fields[name] else { continue }
            order.append(name)
            let value = Array(counting.value)
            guard name.isKnown else {
                values.append((.name(name.name), value))
                if ContactIndex.serviceFields.contains(name.name), !value.isEmpty {
                    serviceIDs.append((name.name, value))
                }
                continue
            }
            if let place = RegisterTable.shared[name.number] {
                let register = QSOKind.registers[place.register]
                if registers[register.number] == nil {
                    registers[register.number] = Register([[UInt8]?](repeating: nil, count: register.members.count))
                    registerOrder.append(register.number)
                }
                registers[register.number]?.values[place.member] = value
            } else if QSOKind.collections.contains(name.name) {
                collections.append((.number(UInt32(name.number)), Elements.split(value)))
            } else {
                values.append((.number(UInt32(name.number)), value))
            }
        }
        for number in registerOrder { values.append((.number(number), registers[number]!.encode())) }
        let empty: [UInt8] = []
        func member(_ register: UInt32, _ place: Int) -> [UInt8] { registers[register]?.values[place] ?? empty }
        key = ContactKey(
            call: fields[.call].map { Array($0.value) } ?? empty, date: member(QSOKind.Number.start, 0),
            time: member(QSOKind.Number.start, 1), frequency: member(QSOKind.Number.frequency, 0),
            band: member(QSOKind.Number.frequency, 1), mode: member(QSOKind.Number.emission, 0),
            submode: member(QSOKind.Number.emission, 1),
            station: fields[.stationCallsign].map { Array($0.value) } ?? empty)
    }

    /// The operations that make a new contact of it.
    func operations(occurrence: Int, session: [UInt8]?) -> [Operation] {
        var operations: [Operation] = []
        operations.reserveCapacity(values.count + collections.count + 3)
        for (key, value) in values { operations.append(Operation(.set, key, value: value)) }
        for (key, elements) in collections {
            for element in elements { operations.append(Operation(.add, key, value: element)) }
        }
        operations.append(Operation(.set, .number(QSOKind.Number.order), value: FieldOrder(order).bytes))
        operations.append(
            Operation(
                .set, .number(QSOKind.Number.importKey), value: ImportedKey(key: key.id, occurrence: occurrence).bytes))
        if let session { operations.append(Operation(.set, .number(QSOKind.Number.session), value: session)) }
        return operations
    }
}

/// Which register a known field is a member of, by its number: one look-up in an array.
struct RegisterTable: Sendable {
    static let shared = RegisterTable()

    private let places: [(register: Int, member: Int)?]

    private init() {
        var places = [(register: Int, member: Int)?](repeating: nil, count: Int(FieldName.maximumNumber) + 1)
        for (register, field) in QSOKind.registers.enumerated() {
            for (member, name) in field.members.enumerated() {
                places[Int(FieldName(name).number)] = (register, member)
            }
        }
        self.places = places
    }

    subscript(number: UInt16) -> (register: Int, member: Int)? { places[Int(number)] }
}
