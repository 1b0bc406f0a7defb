/// What flowed over some rows: charge and energy, and over how long a time that is known.
///
/// Between two rows the current counts as the mean of both (the trapezoid rule); over a gap nothing counts. All numbers
/// are exact: integers of the channels' last decimals times units of the clock, doubled, since a mean has halves. What
/// exceeds 128 bits wraps around.
public struct Totals: Hashable, Sendable {
    /// Units of the clock that are covered: ticks where the layout has them, else milliseconds.
    public var covered: UInt64 = 0
    /// Twice current times time.
    public var charge: Int128 = 0
    /// Twice voltage times current times time.
    public var energy: Int128 = 0

    /// Nothing.
    public init() {}

    /// Adds others.
    public mutating func append(_ other: Totals) {
        covered &+= other.covered
        charge &+= other.charge
        energy &+= other.energy
    }
}

extension Layout {
    /// The channel of the current that is integrated: the first in amperes.
    public var currentChannel: Int? { channels.firstIndex { $0.unit == .ampere } }
    /// The channel of the voltage that goes with it: the first in volts.
    public var voltageChannel: Int? { channels.firstIndex { $0.unit == .volt } }
    /// How many units of the clock are a second.
    public var clockHertz: Int { tick?.hertz ?? 1000 }

    /// `totals` in ampere hours; `nil` where no current is measured.
    public func ampereHours(_ totals: Totals) -> Double? {
        currentChannel.map { Double(totals.charge) / 2 / Double(clockHertz) / 3600 / power(channels[$0].decimals) }
    }

    /// `totals` in watt hours; `nil` where current or voltage is not measured.
    public func wattHours(_ totals: Totals) -> Double? {
        guard let current = currentChannel, let voltage = voltageChannel else { return nil }
        let decimals = channels[current].decimals + channels[voltage].decimals
        return Double(totals.energy) / 2 / Double(clockHertz) / 3600 / power(decimals)
    }

    private func power(_ decimals: Int) -> Double { (0..<decimals).reduce(1) { value, _ in value * 10 } }
}

extension TraceRows {
    /// What a row has that totals are made of.
    package typealias Reading = (clock: Int64, current: Int64, voltage: Int64)

    /// What flowed over these rows, and from the row before them on where that is known.
    ///
    /// - Parameter before: The row before the first one, of the same layout.
    /// - Complexity: O(rows).
    func totals(after before: Reading?) -> Totals {
        var totals = Totals()
        guard let current = layout.currentChannel else { return totals }
        let voltage = layout.voltageChannel
        let clock = layout.tick == nil ? times : ticks
        let gaps = Set(marks.filter { $0.kind == .gap }.map(\.row))
        var last = before
        for row in 0..<count {
            let now = (
                clock: clock[row], current: columns[current][row], voltage: voltage.map { columns[$0][row] } ?? 0
            )
            defer { last = now }
            guard let last, !gaps.contains(row), now.clock > last.clock else { continue }
            let span = Int128(now.clock) - Int128(last.clock)
            totals.covered &+= UInt64(truncatingIfNeeded: span)
            totals.charge &+= (Int128(last.current) + Int128(now.current)) &* span
            let powers = Int128(last.current) * Int128(last.voltage) &+ Int128(now.current) * Int128(now.voltage)
            totals.energy &+= powers &* span
        }
        return totals
    }
}
