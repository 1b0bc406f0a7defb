/// Reads an input as a row of choices, so that a target can build what is well formed: whatever libFuzzer changes, something
/// comes of it. Behind its end all choices are 0.
struct Dice {
    private let bytes: [UInt8]
    private(set) var place = 0

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    var isAtEnd: Bool { place >= bytes.count }

    /// The bytes that were not used.
    var rest: [UInt8] { Array(bytes[min(place, bytes.count)...]) }

    mutating func byte() -> UInt8 {
        defer { place += 1 }
        return place < bytes.count ? bytes[place] : 0
    }

    /// A number below `limit`, which is at most 256.
    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    mutating func uint16() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// A number of any size; small ones, and those at the end of what there is, come often.
    mutating func uint64() -> UInt64 {
        switch byte() {
        case 0xFF: UInt64.max - UInt64(byte() & 3)
        case 0xFE: (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
        case let small: UInt64(small)
        }
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    /// The next bytes, their number first.
    mutating func text(limit: Int) -> [UInt8] { bytes(number(below: limit)) }
}
