/// The known fields, with a hash table that finds a field from the bytes of a tag without allocating.
///
/// It is a class, so that a reader holds one reference instead of six.
final class FieldTable: Sendable {
    static let shared = FieldTable()

    /// Canonical names by number; number 0 is unused and empty.
    let names: [String]
    let dataTypes: [FieldDataType]
    private let headerFlags: [Bool]
    private let importOnlyFlags: [Bool]

    /// All names in upper case, concatenated, and the start of each number's name; an extra entry marks the end of
    /// the last.
    private let nameBytes: [UInt8]
    private let nameStarts: [UInt16]
    /// Open addressing with linear probing: the number of the field, or 0. Less than a fifth full, so that probes are
    /// short.
    private let slots: [UInt16]
    private static let slotBits: UInt32 = 10

    private init() {
        var names = [""]
        var dataTypes = [FieldDataType.string]
        var headerFlags = [false]
        var importOnlyFlags = [false]
        var nameBytes: [UInt8] = []
        var nameStarts: [UInt16] = [0, 0]
        var slots = [UInt16](repeating: 0, count: 1 << Self.slotBits)
        for line in Self.source.split(separator: "\n") {
            let columns = line.split(separator: " ")
            guard columns.count == 3, let dataType = FieldDataType(rawValue: String(columns[1])) else {
                preconditionFailure("The generated field table has a line that is not name, type, flags.")
            }
            let name = String(columns[0])
            var slot = Self.slot(of: Self.hash(name.utf8))
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt16(names.count)
            names.append(name)
            dataTypes.append(dataType)
            headerFlags.append(columns[2].contains("H"))
            importOnlyFlags.append(columns[2].contains("I"))
            nameBytes.append(contentsOf: name.utf8.map(asciiUppercased))
            nameStarts.append(UInt16(nameBytes.count))
        }
        self.names = names
        self.dataTypes = dataTypes
        self.headerFlags = headerFlags
        self.importOnlyFlags = importOnlyFlags
        self.nameBytes = nameBytes
        self.nameStarts = nameStarts
        self.slots = slots
    }

    /// The largest number in use.
    var maximumNumber: UInt16 { UInt16(names.count - 1) }

    func isHeaderField(_ number: UInt16) -> Bool { headerFlags[Int(number)] }
    func isImportOnly(_ number: UInt16) -> Bool { importOnlyFlags[Int(number)] }

    /// Returns the number of the field named `bytes[start ..< start + length]`, or 0; `hash` is the ``hash(_:)`` of
    /// the name.
    @inline(__always)
    func number(in bytes: Span<UInt8>, at start: Int, length: Int, hash: UInt32) -> UInt16 {
        var slot = Self.slot(of: hash)
        while slots[slot] != 0 {
            let number = Int(slots[slot])
            let nameStart = Int(nameStarts[number])
            if Int(nameStarts[number + 1]) - nameStart == length {
                var offset = 0
                while offset < length, asciiUppercased(bytes[start + offset]) == nameBytes[nameStart + offset] {
                    offset += 1
                }
                if offset == length { return slots[slot] }
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return 0
    }

    /// Returns the number of the field `name` in any case, or 0.
    func number(of name: [UInt8]) -> UInt16 {
        number(in: name.span, at: 0, length: name.count, hash: Self.hash(name))
    }

    // FNV-1a over the upper-cased bytes: the tag scanner computes it while it searches for the end of the name.
    static let hashSeed: UInt32 = 2_166_136_261

    @inline(__always)
    static func hash(_ hash: UInt32, adding byte: UInt8) -> UInt32 {
        (hash ^ UInt32(asciiUppercased(byte))) &* 16_777_619
    }

    static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(hashSeed) { hash($0, adding: $1) }
    }

    @inline(__always)
    private static func slot(of hash: UInt32) -> Int { Int((hash ^ (hash >> 15)) & ((1 << slotBits) - 1)) }
}
