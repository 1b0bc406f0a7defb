import ByteCoding

/// Receives the rows of a walk through a tree, in order of key as far as the tree is undamaged.
protocol RowVisitor {
    /// Receives one row. After damage the keys may fail to ascend.
    mutating func row(key: RawSpan, value: RawSpan)
    /// Receives damage that may have cost rows between the last one and the next.
    mutating func damage(_ damage: PageDamage)
}

/// Reads one state of an LMDB file without liblmdb, which trusts its pages and ends the process on damaged ones.
///
/// Nothing in the file is trusted: each page must be within the file, and have its own number and the flags of its
/// kind; each entry must be within its page, each key within the bounds of the branches above it. A damaged page costs
/// only its own rows; the walk continues with the next page. The work is bounded by the size of the file.
///
/// A process that appends meanwhile writes new pages and keeps those of this state until its third commit from now:
/// then LMDB reuses pages that the first one freed. See ``LogVerifier`` for the consequences.
struct PageReader {
    /// The pages in use by the trees walked so far.
    private(set) var used: PageSet
    /// The state that is read.
    let meta: MetaPage
    /// The first page number behind the end of the file or the state.
    let pageCount: UInt64

    private let file: PageFile
    private var windows: [PageWindow]
    private var pinned: [UInt64: [UInt8]] = [:]
    private var scratch: [PageEntries] = []
    /// The number of pages that may still be visited: a damaged tree may reach a page twice, a malicious one without
    /// end.
    private var budget: UInt64
    /// The pages that were met, if another reader marks them as used: see ``forAnotherThread()``.
    private var listed: [Range<UInt64>]?

    /// The maximum depth of a tree: LMDB's own cursors cannot descend further (`CURSOR_STACK` in mdb.c).
    static let depthLimit = 32

    /// A page that a branch points to, and the keys that it may have.
    struct Child {
        let page: UInt64
        let bounds: KeyBounds
    }

    /// Creates a reader of the state of `meta`.
    init(_ file: PageFile, meta: MetaPage) throws(PageFileError) {
        let inFile = UInt64(try file.byteCount() / meta.pageSize)
        pageCount = meta.lastPage < inFile ? meta.lastPage + 1 : inFile
        used = PageSet(count: pageCount)
        budget = 2 * pageCount
        windows = (0..<PageWindow.count).map { _ in PageWindow() }
        self.meta = meta
        self.file = file
    }

    /// Returns the transaction of the newest state in the file now.
    func newestTransaction() -> UInt64? { MetaPage.newest(of: file)?.transaction }

    /// Passes the rows of `tree` to `visitor`.
    ///
    /// - Parameters:
    ///   - order: The order of the tree's keys.
    ///   - holdsTables: Whether it is the main table, whose values are the records of the others.
    ///   - valueLimit: Longer values are damage.
    /// - Returns: The counts found, for comparison with those in `tree`.
    mutating func walk(
        _ tree: TreeRecord, order: KeyOrder = .bytes, holdsTables: Bool = false, valueLimit: Int,
        _ visitor: inout some RowVisitor
    ) -> TreeCounts {
        var walk = TreeWalk(order: order, holdsTables: holdsTables, valueLimit: valueLimit)
        guard tree.root != TreeRecord.noPage else { return walk.counts }
        visit(tree.root, 1, KeyBounds(order: order), &walk, &visitor)
        return walk.counts
    }

    /// Keeps the pages from the root of `tree` down to its last leaf in memory: appending frees only these.
    mutating func pinRightEdge(of tree: TreeRecord, order: KeyOrder = .bytes) {
        var entries = PageEntries()
        var next = tree.root
        for _ in 0..<Self.depthLimit {
            guard let page = try? page(next) else { return }
            let bytes = page.window.span.bytes.extracting(page.range)
            pinned[next] = bytes.toArray()
            guard (try? entries.read(next, bytes, within: KeyBounds(order: order), holdsTables: false)) != nil,
                entries.kind == .branch, let child = entries.entries.last?.page
            else { return }
            next = child
        }
    }

