/// The 48-bit address that identifies a meter on every device.
public struct MACAddress: Hashable, Sendable, CustomStringConvertible {
    /// The lower 48 bits.
    public let rawValue: UInt64

    /// Creates the address written in `text`: twelve hexadecimal digits in upper or lower case, optionally separated
    /// by colons, dashes, points or spaces. `nil` for anything else, and for all zeros or all ones, which no device
    /// has.
    public init?(_ text: String) {
        var value: UInt64 = 0
        var digits = 0
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(character - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(character - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt64(character - UInt8(ascii: "A") + 10)
            case UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: " "): continue
            default: return nil
            }
            digits += 1
            if digits > 12 { return nil }
        }
        guard digits == 12, value != 0, value != 0xFFFF_FFFF_FFFF else { return nil }
        rawValue = value
    }

    /// The address as it is stored and shown: upper case, with colons.
    public var description: String {
        stride(from: 40, through: 0, by: -8).map { shift in
            let byte = rawValue >> UInt64(shift) & 0xFF
            return (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined(separator: ":")
    }
}
