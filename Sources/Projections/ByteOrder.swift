import ByteCoding

/// Sorts keys by their bytes.
enum ByteOrder {
    /// Returns `keys` in byte order.
    ///
    /// Sixteen bytes after the common prefix of all keys are read once per key, and decide most comparisons. Only
    /// ties compare whole keys.
    static func sorted(_ keys: [[UInt8]]) -> [[UInt8]] {
        guard let first = keys.first, keys.count > 1 else { return keys }
        var common = first.count
        for key in keys {
            var same = 0
            while same < common, same < key.count, key[same] == first[same] { same += 1 }
            common = same
        }
        let order = keys.indices.map { index in
            Entry(index: index, high: word(keys[index], at: common), low: word(keys[index], at: common + 8))
        }.sorted { left, right in
            if left.high != right.high { return left.high < right.high }
            if left.low != right.low { return left.low < right.low }
            return keys[left.index].lexicographicallyPrecedes(keys[right.index])
        }
        return order.map { keys[$0.index] }
    }

    private struct Entry {
        var index: Int
        var high: UInt64
        var low: UInt64
    }

    /// Returns eight bytes from `offset` as a big-endian number, padded with zeros.
    private static func word(_ key: [UInt8], at offset: Int) -> UInt64 {
        if offset + 8 <= key.count { return key.span.bytes.bigEndianUInt64(at: offset) }
        var word: UInt64 = 0
        for index in offset..<(offset + 8) { word = word << 8 | UInt64(index < key.count ? key[index] : 0) }
        return word
    }
}
