/// How much of a tree was met, to be held against its record.
package struct TreeCounts: Hashable {
    var depth = 0
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    package var entries: UInt64 = 0

    init() {}

    package init(_ record: TreeRecord) {
        depth = record.depth
        branchPages = record.branchPages
        leafPages = record.leafPages
        overflowPages = record.overflowPages
        entries = record.entries
    }
}

/// One walk through one tree: what holds for all of its pages, and what was met so far.
struct TreeWalk {
    let order: KeyOrder
    let holdsTables: Bool
    let valueLimit: Int
    var counts = TreeCounts()
}
