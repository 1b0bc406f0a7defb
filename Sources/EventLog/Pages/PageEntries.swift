import ByteCoding

/// The order of the keys of a tree.
enum KeyOrder {
    /// Byte by byte.
    case bytes
    /// As one number of eight bytes in the byte order of the host: the tree of free pages.
    case integers

    /// Whether `key` is a possible key.
    func allows(_ key: RawSpan) -> Bool {
        switch self {
        case .bytes: key.byteCount >= 1 && key.byteCount <= 511
        case .integers: key.byteCount == 8
        }
    }

    /// Whether `left` comes before `right`.
    @inline(__always)
    func precedes(_ left: RawSpan, _ right: RawSpan) -> Bool {
        switch self {
        case .bytes:
            if left.byteCount == 8, right.byteCount == 8 {
                return left.bigEndianUInt64(at: 0) < right.bigEndianUInt64(at: 0)
            }
            return left.lexicographicallyPrecedes(right)
        case .integers: return left.hostUInt64(at: 0) < right.hostUInt64(at: 0)
        }
    }
}

/// The bounds of the keys of a subtree: from `low` on and below `high`; `nil` is no bound.
struct KeyBounds {
    var low: [UInt8]?
    var high: [UInt8]?
    let order: KeyOrder

    /// Whether `key` is within the bounds.
    func contains(_ key: RawSpan) -> Bool {
        if let low, low.withSpan({ order.precedes(key, $0) }) { return false }
        if let high, !high.withSpan({ order.precedes(key, $0) }) { return false }
        return true
    }
}

/// One entry of a leaf or branch page: the ranges of its parts within the page.
///
/// | offset | size | leaf | branch |
/// |---|---|---|---|
/// | 0 | 4 | bytes of the value | child page, bits 0 to 31 |
/// | 4 | 2 | flags: 1, the value is the number of an overflow page; 2, it is the record of a table | bits 32 to 47 |
/// | 6 | 2 | bytes of the key | bytes of the key, 0 for the first entry |
/// | 8 | … | key, value; then the next even offset | key |
struct PageEntry {
    let slot: Int
    let key: Range<Int>
    /// The range of the value within a leaf, unless it has overflow pages.
    let value: Range<Int>
    /// The size of the value in bytes.
    let valueCount: Int
    /// The child, or the first overflow page of the value.
    let page: UInt64?
    /// Whether the key is between its neighbours and within the bounds of the branches above.
    var isInOrder = true
}

/// The entries of one page, in order of their keys, and the damage of the page.
struct PageEntries {
    enum Kind: UInt16 {
        case branch = 0x01
        case leaf = 0x02
    }

    static let headerSize = 16
    private static let entryHeaderSize = 8
    private static let isOnOverflowFlag: UInt16 = 0x01
    private static let isTableFlag: UInt16 = 0x02

    private(set) var kind = Kind.leaf
    private(set) var entries: [PageEntry] = []
    /// The damage of the page, at most one of each kind; the entries in ``entries`` are valid nevertheless.
    private(set) var damage: [PageDamage.What] = []
    /// The last two entries that are in order, while reading.
    private var last: Int?
    private var beforeLast: Int?

    /// Reads page `number`, and drops the entries of the page before. An entry that exceeds the page is left out.
    ///
    /// - Parameters:
    ///   - bytes: The whole page.
    ///   - holdsTables: Whether the values are records of tables, as in the main table only.
    /// - Throws: Damage that makes the whole page unusable.
    mutating func read(
        _ number: UInt64, _ bytes: RawSpan, within bounds: KeyBounds, holdsTables: Bool
    ) throws(PageDamage) {
        entries.removeAll(keepingCapacity: true)
        damage.removeAll(keepingCapacity: true)
        (last, beforeLast) = (nil, nil)
        let found = bytes.hostUInt64(at: 0)
        guard found == number else { throw PageDamage(page: number, what: .wrongNumber(found: found)) }
        let flags = bytes.hostUInt16(at: 10)
        guard let kind = Kind(rawValue: flags) else { throw PageDamage(page: number, what: .wrongFlags(flags)) }
        self.kind = kind
        let lower = Int(bytes.hostUInt16(at: 12))
        let upper = Int(bytes.hostUInt16(at: 14))
        guard lower > Self.headerSize, lower % 2 == 0, lower <= upper, upper <= bytes.byteCount else {
            throw PageDamage(page: number, what: .freeSpace)
        }
        var end = bytes.byteCount - upper
        for slot in 0..<(lower - Self.headerSize) / 2 {
            guard let entry = entry(slot, bytes, upper: upper, bounds.order, holdsTables) else {
                note(.entry(slot: slot))
                continue
            }
            end -= Self.size(of: entry)
            add(entry, bytes, bounds)
        }
        // LMDB stores the entries without gaps, so their sizes must add up to the part that is not free.
        if end != 0 { note(.layout) }
    }

