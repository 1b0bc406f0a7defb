/// The text of a value, with the encoding of its bytes.
///
/// ADIF allows ASCII in ADI and UTF-8 in ADX; real ADI files also contain UTF-8 and Windows-1252. Valid UTF-8 is
/// decoded as UTF-8, anything else as Windows-1252, in which every byte is valid here, so that decoding never fails.
public struct ValueText: Hashable, Sendable {
    /// The encoding of the bytes.
    public enum Encoding: Sendable, Hashable {
        /// The bytes are valid UTF-8, which includes ASCII.
        case utf8
        /// The bytes are not valid UTF-8 and were decoded as Windows-1252.
        case windows1252
    }

    /// The decoded text.
    public let string: String
    /// The encoding of the bytes.
    public let encoding: Encoding

    /// Decodes `bytes`; never fails.
    public init(decoding bytes: ArraySlice<UInt8>) {
        if let string = String(validating: bytes, as: UTF8.self) {
            self.string = string
            encoding = .utf8
        } else {
            var scalars = String.UnicodeScalarView()
            for byte in bytes { scalars.append(Self.windows1252Scalar(byte)) }
            string = String(scalars)
            encoding = .windows1252
        }
    }

    // 0x80–0x9F of Windows-1252. The five undefined bytes map to the control characters of the same number, as in the
    // WHATWG encoding standard, so that no byte is lost.
    private static let upperControls: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]

    private static func windows1252Scalar(_ byte: UInt8) -> Unicode.Scalar {
        0x80...0x9F ~= byte ? upperControls[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }
}

/// Returns the length of the UTF-8 sequence at `index`, or 0 if the bytes are not a valid sequence (Unicode 16, table
/// 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
func utf8SequenceLength(_ bytes: Span<UInt8>, at index: Int, end: Int) -> Int {
    let first = bytes[index]
    if first < 0x80 { return 1 }
    guard index + 1 < end else { return 0 }
    let second = bytes[index + 1]
    let length: Int
    switch first {
    case 0xC2...0xDF where 0x80...0xBF ~= second: length = 2
    case 0xE0 where 0xA0...0xBF ~= second: length = 3
    case 0xED where 0x80...0x9F ~= second: length = 3
    case 0xE1...0xEF where first != 0xED && 0x80...0xBF ~= second: length = 3
    case 0xF0 where 0x90...0xBF ~= second: length = 4
    case 0xF1...0xF3 where 0x80...0xBF ~= second: length = 4
    case 0xF4 where 0x80...0x8F ~= second: length = 4
    default: return 0
    }
    guard index + length <= end else { return 0 }
    for offset in 2..<max(length, 2) where !(0x80...0xBF ~= bytes[index + offset]) { return 0 }
    return length
}
