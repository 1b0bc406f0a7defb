import ByteCoding

/// Checks the pages that lead to the rows of an LMDB file, but not the rows: fast enough for every opening.
///
/// A row's checksum protects the rows that are found. But if a branch is damaged, LMDB descends elsewhere and reports
/// that there is no such row. So before a file is mapped, its meta pages and all its branches are read: their
/// structure, the order of their keys within the bounds of the branches above, that no page is used twice or listed as
/// free, and that each tree has as many pages as its record states.
///
/// Leaves are not read; reads check those that they meet. A last commit that vanished completely, or whose meta page is
/// stale by two transactions, is not detected: the state before it is intact.
package enum PageCheck {
    /// Returns the damage of the branches of the file at `path`. Empty if there is none, or if other processes write so
    /// fast that the file could not be read before its pages were reused: they checked it when they opened it.
    ///
    /// Other processes may write meanwhile: see ``LogVerifier``.
    ///
    /// - Throws: ``PageFileError`` if the file cannot be opened.
    /// - Complexity: O(pages), a bit of memory each; about 2 ms for a log of a million events (`Tools/bench`).
    package static func branches(of path: String) throws -> [PageDamage] {
        var before: Finding<[PageDamage]>?
        for _ in 1...attemptLimit {
            let file = try PageFile(path)
            let (damage, _) = try branches(of: file)
            if damage.isEmpty { return [] }
            // The damage may be a page that was reused since, or a commit between reading the two meta pages.
            let finding = Finding(what: damage, in: file)
            if finding == before { return damage }
            before = finding
        }
        return []
    }

    /// The result of one reading of a file: it is accepted if a second reading has the same result.
    struct Finding<What: Equatable>: Equatable {
        let what: What
        /// The newest transaction when the reading ended.
        private let transaction: UInt64?

        init(what: What, in file: PageFile) {
            self.what = what
            transaction = MetaPage.newest(of: file)?.transaction
        }
    }

    /// How often a file that is being written to is read.
    static let attemptLimit = 20

    /// Returns the damage of the branches of the newest state of `file`, and its meta page; `nil` if both are damaged.
    static func branches(of file: PageFile) throws -> ([PageDamage], MetaPage?) {
        let metaPages = MetaPage.both(of: file)
        let damage = Self.damage(of: metaPages)
        guard let meta = metaPages.compactMap({ $0 }).max(by: { $0.transaction < $1.transaction }) else {
            return (damage, nil)
        }
        var check = try BranchCheck(file, meta)
        return (damage + (try check.damage()), meta)
    }

    private static func damage(of pages: [MetaPage?]) -> [PageDamage] {
        guard let first = pages[0], let second = pages[1] else {
            return pages.indices.filter { pages[$0] == nil }.map { PageDamage(page: UInt64($0), what: .meta) }
        }
        // Transactions alternate between the pages, so their numbers differ by 1; only a new file has 0 twice.
        let isNew = first.transaction == 0 && second.transaction <= 1
        let (low, high) = (min(first.transaction, second.transaction), max(first.transaction, second.transaction))
        let isInTurn = first.transaction.isMultiple(of: 2) && high - low == 1
        if isNew || isInTurn { return [] }
        return [PageDamage(page: first.transaction > second.transaction ? 0 : 1, what: .meta)]
    }
}

/// One walk through the branches of all trees of one state of a file.
private struct BranchCheck {
    /// A key that bounds a subtree: the level of its page, and its range within the page.
    private struct Bound {
        let level: Int
        let key: Range<Int>
    }

    /// The meta page counts as damaged if more pages are missing than twice this plus the number of pages present.
    private static let unwrittenLimit: UInt64 = 1 << 16

    private let file: PageFile
    private let meta: MetaPage
    private let pageCount: UInt64
    private var used: PageSet
    private var found: [PageDamage] = []
    /// The pages from the root to the present one.
    private var levels: [[UInt8]] = []
    private var (branchCount, leafCount) = (UInt64(0), UInt64(0))

