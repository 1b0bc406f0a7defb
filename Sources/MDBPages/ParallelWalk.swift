import GroundwaveByteCoding

/// The result of reading some leaves of a tree separately.
struct WalkPart<Visitor: RowVisitor & Sendable>: Sendable {
    var visitor: Visitor
    /// The pages that were met.
    var pages: [Range<UInt64>] = []
    var counts = TreeCounts()
}

/// A walk through a tree on several cores: one core reads the branches and distributes the leaves in groups.
///
/// It is for trees without damage, and stops at the first damaged page: then one core walks the whole tree. So damage
/// is reported in the same order and words, however many cores there are.
package struct ParallelWalk<Visitor: RowVisitor & Sendable> {
    /// The reader; after the walk the pages of the tree are marked as used.
    package private(set) var reader: PageReader
    /// The counts found.
    package private(set) var counts = TreeCounts()

    private let tree: TreeRecord
    private let leafCount: Int
    private let visitor: Visitor
    private let readerOfParts: PageReader
    private let valueLimit: Int
    private var work: OrderedWork<WalkPart<Visitor>>
    private var leaves: [PageReader.Child] = []

    /// Creates a walk through `tree`, whose keys are in byte order.
    ///
    /// - Parameters:
    ///   - valueLimit: Longer values are damage.
    ///   - cores: The number of groups read at once. Memory: that of four times as many groups.
    ///   - leafCount: The number of leaves in a group.
    ///   - visitor: The initial state of the visitor of each group.
    package init(
        _ reader: PageReader, _ tree: TreeRecord, valueLimit: Int, cores: Int, leafCount: Int, _ visitor: Visitor
    ) {
        self.reader = reader
        self.tree = tree
        self.leafCount = leafCount
        self.visitor = visitor
        self.valueLimit = valueLimit
        readerOfParts = reader.forAnotherThread()
        work = OrderedWork(cores: cores)
        counts.depth = tree.depth
    }

    /// Reads the tree, and passes the visitor of each group to `body`, in order.
    ///
    /// - Parameter body: Returns whether its visitor met no damage.
    /// - Returns: Whether all pages are undamaged.
    package mutating func walk(_ body: (Visitor) -> Bool) -> Bool {
        guard tree.depth >= 2, tree.depth <= PageReader.depthLimit,
            descend(from: tree.root, 1, KeyBounds(order: .bytes), body)
        else { return false }
        give()
        while let part = work.next() { if !consume(part, body) { return false } }
        return true
    }

    private mutating func descend(
        from page: UInt64, _ depth: Int, _ bounds: KeyBounds, _ body: (Visitor) -> Bool
    ) -> Bool {
        guard let children = reader.children(ofSoundBranch: page, within: bounds), reader.useOnce(page..<(page + 1))
        else { return false }
        counts.branchPages += 1
        for child in children {
            if depth + 1 < tree.depth {
                guard descend(from: child.page, depth + 1, child.bounds, body) else { return false }
                continue
            }
            leaves.append(child)
            if leaves.count == leafCount { give() }
            if work.isFull, let part = work.next(), !consume(part, body) { return false }
        }
        return true
    }

    private mutating func give() {
        guard !leaves.isEmpty else { return }
        let (reader, part, depth, limit, visitor) = (readerOfParts, leaves, tree.depth, valueLimit, visitor)
        work.add { reader.part(part, depth: depth, valueLimit: limit, visitor) }
        leaves.removeAll(keepingCapacity: true)
    }

    private mutating func consume(_ part: WalkPart<Visitor>, _ body: (Visitor) -> Bool) -> Bool {
        guard body(part.visitor), part.counts.depth == tree.depth, part.counts.branchPages == 0 else { return false }
        for pages in part.pages where !reader.useOnce(pages) { return false }
        counts.leafPages += part.counts.leafPages
        counts.overflowPages += part.counts.overflowPages
        counts.entries += part.counts.entries
        return true
    }
}
