import Groundwave
import GroundwaveMeters
import GroundwaveWording

/// What `trace show --from --to` and each side of `trace compare` say of a stretch as JSON.
struct StretchResult: Encodable {
    let id: String
    let name: String
    let first: String?
    let last: String?
    let rows: UInt64
    let missing: UInt64
    let gaps: UInt64
    let repeats: UInt64
    let charge: Double?
    let energy: Double?
    let energyUncertainty: Double?
    let calibrated: [CalibrationResult]?
    let coveredSeconds: Double
    let withheld: UInt64
    let unreadable: UInt64
    let hidden: UInt64

    init(_ stretch: StretchSummary, of trace: Trace, _ totals: TraceTotals) {
        let rows = stretch.rows
        (id, name) = ("\(trace.id)", trace.name)
        (first, last) = (rows.leastTime.map(UTCText.milliseconds), rows.greatestTime.map(UTCText.milliseconds))
        (self.rows, missing, gaps, repeats) = (rows.rowCount, rows.missingCount, rows.gapCount, rows.repeatCount)
        (charge, energy, energyUncertainty) = (totals.charge, totals.energy, totals.energyUncertainty)
        calibrated = CalibrationResult.all(stretch.calibration)
        coveredSeconds = totals.coveredSeconds
        (withheld, unreadable, hidden) = (stretch.withheldCount, stretch.unreadableCount, stretch.hiddenCount)
    }
}