    /// Visits page `number` and the pages below it.
    private mutating func visit(
        _ number: UInt64, _ depth: Int, _ bounds: KeyBounds, _ walk: inout TreeWalk, _ visitor: inout some RowVisitor
    ) {
        var entries = scratch.popLast() ?? PageEntries()
        defer { scratch.append(entries) }
        do throws(PageDamage) {
            guard depth <= Self.depthLimit else { throw PageDamage(page: number, what: .depth) }
            let page = try page(number)
            let bytes = page.window.span.bytes.extracting(page.range)
            try use(number, count: 1, &visitor)
            try entries.read(number, bytes, within: bounds, holdsTables: walk.holdsTables)
            for what in entries.damage { visitor.damage(PageDamage(page: number, what: what)) }
            switch entries.kind {
            case .leaf:
                walk.counts.leafPages += 1
                if walk.counts.depth == 0 { walk.counts.depth = depth }
                if walk.counts.depth != depth { visitor.damage(PageDamage(page: number, what: .depth)) }
                rows(of: entries, bytes, &walk, &visitor)
            case .branch:
                walk.counts.branchPages += 1
                children(of: entries, bytes, depth, bounds, &walk, &visitor)
            }
        } catch {
            visitor.damage(error)
        }
    }

    private mutating func children(
        of branch: PageEntries, _ bytes: RawSpan, _ depth: Int, _ bounds: KeyBounds, _ walk: inout TreeWalk,
        _ visitor: inout some RowVisitor
    ) {
        for child in Self.children(of: branch, bytes, bounds) {
            visit(child.page, depth + 1, child.bounds, &walk, &visitor)
        }
    }

    private static func children(of branch: PageEntries, _ bytes: RawSpan, _ bounds: KeyBounds) -> [Child] {
        // A key that is out of order is not used as a bound; its child gets the surrounding bounds.
        var bounding = branch.entries.filter { $0.isInOrder && $0.slot > 0 }[...]
        var child = KeyBounds(low: bounds.low, high: bounds.high, order: bounds.order)
        var children: [Child] = []
        for entry in branch.entries {
            guard let page = entry.page else { continue }
            if bounding.first?.slot == entry.slot {
                bounding.removeFirst()
                child.low = bytes.extracting(entry.key).toArray()
            }
            child.high = bounding.first.map { bytes.extracting($0.key).toArray() } ?? bounds.high
            children.append(Child(page: page, bounds: child))
        }
        return children
    }

    /// Returns the children of the branch page `number`; `nil` if the page is damaged or not a branch.
    mutating func children(ofSoundBranch number: UInt64, within bounds: KeyBounds) -> [Child]? {
        var entries = PageEntries()
        guard let page = try? page(number) else { return nil }
        let bytes = page.window.span.bytes.extracting(page.range)
        guard (try? entries.read(number, bytes, within: bounds, holdsTables: false)) != nil, entries.damage.isEmpty,
            entries.kind == .branch
        else { return nil }
        return Self.children(of: entries, bytes, bounds)
    }

    /// Marks `pages` as in use; returns whether none of them was in use before.
    mutating func useOnce(_ pages: Range<UInt64>) -> Bool {
        let count = UInt64(pages.count)
        guard count <= budget else { return false }
        budget -= count
        return pages.allSatisfy { used.insert($0) }
    }

    /// Returns a reader of the same state with its own memory. It lists the pages it meets instead of marking them as
    /// used.
    func forAnotherThread() -> PageReader {
        var reader = self
        reader.used = PageSet(count: 0)
        reader.listed = []
        reader.scratch = []
        reader.windows = (0..<PageWindow.count).map { _ in PageWindow() }
        return reader
    }

    /// Reads `leaves`, which are at `depth`, with a copy of this reader; call it on one from ``forAnotherThread()``.
    func part<Visitor: RowVisitor & Sendable>(
        _ leaves: [Child], depth: Int, valueLimit: Int, _ visitor: Visitor
    ) -> WalkPart<Visitor> {
        var reader = self
        var part = WalkPart(visitor: visitor)
        var walk = TreeWalk(order: .bytes, holdsTables: false, valueLimit: valueLimit)
        for leaf in leaves { reader.visit(leaf.page, depth, leaf.bounds, &walk, &part.visitor) }
        part.pages = reader.listed ?? []
        part.counts = walk.counts
        return part
    }

    private mutating func rows(
        of leaf: PageEntries, _ bytes: RawSpan, _ walk: inout TreeWalk, _ visitor: inout some RowVisitor
    ) {
        for entry in leaf.entries where entry.isInOrder {
            let key = bytes.extracting(entry.key)
            if let page = entry.page {
                do throws(PageDamage) {
                    try longValue(entry, at: page, key, &walk, &visitor)
                } catch {
                    visitor.damage(error)
                    continue
                }
            } else {
                visitor.row(key: key, value: bytes.extracting(entry.value))
            }
            walk.counts.entries += 1
        }
    }

