import Foundation

/// The bytes of an intact log file that are in use, found by a separate walk: it trusts all of the file, and shares
/// no code with the reader under test.
struct LivePages: Sendable {
    /// The purpose of a byte.
    enum Use: Sendable {
        /// On no page of the newest state, or in the free space of one.
        case none
        /// Structure or value: a change must be detected.
        case live
        /// On a page of the tree of free pages, whose transaction numbers cannot be checked.
        case freeList
        /// A key in a branch page: a changed key may still separate its children, and then nothing is lost.
        case separator
        /// In the other meta page, or in a field of this one that does not affect the contents.
        case meta
    }

    let bytes: [UInt8]
    private(set) var uses: [Use]
    private(set) var leaves: [String: [Int]] = [:]
    private(set) var branches: [String: [Int]] = [:]
    private(set) var overflows: [Int] = []
    /// For each event by position: its leaf page, and the range of its frame.
    private(set) var frames: [UInt64: (leaf: Int, bytes: Range<Int>)] = [:]
    let pageSize = 4096

    /// The index of the newer meta page.
    var newestMeta: Int { number(at: 144, 8) > number(at: 4096 + 144, 8) ? 0 : 1 }

    init(path: String) throws {
        bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        uses = [Use](repeating: .none, count: bytes.count)
        let newest = newestMeta * 4096
        mark(0..<152, .meta)
        mark(4096..<(4096 + 152), .meta)
        for range in [0..<8, 10..<12, 16..<24, 46..<88, 92..<152] {
            mark(range.lowerBound + newest..<range.upperBound + newest, .live)
        }
        // In the record of free pages the flags are those of the environment; in that of the main table the first
        // four bytes are not used.
        walk(number(at: newest + 40 + 40, 8), "free")
        walk(number(at: newest + 88 + 40, 8), "main")
    }

    /// The offsets of the bytes with the purposes `wanted`.
    func offsets(_ wanted: Set<Use>) -> [Int] { uses.indices.filter { wanted.contains(uses[$0]) } }

    private func number(at offset: Int, _ count: Int) -> Int {
        (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }

    private mutating func mark(_ range: Range<Int>, _ use: Use) { for index in range { uses[index] = use } }

    private mutating func walk(_ page: Int, _ table: String) {
        guard page != -1 else { return }
        let start = page * pageSize
        let isLeaf = number(at: start + 10, 2) == 2
        let use: Use = table == "free" ? .freeList : .live
        mark(start..<start + 8, use)
        mark(start + 10..<start + 16, use)
        if isLeaf { leaves[table, default: []].append(page) } else { branches[table, default: []].append(page) }
        let lower = number(at: start + 12, 2)
        mark(start + 16..<start + lower, use)
        for slot in 0..<(lower - 16) / 2 {
            let entry = start + number(at: start + 16 + 2 * slot, 2)
            let keyCount = number(at: entry + 6, 2)
            let key = entry + 8..<entry + 8 + keyCount
            mark(entry..<entry + 8, use)
            guard isLeaf else {
                mark(key, .separator)
                walk(number(at: entry, 6), table)
                continue
            }
            mark(key, use)
            value(entry, key, number(at: entry, 4), use)
            if table == "events" {
                let isInline = number(at: entry + 4, 2) == 0
                let first = isInline ? key.upperBound : number(at: key.upperBound, 8) * pageSize + 16
                let position = bytes[key].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                frames[position] = (page, first..<first + number(at: entry, 4))
            }
        }
    }

    private mutating func value(_ entry: Int, _ key: Range<Int>, _ count: Int, _ use: Use) {
        let name = String(decoding: bytes[key], as: UTF8.self)
        switch number(at: entry + 4, 2) {
        case 1:
            mark(key.upperBound..<key.upperBound + 8, use)
            let page = number(at: key.upperBound, 8)
            overflows.append(page)
            mark(page * pageSize..<page * pageSize + 8, use)
            mark(page * pageSize + 10..<page * pageSize + 16 + count, use)
        case 2:
            // The first four bytes of a record are used only in meta pages.
            mark(key.upperBound + 4..<key.upperBound + count, use)
            walk(number(at: key.upperBound + 40, 8), name)
        default:
            mark(key.upperBound..<key.upperBound + count, use)
        }
    }
}
