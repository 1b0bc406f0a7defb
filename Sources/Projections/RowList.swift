import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

/// Many rows, each a key and a value, in one buffer, to be read in byte order of their keys.
struct RowList: Sendable {
    private var bytes = ByteWriter()
    private var ends: [(key: Int, row: Int)] = []

    /// The number of rows.
    var count: Int { ends.count }

    /// Appends the rows that a derivation has made of a record.
    mutating func append(_ rows: IndexEntries, of derivation: UInt16, _ record: RecordID) {
        rows.forEach { index, key, value in append(key, value, to: index, of: derivation, record) }
    }

    /// Appends one row that a derivation has made of a record.
    mutating func append(
        _ key: RawSpan, _ value: RawSpan, to index: UInt8, of derivation: UInt16, _ record: RecordID
    ) {
        bytes.append(derivedKey: key, in: index, of: derivation, record)
        let end = bytes.count
        bytes.append(contentsOf: value)
        ends.append((end, bytes.count))
    }

    /// Appends some rows of another list.
    mutating func append(_ range: Range<Int>, of other: RowList) {
        other.bytes.withSpan { others in
            for index in range {
                append(others.extracting(other.key(index)), others.extracting(other.value(index)))
            }
        }
    }

    /// Appends a row.
    mutating func append(_ key: RawSpan, _ value: RawSpan) {
        bytes.append(contentsOf: key)
        let end = bytes.count
        bytes.append(contentsOf: value)
        ends.append((end, bytes.count))
    }

    /// Removes all rows and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll()
        ends.removeAll(keepingCapacity: true)
    }

    private func key(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1].row)..<ends[index].key }

    private func value(_ index: Int) -> Range<Int> { ends[index].key..<ends[index].row }

    /// Passes the rows to `body` in byte order of their keys, each key in the same array. Rows with one key follow one
    /// another in the order in which they were appended.
    func forEachInOrder(_ body: (_ key: [UInt8], _ value: RawSpan) throws -> Void) rethrows {
        var key: [UInt8] = []
        for place in order() {
            key.removeAll(keepingCapacity: true)
            try bytes.withSpan { bytes in
                key.append(contentsOf: bytes.extracting(self.key(place)))
                try body(key, bytes.extracting(value(place)))
            }
        }
    }

    /// Returns the places of the keys in byte order.
    ///
    /// Sixteen bytes after the common prefix of all keys are read once per key, and decide most comparisons. Only
    /// ties compare whole keys.
    fileprivate func order() -> [Int] {
        guard count > 1 else { return Array(ends.indices) }
        return bytes.withSpan { bytes in
            let first = bytes.extracting(key(0))
            var common = first.byteCount
            for index in ends.indices {
                let key = bytes.extracting(self.key(index))
                var same = 0
                while same < common, same < key.byteCount, key.byte(at: same) == first.byte(at: same) { same += 1 }
                common = same
            }
            return ends.indices.map { index in
                let key = bytes.extracting(self.key(index))
                return Entry(index: index, high: Self.word(key, at: common), low: Self.word(key, at: common + 8))
            }.sorted { left, right in
                if left.high != right.high { return left.high < right.high }
                if left.low != right.low { return left.low < right.low }
                let (key, other) = (bytes.extracting(self.key(left.index)), bytes.extracting(self.key(right.index)))
                if key.lexicographicallyPrecedes(other) { return true }
                return left.index < right.index && key.elementsEqual(other)
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
        var list = RowList()
        let none: [UInt8] = []
        for key in self { key.withSpan { key in none.withSpan { list.append(key, $0) } } }
        let keys = Array(self)
        return list.order().map { keys[$0] }
    }
}
