/// The corrections of the channels of a trace: what is shown is computed from what was measured.
///
/// The corrected rows and summaries are for readers. What is stored, and what is compared with it, is always measured.
public struct Calibration: Hashable, Sendable {
    /// The correction of one channel.
    public struct Item: Hashable, Sendable, CustomStringConvertible {
        /// The name of the channel.
        public let name: String
        /// Its unit: a channel of the same name in another unit is not corrected.
        public let unit: Channel.Unit
        /// Its correction.
        public let correction: ChannelCorrection

        /// Creates the correction of a channel.
        public init(_ name: String, _ unit: Channel.Unit, _ correction: ChannelCorrection) {
            (self.name, self.unit, self.correction) = (name, unit, correction)
        }

        /// The correction as a formula: `current × 1.003 − 0.0012 A`.
        public var description: String { "\(name) \(correction.formula(in: unit))" }
    }

    /// The corrections that change something, at most one for a name and unit.
    public let items: [Item]

    /// The calibration that changes nothing.
    public static let none = Calibration([])

    /// Creates a calibration of `items`, without those that change nothing. Of two for one channel the first counts.
    public init(_ items: [Item]) {
        var kept: [Item] = []
        for item in items where !kept.contains(where: { $0.name == item.name && $0.unit == item.unit }) {
            kept.append(item)
        }
        self.items = kept.filter { $0.correction != .identity }
    }

    /// Whether it changes nothing.
    public var isEmpty: Bool { items.isEmpty }

    /// Returns the calibration of those of `channels` that it corrects, in their order.
    public func limited(to channels: [Channel]) -> Calibration {
        Calibration(
            channels.compactMap { channel in items.first { $0.name == channel.name && $0.unit == channel.unit } })
    }

    /// The corrections as text: `calibrated: current × 1.003 − 0.0012 A`; `nil` if there are none.
    public var text: String? { items.isEmpty ? nil : "calibrated: \(formulas)" }

    /// The formulas of all corrections; empty if there are none.
    public var formulas: String { items.map(\.description).joined(separator: ", ") }

    /// Returns for each channel of `layout` how its integers are corrected; `nil` where they are not.
    func maps(of layout: Layout) -> [LinearMap?] {
        layout.channels.map { channel in
            items.first { $0.name == channel.name && $0.unit == channel.unit }.map {
                LinearMap($0.correction, decimals: channel.decimals)
            }
        }
    }
}

extension TraceRows {
    /// Returns these rows with corrected values. What a row lacks it still lacks.
    ///
    /// - Complexity: O(values of corrected channels).
    public func calibrated(by calibration: Calibration) -> TraceRows {
        if calibration.isEmpty { return self }
        var rows = self
        for (channel, map) in calibration.maps(of: layout).enumerated() {
            guard let map else { continue }
            for row in 0..<count where has(channel, at: row) {
                rows.columns[channel][row] = map.value(columns[channel][row])
            }
        }
        return rows
    }
}

extension JoinedSummary {
    /// Returns the summary of the same rows with corrected values: see ``BlockSummary/calibrated(by:)``.
    public func calibrated(by calibration: Calibration) -> JoinedSummary {
        if calibration.isEmpty { return self }
        var joined = self
        joined.parts = parts.map { $0.calibrated(by: calibration) }
        return joined
    }
}

extension BlockSummary {
    /// Returns the summary of the same rows with corrected values.
    ///
    /// First, last, least and greatest values are those of the corrected rows. Sums and charge are corrected as a whole and
    /// rounded once, which is more exact than adding rounded values. The energy is rounded three times on the way, which
    /// moves it by less than a nanowatt hour for each volt of an offset. If the current has an offset, the energy
    /// depends on the voltage over time, which is not stored. The mean voltage of the rows is taken, and
    /// ``Totals/energyUncertainty`` says how far off that may be, apart from intervals at which the layout changes.
    public func calibrated(by calibration: Calibration) -> BlockSummary {
        let maps = calibration.maps(of: layout)
        guard maps.contains(where: { $0 != nil }) else { return self }
        var summary = self
        summary.cells = zip(cells, maps).map { cell, map in map.map { cell.corrected(by: $0) } ?? cell }
        summary.totals = correctedTotals(maps)
        return summary
    }

