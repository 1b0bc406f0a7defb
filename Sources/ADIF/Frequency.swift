/// A radio frequency, exact to a millihertz.
///
/// ADIF writes frequencies as decimal megahertz. They are read and written here without floating point, so `14.07400`
/// is exactly 14,074,000 Hz. The number of trailing zeros is not kept here; the field's value still has it.
public struct Frequency: Hashable, Sendable, Comparable {
    /// The frequency in thousandths of a hertz, never negative.
    public let millihertz: Int64

    /// The highest frequency in hertz: 9 THz, above every band of ADIF.
    public static let maximumHertz: Int64 = 9_000_000_000_000

    /// Makes a frequency from whole hertz, 0 to ``maximumHertz``.
    public init(hertz: Int64) {
        precondition(0...Self.maximumHertz ~= hertz, "A frequency is out of range.")
        millihertz = hertz * 1_000
    }

    /// Makes a frequency from thousandths of a hertz; nil if it is negative or above ``maximumHertz``.
    public init?(millihertz: Int64) {
        guard 0...Self.maximumHertz * 1_000 ~= millihertz else { return nil }
        self.millihertz = millihertz
    }

    /// Reads decimal megahertz such as `14.074`, `.4725` or `144`, as in the field `FREQ`.
    ///
    /// The text is digits with at most one point, optionally surrounded by blanks.
    ///
    /// - Returns: nil for anything else: a sign, an exponent, a comma, a frequency above ``maximumHertz``, or a
    ///   nonzero digit after the ninth decimal place, which is smaller than a millihertz.
    public init?(megahertz text: ArraySlice<UInt8>) {
        var millihertz: Int64 = 0
        var decimals: Int?
        var hasDigit = false
        for byte in trimmingBlanks(text) {
            if byte == 0x2E {
                guard decimals == nil else { return nil }
                decimals = 0
                continue
            }
            guard byte.isASCIIDigit else { return nil }
            hasDigit = true
            let digit = Int64(byte - 0x30)
            if let count = decimals {
                guard count < 9 || digit == 0 else { return nil }
                if count < 9 { millihertz += digit * Self.powersOfTen[8 - count] }
                decimals = count + 1
            } else {
                millihertz = millihertz * 10 + digit * 1_000_000_000
                guard millihertz <= Self.maximumHertz * 1_000 else { return nil }
            }
        }
        guard hasDigit else { return nil }
        self.init(millihertz: millihertz)
    }

    /// Reads decimal megahertz from text, as ``init(megahertz:)-(ArraySlice<UInt8>)`` does from bytes.
    public init?(megahertz text: String) {
        self.init(megahertz: Array(text.utf8)[...])
    }

    /// The frequency in whole hertz, rounded down.
    public var hertz: Int64 { millihertz / 1_000 }

    /// The frequency in decimal megahertz with the fewest digits that are exact, such as `14.074`.
    public var megahertzText: String {
        let whole = String(millihertz / 1_000_000_000)
        var digits = Array(paddedDecimal(Int(millihertz % 1_000_000_000), width: 9).utf8)
        while digits.last == 0x30 { digits.removeLast() }
        return digits.isEmpty ? whole : whole + "." + String(decoding: digits, as: UTF8.self)
    }

    /// Orders frequencies from low to high.
    public static func < (left: Frequency, right: Frequency) -> Bool { left.millihertz < right.millihertz }

    private static let powersOfTen: [Int64] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    ]
}
