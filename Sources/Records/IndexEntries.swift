import GroundwaveByteCoding

/// The entries of one record in the secondary indexes of its kind: keys by which it is found, in byte order.
///
/// The keys share one buffer. A walk over many records uses it again for each, and allocates nothing.
public struct IndexEntries: Sendable {
    /// The greatest length of a key in bytes; of a longer one the first bytes are used.
    public static let keyLimit = 400

    private var bytes = ByteWriter()
    private var entries: [(index: UInt8, end: Int)] = []

    /// No entries.
    public init() {}

    /// Adds `key` to the index `index`, which is its number within the kind, from 1.
    public mutating func add(_ key: ArraySlice<UInt8>, to index: UInt8) {
        add(to: index) { $0.append(contentsOf: key.span.bytes) }
    }

    /// Adds the key that `write` appends to the index `index`.
    package mutating func add(to index: UInt8, _ write: (inout ByteWriter) -> Void) {
        let start = bytes.count
        write(&bytes)
        bytes.truncate(to: Swift.min(bytes.count, start + Self.keyLimit))
        entries.append((index, bytes.count))
    }

    /// Whether there are none.
    package var isEmpty: Bool { entries.isEmpty }

    /// Removes all and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll()
        entries.removeAll(keepingCapacity: true)
    }

    /// Passes each entry to `body`, in the order in which they were added.
    package func forEach(_ body: (_ index: UInt8, _ key: RawSpan) throws -> Void) rethrows {
        var start = 0
        for entry in entries {
            try bytes.withSpan { try body(entry.index, $0.extracting(start..<entry.end)) }
            start = entry.end
        }
    }

    /// Whether one of the entries is `key` in the index `index`.
    package func contains(_ index: UInt8, _ key: RawSpan) -> Bool {
        var isFound = false
        forEach { if !isFound, $0 == index, $1.elementsEqual(key) { isFound = true } }
        return isFound
    }
}
