/// Charge and energy over some rows, and the time that they cover.
///
/// Between two rows, current and power are the mean of both (the trapezoid rule). Gaps contribute nothing, and neither
/// do rows at which the time does not advance. The time is that of the meter's counter between two rows that have one,
/// else that of the rows. Charge and energy are exact integers, in the channels' last decimals times milliseconds,
/// doubled because a mean may end in a half. All numbers wrap on overflow.
public struct Totals: Hashable, Sendable {
    /// The time covered, in milliseconds.
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
    /// Returns the charge of `totals` in ampere hours; `nil` if no current is measured.
    public func ampereHours(_ totals: Totals) -> Double? {
        currentChannel.map { Double(totals.charge) / 2 / 1000 / 3600 / powerOfTen(channels[$0].decimals) }
    }

    /// Returns the energy of `totals` in watt hours; `nil` if current or voltage is not measured.
    public func wattHours(_ totals: Totals) -> Double? {
        guard let current = currentChannel, let voltage = voltageChannel else { return nil }
        let decimals = channels[current].decimals + channels[voltage].decimals
        return Double(totals.energy) / 2 / 1000 / 3600 / powerOfTen(decimals)
    }

    private func powerOfTen(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { value, _ in value * 10 } }
}

extension TraceRows {
    /// Returns the totals over these rows, including the interval from the row before them, if known.
    ///
    /// - Parameter before: The row before the first one, with values in the decimals of this layout.
    /// - Complexity: O(rows).
    func totals(after before: RowReading?) -> Totals {
        var totals = Totals()
        guard let current = layout.currentChannel else { return totals }
        let voltage = layout.voltageChannel
        var gaps = marks.lazy.filter { $0.kind.isGap }.map(\.row).makeIterator()
        var gap = gaps.next()
        var last = before
        for row in 0..<count {
            let now = RowReading(
                time: times[row], tick: layout.tick.map { ($0, ticks[row]) }, current: columns[current][row],
                voltage: voltage.map { columns[$0][row] } ?? 0)
            defer { last = now }
            var isBehindGap = false
            while let next = gap, next <= row { (isBehindGap, gap) = (true, gaps.next()) }
            guard let last, !isBehindGap else { continue }
            let span = last.milliseconds(to: now)
            guard span > 0 else { continue }
            totals.covered &+= UInt64(truncatingIfNeeded: span)
            totals.charge &+= (Int128(last.current) + Int128(now.current)) &* span
            let powers = Int128(last.current) * Int128(last.voltage) &+ Int128(now.current) * Int128(now.voltage)
            totals.energy &+= powers &* span
        }
        return totals
    }

    /// Returns the last row for the totals of rows of `layout` behind it; `nil` if it lacks a channel that they
    /// integrate.
    func lastReading(for layout: Layout) -> RowReading? {
        guard let row = times.indices.last else { return nil }
        return RowReading(
            in: self.layout, time: times[row], tick: ticks.last ?? 0, for: layout, columns.map { $0[row] })
    }
}

/// What totals are computed from: the time and the values of one row.
struct RowReading: Sendable {
    var time: Int64
    /// The counter, without overflows, if there is one.
    var tick: (counter: Layout.Tick, count: Int64)?
    var current: Int64
    var voltage: Int64
}

extension RowReading {
    /// Creates the reading of a row of the layout `own`, with values in the decimals of `layout`; `nil` if it lacks a
    /// channel that `layout` integrates.
    init?(in own: Layout, time: Int64, tick: Int64, for layout: Layout, _ values: [Int64]) {
        func value(_ index: Int?) -> Int64? {
            guard let channel = index.map({ layout.channels[$0] }),
                let source = own.channels.firstIndex(where: { $0.name == channel.name && $0.unit == channel.unit })
            else { return nil }
            return Self.value(values[source], own.channels[source].decimals, in: channel.decimals)
        }
        guard let current = value(layout.currentChannel) else { return nil }
        let voltage = value(layout.voltageChannel)
        if voltage == nil, layout.voltageChannel != nil { return nil }
        self.init(time: time, tick: own.tick.map { ($0, tick) }, current: current, voltage: voltage ?? 0)
    }

    /// Returns the milliseconds from this row to `next`: by the counter, of which the milliseconds are rounded down, so
    /// that they add up; else by the times.
    func milliseconds(to next: RowReading) -> Int128 {
        guard let tick, let end = next.tick, tick.counter == end.counter else {
            return Int128(next.time) - Int128(time)
        }
        if tick.counter.hertz == 1000 { return Int128(end.count) - Int128(tick.count) }
        let hertz = Int128(tick.counter.hertz)
        return (Int128(end.count) * 1000).flooredQuotient(by: hertz)
            - (Int128(tick.count) * 1000).flooredQuotient(by: hertz)
    }

    private static func value(_ value: Int64, _ decimals: Int, in wanted: Int) -> Int64 {
        if decimals == wanted { return value }
        let factor = (0..<abs(decimals - wanted)).reduce(Int64(1)) { power, _ in power &* 10 }
        return decimals < wanted ? value &* factor : value / factor
    }
}

extension Int128 {
    /// Returns the quotient, rounded down.
    fileprivate func flooredQuotient(by divisor: Int128) -> Int128 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
