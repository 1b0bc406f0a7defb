/// Charge and energy over some rows, and the time that they cover.
///
/// Between two rows, current and power are the mean of both (the trapezoid rule). Rows without a current are passed over,
/// and for the energy those without a voltage. Gaps contribute nothing, and neither do rows at which the time does not
/// advance. The time is that of the meter's counter between two rows that have one,
/// else that of the rows. Charge and energy are exact integers, in the channels' last decimals times milliseconds,
/// doubled because a mean may end in a half. All numbers wrap on overflow.
public struct Totals: Hashable, Sendable {
    /// The time that the charge covers, in milliseconds.
    public var covered: UInt64 = 0
    /// Twice the current times time: see ``Layout/ampereHours(_:)``.
    public var charge: Int128 = 0
    /// Twice the voltage times current times time: see ``Layout/wattHours(_:)``.
    public var energy: Int128 = 0
    /// How far ``energy`` may be from that of the corrected values before they are rounded, in its unit. More than 0 only of
    /// calibrated totals, see ``BlockSummary/calibrated(by:)``, and never stored.
    public var energyUncertainty: Int128 = 0

    /// Creates totals of zero.
    public init() {}

    /// Adds `other`.
    public mutating func append(_ other: Totals) {
        covered &+= other.covered
        charge &+= other.charge
        energy &+= other.energy
        energyUncertainty &+= other.energyUncertainty
    }

    /// Subtracts `other`, which is a part of these totals.
    public mutating func subtract(_ other: Totals) {
        covered &-= other.covered
        charge &-= other.charge
        energy &-= other.energy
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
    public func wattHours(_ totals: Totals) -> Double? { wattHours(totals.energy) }

    /// Returns how far the energy of `totals` may be from the true one, in watt hours: see
    /// ``Totals/energyUncertainty``; `nil` if current or voltage is not measured.
    public func wattHoursUncertainty(_ totals: Totals) -> Double? { wattHours(totals.energyUncertainty) }

    private func wattHours(_ energy: Int128) -> Double? {
        guard let current = currentChannel, let voltage = voltageChannel else { return nil }
        let decimals = channels[current].decimals + channels[voltage].decimals
        return Double(energy) / 2 / 1000 / 3600 / powerOfTen(decimals)
    }

    private func powerOfTen(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { value, _ in value * 10 } }
}

extension TraceRows {
    /// Returns the totals over these rows, including the interval from the row before them, if known.
    ///
    /// - Complexity: O(rows).
    func totals(after before: RowBefore?) -> Totals {
        var totals = Totals()
        guard let current = layout.currentChannel else { return totals }
        let voltage = layout.voltageChannel
        var gaps = marks.lazy.filter { $0.kind.isGap }.map(\.row).makeIterator()
        var gap = gaps.next()
        let reading = before?.reading(for: layout)
        var (charges, energies) = (TotalsWalk(last: reading), TotalsWalk(last: reading?.voltage == nil ? nil : reading))
        for row in 0..<count {
            while let next = gap, next <= row {
                (charges.isBehindGap, energies.isBehindGap) = (true, true)
                gap = gaps.next()
            }
            guard has(current, at: row) else { continue }
            let now = RowReading(
                time: times[row], counter: layout.tick, tick: tick(at: row), current: columns[current][row],
                voltage: voltage.flatMap { has($0, at: row) ? columns[$0][row] : nil })
            if let (last, span) = charges.step(to: now) {
                totals.covered &+= UInt64(truncatingIfNeeded: span)
                totals.charge &+= (Int128(last.current) + Int128(now.current)) &* span
            }
            if now.voltage != nil, let (last, span) = energies.step(to: now) {
                totals.energy &+= (last.power &+ now.power) &* span
            }
        }
        return totals
    }
}

extension TraceRows {
    /// The last row; `nil` if there is none.
    public var lastRow: RowBefore? { RowBefore(lastOf: self) }
}

extension BlockSummary {
    /// The last row.
    public var lastRow: RowBefore { RowBefore(lastOf: self) }
}

/// The row before others, from which on their time, charge and energy are counted.
public struct RowBefore: Hashable, Sendable {
    /// Its time, in milliseconds since 1970.
    public let time: Int64
    private let counter: Layout.Tick?
    private let tick: Int64?
    private let channels: [Channel]
    /// The values of these channels, `nil` for one that the row lacks.
    private let values: [Int64?]

