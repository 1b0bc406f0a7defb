/// A new value for a field, or none.
public struct Assignment: Hashable, Sendable {
    /// The name of the field: a plain field, or a member of a register.
    public var name: String
    /// The value, as UTF-8 text or in the encoding of the source; `nil` clears the field.
    public var value: [UInt8]?

    /// Assigns `value` to the field called `name`.
    public init(_ name: String, _ value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    /// Assigns text to the field called `name`.
    public init(_ name: String, text: String) { self.init(name, Array(text.utf8)) }
}

// Turns what a person or a file wants into what an event stores: only differences are written, and each write names
// the heads that its author saw.
extension KindSchema {
    /// The operations that make `record` show what is assigned; none if it already does.
    ///
    /// A member of a register is written with the other members as they are shown. Of a collection, whose value is
    /// its elements separated by commas, only missing elements are added and only surplus elements removed. A write
    /// to a deleted record names the deletes, so the record shows again. If a name is assigned twice, the last value
    /// counts.
    ///
    /// - Parameter record: The record as the author saw it; `nil` for a new record.
    public func operations(assigning assignments: [Assignment], to record: Record?) -> [FieldOperation] {
        var operations: [FieldOperation] = []
        var registers: [(field: FieldSchema, assignments: [Assignment])] = []
        for (index, assignment) in assignments.enumerated() {
            // One event writes a field once; of two assignments the last one counts.
            let isRepeated = assignments[(index + 1)...].contains { later in
                later.name.utf8.elementsEqual(assignment.name.utf8)
            }
            if isRepeated { continue }
            if let register = register(of: assignment.name) {
                if let index = registers.firstIndex(where: { $0.field.number == register.number }) {
                    registers[index].assignments.append(assignment)
                } else {
                    registers.append((register, [assignment]))
                }
            } else if policy(of: key(for: assignment.name)) == .union {
                operations += collection(assignment, record)
            } else {
                operations += plain(key(for: assignment.name), assignment.value, record)
            }
        }
        for (field, assignments) in registers {
            var value = shownRegister(field, in: record)
            for assignment in assignments {
                value.values[field.members.firstIndex(of: assignment.name)!] = assignment.value
            }
            operations += plain(.number(field.number), value.isEmpty ? nil : value.encode(), record)
        }
        let namesDeletes = operations.contains { $0.code.writesHead }
        if let record, !record.isVisible, !record.deletions.isEmpty, !assignments.isEmpty, !namesDeletes {
            operations.append(FieldOperation(.revive, .life, supersedes: record.superseded(by: .life)))
        }
        return operations
    }

    /// The values of the members of `field` as they are shown; all `nil` if there is no record.
    public func shownRegister(_ field: FieldSchema, in record: Record?) -> Register {
        guard let value = record?[.number(field.number)]?.value else {
            return Register([[UInt8]?](repeating: nil, count: field.members.count))
        }
        return Register(decoding: value, memberCount: field.members.count)
    }

    private func plain(_ key: FieldKey, _ value: [UInt8]?, _ record: Record?) -> [FieldOperation] {
        let field = record?[key]
        let isSettled = field.map { !$0.isConflict } ?? true
        let isLive = record?.isVisible ?? true
        if isLive, isSettled, field?.value == value, field.map({ !$0.shown.isWithheld }) ?? true { return [] }
        let superseded = record?.superseded(by: key) ?? []
        guard let value else { return [FieldOperation(.clear, key, supersedes: superseded)] }
        return [FieldOperation(.set, key, supersedes: superseded, value: value)]
    }

    private func collection(_ assignment: Assignment, _ record: Record?) -> [FieldOperation] {
        let key = key(for: assignment.name)
        let identity = field(named: assignment.name)?.identity ?? { $0 }
        let wanted = Elements.split(assignment.value ?? [])
        let wantedIdentities = Set(wanted.map { Elements.identity(of: $0, by: identity) })
        let heads = record?[key]?.heads ?? []
        let present = Set(heads.compactMap(\.value).map { Elements.identity(of: $0, by: identity) })
        let deletes = record.map { $0.deletions.map { HeadID($0.event) } } ?? []
        var operations: [FieldOperation] = []
        // A withheld element was not visible to the author, so its absence from the wanted elements means nothing.
        let unwanted = heads.filter { head in
            if head.isWithheld { return assignment.value == nil }
            return !wantedIdentities.contains(Elements.identity(of: head.value ?? [], by: identity))
        }
        if !unwanted.isEmpty { operations.append(FieldOperation(.remove, key, supersedes: unwanted.map(\.id))) }
        var added: Set<String> = []
        for element in wanted {
            let name = Elements.identity(of: element, by: identity)
            // A new record keeps its elements as written, repeats included.
            if record != nil, present.contains(name) || !added.insert(name).inserted { continue }
            operations.append(FieldOperation(.add, key, supersedes: deletes, value: element))
        }
        return operations
    }

    /// The fields of `record` that have a value, by name, in order of their keys; registers as their members.
    ///
    /// A collection is its elements separated by commas, each once. Internal fields are left out.
    public func values(of record: Record) -> [(name: String, value: [UInt8])] {
        var values: [(name: String, value: [UInt8])] = []
        for field in record.fields {
            guard case .number(let number) = field.key, let schema = self.field(number: number) else {
                if let value = field.value { values.append((name(of: field.key), value)) }
                continue
            }
            if schema.isInternal { continue }
            if !schema.members.isEmpty {
                let register = shownRegister(schema, in: record)
                for (member, value) in zip(schema.members, register.values) {
                    if let value { values.append((member, value)) }
                }
            } else if schema.policy == .union {
                if let value = elements(of: field) { values.append((schema.name, value)) }
            } else if let value = field.value {
                values.append((schema.name, value))
            }
        }
        return values
    }

    /// The value that `record` shows for the field called `name`.
    public func value(of name: String, in record: Record) -> [UInt8]? {
        if let register = register(of: name) {
            return shownRegister(register, in: record).values[register.members.firstIndex(of: name)!]
        }
        guard let field = record[key(for: name)] else { return nil }
        return field.policy == .union ? elements(of: field) : field.value
    }

    /// The elements of a collection, separated by commas; `nil` if there are none.
    func elements(of collection: Record.Field) -> [UInt8]? {
        guard case .number(let number) = collection.key else { return nil }
        return Elements.join(collection.heads, identity: field(number: number)?.identity ?? { $0 })
    }
}

/// The elements of a collection as one text: separated by commas.
public enum Elements {
    /// The elements of `value`, unchanged; none for an empty value.
    public static func split(_ value: [UInt8]) -> [[UInt8]] {
        value.isEmpty ? [] : value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Array.init)
    }

    /// The text by which two elements are the same element.
    static func identity(of element: [UInt8], by identity: (String) -> String) -> String {
        identity(String(decoding: element, as: UTF8.self))
    }

    /// The live elements in the order in which they were added, separated by commas; `nil` if there are none.
    ///
    /// The elements of a single event are returned byte for byte; an element that several authors added is shown
    /// once.
    static func join(_ heads: [Record.Head], identity: (String) -> String) -> [UInt8]? {
        guard let first = heads.first else { return nil }
        let isOneWrite = heads.allSatisfy { $0.id.event == first.id.event }
        var seen: Set<String> = []
        var elements: [[UInt8]] = []
        for value in heads.compactMap(\.value) {
            if isOneWrite || seen.insert(Self.identity(of: value, by: identity)).inserted { elements.append(value) }
        }
        return elements.isEmpty ? nil : Array(elements.joined(separator: [UInt8(ascii: ",")]))
    }
}
