/// A decimal number that people type, exactly.
public struct DecimalNumber: Hashable, Sendable, CustomStringConvertible {
    /// The most digits before the point, and the most behind it.
    public static let digitLimit = 9

    /// The number times ten to the ``decimals``.
    public let units: Int64
    /// The number of decimals, 0 to 9: as few as the number needs, so that equal numbers are the same.
    public let decimals: Int

    static let zero = DecimalNumber(units: 0, decimals: 0)
    static let one = DecimalNumber(units: 1, decimals: 0)

    private init(units: Int64, decimals: Int) { (self.units, self.decimals) = (units, decimals) }

    /// Creates the number that `text` says: an optional sign, 1 to 9 digits, and optionally a point with 1 to 9 more.
    public init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative || text.hasPrefix("+") ? 1 : 0).split(
            separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ (1...Self.digitLimit).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isDigit) })
        else { return nil }
        var (digits, decimals) = (parts.joined(), parts.count == 2 ? parts[1].utf8.count : 0)
        while decimals > 0, digits.last == "0" {
            digits.removeLast()
            decimals -= 1
        }
        guard let magnitude = Int64(digits) else { return nil }
        (units, self.decimals) = (isNegative ? -magnitude : magnitude, decimals)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The number without zeros that say nothing: `-0.0012`, `1.003`, `0`.
    public var description: String { units < 0 ? "-\(magnitudeText)" : magnitudeText }

    /// The number without its sign.
    var magnitudeText: String {
        let digits = "\(units.magnitude)"
        guard decimals > 0 else { return digits }
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }
}
