/// How the series of a kind's records is summarised in cells. A cell of level 1 covers a fixed number of items, and a
/// cell of each further level a fixed multiple of that.
///
/// A block belongs to the cell of its first item. So a cell is built from the summaries of its blocks alone, in any
/// order.
public struct SeriesSchema: Sendable {
    /// The number of items that a cell of level 1 covers.
    public let itemsPerCell: UInt64
    /// The ratio of the items of a cell to those of a cell one level below.
    public let factor: UInt64
    /// The number of levels.
    public let levelCount: Int
    /// Increased when ``add`` makes another content of the same summaries: the cells are then built anew.
    public let version: UInt32
    /// Adds the summary of a block to the content of a cell, which is `nil` if there is none yet. Returns `nil` if
    /// the summary cannot be read: then the block is in no cell.
    ///
    /// Blocks nearly always arrive in order, but the content of a cell must be right for every order.
    public let add: @Sendable (_ summary: RawSpan, _ cell: [UInt8]?) -> [UInt8]?

    /// Cells of these sizes.
    public init(
        itemsPerCell: UInt64, factor: UInt64 = 16, levelCount: Int, version: UInt32 = 1,
        add: @escaping @Sendable (_ summary: RawSpan, _ cell: [UInt8]?) -> [UInt8]?
    ) {
        precondition(itemsPerCell >= 1 && factor >= 2 && levelCount >= 1 && levelCount <= 8, "A cell has items.")
        (self.itemsPerCell, self.factor, self.levelCount, self.version) = (itemsPerCell, factor, levelCount, version)
        self.add = add
    }

    /// The number of items that a cell of `level`, from 1 on, covers.
    public func items(at level: Int) -> UInt64 {
        (1..<level).reduce(itemsPerCell) { items, _ in items.multipliedReportingOverflow(by: factor).partialValue }
    }
}