    /// Passes a row to `visitor` whose value has overflow pages. Only the first of these has a header, 16 bytes with
    /// the count of pages (4 bytes) at 12; the value follows it contiguously.
    private mutating func longValue(
        _ entry: PageEntry, at first: UInt64, _ key: RawSpan, _ walk: inout TreeWalk, _ visitor: inout some RowVisitor
    ) throws(PageDamage) {
        let size = meta.pageSize
        let needed = UInt64((PageEntries.headerSize - 1 + entry.valueCount) / size + 1)
        guard entry.valueCount <= walk.valueLimit else { throw PageDamage(page: first, what: .valueLength) }
        let page = try page(first)
        let header = page.window.span.bytes.extracting(page.range)
        guard header.hostUInt64(at: 0) == first else {
            throw PageDamage(page: first, what: .wrongNumber(found: header.hostUInt64(at: 0)))
        }
        guard header.hostUInt16(at: 10) == 0x04 else {
            throw PageDamage(page: first, what: .wrongFlags(header.hostUInt16(at: 10)))
        }
        // LMDB overwrites a longer value by a shorter one in place; only its own list of free pages has such values.
        let stored = UInt64(header.hostUInt32(at: 12))
        guard stored == needed || (stored > needed && walk.order == .integers) else {
            throw PageDamage(page: first, what: .valueLength)
        }
        guard stored <= pageCount - first else { throw PageDamage(page: pageCount, what: .pastEnd) }
        try use(first, count: stored, &visitor)
        walk.counts.overflowPages += stored
        let start = page.range.lowerBound + PageEntries.headerSize
        if start + entry.valueCount <= page.window.count {
            let bytes = page.window.span.bytes
            visitor.row(key: key, value: bytes.extracting(start..<(start + entry.valueCount)))
        } else {
            let value = try bytes(entry.valueCount, behindHeaderOf: first)
            visitor.row(key: key, value: value.span.bytes)
        }
    }

    private func bytes(_ count: Int, behindHeaderOf page: UInt64) throws(PageDamage) -> [UInt8] {
        do {
            let bytes = try file.read(count, at: Int(page) * meta.pageSize + PageEntries.headerSize)
            guard bytes.count == count else { throw PageDamage(page: pageCount, what: .pastEnd) }
            return bytes
        } catch let error as PageFileError {
            throw PageDamage(page: page, what: .unreadable(error.code))
        } catch {
            throw PageDamage(page: pageCount, what: .pastEnd)
        }
    }

    /// Marks `count` pages from `first` on as in use. A page that is reached twice is reported as damage but still
    /// read, since it is unknown which of the two references is wrong.
    private mutating func use(
        _ first: UInt64, count: UInt64, _ visitor: inout some RowVisitor
    ) throws(PageDamage) {
        guard count <= budget else { throw PageDamage(page: first, what: .reachedTwice) }
        budget -= count
        guard listed == nil else {
            listed?.append(first..<(first + count))
            return
        }
        var isNew = true
        for page in first..<(first + count) where !used.insert(page) { isNew = false }
        if !isNew { visitor.damage(PageDamage(page: first, what: .reachedTwice)) }
    }

    /// Returns page `number`, from memory or from the file.
    private mutating func page(_ number: UInt64) throws(PageDamage) -> Page {
        guard number > 1, number <= meta.lastPage else { throw PageDamage(page: number, what: .outOfBounds) }
        guard number < pageCount else { throw PageDamage(page: number, what: .pastEnd) }
        if let bytes = pinned[number] { return Page(window: bytes, range: 0..<bytes.count) }
        let index = Int(number) / PageWindow.pageCount
        let slot = index % windows.count
        if windows[slot].index != index { windows[slot].read(index, pageSize: meta.pageSize, file) }
        let start = Int(number) % PageWindow.pageCount * meta.pageSize
        if start + meta.pageSize <= windows[slot].bytes.count {
            return Page(window: windows[slot].bytes, range: start..<(start + meta.pageSize))
        }
        // The window could not be read up to this page: perhaps another of its pages is on a bad sector.
        do throws(PageFileError) {
            let bytes = try file.read(meta.pageSize, at: Int(number) * meta.pageSize)
            guard bytes.count == meta.pageSize else { throw PageFileError(path: "", code: 0) }
            return Page(window: bytes, range: 0..<bytes.count)
        } catch {
            throw PageDamage(page: number, what: error.code == 0 ? .pastEnd : .unreadable(error.code))
        }
    }
}
