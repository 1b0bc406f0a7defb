import Groundwave
import GroundwaveMetering
import GroundwaveMeters

/// A trace as JSON: the keys of it in `trace list`, and the first ones in `trace show`.
struct TraceResult: Encodable {
    var id: String
    var name: String
    var mac: String?
    var model: String?
    var state: String
    var first: String?
    var last: String?
    var rows: UInt64
    var missing: UInt64
    var stoppedBy: String?

    init(_ trace: Trace, _ summary: TraceSummary) {
        id = "\(trace.id)"
        name = trace.name
        mac = trace.meter?.description
        model = trace.model?.rawValue
        state = TraceText.state(trace, summary)
        first = summary.firstTime.map(UTCText.milliseconds)
        last = summary.lastTime.map(UTCText.milliseconds)
        rows = summary.rowCount
        missing = summary.missingCount
        stoppedBy = trace.stoppedBy
    }
}

/// A channel of a trace as JSON, its values as exact decimals.
struct ChannelResult: Encodable {
    var name: String
    var unit: String
    var decimals: Int
    var min: String
    var max: String
    var mean: String
    var first: String
    var last: String

    init(_ channel: Channel, _ cell: Cell) {
        (name, unit, decimals) = (channel.name, channel.unit.rawValue, channel.decimals)
        func text(_ value: Int128) -> String { TraceText.decimal(value, channel.decimals) }
        (min, max, mean) = (text(Int128(cell.least)), text(Int128(cell.greatest)), text(cell.mean))
        (first, last) = (text(Int128(cell.first)), text(Int128(cell.last)))
    }
}

extension Cell {
    /// The mean in the last decimal of the values, rounded to the nearest.
    var mean: Int128 {
        let half = sum < 0 ? -Int128(count) / 2 : Int128(count) / 2
        return (sum &+ half) / Int128(count)
    }
}

extension TraceSummary {
    /// The charge in ampere hours; `nil` if no current is measured.
    var ampereHours: Double? { sum { $0.layout.ampereHours($0.totals) } }

    /// The energy in watt hours; `nil` if current or voltage is not measured.
    var wattHours: Double? { sum { $0.layout.wattHours($0.totals) } }

    /// The time that charge and energy cover, without gaps.
    var coveredMilliseconds: UInt64 { parts.reduce(0) { $0 &+ $1.totals.covered } }

    private func sum(_ total: (BlockSummary) -> Double?) -> Double? {
        let totals = parts.compactMap(total)
        return totals.isEmpty ? nil : totals.reduce(0, +)
    }
}
