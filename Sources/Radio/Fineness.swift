import GroundwaveADIF

/// How much the values of an ADIF field say: an empty one nothing, a coarser one less than a finer one.
///
/// Programs export the same contact with more or less of it: a time without its seconds, a frequency without its last
/// digits, a locator of four characters. An import keeps what says more.
enum Fineness {
    /// Returns whether `value` says all that `other` says.
    ///
    /// | values | the finer one |
    /// |---|---|
    /// | times | has seconds; 1200 and 120000 say the same |
    /// | frequencies | has more digits; 14.074 and 14.0740 say the same |
    /// | locators | is longer |
    ///
    /// Upper and lower case say the same in locators, enumerations (ADIF 3.1.6, "Data Types"), names and places. Any other
    /// two values contradict each other.
    static func covers(_ value: [UInt8], _ other: [UInt8], of field: FieldName) -> Bool {
        if value == other { return true }
        let (value, other) = (ContactKey.folded(value), ContactKey.folded(other))
        if value.isEmpty || other.isEmpty { return other.isEmpty }
        switch field.dataType {
        case .time:
            let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 2)
            return value == other || value.count == 6 && other.count == 4 && value.starts(with: other)
                || value.count == 4 && other == value + zeros
        case .number where field == .freq || field == .freqRX:
            let (value, other) = (withoutZeros(value), withoutZeros(other))
            return value == other || value.starts(with: other.contains(point) ? other : other + [point])
        case .gridSquare: return value.starts(with: other)
        case .enumeration: return value == other
        default: return (field == .name || field == .qth) && value == other
        }
    }

    private static let point = UInt8(ascii: ".")

    /// Returns a number without the zeros at the end of its fraction.
    private static func withoutZeros(_ number: [UInt8]) -> [UInt8] {
        guard number.contains(point), let last = number.lastIndex(where: { $0 != UInt8(ascii: "0") }) else {
            return number
        }
        return Array(number[..<(number[last] == point ? last : last + 1)])
    }
}
