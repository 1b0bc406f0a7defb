/// What is said of one channel over some rows that follow one another.
///
/// Two cells that follow one another make one: so cells of blocks make those of a pyramid.
public struct Cell: Hashable, Sendable {
    /// The first value.
    public var first: Int64
    /// The last value.
    public var last: Int64
    /// The least value.
    public var least: Int64
    /// The greatest value.
    public var greatest: Int64
    /// All values together; what exceeds 128 bits wraps around.
    public var sum: Int128
    /// How many there are, at least 1.
    public var count: Int

    /// A cell of one value.
    public init(_ value: Int64) {
        (first, last, least, greatest, sum, count) = (value, value, value, value, Int128(value), 1)
    }

    /// A cell of `values`; `nil` where there are none.
    public init?(_ values: some Sequence<Int64>) {
        var cell: Cell?
        for value in values { if cell == nil { cell = Cell(value) } else { cell?.append(value) } }
        guard let cell else { return nil }
        self = cell
    }

    /// Adds the value behind these.
    @inline(__always)
    public mutating func append(_ value: Int64) {
        last = value
        least = min(least, value)
        greatest = max(greatest, value)
        sum += Int128(value)
        count += 1
    }

    /// Adds the values behind these.
    public mutating func append(_ next: Cell) {
        last = next.last
        least = min(least, next.least)
        greatest = max(greatest, next.greatest)
        sum &+= next.sum
        count &+= next.count
    }
}
