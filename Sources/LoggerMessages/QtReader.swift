import GroundwaveByteCoding

/// Reads values as Qt writes them: QDataStream of Qt 5.2 and 5.4, big-endian ("Serializing Qt Data Types" in Qt's
/// documentation).
///
/// | type | bytes |
/// |---|---|
/// | quint8, quint32, quint64, qint64 | big-endian |
/// | utf8 (QByteArray) | length as quint32, the bytes; the length 0xffffffff means null |
/// | QDateTime | day as qint64 (a Julian day), milliseconds as quint32, kind of time as quint8, for kind 2 the offset as qint32 |
struct QtReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether everything was read.
    var isAtEnd: Bool { offset == bytes.count }

    mutating func uint8() throws(UnreadableMessage) -> UInt8 { UInt8(truncatingIfNeeded: try integer(1)) }
    mutating func uint32() throws(UnreadableMessage) -> UInt32 { UInt32(truncatingIfNeeded: try integer(4)) }
    mutating func uint64() throws(UnreadableMessage) -> UInt64 { try integer(8) }

    private mutating func integer(_ count: Int) throws(UnreadableMessage) -> UInt64 {
        try take(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The bytes of a text; none for null.
    mutating func text() throws(UnreadableMessage) -> ArraySlice<UInt8> {
        let length = try uint32()
        return length == .max ? [] : try take(Int(length))
    }

    private mutating func take(_ count: Int) throws(UnreadableMessage) -> ArraySlice<UInt8> {
        guard count <= bytes.count - offset else { throw UnreadableMessage(reason: "it is cut off") }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// A moment as seconds since 1970; `nil` for null.
    mutating func time() throws(UnreadableMessage) -> Int64? {
        let julianDay = Int64(bitPattern: try uint64())
        let milliseconds = try uint32()
        let kind = try uint8()
        var offset: Int64 = 0
        switch kind {
        case 1: break
        case 2: offset = Int64(Int32(bitPattern: try uint32()))
        default: throw UnreadableMessage(reason: "its times are not UTC")
        }
        if julianDay == .min || milliseconds == .max { return nil }
        guard Self.days.contains(julianDay), milliseconds < 86_400_000, abs(offset) <= 86_400 else {
            throw UnreadableMessage(reason: "it has a time that does not exist")
        }
        return (julianDay - Self.unixDay) * 86_400 + Int64(milliseconds / 1000) - offset
    }

    /// The Julian day of 1970-01-01.
    private static let unixDay: Int64 = 2_440_588
    /// The Julian days that ADIF has dates for, from 1930 (ADIF 3.1.6, "Date"), up to the end of 9998.
    private static let days =
        unixDay + CivilDate.day(year: 1930, month: 1, day: 2)..<unixDay + CivilDate.day(year: 9999, month: 1, day: 1)
}
