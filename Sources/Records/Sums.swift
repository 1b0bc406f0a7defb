import GroundwaveByteCoding

/// Whole numbers that are added up, and can be subtracted again: they wrap around instead of overflowing.
///
/// Stored little-endian, 8 bytes each, without zeros at the end, so that equal sums have equal bytes.
package struct Sums: Hashable, Sendable {
    /// The numbers, without zeros at the end.
    package private(set) var numbers: [Int64]

    /// These numbers.
    package init(_ numbers: [Int64]) {
        self.numbers = numbers
        while self.numbers.last == 0 { self.numbers.removeLast() }
    }

    /// Reads the stored form; bytes that fill no number are left out.
    package init(_ bytes: RawSpan) {
        self.init((0..<(bytes.byteCount / 8)).map { Int64(bitPattern: bytes.uint64(at: $0 * 8)) })
    }

    /// The stored form; empty if all are zero.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: numbers.count * 8)
        for number in numbers { writer.append(littleEndian: number) }
        return writer.bytes
    }

    /// These numbers and those of `other`, added up place by place.
    package func adding(_ other: Sums) -> Sums {
        let count = Swift.max(numbers.count, other.numbers.count)
        return Sums(
            (0..<count).map { place in
                (place < numbers.count ? numbers[place] : 0)
                    &+ (place < other.numbers.count ? other.numbers[place] : 0)
            })
    }

    /// The numbers that take these back.
    package var negated: Sums { Sums(numbers.map { 0 &- $0 }) }
}
