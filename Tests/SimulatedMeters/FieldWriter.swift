/// The bytes of a frame, written field by field.
struct FieldWriter {
    private(set) var bytes: [UInt8]

    init(_ count: Int) { bytes = [UInt8](repeating: 0, count: count) }

    /// Writes the low `count` bytes of `value` at `offset`, the highest first.
    mutating func big(_ value: Int64, _ count: Int, at offset: Int) {
        for place in 0..<count { bytes[offset + place] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - place))) }
    }

    /// Writes the low `count` bytes of `value` at `offset`, the lowest first.
    mutating func little(_ value: Int64, _ count: Int, at offset: Int) {
        for place in 0..<count { bytes[offset + place] = UInt8(truncatingIfNeeded: value >> (8 * place)) }
    }

    mutating func put(_ value: some Sequence<UInt8>, at offset: Int) {
        for (place, byte) in value.enumerated() { bytes[offset + place] = byte }
    }
}
