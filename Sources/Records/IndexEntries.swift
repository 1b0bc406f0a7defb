import GroundwaveByteCoding

/// The entries of one record in the secondary indexes of its kind: keys by which it is found, in byte order.
///
/// Keys and values share one buffer. A walk over many records uses it again for each, and allocates nothing.
public struct IndexEntries: Sendable {
    /// The greatest length of a key in bytes; of a longer one the first bytes are used.
    public static let keyLimit = 400
    /// The greatest length of a value in bytes; of a longer one the first bytes are used.
    package static let valueLimit = 1000

    private var bytes = ByteWriter()
    private var entries: [Entry] = []
    /// Whether a key may be there twice.
    private var mayRepeat = false

    private struct Entry {
        var index: UInt8
        var start: Int
        var keyEnd: Int
        var end: Int
    }

    /// No entries.
    public init() {}

    /// Adds `key` to the index `index`, which is its number within the kind. A key that is there already stays once.
    public mutating func add(_ key: ArraySlice<UInt8>, to index: UInt8) {
        mayRepeat = true
        add(to: index) { $0.append(contentsOf: key.span.bytes) }
    }

    /// Adds the key that `write` appends to the index `index`. It must not be there already.
    package mutating func add(to index: UInt8, _ write: (inout ByteWriter) -> Void) {
        let start = bytes.count
        write(&bytes)
        bytes.truncate(to: Swift.min(bytes.count, start + Self.keyLimit))
        entries.append(Entry(index: index, start: start, keyEnd: bytes.count, end: bytes.count))
    }

    /// Adds a row with a value. Of two with one key, the later one counts; those of ``sums`` are added up.
    package mutating func add(_ key: [UInt8], _ value: [UInt8], to index: UInt8) {
        add(key[...], to: index)
        bytes.append(contentsOf: Array(value.prefix(Self.valueLimit)))
        entries[entries.count - 1].end = bytes.count
    }

    /// The number of the index whose entries are not of one record: the values under one key are added up over all records.
    package static var sums: UInt8 { 0 }

    /// Whether there are none.
    package var isEmpty: Bool { entries.isEmpty }

    /// Removes all and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll()
        entries.removeAll(keepingCapacity: true)
        mayRepeat = false
    }

    /// Passes each entry to `body`, in the order in which they were added; after ``settle()`` each key once.
    package func forEach(_ body: (_ index: UInt8, _ key: RawSpan, _ value: RawSpan) throws -> Void) rethrows {
        for entry in entries {
            try bytes.withSpan {
                try body(
                    entry.index, $0.extracting(entry.start..<entry.keyEnd), $0.extracting(entry.keyEnd..<entry.end))
            }
        }
    }

    /// Whether one of the entries is `key` with `value` in the index `index`.
    package func contains(_ index: UInt8, _ key: RawSpan, _ value: RawSpan) -> Bool {
        bytes.withSpan { bytes in
            entries.contains { entry in
                entry.index == index && bytes.extracting(entry.start..<entry.keyEnd).elementsEqual(key)
                    && bytes.extracting(entry.keyEnd..<entry.end).elementsEqual(value)
            }
        }
    }

    /// Removes the entries of indexes that `isKnown` does not accept.
    package mutating func keep(where isKnown: (UInt8) -> Bool) {
        if entries.contains(where: { !isKnown($0.index) }) { entries.removeAll { !isKnown($0.index) } }
    }

    /// Whether these are the entries of `other`, in the same order.
    package func isSame(as other: IndexEntries) -> Bool {
        guard entries.count == other.entries.count, bytes.count == other.bytes.count else { return false }
        let hasSameEnds = zip(entries, other.entries).allSatisfy {
            $0.index == $1.index && $0.keyEnd == $1.keyEnd && $0.end == $1.end
        }
        return hasSameEnds && bytes.withSpan { mine in other.bytes.withSpan { mine.elementsEqual($0) } }
    }

    /// Leaves each key once. Must be called when all entries of a record were added.
    package mutating func settle() {
        guard mayRepeat, entries.count > 1 else { return }
        let sorted = bytes.withSpan { bytes in
            entries.indices.sorted { left, right in
                let (a, b) = (entries[left], entries[right])
                if a.index != b.index { return a.index < b.index }
                let (key, other) = (bytes.extracting(a.start..<a.keyEnd), bytes.extracting(b.start..<b.keyEnd))
                return key.elementsEqual(other) ? left < right : key.lexicographicallyPrecedes(other)
            }
        }
        var (settled, last) = ([Entry](), ByteWriter())
        var kept = ByteWriter(capacity: bytes.count)
        bytes.withSpan { bytes in
            for place in sorted {
                let entry = entries[place]
                let (key, value) = (
                    bytes.extracting(entry.start..<entry.keyEnd), bytes.extracting(entry.keyEnd..<entry.end)
                )
                let isRepeated = last.withSpan { settled.last?.index == entry.index && $0.elementsEqual(key) }
                var joined = value.toArray()
                if isRepeated, let former = settled.popLast() {
                    if entry.index == Self.sums {
                        let sum = kept.withSpan { Sums($0.extracting(former.keyEnd..<former.end)) }
                        joined = sum.adding(Sums(value)).bytes
                    }
                    kept.truncate(to: former.start)
                }
                let start = kept.count
                kept.append(contentsOf: key)
                settled.append(
                    Entry(index: entry.index, start: start, keyEnd: kept.count, end: kept.count + joined.count))
                kept.append(contentsOf: joined)
                last.removeAll()
                last.append(contentsOf: key)
            }
        }
        (entries, bytes, mayRepeat) = (settled, kept, false)
    }
}
