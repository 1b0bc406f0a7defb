import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// Many keys in one buffer, to be read in byte order.
struct KeyList: Sendable {
    private var bytes = ByteWriter()
    private var ends: [Int] = []

    /// The number of keys.
    var count: Int { ends.count }

    /// Appends the keys of the index entries of a record.
    mutating func append(_ entries: IndexEntries, of kind: String, _ record: RecordID) {
        entries.forEach { index, key in
            bytes.append(indexKey: key, in: index, of: kind, record)
            ends.append(bytes.count)
        }
    }

    /// Appends some keys of another list.
    mutating func append(_ range: Range<Int>, of other: KeyList) {
        for index in range { other.withKey(index) { append($0) } }
    }

    /// Appends a key.
    mutating func append(_ key: RawSpan) {
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
    }

    /// Removes all keys and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll()
        ends.removeAll(keepingCapacity: true)
    }

    private func withKey<Result>(_ index: Int, _ body: (RawSpan) throws -> Result) rethrows -> Result {
        try bytes.withSpan { try body($0.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index])) }
    }

    /// Passes the keys to `body` in byte order, each in the same array.
    func forEachInOrder(_ body: (_ key: [UInt8]) throws -> Void) rethrows {
        var key: [UInt8] = []
        for place in order() {
            key.removeAll(keepingCapacity: true)
            withKey(place) { key.append(contentsOf: $0) }
            try body(key)
        }
    }

    /// Returns the places of the keys in byte order.
    ///
    /// Sixteen bytes after the common prefix of all keys are read once per key, and decide most comparisons. Only
    /// ties compare whole keys.
    fileprivate func order() -> [Int] {
        guard count > 1 else { return Array(ends.indices) }
        return bytes.withSpan { bytes in
            func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }
            let first = bytes.extracting(range(0))
            var common = first.byteCount
            for index in ends.indices {
                let key = bytes.extracting(range(index))
                var same = 0
                while same < common, same < key.byteCount, key.byte(at: same) == first.byte(at: same) { same += 1 }
                common = same
            }
            return ends.indices.map { index in
                let key = bytes.extracting(range(index))
                return Entry(index: index, high: Self.word(key, at: common), low: Self.word(key, at: common + 8))
            }.sorted { left, right in
                if left.high != right.high { return left.high < right.high }
                if left.low != right.low { return left.low < right.low }
                return bytes.extracting(range(left.index)).lexicographicallyPrecedes(
                    bytes.extracting(range(right.index)))
            }.map(\.index)
        }
    }

    private struct Entry {
        var index: Int
        var high: UInt64
        var low: UInt64
    }

    /// Returns eight bytes from `offset` as a big-endian number, padded with zeros.
    private static func word(_ key: RawSpan, at offset: Int) -> UInt64 {
        if offset + 8 <= key.byteCount { return key.bigEndianUInt64(at: offset) }
        var word: UInt64 = 0
        for index in offset..<(offset + 8) {
            word = word << 8 | UInt64(index < key.byteCount ? key.byte(at: index) : 0)
        }
        return word
    }
}

extension Collection<[UInt8]> {
    /// These keys in byte order.
    func inByteOrder() -> [[UInt8]] {
        var list = KeyList()
        for key in self { key.withSpan { list.append($0) } }
        let keys = Array(self)
        return list.order().map { keys[$0] }
    }
}
