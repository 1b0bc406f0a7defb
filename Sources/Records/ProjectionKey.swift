import GroundwaveByteCoding

/// The key of rows of a ``Projection``: some values in order, such as a charger and a month.
///
/// Keys sort by their first value, then by the second one, and so on: numbers before texts, numbers by size, texts by their
/// bytes in UTF-8. A key with fewer values sorts before those that begin with it, and is the prefix of them all.
public struct ProjectionKey: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// One value of a key.
    public enum Value: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        /// A whole number, such as a count, a date as a number, or milliseconds since 1970.
        case number(Int64)
        /// A text.
        case text(String)

        /// The text `value`.
        public init(stringLiteral value: String) { self = .text(value) }

        /// The number `value`.
        public init(integerLiteral value: Int64) { self = .number(value) }
    }

    /// The values, in order.
    public let values: [Value]

    /// A key of `values`.
    public init(_ values: [Value]) { self.values = values }

    /// A key of these values.
    public init(arrayLiteral values: Value...) { self.init(values) }

    // A number is 1 and 8 bytes, big-endian, with its sign bit inverted. A text is 2, its bytes, of which 0 becomes 0 255, and
    // then 0 0.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        for value in values {
            switch value {
            case .number(let number):
                writer.append(UInt8(1))
                writer.append(bigEndian: UInt64(bitPattern: number) ^ 1 << 63)
            case .text(let text):
                writer.append(UInt8(2))
                for byte in text.utf8 {
                    writer.append(byte)
                    if byte == 0 { writer.append(UInt8(255)) }
                }
                writer.append(UInt8(0))
                writer.append(UInt8(0))
            }
        }
        return writer.bytes
    }

    /// Reads a key, with 0 behind it or without; a value that was cut off at the greatest length is a text as far as it goes.
    package init(_ bytes: RawSpan) {
        var values: [Value] = []
        var offset = 0
        while offset < bytes.byteCount {
            let isNumber = bytes.byte(at: offset) == 1
            if bytes.byte(at: offset) == 0 { break }
            offset += 1
            if isNumber {
                guard offset + 8 <= bytes.byteCount else { break }
                values.append(.number(Int64(bitPattern: bytes.bigEndianUInt64(at: offset) ^ 1 << 63)))
                offset += 8
                continue
            }
            var text: [UInt8] = []
            while offset < bytes.byteCount {
                let byte = bytes.byte(at: offset)
                offset += 1
                guard byte == 0 else {
                    text.append(byte)
                    continue
                }
                let isEnd = offset >= bytes.byteCount || bytes.byte(at: offset) == 0
                offset += 1
                if isEnd { break }
                text.append(0)
            }
            values.append(.text(String(decoding: text, as: UTF8.self)))
        }
        self.values = values
    }
}
