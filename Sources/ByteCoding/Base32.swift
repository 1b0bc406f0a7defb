/// Crockford's base32: the form in which identities are shown, read aloud and typed.
///
/// No letter looks like a digit; upper and lower case mean the same, `O` reads as 0, `I` and `L` as 1, and hyphens are
/// skipped (Douglas Crockford, "Base 32", 2019).
public enum Base32 {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The text of `bytes`: 8 letters for every 5 bytes, the last one filled up with zero bits.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var letters: [UInt8] = []
        letters.reserveCapacity(bytes.underestimatedCount * 8 / 5 + 1)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = (buffer << 8) | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                letters.append(alphabet[Int((buffer >> bits) & 31)])
            }
        }
        if bits > 0 { letters.append(alphabet[Int((buffer << (5 - bits)) & 31)]) }
        return String(decoding: letters, as: UTF8.self)
    }

    /// The 5-bit values of the letters of `text`, or `nil` if a letter is not in the alphabet.
    public static func digits(of text: some StringProtocol) -> [UInt8]? {
        var digits: [UInt8] = []
        for letter in text.utf8 where letter != UInt8(ascii: "-") {
            let upper = letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z") ? letter - 32 : letter
            switch upper {
            case UInt8(ascii: "O"): digits.append(0)
            case UInt8(ascii: "I"), UInt8(ascii: "L"): digits.append(1)
            default:
                guard let digit = alphabet.firstIndex(of: upper) else { return nil }
                digits.append(UInt8(digit))
            }
        }
        return digits
    }

    /// The bytes that `text` encodes, or `nil` if it is not base32 or has leftover bits that are not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard let digits = digits(of: text) else { return nil }
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for digit in digits {
            buffer = (buffer << 5) | UInt32(digit)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8((buffer >> bits) & 0xFF))
            }
        }
        guard bits < 5, buffer & ((1 << bits) - 1) == 0 else { return nil }
        return bytes
    }
}
