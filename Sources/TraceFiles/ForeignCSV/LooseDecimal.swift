/// A number as some program has written it: an integer times a power of ten.
///
/// The trailing zeros that were written count: `5.10` is 510 times 10 to the -2.
struct LooseDecimal: Hashable {
    /// The digits, at most ``digitLimit`` of them, with the sign.
    var digits: Int64
    /// The power of ten.
    var exponent: Int

    /// The number of digits that are read; further ones are dropped.
    static let digitLimit = 18

    /// What a field contains.
    enum Field: Hashable {
        /// No value: nothing, or a word for that.
        case absent
        case number(LooseDecimal)
        /// Something else.
        case other
    }

    /// Parses a field without blanks around it. A comma is a decimal point, unless it separates the fields.
    static func field(_ bytes: [UInt8], _ range: Range<Int>, isCommaPoint: Bool) -> Field {
        if range.isEmpty { return .absent }
        if let number = LooseDecimal(bytes, range, isCommaPoint: isCommaPoint) { return .number(number) }
        let word = String(decoding: bytes[range.prefix(8)], as: UTF8.self).lowercased()
        return ["nan", "-nan", "null", "none", "n/a", "-", "--"].contains(word) ? .absent : .other
    }

    /// Parses a number: digits with at most one point, a sign, an exponent. `nil` if it is none.
    init?(_ bytes: [UInt8], _ range: Range<Int>, isCommaPoint: Bool) {
        var place = range.lowerBound
        let sign = place < range.upperBound ? bytes[place] : 0
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { place += 1 }
        var (digits, exponent, count, isFraction, hasDigits) = (Int64(0), 0, 0, false, false)
        while place < range.upperBound {
            let byte = bytes[place]
            if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                hasDigits = true
                if count < Self.digitLimit {
                    digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
                    if digits != 0 { count += 1 }
                    if isFraction { exponent -= 1 }
                } else if !isFraction {
                    exponent += 1
                }
            } else if byte == UInt8(ascii: ".") || (isCommaPoint && byte == UInt8(ascii: ",")), !isFraction {
                isFraction = true
            } else {
                break
            }
            place += 1
        }
        guard hasDigits else { return nil }
        if place < range.upperBound {
            guard let power = Self.power(bytes, place..<range.upperBound) else { return nil }
            exponent += power
        }
        self.digits = sign == UInt8(ascii: "-") ? -digits : digits
        self.exponent = exponent
    }

    /// Creates a number from its parts.
    init(_ digits: Int64, exponent: Int) { (self.digits, self.exponent) = (digits, exponent) }

    /// Parses `e-05`, `E3`, `e+12`: at most three digits.
    private static func power(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
        guard bytes[range.lowerBound] | 0x20 == UInt8(ascii: "e") else { return nil }
        var place = range.lowerBound + 1
        let sign = place < range.upperBound ? bytes[place] : 0
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { place += 1 }
        guard (1...3).contains(range.upperBound - place) else { return nil }
        var power = 0
        for place in place..<range.upperBound {
            let digit = bytes[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            power = power * 10 + Int(digit)
        }
        return sign == UInt8(ascii: "-") ? -power : power
    }
}
