/// The summary of one channel over consecutive rows.
///
/// Adjacent cells can be joined, so the cells of a pyramid are built from those of blocks.
public struct Cell: Hashable, Sendable {
    /// The first value.
    public var first: Int64
    /// The last value.
    public var last: Int64
    /// The least value.
    public var least: Int64
    /// The greatest value.
    public var greatest: Int64
    /// The sum of all values; it wraps beyond 128 bits.
    public var sum: Int128
    /// The number of values, at least 1.
    public var count: Int

    /// Creates a cell of one value.
    @inlinable
    public init(_ value: Int64) {
        (first, last, least, greatest, sum, count) = (value, value, value, value, Int128(value), 1)
    }

    /// Creates a cell of `values`; `nil` if there are none.
    @inlinable
    public init?(_ values: some Sequence<Int64>) {
        var cell: Cell?
        for value in values { if cell == nil { cell = Cell(value) } else { cell?.append(value) } }
        guard let cell else { return nil }
        self = cell
    }

    /// Appends the next value.
    @inlinable @inline(__always)
    public mutating func append(_ value: Int64) {
        last = value
        least = min(least, value)
        greatest = max(greatest, value)
        sum += Int128(value)
        count += 1
    }

    /// Appends the cell of the next values.
    public mutating func append(_ next: Cell) {
        last = next.last
        least = min(least, next.least)
        greatest = max(greatest, next.greatest)
        sum &+= next.sum
        count &+= next.count
    }
}