    private func entry(
        _ slot: Int, _ bytes: RawSpan, upper: Int, _ order: KeyOrder, _ holdsTables: Bool
    ) -> PageEntry? {
        let start = Int(bytes.hostUInt16(at: Self.headerSize + 2 * slot))
        guard start >= upper, start % 2 == 0, start + Self.entryHeaderSize <= bytes.byteCount else { return nil }
        let word = bytes.hostUInt32(at: start)
        let flags = bytes.hostUInt16(at: start + 4)
        let keyStart = start + Self.entryHeaderSize
        let keyEnd = keyStart + Int(bytes.hostUInt16(at: start + 6))
        guard keyEnd <= bytes.byteCount else { return nil }
        // LMDB ignores the key of the first child, which covers everything below the second key.
        if kind == .leaf || slot > 0 {
            guard order.allows(bytes.extracting(keyStart..<keyEnd)) else { return nil }
        }
        let key = keyStart..<keyEnd
        if kind == .branch {
            return PageEntry(
                slot: slot, key: key, value: keyEnd..<keyEnd, valueCount: 0, page: UInt64(word) | UInt64(flags) << 32)
        }
        if flags == Self.isOnOverflowFlag, !holdsTables {
            guard keyEnd + 8 <= bytes.byteCount else { return nil }
            return PageEntry(
                slot: slot, key: key, value: keyEnd..<(keyEnd + 8), valueCount: Int(word),
                page: bytes.hostUInt64(at: keyEnd))
        }
        guard flags == (holdsTables ? Self.isTableFlag : 0), Int(word) <= bytes.byteCount - keyEnd else { return nil }
        return PageEntry(
            slot: slot, key: key, value: keyEnd..<(keyEnd + Int(word)), valueCount: Int(word), page: nil)
    }

    private static func size(of entry: PageEntry) -> Int {
        (entryHeaderSize + entry.key.count + entry.value.count + 1) & ~1
    }

    /// Appends `entry`, and determines whether its key is in order. Of two keys in the wrong order, the wrong one is
    /// that without which the others ascend.
    private mutating func add(_ entry: PageEntry, _ bytes: RawSpan, _ bounds: KeyBounds) {
        entries.append(entry)
        if kind == .branch, entry.slot == 0 { return }
        let key = bytes.extracting(entry.key)
        guard bounds.contains(key) else { return blame(entries.count - 1) }
        guard let last, !bounds.order.precedes(bytes.extracting(entries[last].key), key) else {
            (beforeLast, last) = (last, entries.count - 1)
            return
        }
        if let beforeLast, !bounds.order.precedes(bytes.extracting(entries[beforeLast].key), key) {
            return blame(entries.count - 1)
        }
        blame(last)
        self.last = entries.count - 1
    }

    private mutating func blame(_ index: Int) {
        entries[index].isInOrder = false
        note(.keyOrder(slot: entries[index].slot))
    }

    /// Stores the first damage of each kind; a page of random bytes would have hundreds.
    private mutating func note(_ what: PageDamage.What) {
        let isKnown = damage.contains {
            switch ($0, what) {
            case (.entry, .entry), (.keyOrder, .keyOrder), (.layout, .layout): true
            default: false
            }
        }
        if !isKnown { damage.append(what) }
    }
}
