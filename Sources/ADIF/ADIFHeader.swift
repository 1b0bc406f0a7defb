/// The header of a log file: free text, fields, and definitions of the user's own fields.
public struct ADIFHeader: Sendable, Hashable {
    /// The header's fields in source order, such as `ADIF_VER`, `PROGRAMID` and `USERDEF1`.
    public var fields: ADIFFields
    /// The text before the first field, exactly as in the file; empty in ADX.
    public var text: [UInt8]
    /// The warnings of the reader; their record number is 0.
    public var warnings: [ADIFWarning]

    /// Makes a header.
    public init(fields: ADIFFields = [], text: [UInt8] = [], warnings: [ADIFWarning] = []) {
        self.fields = fields
        self.text = text
        self.warnings = warnings
    }

    /// The definitions in the `USERDEFn` fields, in source order; invalid ones are left out.
    public var userFields: [UserFieldDefinition] { fields.compactMap(UserFieldDefinition.init) }
}

/// The definition of a user's own field in a header (ADIF 3.1.6, "User-defined Fields").
///
/// ```
/// <USERDEF2:19:E>SWEATERSIZE,{S,M,L}
/// <USERDEF3:15:N>SHOESIZE,{5:20}
/// ```
public struct UserFieldDefinition: Sendable, Hashable {
    /// The *n* of `USERDEFn`.
    public var number: Int
    /// The name that the records use.
    public var name: FieldName
    /// The name as the definition spells it.
    public var writtenName: String
    /// The type letter, upper-case ASCII; nil if the definition has none, which ADIF does not allow.
    public var typeIndicator: UInt8?
    /// The values of the enumeration, if the definition lists them; case is ignored.
    public var values: [String]
    /// The limits of a number as the file spells them, if the definition has them.
    public var limits: Limits?

    /// The smallest and largest number that a field may hold, as decimal text.
    public struct Limits: Sendable, Hashable {
        /// The smallest number allowed.
        public var minimum: String
        /// The largest number allowed.
        public var maximum: String
    }

    /// Makes a definition.
    public init(
        number: Int, name: String, typeIndicator: UInt8? = nil, values: [String] = [], limits: Limits? = nil
    ) {
        self.number = number
        self.name = FieldName(name)
        writtenName = name
        self.typeIndicator = typeIndicator
        self.values = values
        self.limits = limits
    }

    /// Reads a definition from a header field; nil if it is not a `USERDEFn` or contains no valid name.
    public init?(_ field: ADIFField) {
        guard let number = field.name.userDefinitionNumber else { return nil }
        let text = field.text.string
        let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].trimmingSpaces
        guard isValidFieldName(Array(name.utf8)[...]) else { return nil }
        self.init(number: number, name: String(name), typeIndicator: field.typeIndicator.map(asciiUppercased))
        guard parts.count == 2 else { return }
        let list = parts[1].trimmingSpaces
        guard list.hasPrefix("{"), list.hasSuffix("}") else { return }
        let body = list.dropFirst().dropLast()
        let bounds = body.split(separator: ":", omittingEmptySubsequences: false).map { String($0.trimmingSpaces) }
        if bounds.count == 2, !body.contains(",") {
            limits = Limits(minimum: bounds[0], maximum: bounds[1])
        } else {
            values = body.split(separator: ",").map { String($0.trimmingSpaces) }
        }
    }

    /// The definition as a header field.
    public var field: ADIFField {
        var text = writtenName
        if let limits {
            text += ",{\(limits.minimum):\(limits.maximum)}"
        } else if !values.isEmpty {
            text += ",{" + values.joined(separator: ",") + "}"
        }
        return ADIFField(FieldName("USERDEF\(number)"), text, typeIndicator: typeIndicator)
    }
}

extension StringProtocol {
    var trimmingSpaces: SubSequence {
        guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }
}
