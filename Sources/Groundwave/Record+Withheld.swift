import Radio
import Records

extension Record {
    /// The names of a contact's fields whose shown value is withheld; for a register, the names of all its members.
    public var withheldContactFields: [String] {
        fields.filter(\.shown.isWithheld).flatMap { field -> [String] in
            guard case .number(let number) = field.key, let schema = QSOKind.schema.field(number: number) else {
                return [field.key.plainName]
            }
            if schema.isInternal { return [] }
            return schema.members.isEmpty ? [schema.name] : schema.members
        }
    }
}
