/// The name of an ADIF field: one of the fields of the standard, or any other name in upper case.
///
/// ADIF names are not case-sensitive; names that differ only in the case of ASCII letters are equal. A known field
/// has a small number that never changes, so it can be stored on disk.
///
/// ```swift
/// FieldName("qso_date") == .qsoDate
/// FieldName("app_groundwave_note").name  // "APP_GROUNDWAVE_NOTE"
/// ```
///
/// The known fields are those of ADIF 3.1.6 and later additions; `USERDEF1`, `USERDEF2`, … and `APP_…` are not among
/// them.
public struct FieldName: Hashable, Sendable {
    /// The number of a known field, from 1; 0 for every other name.
    ///
    /// Numbers are stable: 1 to 186 are the fields of ADIF 3.1.6 in alphabetical order (ASCII), later ones follow.
    public let number: UInt16
    /// The upper-case name of an unknown field, else empty, so that equal names have one representation.
    private let otherName: String

    /// Makes the name of a known field from its number.
    ///
    /// - Returns: nil for 0 and for numbers above ``maximumNumber``.
    public init?(number: UInt16) {
        guard number > 0, number <= FieldTable.shared.maximumNumber else { return nil }
        self.init(known: number)
    }

    /// Makes a name from text; ASCII letters become upper case, other characters are unchanged.
    public init(_ name: String) {
        self.init(bytes: Array(name.utf8)[...])
    }

    /// Makes a name from the bytes of a tag; bytes that are not UTF-8 are read as Windows-1252.
    ///
    /// - Complexity: O(*n*); allocates only if the field is unknown.
    public init(bytes: ArraySlice<UInt8>) {
        let table = FieldTable.shared
        let known = table.number(
            in: bytes.span, at: 0, length: bytes.count, hash: FieldTable.hash(bytes))
        if known != 0 {
            self.init(known: known)
        } else {
            let upper = bytes.map(asciiUppercased)
            self.init(number: 0, otherName: ValueText(decoding: upper[...]).string)
        }
    }

    init(known number: UInt16) {
        self.init(number: number, otherName: "")
    }

    private init(number: UInt16, otherName: String) {
        self.number = number
        self.otherName = otherName
    }

    /// The largest number of a known field.
    public static var maximumNumber: UInt16 { FieldTable.shared.maximumNumber }

    /// All known fields in the order of their numbers.
    public static var allKnown: [FieldName] { (1...maximumNumber).map(FieldName.init(known:)) }

    /// The name in upper case, as ADIF spells it.
    public var name: String { number == 0 ? otherName : FieldTable.shared.names[Int(number)] }

    /// Whether the field is in the table of known fields.
    public var isKnown: Bool { number != 0 }

    /// The data type in the standard; nil for an unknown field.
    public var dataType: FieldDataType? { number == 0 ? nil : FieldTable.shared.dataTypes[Int(number)] }

    /// Whether the standard places the field in the header; true for definitions of user fields.
    public var isHeaderField: Bool {
        if number != 0 { return FieldTable.shared.isHeaderField(number) }
        return userDefinitionNumber != nil
    }

    /// Whether programs may read the field but must no longer write it.
    public var isImportOnly: Bool { number != 0 && FieldTable.shared.isImportOnly(number) }

    /// Whether the name is application-defined: `APP_PROGRAMID_FIELDNAME`.
    public var isApplicationDefined: Bool { number == 0 && otherName.hasPrefix("APP_") }

    /// The *n* of a header field `USERDEFn`, which defines a user field; nil for every other name.
    public var userDefinitionNumber: Int? {
        guard number == 0, otherName.hasPrefix("USERDEF") else { return nil }
        let digits = otherName.utf8.dropFirst(7)
        guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

extension FieldName: CustomStringConvertible {
    /// The same as ``name``.
    public var description: String { name }
}

extension FieldName: ExpressibleByStringLiteral {
    /// Makes a name from a literal, as ``init(_:)`` does.
    public init(stringLiteral name: String) { self.init(name) }
}
