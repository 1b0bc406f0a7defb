/// The data type of a field in the standard (ADIF 3.1.6, "Data Types").
///
/// The raw value is the name in the standard. Some types have a one-letter indicator that a tag may contain; the
/// other types follow only from the field's name.
public enum FieldDataType: String, Sendable, Hashable, CaseIterable {
    /// `Y` or `N` in either case.
    case boolean = "Boolean"
    /// A comma-separated list of credits, each with the media that confirm it.
    case creditList = "CreditList"
    /// Eight digits: year from 1930, month, day.
    case date = "Date"
    /// A value of one of the enumerations, in either case.
    case enumeration = "Enumeration"
    /// A Maidenhead locator of 2, 4, 6 or 8 characters.
    case gridSquare = "GridSquare"
    /// Characters 9–10 or 9–12 of a Maidenhead locator.
    case gridSquareExtension = "GridSquareExt"
    /// A comma-separated list of Maidenhead locators.
    case gridSquareList = "GridSquareList"
    /// Digits with an optional leading minus sign.
    case integer = "Integer"
    /// Unicode text on several lines; legal in ADX only.
    case internationalMultilineString = "IntlMultilineString"
    /// Unicode text on one line; legal in ADX only.
    case internationalString = "IntlString"
    /// An Islands on the Air designator such as `EU-005`.
    case iotaReference = "IOTARefNo"
    /// Eleven characters, `XDDD MM.MMM`: hemisphere, degrees and minutes.
    case location = "Location"
    /// ASCII text on several lines, separated by carriage return and line feed.
    case multilineString = "MultilineString"
    /// Digits with an optional leading minus sign and an optional decimal point.
    case number = "Number"
    /// Digits for a number above zero.
    case positiveInteger = "PositiveInteger"
    /// A comma-separated list of Parks on the Air references.
    case potaReferenceList = "POTARefList"
    /// A colon-separated list of secondary subdivisions of the `alt` kind.
    case secondarySubdivisionAlternativeList = "SecondaryAdministrativeSubdivisionListAlt"
    /// A colon-separated list of secondary subdivisions.
    case secondarySubdivisionList = "SecondarySubdivisionList"
    /// A Summits on the Air reference such as `G/LD-003`.
    case sotaReference = "SOTARef"
    /// A comma-separated list of awards with their sponsor.
    case sponsoredAwardList = "SponsoredAwardList"
    /// ASCII text on one line.
    case string = "String"
    /// Four or six digits: hours, minutes and perhaps seconds.
    case time = "Time"
    /// A World Wide Flora and Fauna reference such as `DLFF-0001`.
    case wwffReference = "WWFFRef"

    /// The upper-case letter for the type in a tag; nil if ADIF defines none.
    public var indicator: Character? {
        switch self {
        case .boolean: "B"
        case .number: "N"
        case .date: "D"
        case .time: "T"
        case .string: "S"
        case .internationalString: "I"
        case .multilineString: "M"
        case .internationalMultilineString: "G"
        case .enumeration: "E"
        case .location: "L"
        default: nil
        }
    }

    /// Finds the type with this indicator, in either case; nil if there is none.
    public init?(indicator: Character) {
        let wanted = indicator.uppercased()
        guard let type = Self.allCases.first(where: { $0.indicator.map(String.init) == wanted }) else { return nil }
        self = type
    }
}
