import GroundwaveMetering

/// Charge, energy and the time that they cover, over the rows of all layouts.
package struct TraceTotals {
    package var charge: Double?
    package var energy: Double?
    /// How far the energy may be off, in watt hours; `nil` if it is exact.
    package var energyUncertainty: Double?
    package var coveredMilliseconds: UInt64

    package init(of parts: [BlockSummary]) {
        let charges = parts.compactMap { $0.layout.ampereHours($0.totals) }
        let energies = parts.compactMap { $0.layout.wattHours($0.totals) }
        charge = charges.isEmpty ? nil : charges.reduce(0, +)
        energy = energies.isEmpty ? nil : energies.reduce(0, +)
        let uncertainty = parts.compactMap { $0.layout.wattHoursUncertainty($0.totals) }.reduce(0, +)
        energyUncertainty = uncertainty > 0 ? uncertainty : nil
        coveredMilliseconds = parts.reduce(0) { $0 &+ $1.totals.covered }
    }

    /// The energy with its unit, and how exact it is if a calibration makes that a question.
    package var energyText: String? {
        guard let energy else { return nil }
        let exact = energyUncertainty.map { ", to within \(TraceText.quantity($0, "Wh"))" } ?? ""
        return TraceText.quantity(energy, "Wh") + exact
    }

    package var coveredSeconds: Double { Double(coveredMilliseconds) / 1000 }
}
