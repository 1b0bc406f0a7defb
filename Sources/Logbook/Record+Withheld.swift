import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension Record {
    /// The names of a contact's fields whose shown value is withheld; for a register, the names of all its members.
    public var withheldContactFields: [String] { fields.flatMap { Self.withheldNames(of: $0) } }

    fileprivate static func withheldNames(of field: Field) -> [String] {
        guard field.shown.isWithheld else { return [] }
        guard case .number(let number) = field.key, let schema = QSOKind.schema.field(number: number) else {
            return [field.key.plainName]
        }
        if schema.isInternal { return [] }
        return schema.members.isEmpty ? [schema.name] : schema.members
    }
}

extension Reading {
    /// Returns why the values of ``Record/withheldContactFields`` of `record` are not here, by the name of
    /// the field.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: A look-up for each field.
    public func withholdings(in record: Record) throws -> [String: Withholding] {
        try describing {
            var result: [String: Withholding] = [:]
            for field in record.fields {
                for name in Record.withheldNames(of: field) {
                    result[name] = try log.withholding(of: field.shown.id.event)
                }
            }
            return result
        }
    }
}
