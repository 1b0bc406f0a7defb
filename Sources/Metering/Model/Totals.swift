/// Charge and energy over some rows, and the time that they cover.
///
/// Between two rows, current and power are the mean of both (the trapezoid rule). Gaps contribute nothing, and neither
/// do rows at which the clock does not advance. Charge and energy are exact integers, in the channels' last decimals
/// times units of the clock, doubled because a mean may end in a half. All numbers wrap on overflow.
public struct Totals: Hashable, Sendable {
    /// The time covered, in units of the clock: ticks if the layout has them, else milliseconds.
    public var covered: UInt64 = 0
    /// Twice the current times time: see ``Layout/ampereHours(_:)``.
    public var charge: Int128 = 0
    /// Twice the voltage times current times time: see ``Layout/wattHours(_:)``.
    public var energy: Int128 = 0

    /// Creates totals of zero.
    public init() {}

    /// Adds `other`.
    public mutating func append(_ other: Totals) {
        covered &+= other.covered
        charge &+= other.charge
        energy &+= other.energy
    }
}

extension Layout {
    /// The index of the current channel that is integrated: the first in amperes.
    public var currentChannel: Int? { channels.firstIndex { $0.unit == .ampere } }
    /// The index of the matching voltage channel: the first in volts.
    public var voltageChannel: Int? { channels.firstIndex { $0.unit == .volt } }
    /// The number of clock units per second.
    public var clockHertz: Int { tick?.hertz ?? 1000 }

    /// Returns the charge of `totals` in ampere hours; `nil` if no current is measured.
    public func ampereHours(_ totals: Totals) -> Double? {
        currentChannel.map { Double(totals.charge) / 2 / Double(clockHertz) / 3600 / powerOfTen(channels[$0].decimals) }
    }

    /// Returns the energy of `totals` in watt hours; `nil` if current or voltage is not measured.
    public func wattHours(_ totals: Totals) -> Double? {
        guard let current = currentChannel, let voltage = voltageChannel else { return nil }
        let decimals = channels[current].decimals + channels[voltage].decimals
        return Double(totals.energy) / 2 / Double(clockHertz) / 3600 / powerOfTen(decimals)
    }

    private func powerOfTen(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { value, _ in value * 10 } }
}

extension TraceRows {
    /// The values of a row that totals are computed from.
    package typealias Reading = (clock: Int64, current: Int64, voltage: Int64)

    /// Returns the totals over these rows, including the interval from the row before them, if known.
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
