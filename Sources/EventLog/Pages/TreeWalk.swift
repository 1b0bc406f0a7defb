/// The pages and rows found in a tree, for comparison with its record.
struct TreeCounts: Hashable {
    var depth = 0
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0

    init() {}

    init(_ record: TreeRecord) {
        depth = record.depth
        branchPages = record.branchPages
        leafPages = record.leafPages
        overflowPages = record.overflowPages
        entries = record.entries
    }
}

/// The parameters and counts of one walk through one tree.
struct TreeWalk {
    let order: KeyOrder
    let holdsTables: Bool
    let valueLimit: Int
    var counts = TreeCounts()
}
