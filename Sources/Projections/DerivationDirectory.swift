import GroundwaveByteCoding

/// The derivations that a view has rows of: those of the program that reads it, and those of others.
///
/// A program that changes records of a kind, and lacks the code of a derivation of it, leaves that one *behind*: it keeps
/// the row that each of the records had, for the program with the code to go on from.
///
/// Stored in the table `meta` under `derivations`: a varint count, and for each one its number (2 bytes), role (1), name
/// (text), fingerprint (8), the names of its kinds (varint count, texts), and the number of records that it is behind on
/// (varint).
struct DerivationDirectory: Hashable, Sendable {
    struct Item: Hashable, Sendable {
        /// The number in this view: its rows begin with it, big-endian.
        let number: UInt16
        let role: Derivation.Role
        let name: String
        let fingerprint: UInt64
        let kinds: [String]
        /// The number of records that it is behind on.
        var behind: Int
    }

    private(set) var items: [Item] = []

    static let key = [UInt8]("derivations".utf8)

    /// No derivations.
    init() {}

    /// Those of `kinds`, all complete: for a new view.
    init(of kinds: Kinds) { for derivation in kinds.derivations { add(derivation) } }

    init(_ bytes: RawSpan) throws(ByteCodingError) {
        var reader = ByteReader()
        for _ in 0..<(try reader.count(in: bytes, limit: Int(UInt16.max))) {
            let number = bytes.uint16(at: try reader.skip(2, in: bytes).lowerBound)
            let role = Derivation.Role(rawValue: bytes.byte(at: try reader.skip(1, in: bytes).lowerBound))
            let name = try reader.text(in: bytes)
            let fingerprint = try reader.uint64(in: bytes)
            var kinds: [String] = []
            for _ in 0..<(try reader.count(in: bytes, limit: bytes.byteCount)) {
                kinds.append(try reader.text(in: bytes))
            }
            let behind = try reader.count(in: bytes, limit: Int(Int32.max))
            guard let role else { continue }
            items.append(
                Item(
                    number: number, role: role, name: name, fingerprint: fingerprint, kinds: kinds, behind: behind))
        }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(varint: items.count)
        for item in items {
            writer.append(littleEndian: item.number)
            writer.append(item.role.rawValue)
            writer.append(text: item.name)
            writer.append(littleEndian: item.fingerprint)
            writer.append(varint: item.kinds.count)
            for kind in item.kinds { writer.append(text: kind) }
            writer.append(varint: item.behind)
        }
        return writer.bytes
    }

    /// The place of the item of `derivation`; `nil` if the view has no rows of it.
    func place(of derivation: Derivation) -> Int? {
        items.firstIndex { item in
            item.fingerprint == derivation.fingerprint && item.role == derivation.role && item.name == derivation.name
        }
    }

    /// Adds a derivation that the view has no rows of, and returns its number.
    @discardableResult
    mutating func add(_ derivation: Derivation) -> UInt16 {
        let taken = Set(items.map(\.number))
        let number = (1...UInt16.max).first { !taken.contains($0) } ?? 0
        items.append(
            Item(
                number: number, role: derivation.role, name: derivation.name, fingerprint: derivation.fingerprint,
                kinds: derivation.kinds, behind: 0))
        return number
    }

    /// Counts one more record that the item with `number` is behind on, or sets the count to `count`.
    mutating func setBehind(_ number: UInt16, _ count: Int) {
        for place in items.indices where items[place].number == number { items[place].behind = count }
    }

    /// Removes the item with `number`.
    mutating func remove(_ number: UInt16) { items.removeAll { $0.number == number } }
}

/// A directory as one program sees it.
struct KnownDerivations: Sendable {
    /// The directory.
    private(set) var directory: DerivationDirectory
    /// The number of each derivation of the program, in the order of ``Kinds/derivations``; 0 for one that is missing.
    let numbers: [UInt16]
    /// Whether all of them are here, and none is behind.
    let isComplete: Bool
    /// The numbers of the derivations of others that are made of records of a kind.
    let others: [String: [UInt16]]
    /// The numbers of the cells of others by kind.
    let otherCells: [String: [UInt16]]

    init(_ directory: DerivationDirectory, _ kinds: Kinds) {
        self.directory = directory
        let places = kinds.derivations.map { directory.place(of: $0) }
        numbers = places.map { $0.map { directory.items[$0].number } ?? 0 }
        isComplete = places.allSatisfy { $0.map { directory.items[$0].behind == 0 } ?? false }
        let own = Set(numbers)
        var (others, otherCells) = ([String: [UInt16]](), [String: [UInt16]]())
        for item in directory.items where !own.contains(item.number) {
            for kind in item.kinds {
                if item.role == .cells {
                    otherCells[kind, default: []].append(item.number)
                } else {
                    others[kind, default: []].append(item.number)
                }
            }
        }
        (self.others, self.otherCells) = (others, otherCells)
    }
}
