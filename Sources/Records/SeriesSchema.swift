/// How the series of a kind's records is summed up in cells: those of level 1 are for so many items each, those of each
/// further level for so many times more.
///
/// A block counts in the cell that its first item falls into. So a cell is made of the summaries of its blocks alone, in
/// any order.
public struct SeriesSchema: Sendable {
    /// How many items a cell of level 1 is for.
    public let itemsPerCell: UInt64
    /// How many times more items a cell of each further level is for.
    public let factor: UInt64
    /// How many levels there are.
    public let levelCount: Int
    /// Adds what is said of a block to what is said of a cell; `nil` for none yet. Returns `nil` where that cannot be read:
    /// the block is in no cell then.
    ///
    /// Blocks nearly always come in order. What a cell says has to be right in whatever order they came.
    public let add: @Sendable (_ summary: RawSpan, _ cell: [UInt8]?) -> [UInt8]?

    /// Cells of these sizes.
    public init(
        itemsPerCell: UInt64, factor: UInt64 = 16, levelCount: Int,
        add: @escaping @Sendable (_ summary: RawSpan, _ cell: [UInt8]?) -> [UInt8]?
    ) {
        precondition(itemsPerCell >= 1 && factor >= 2 && levelCount >= 1 && levelCount <= 8, "A cell has items.")
        (self.itemsPerCell, self.factor, self.levelCount, self.add) = (itemsPerCell, factor, levelCount, add)
    }

    /// How many items a cell of `level`, from 1 on, is for.
    public func items(at level: Int) -> UInt64 {
        (1..<level).reduce(itemsPerCell) { items, _ in items.multipliedReportingOverflow(by: factor).partialValue }
    }
}