    init(_ file: PageFile, _ meta: MetaPage) throws {
        self.file = file
        self.meta = meta
        let inFile = UInt64(try file.byteCount() / meta.pageSize)
        pageCount = meta.lastPage < inFile ? meta.lastPage + 1 : inFile
        used = PageSet(count: pageCount)
    }

    /// Returns the damage of the file.
    mutating func damage() throws -> [PageDamage] {
        // A file may be shorter than its state, if free pages at the end were never written; but not by this much.
        guard meta.lastPage / 2 <= pageCount + Self.unwrittenLimit else {
            return [PageDamage(page: meta.transaction % 2, what: .meta)]
        }
        var reader = try PageReader(file, meta: meta)
        var tables = TreeCollector()
        compare(
            reader.walk(meta.main, holdsTables: true, valueLimit: TreeRecord.byteCount, &tables), meta.main,
            isDamaged: !tables.damaged.isEmpty)
        var free = FreePages(meta, pageCount: meta.lastPage + 1)
        compare(
            reader.walk(
                meta.freePages, order: .integers, valueLimit: Int(clamping: pageCount + 1) * meta.pageSize, &free),
            meta.freePages, isDamaged: !free.damaged.isEmpty)
        found += tables.damaged + free.damaged
        // LMDB stores some flags of the environment in the record of free pages: integer keys, and a single file
        // (MDB_INTEGERKEY and MDB_NOSUBDIR in lmdb.h).
        if meta.main.flags != 0 || meta.freePages.flags & ~0x4000 != 0x08 {
            found.append(PageDamage(page: meta.transaction % 2, what: .meta))
        }
        used = reader.used
        for table in tables.records { check(table) }
        found += free.shared(with: used)
        if let missing = free.firstUnlisted(from: pageCount) { found.append(PageDamage(page: missing, what: .pastEnd)) }
        return found
    }

    private mutating func compare(_ counts: TreeCounts, _ tree: TreeRecord, isDamaged: Bool) {
        let isEmpty = tree.root == TreeRecord.noPage
        if !isDamaged, counts != TreeCounts(tree) || isEmpty != (tree.entries == 0) { note(tree.root, .counts) }
    }

    private mutating func note(_ page: UInt64, _ what: PageDamage.What) {
        found.append(PageDamage(page: page, what: what))
    }

    /// Walks through the branches of `tree`, a table.
    private mutating func check(_ tree: TreeRecord) {
        let before = found.count
        (branchCount, leafCount) = (0, 0)
        if tree.root != TreeRecord.noPage {
            guard tree.depth >= 1, tree.depth <= PageReader.depthLimit else { return note(tree.root, .depth) }
            while levels.count < tree.depth { levels.append([UInt8](repeating: 0, count: meta.pageSize)) }
            visit(tree.root, 0, tree.depth, low: nil, high: nil)
        }
        let isEmpty = tree.root == TreeRecord.noPage
        let isSame =
            branchCount == tree.branchPages && leafCount == tree.leafPages && isEmpty == (tree.entries == 0)
            && tree.flags == 0 && (tree.depth == 0) == isEmpty && tree.entries >= tree.leafPages
        if found.count == before, !isSame { note(tree.root, .counts) }
    }

    private mutating func visit(_ page: UInt64, _ level: Int, _ depth: Int, low: Bound?, high: Bound?) {
        guard page > 1, page <= meta.lastPage else { return note(page, .outOfBounds) }
        guard page < pageCount else { return note(page, .pastEnd) }
        guard used.insert(page) else { return note(page, .reachedTwice) }
        guard level + 1 < depth else {
            leafCount += 1
            return
        }
        branchCount += 1
        do throws(PageFileError) {
            let count = try file.read(into: &levels[level], from: 0, at: Int(page) * meta.pageSize)
            guard count == meta.pageSize else { return note(page, .pastEnd) }
        } catch {
            return note(page, .unreadable(error.code))
        }
        if let what = checkBranch(page, level, low: low, high: high) { return note(page, what) }
        let slots = levels[level].withSpan { Int($0.hostUInt16(at: 12)) - PageEntries.headerSize } / 2
        var before = low
        var next = entry(0, level)
        for slot in 0..<slots {
            let child = next.page
            if slot + 1 < slots { next = entry(slot + 1, level) }
            if level + 2 == depth, child > 1, child < pageCount, used.insert(child) {
                leafCount += 1
                continue
            }
            let after = slot + 1 < slots ? Bound(level: level, key: next.key) : high
            visit(child, level + 1, depth, low: before, high: after)
            before = after
        }
    }