    private func correctedTotals(_ maps: [LinearMap?]) -> Totals {
        guard let current = layout.currentChannel else { return totals }
        let currentMap = maps[current]
        var corrected = totals
        if let currentMap { corrected.charge = currentMap.sum(totals.charge, of: 2 &* Int128(totals.covered)) }
        guard let voltage = layout.voltageChannel else { return corrected }
        // First the current alone: volts as measured times corrected amperes.
        if let currentMap { corrected.correctCurrentOfEnergy(by: currentMap, volts: cells[voltage]) }
        guard let voltageMap = maps[voltage] else {
            widen(&corrected, currentMap, nil)
            return corrected
        }
        let charge = corrected.charge
        corrected.energy = LinearMap.rounded(
            corrected.energy &* voltageMap.multiplier &+ voltageMap.addend &* charge, voltageMap.divisor)
        corrected.energyUncertainty = voltageMap.widened(corrected.energyUncertainty)
        widen(&corrected, currentMap, voltageMap)
        return corrected
    }

    /// Widens the uncertainty of the energy where an offset acts for a time that is not known: rows with a current and no
    /// voltage count for the charge, and not for the energy.
    private func widen(_ corrected: inout Totals, _ currentMap: LinearMap?, _ voltageMap: LinearMap?) {
        guard let current = layout.currentChannel, let voltage = layout.voltageChannel,
            UInt64(cells[current].count) != count || UInt64(cells[voltage].count) != count
        else { return }
        let doubled = 2 &* Int128(totals.covered)
        var most: Int128 = 0
        if let currentMap {
            let volts = cells[voltage].corrected(by: voltageMap).greatestMagnitude
            most &+= doubled &* volts &* Int128(currentMap.addend.magnitude) / currentMap.divisor
        }
        if let voltageMap {
            let amperes = cells[current].corrected(by: currentMap).greatestMagnitude
            most &+= doubled &* amperes &* Int128(voltageMap.addend.magnitude) / voltageMap.divisor
        }
        // What was counted and what is true both lie within it.
        corrected.energyUncertainty &+= 2 &* most
    }
}

extension Totals {
    /// Corrects the current in the energy. Its offset acts on the mean of the voltage over the covered time, which lies
    /// between the least and the greatest voltage; that of the rows is taken for it.
    fileprivate mutating func correctCurrentOfEnergy(by map: LinearMap, volts: Cell) {
        let doubled = 2 &* Int128(covered)
        let counted = Int128(max(1, volts.count))
        let overTime = LinearMap.rounded(doubled &* volts.sum, counted)
        energy = LinearMap.rounded(energy &* map.multiplier &+ map.addend &* overTime, map.divisor)
        let (above, below) = (
            Int128(volts.greatest) &* doubled &- overTime, overTime &- Int128(volts.least) &* doubled
        )
        let offset = Int128(map.addend.magnitude)
        // Rounded up, so that it stays a bound.
        energyUncertainty = offset == 0 ? 0 : (max(above, below, 0) &* offset) / map.divisor &+ 1
    }
}

extension LinearMap {
    /// Returns how far a corrected sum may be off if the measured one may be by `uncertainty`, rounded up.
    fileprivate func widened(_ uncertainty: Int128) -> Int128 {
        (uncertainty &* Int128(multiplier.magnitude) &+ (divisor - 1)) / divisor
    }
}

extension Cell {
    /// Returns the cell of the corrected values. The sum is that of values that are not rounded one by one.
    fileprivate func corrected(by map: LinearMap?) -> Cell {
        guard let map else { return self }
        var cell = self
        (cell.first, cell.last) = (map.value(first), map.value(last))
        let ends = (map.value(least), map.value(greatest))
        // A negative factor turns them round.
        (cell.least, cell.greatest) = (min(ends.0, ends.1), max(ends.0, ends.1))
        cell.sum = map.sum(sum, of: Int128(count))
        return cell
    }

    fileprivate var greatestMagnitude: Int128 { Int128(max(least.magnitude, greatest.magnitude)) }
}
