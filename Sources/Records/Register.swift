import ByteCoding

/// The value of several fields that say one thing, such as frequency and band, and are therefore written as one.
///
/// On disk: for each member that has a value, its place among the members (1 byte), then the value with its length.
public struct Register: Hashable, Sendable {
    /// The values of the members in the order of the schema; `nil` where a member has none.
    public var values: [[UInt8]?]

    /// A register whose members have these values.
    public init(_ values: [[UInt8]?]) { self.values = values }

    /// The members' values out of `bytes`; what is not well formed reads as no value.
    public init(decoding bytes: [UInt8], memberCount: Int) {
        var values = [[UInt8]?](repeating: nil, count: memberCount)
        bytes.withSpan { span in
            var reader = ByteReader()
            while let place = try? reader.byte(in: span), let range = try? reader.lengthPrefixed(in: span) {
                if Int(place) < memberCount { values[Int(place)] = span.extracting(range).toArray() }
            }
        }
        self.values = values
    }

    /// Whether no member has a value.
    public var isEmpty: Bool { values.allSatisfy { $0 == nil } }

    /// The bytes on disk.
    public func encode() -> [UInt8] {
        var writer = ByteWriter()
        for (place, value) in values.enumerated() {
            guard let value else { continue }
            writer.append(UInt8(place))
            writer.append(lengthPrefixed: value)
        }
        return writer.bytes
    }
}
