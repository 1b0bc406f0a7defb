// The bytes with a meaning in ADIF, and the byte classes that the parsers need. ADIF names and tags are ASCII; bytes
// from 0x80 on are never changed.

extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let lessThan: UInt8 = 0x3C
    static let greaterThan: UInt8 = 0x3E
    static let questionMark: UInt8 = 0x3F

    /// Whether the byte is a space, tab, line feed or carriage return.
    @inline(__always)
    var isBlank: Bool { self == .space || self == .lineFeed || self == .carriageReturn || self == .tab }

    var isLineBreak: Bool { self == .lineFeed || self == .carriageReturn }

    @inline(__always)
    var isASCIIDigit: Bool { self &- 0x30 < 10 }

    var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }
}

/// Returns `byte` with `a`–`z` changed to `A`–`Z`.
@inline(__always)
func asciiUppercased(_ byte: UInt8) -> UInt8 { byte &- 0x61 < 26 ? byte & 0xDF : byte }

/// Returns `bytes` without blanks at either end.
func trimmingBlanks(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var slice = bytes
    while let first = slice.first, first.isBlank { slice.removeFirst() }
    while let last = slice.last, last.isBlank { slice.removeLast() }
    return slice
}
