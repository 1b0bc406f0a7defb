import GroundwaveByteCoding
import GroundwaveEvents

/// What the log says about a kind of an application: a record that names its fields, so that programs without the kind's code
/// show its records by name. It decides how records are read there, and never how anything is folded.
///
/// The record's id follows from the name of the kind, so that all devices describe a kind in one record. Its field `n` of a
/// kind's field with the number n has policy, type and name, and the names of the members of a register, separated by tabs:
/// `latest day DAY`.
package enum KindDescription: RecordKind {
    package static let name = "kind"
    package static let schema = KindSchema(name: name, fields: [FieldSchema(1, "NAME"), FieldSchema(2, "VERSION")])

    /// The most fields that are read of a description, and the most members of a field.
    static let limit = 4096

    /// The id of the record that describes the kind called `kind`.
    package static func id(of kind: String) -> RecordID {
        let hash = Array("kind \(kind)".utf8).withSpan { Hash256(hashing: $0) }
        var writer = ByteWriter(capacity: 32)
        writer.append(hash)
        return writer.withSpan { RecordID(at: 0, of: $0) }
    }

    /// What has to be assigned to `record`, so that it describes `kind`; none if it does. A description of a later version
    /// stays, and is completed.
    package static func assignments(describing kind: KindSchema, in record: Record?) -> [Assignment] {
        func value(_ name: String) -> [UInt8]? { record.flatMap { schema.value(of: name, in: $0) } }
        let known = value("VERSION").flatMap { UInt32(String(decoding: $0, as: UTF8.self)) } ?? 0
        var assignments: [Assignment] = []
        if known == 0 { assignments.append(Assignment("NAME", text: kind.name)) }
        if known < kind.version { assignments.append(Assignment("VERSION", text: "\(kind.version)")) }
        for field in kind.fields where !field.isInternal {
            let parts = [field.policy.rawValue, field.type.word, field.name] + field.members
            guard !parts.contains(where: { $0.utf8.contains { $0 < 32 } }) else { continue }
            let text = Array(parts.joined(separator: "\t").utf8)
            let described = value("\(field.number)")
            if described == nil || known < kind.version && described != text {
                assignments.append(Assignment("\(field.number)", text))
            }
        }
        return assignments
    }

    /// The kind that `record` describes, as far as it can be read; `nil` if it does not show.
    package static func schema(in record: Record) -> KindSchema? {
        func text(_ name: String) -> String? {
            schema.value(of: name, in: record).map { String(decoding: $0, as: UTF8.self) }
        }
        guard record.isVisible, let kind = text("NAME"), (1...64).contains(kind.utf8.count), !kind.utf8.contains(0)
        else { return nil }
        var fields: [FieldSchema] = []
        var names: Set<String> = []
        var numbers: Set<UInt32> = []
        for field in record.fields.prefix(limit) {
            guard case .name(let name) = field.key, let number = UInt32(name), number > 0, "\(number)" == name,
                let value = field.value,
                numbers.insert(number).inserted, let described = self.field(number, value),
                ([described.name] + described.members).allSatisfy({ names.insert($0).inserted })
            else { continue }
            fields.append(described)
        }
        return KindSchema(name: kind, version: text("VERSION").flatMap { UInt32($0) } ?? 1, fields: fields)
    }

    private static func field(_ number: UInt32, _ value: [UInt8]) -> FieldSchema? {
        let parts = String(decoding: value, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false)
            .map(String.init)
        guard (3...(3 + limit)).contains(parts.count), let policy = MergePolicy(rawValue: parts[0]),
            policy != .established, !parts[2].isEmpty
        else { return nil }
        return FieldSchema(
            number, parts[2], policy, type: ValueType(word: parts[1]), members: Array(parts[3...]))
    }
}
