/// An intact log file as a machine with larger pages would have written it: the same page numbers, each page with more
/// room, so long values take fewer pages.
struct Repaginated {
    private(set) var bytes: [UInt8]
    private let source: LivePages
    private let pageSize: Int
    private var overflowPages: [String: Int] = [:]

    /// - Parameter newestMeta: Which meta page is to be the newest.
    init(_ source: LivePages, pageSize: Int, newestMeta: Int) {
        self.source = source
        self.pageSize = pageSize
        bytes = [UInt8](repeating: 0, count: source.bytes.count / source.pageSize * pageSize)
        for meta in 0...1 {
            copy(meta * source.pageSize, to: meta * pageSize, count: 152)
            write(pageSize, 4, at: meta * pageSize + 40)
        }
        if source.newestMeta != newestMeta {
            // As if the newest transaction had been the next one.
            copy(source.newestMeta * source.pageSize + 10, to: newestMeta * pageSize + 10, count: 142)
            write(pageSize, 4, at: newestMeta * pageSize + 40)
            write(number(at: source.newestMeta * source.pageSize + 144, 8) + 1, 8, at: newestMeta * pageSize + 144)
        }
        for (table, pages) in source.leaves where table != "main" { for page in pages { leaf(page, table) } }
        for pages in source.branches.values { for page in pages { entries(of: page) } }
        // Last, since the records of the tables count their pages.
        for page in source.leaves["main"] ?? [] { leaf(page, "main") }
    }

    private func number(at offset: Int, _ count: Int) -> Int {
        (0..<count).reversed().reduce(0) { $0 << 8 | Int(source.bytes[offset + $1]) }
    }

    private mutating func write(_ value: Int, _ count: Int, at offset: Int) {
        for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    private mutating func copy(_ from: Int, to offset: Int, count: Int) {
        bytes.replaceSubrange(offset..<offset + count, with: source.bytes[from..<from + count])
    }

    /// Copies a page with its entries at the end of the larger one; returns where they stand in the old one and new one.
    @discardableResult
    private mutating func entries(of page: Int) -> [(old: Int, new: Int)] {
        let (old, new) = (page * source.pageSize, page * pageSize)
        let (lower, upper) = (number(at: old + 12, 2), number(at: old + 14, 2))
        let shift = pageSize - source.pageSize
        copy(old, to: new, count: lower)
        write(upper + shift, 2, at: new + 14)
        copy(old + upper, to: new + upper + shift, count: source.pageSize - upper)
        return stride(from: 16, to: lower, by: 2).map { slot in
            let start = number(at: old + slot, 2)
            write(start + shift, 2, at: new + slot)
            return (old + start, new + start + shift)
        }
    }

    private mutating func leaf(_ page: Int, _ table: String) {
        for (old, new) in entries(of: page) {
            let keyCount = number(at: old + 6, 2)
            let count = number(at: old, 4)
            switch number(at: old + 4, 2) {
            case 1:
                let first = number(at: old + 8 + keyCount, 8)
                let pages = (15 + count) / pageSize + 1
                copy(first * source.pageSize, to: first * pageSize, count: 16 + count)
                write(pages, 4, at: first * pageSize + 12)
                overflowPages[table, default: 0] += pages
            case 2:
                let name = String(decoding: source.bytes[old + 8..<old + 8 + keyCount], as: UTF8.self)
                write(overflowPages[name] ?? 0, 8, at: new + 8 + keyCount + 24)
            default: break
            }
        }
    }
}
