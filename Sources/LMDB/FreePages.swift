/// The free pages of an LMDB file, read with `pread`.
///
/// LMDB writes a page when the transaction that made it commits. A page allocated and freed within one transaction is
/// never written, so an intact file may be shorter than its page count: then every page past its end is free. This
/// reader distinguishes such a file from a truncated one. It runs only on short files.
///
/// Layout (mdb.c 0.9): a page starts with its number (8 bytes), then flags at 10 and the end of its slots at 12; slots
/// of 2 bytes from 16 on hold offsets of nodes. A node is 8 bytes of header (leaf: value size in the first four, flags
/// at 4; branch: child page in the first six; both: key size at 6), the key, and in a leaf the value or, with flag 1,
/// the number of the page on whose byte 16 the value starts. The table of free pages maps transaction numbers to lists:
/// a count, then page numbers, 8 bytes each.
struct FreePages: ~Copyable {
    private let file: OpenFile
    private let pageSize: Int
    private let pageCount: Int
    private let missing: ClosedRange<UInt64>
    private var found: Set<UInt64> = []
    private var pagesToVisit: Int

    /// Whether every page from the end of `file`, which has `fileSize` bytes, to its last page in use is free.
    static func coverMissingPart(of file: consuming OpenFile, fileSize: Int, meta: MetaPages.Meta) -> Bool {
        let pageCount = fileSize / meta.pageSize
        guard UInt64(pageCount) <= meta.lastPage else { return true }
        var walk = FreePages(file, pageCount: pageCount, meta: meta)
        guard meta.freeRoot != .max, (try? walk.visit(meta.freeRoot, depth: 0)) != nil else { return false }
        return UInt64(walk.found.count) == meta.lastPage - UInt64(pageCount) + 1
    }

    private init(_ file: consuming OpenFile, pageCount: Int, meta: MetaPages.Meta) {
        self.file = file
        self.pageCount = pageCount
        pageSize = meta.pageSize
        missing = UInt64(pageCount)...meta.lastPage
        // An intact tree visits no page twice; a damaged one must not cause a loop.
        pagesToVisit = pageCount
    }

    /// The list cannot be read.
    private struct Unreadable: Error {}

    private mutating func visit(_ number: UInt64, depth: Int) throws {
        // LMDB's own limit for the depth of a tree (CURSOR_STACK) is 32.
        guard number < UInt64(pageCount), depth < 32, pagesToVisit > 0 else { throw Unreadable() }
        pagesToVisit -= 1
        let page = try file.read(pageSize, at: Int(number) * pageSize)
        guard page.count == pageSize, page.integer(at: 0, as: UInt64.self) == number else { throw Unreadable() }
        let flags = page.integer(at: 10, as: UInt16.self)
        let slotsEnd = Int(page.integer(at: 12, as: UInt16.self))
        guard slotsEnd >= 16, slotsEnd <= pageSize, flags & 0x03 == 0x01 || flags & 0x03 == 0x02 else {
            throw Unreadable()
        }
        for slot in stride(from: 16, to: slotsEnd - 1, by: 2) {
            let node = Int(page.integer(at: slot, as: UInt16.self))
            guard node >= slotsEnd, node <= pageSize - 8 else { throw Unreadable() }
            let low = UInt64(page.integer(at: node, as: UInt16.self))
            let high = UInt64(page.integer(at: node + 2, as: UInt16.self))
            let third = page.integer(at: node + 4, as: UInt16.self)
            if flags & 0x01 != 0 {
                try visit(low | high << 16 | UInt64(third) << 32, depth: depth + 1)
            } else {
                let keySize = Int(page.integer(at: node + 6, as: UInt16.self))
                // Little-endian halves; big-endian machines store them the other way round (mdb.c, MDB_node).
                #if _endian(little)
                let size = Int(low | high << 16)
                #else
                let size = Int(high | low << 16)
                #endif
                try collect(page, valueAt: node + 8 + keySize, size: size, isElsewhere: third & 0x01 != 0)
            }
        }
    }

    /// Adds the missing pages that one list contains to `found`.
    private mutating func collect(_ page: [UInt8], valueAt offset: Int, size: Int, isElsewhere: Bool) throws {
        var list = page
        var start = offset
        if isElsewhere {
            guard offset <= pageSize - 8 else { throw Unreadable() }
            let first = page.integer(at: offset, as: UInt64.self)
            guard first < UInt64(pageCount), size <= (pageCount - Int(first)) * pageSize - 16 else {
                throw Unreadable()
            }
            list = try file.read(size, at: Int(first) * pageSize + 16)
            start = 0
        }
        guard size >= 8, start <= list.count - size else { throw Unreadable() }
        let count = list.integer(at: start, as: UInt64.self)
        guard count <= UInt64(size / 8 - 1) else { throw Unreadable() }
        for index in 0..<Int(count) {
            let number = list.integer(at: start + 8 + index * 8, as: UInt64.self)
            if missing.contains(number) { found.insert(number) }
        }
    }
}
