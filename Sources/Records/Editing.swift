/// A new value for a field, or none.
public struct Assignment: Hashable, Sendable {
    /// The name of the field: a plain field, or a member of a register.
    public var name: String
    /// The value, as UTF-8 text or in the encoding of the source; `nil` clears the field. That of a collection is all of
    /// its elements as one text: see ``ListSyntax``.
    public var value: [UInt8]?

    /// Assigns `value` to the field called `name`.
    public init(_ name: String, _ value: [UInt8]?) {
        self.name = name
        self.value = value
    }

    /// Assigns text to the field called `name`.
    public init(_ name: String, text: String) { self.init(name, Array(text.utf8)) }

    /// Assigns these elements, and no others, to the collection called `name`, whose syntax is ``ListSyntax/quoted``.
    public init(_ name: String, elements: [String]) {
        self.init(name, elements.isEmpty ? nil : ListSyntax.quoted.join(elements.map { Array($0.utf8) }))
    }
}

// Turns what a person or a file wants into what an event stores: only differences are written, and each write names
// the heads that its author saw.
extension KindSchema {
    /// The operations that make `record` show what is assigned; none if it already does.
    ///
    /// A member of a register is written with the other members as they are shown. Of a collection only missing elements
    /// are added and only surplus elements removed. A write to a deleted record names the deletes, so the record shows again. If a name is assigned twice, the last value
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
        let field = field(named: assignment.name)
        let identity = Elements.identity(of: field)
        let wanted = (field?.list ?? .quoted).split(assignment.value ?? [])
        let wantedIdentities = Set(wanted.map(identity))
        let heads = record?[key]?.heads ?? []
        let present = Set(heads.compactMap(\.value).map(identity))
        let deletes = record.map { $0.deletions.map { HeadID($0.event) } } ?? []
        var operations: [FieldOperation] = []
        // A withheld element was not visible to the author, so its absence from the wanted elements means nothing.
        let unwanted = heads.filter { head in
            if head.isWithheld { return assignment.value == nil }
            return !wantedIdentities.contains(identity(head.value ?? []))
        }
        if !unwanted.isEmpty { operations.append(FieldOperation(.remove, key, supersedes: unwanted.map(\.id))) }
        var added: Set<Elements.Identity> = []
        for element in wanted {
            let name = identity(element)
            // A new record keeps its elements as written, repeats included.
            if record != nil, present.contains(name) || !added.insert(name).inserted { continue }
            operations.append(FieldOperation(.add, key, supersedes: deletes, value: element))
        }
        return operations
    }

    /// The fields of `record` that have a value, by name, in order of their keys; registers as their members.
    ///
    /// A collection is its elements as one text, each once. Internal fields are left out.
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

    /// The elements of a collection as one text; `nil` if there are none.
    func elements(of collection: Record.Field) -> [UInt8]? {
        guard case .number(let number) = collection.key, let field = field(number: number) else { return nil }
        let elements = Elements.shown(collection.heads, of: field)
        return elements.isEmpty ? nil : field.list.join(elements)
    }
}

/// A value that is not what its field accepts: the cause of an error with the code `invalid`.
public struct InvalidValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the record.
    public let kind: String
    /// The name of the field.
    public let field: String
    /// What is wrong, as the end of a sentence that begins with the field.
    public let problem: String

    /// The whole sentence.
    public var description: String { "The value of \(field) \(problem)." }
}

extension KindSchema {
    /// Throws if one of `assignments` has a value that is not of the type of its field.
    ///
    /// - Throws: ``InvalidValue`` of the first one.
    package func check(_ assignments: [Assignment]) throws(InvalidValue) {
        for assignment in assignments {
            guard let field = field(named: assignment.name), field.type != .any, let value = assignment.value else {
                continue
            }
            let values = field.policy == .union ? field.list.split(value) : [value]
            if let problem = values.lazy.compactMap(field.type.problem).first {
                throw InvalidValue(kind: name, field: field.name, problem: problem)
            }
        }
    }
}
