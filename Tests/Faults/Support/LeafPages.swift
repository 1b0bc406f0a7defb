import Foundation

/// The entries of an LMDB file as they lie in its leaf pages (mdb.c 0.9, `MDB_page` and `MDB_node`), found without
/// LMDB, so that a test can damage exactly one of them. Pages that are no longer in use are among them.
struct LeafPages {
    /// Where one entry lies in the file.
    struct Entry: Hashable {
        let key: Range<Int>
        let value: Range<Int>
    }

    private(set) var bytes: [UInt8]
    private(set) var entries: [Entry] = []
    private let url: URL

    init(_ url: URL) throws {
        self.url = url
        bytes = [UInt8](try Data(contentsOf: url))
        let pageSize = 4096
        for page in stride(from: 2 * pageSize, to: bytes.count - pageSize + 1, by: pageSize) {
            let (flags, lower) = (number(2, at: page + 10), number(2, at: page + 12))
            guard flags == 0x02, lower >= 16, lower <= pageSize else { continue }
            for slot in stride(from: page + 16, to: page + lower, by: 2) {
                let start = page + number(2, at: slot)
                guard start + 8 <= page + pageSize, number(2, at: start + 4) == 0 else { continue }
                let keyEnd = start + 8 + number(2, at: start + 6)
                let valueEnd = keyEnd + number(4, at: start)
                guard valueEnd <= page + pageSize else { continue }
                entries.append(Entry(key: start + 8..<keyEnd, value: keyEnd..<valueEnd))
            }
        }
    }

    /// The keys that start with `prefix` and are of one of these lengths, each once, in byte order.
    func keys(startingWith prefix: [UInt8], lengths: (Int) -> Bool = { _ in true }) -> [[UInt8]] {
        let found = entries.map { Array(bytes[$0.key]) }.filter { $0.starts(with: prefix) && lengths($0.count) }
        return Set(found).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Flips a bit of the key, or of the value, in every copy of the entry of `key`; writes the file.
    mutating func flip(_ part: KeyPath<Entry, Range<Int>>, of key: [UInt8], byte: Int, bit: Int) throws {
        for entry in entries where Array(bytes[entry.key]) == key {
            let range = entry[keyPath: part]
            bytes[range.lowerBound + byte % range.count] ^= 1 << UInt8(bit)
        }
        try Data(bytes).write(to: url)
    }

    private func number(_ count: Int, at offset: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