    /// Returns the child and the key of an entry of a branch that was checked.
    private func entry(_ slot: Int, _ level: Int) -> (page: UInt64, key: Range<Int>) {
        levels[level].withSpan { bytes in
            let start = Int(bytes.hostUInt16(at: PageEntries.headerSize + 2 * slot))
            let word = bytes.hostUInt64(at: start)
            return (word & 0xFFFF_FFFF_FFFF, start + 8..<start + 8 + Int(word >> 48))
        }
    }

    /// Returns the damage of the branch that was read to `level`; `nil` if there is none.
    private func checkBranch(_ number: UInt64, _ level: Int, low: Bound?, high: Bound?) -> PageDamage.What? {
        levels[level].withSpan { bytes in
            let found = bytes.hostUInt64(at: 0)
            guard found == number else { return .wrongNumber(found: found) }
            let flags = bytes.hostUInt16(at: 10)
            guard flags == PageEntries.Kind.branch.rawValue else { return .wrongFlags(flags) }
            let (lower, upper) = (Int(bytes.hostUInt16(at: 12)), Int(bytes.hostUInt16(at: 14)))
            guard lower > PageEntries.headerSize, lower % 2 == 0, lower <= upper, upper <= bytes.byteCount else {
                return .freeSpace
            }
            var rest = bytes.byteCount - upper
            var before: Range<Int>?
            let slots = (lower - PageEntries.headerSize) / 2
            for slot in 0..<slots {
                let start = Int(bytes.hostUInt16(at: PageEntries.headerSize + 2 * slot))
                guard start >= upper, start % 2 == 0, start + 8 <= bytes.byteCount else { return .entry(slot: slot) }
                let size = Int(bytes.hostUInt16(at: start + 6))
                let end = start + 8 + size
                guard end <= bytes.byteCount, size <= 511 else { return .entry(slot: slot) }
                rest -= (8 + size + 1) & ~1
                // LMDB ignores the key of the first child.
                if slot == 0 { continue }
                let key = start + 8..<end
                guard size > 0 else { return .entry(slot: slot) }
                if let before, !Self.precedes(bytes.extracting(before), bytes.extracting(key)) {
                    return .keyOrder(slot: slot)
                }
                before = key
            }
            guard rest == 0 else { return .layout }
            guard let last = before else { return nil }
            let first = Int(bytes.hostUInt16(at: PageEntries.headerSize + 2))
            let firstKey = bytes.extracting(first + 8..<first + 8 + Int(bytes.hostUInt16(at: first + 6)))
            if let low, levels[low.level].withSpan({ !Self.precedes($0.extracting(low.key), firstKey) }) {
                return .keyOrder(slot: 1)
            }
            if let high,
                levels[high.level].withSpan({ !Self.precedes(bytes.extracting(last), $0.extracting(high.key)) })
            {
                return .keyOrder(slot: slots - 1)
            }
            return nil
        }
    }

    @inline(__always)
    private static func precedes(_ left: RawSpan, _ right: RawSpan) -> Bool { KeyOrder.bytes.precedes(left, right) }
}

/// Collects the records of all tables.
private struct TreeCollector: RowVisitor {
    var records: [TreeRecord] = []
    var damaged: [PageDamage] = []

    mutating func row(key: RawSpan, value: RawSpan) {
        if value.byteCount == TreeRecord.byteCount { records.append(TreeRecord(at: 0, of: value)) }
    }

    mutating func damage(_ damage: PageDamage) { damaged.append(damage) }
}
