import GroundwaveByteCoding

/// The value of several fields that express one fact, such as frequency and band, and are therefore written together.
///
/// On disk: for each member that has a value, its index among the members (1 byte), then the value with its length.
public struct Register: Hashable, Sendable {
    /// The values of the members in the order of the schema; `nil` for a member without a value.
    public var values: [[UInt8]?]

    /// A register whose members have these values.
    public init(_ values: [[UInt8]?]) { self.values = values }

    /// Decodes the values of the members; malformed bytes read as no value.
    public init(decoding bytes: [UInt8], memberCount: Int) {
        values = Self.members(of: bytes[...], count: memberCount).map { $0.map { Array($0) } }
    }

    /// The values of the members as slices of `bytes`, without a copy.
    public static func members(of bytes: ArraySlice<UInt8>, count: Int) -> [ArraySlice<UInt8>?] {
        var values = [ArraySlice<UInt8>?](repeating: nil, count: count)
        forEachMember(of: bytes) { index, value in if index < count { values[index] = value } }
        return values
    }

    /// The value of one member as a slice of `bytes`; `nil` for none.
    package static func member(_ wanted: Int, of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        forEachMember(of: bytes) { index, value in if index == wanted { found = value } }
        return found
    }

    /// Passes each member that has a value to `body`, up to what is malformed; of a member that is there twice the last
    /// value counts.
    package static func forEachMember(
        of bytes: ArraySlice<UInt8>, _ body: (_ index: Int, _ value: ArraySlice<UInt8>) -> Void
    ) {
        let start = bytes.startIndex
        forEachMember(of: bytes.span.bytes) { body($0, bytes[(start + $1.lowerBound)..<(start + $1.upperBound)]) }
    }

    /// As ``forEachMember(of:_:)-(ArraySlice<UInt8>,_)``, with the place of each value.
    package static func forEachMember(of bytes: RawSpan, _ body: (_ index: Int, _ value: Range<Int>) -> Void) {
        var reader = ByteReader()
        // No error at the end of whole bytes: it would cost as much as reading them.
        while reader.offset < bytes.byteCount,
            let index = try? reader.byte(in: bytes), let range = try? reader.lengthPrefixed(in: bytes)
        {
            body(Int(index), range)
        }
    }

    /// Whether no member has a value.
    public var isEmpty: Bool { values.allSatisfy { $0 == nil } }

    /// The encoded register.
    public func encode() -> [UInt8] {
        var writer = ByteWriter()
        for (index, value) in values.enumerated() {
            if let value { value.withSpan { writer.append(member: index, $0) } }
        }
        return writer.bytes
    }
}

extension ByteWriter {
    /// Appends the value of one member of a register; members are appended in the order of the schema.
    package mutating func append(member index: Int, _ value: RawSpan) {
        append(UInt8(index))
        append(lengthPrefixed: value)
    }
}