    fileprivate init?(lastOf rows: TraceRows) {
        guard let row = rows.times.indices.last else { return nil }
        time = rows.times[row]
        (counter, tick) = (rows.layout.tick, rows.tick(at: row))
        channels = rows.layout.channels
        values = channels.indices.map { rows.has($0, at: row) ? rows.columns[$0][row] : nil }
    }

    fileprivate init(lastOf block: BlockSummary) {
        let pattern = block.patterns.last ?? RowPattern(all: block.layout)
        time = block.lastTime
        (counter, tick) = (block.layout.tick, pattern.hasTick ? block.lastTick : nil)
        channels = block.layout.channels
        values = channels.indices.map { pattern.has($0) ? block.cells[$0].last : nil }
    }

    /// Returns what the row says for totals in the decimals of `layout`; `nil` if it has no current.
    func reading(for layout: Layout) -> RowReading? {
        func value(_ index: Int?) -> Int64? {
            guard let channel = index.map({ layout.channels[$0] }),
                let source = channels.firstIndex(where: { $0.name == channel.name && $0.unit == channel.unit })
            else { return nil }
            return values[source].map { Self.value($0, channels[source].decimals, in: channel.decimals) }
        }
        guard let current = value(layout.currentChannel) else { return nil }
        return RowReading(
            time: time, counter: counter, tick: tick, current: current, voltage: value(layout.voltageChannel))
    }

    private static func value(_ value: Int64, _ decimals: Int, in wanted: Int) -> Int64 {
        if decimals == wanted { return value }
        let factor = (0..<abs(decimals - wanted)).reduce(Int64(1)) { power, _ in power &* 10 }
        return decimals < wanted ? value &* factor : value / factor
    }
}

/// What totals are computed from: the time and the values of one row.
struct RowReading: Sendable {
    var time: Int64
    var counter: Layout.Tick?
    /// The counter, without overflows; `nil` if the row has none.
    var tick: Int64?
    var current: Int64
    /// The voltage; `nil` if the row has none.
    var voltage: Int64?

    /// The power; 0 without a voltage.
    var power: Int128 { Int128(current) * Int128(voltage ?? 0) }

    /// Returns the milliseconds from this row to `next`: by the counter, of which the milliseconds are rounded down, so
    /// that they add up; else by the times.
    func milliseconds(to next: RowReading) -> Int128 {
        guard let tick, let end = next.tick, let counter, counter == next.counter else {
            return Int128(next.time) - Int128(time)
        }
        if counter.hertz == 1000 { return Int128(end) - Int128(tick) }
        let hertz = Int128(counter.hertz)
        return (Int128(end) * 1000).flooredQuotient(by: hertz) - (Int128(tick) * 1000).flooredQuotient(by: hertz)
    }
}

/// A walk over the rows that have what is integrated.
private struct TotalsWalk {
    /// The last of these rows.
    var last: RowReading?
    /// Whether rows are missing since.
    var isBehindGap = false

    /// Goes on to `now`; returns the row before and the milliseconds between both, if they count.
    mutating func step(to now: RowReading) -> (from: RowReading, span: Int128)? {
        defer { (last, isBehindGap) = (now, false) }
        guard let last, !isBehindGap else { return nil }
        let span = last.milliseconds(to: now)
        return span > 0 ? (last, span) : nil
    }
}

extension Int128 {
    /// Returns the quotient, rounded down.
    fileprivate func flooredQuotient(by divisor: Int128) -> Int128 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
