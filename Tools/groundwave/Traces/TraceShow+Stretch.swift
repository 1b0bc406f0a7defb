import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

extension TraceShow {
    /// A stretch as JSON.
    struct Stretch: Encodable {
        var from: String?
        var to: String?
        let stretch: StretchResult
        var channels: [TraceChannels.Result]
        var markers: [TraceMarkerResult]

        private enum CodingKeys: String, CodingKey { case from, to, channels, markers }

        func encode(to encoder: any Encoder) throws {
            try stretch.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(from, forKey: .from)
            try container.encodeIfPresent(to, forKey: .to)
            try container.encode(channels, forKey: .channels)
            try container.encode(markers, forKey: .markers)
        }
    }

    /// Shows the rows from `start` up to `end`, in milliseconds since 1970.
    func show(_ trace: Trace, from start: Int64, to end: Int64, in store: some Reading) throws {
        let summary = try store.summary(of: trace.id, showing: shown.values, from: start, to: end)
        let totals = TraceTotals(of: summary.rows.parts)
        let channels = TraceChannels(channels: summary.channels)
        let markers = try store.markers(of: trace.id).filter { $0.time >= start && $0.time < end }
        if options.json {
            try Terminal.print(
                json: Stretch(
                    from: start == .min ? nil : UTCText.milliseconds(start),
                    to: end == .max ? nil : UTCText.milliseconds(end),
                    stretch: StretchResult(summary, of: trace, totals), channels: channels.results,
                    markers: markers.map(TraceMarkerResult.init)))
        } else {
            let limits = [
                start == .min ? nil : "from \(UTCText.milliseconds(start))",
                end == .max ? nil : "to \(UTCText.milliseconds(end))",
            ]
            try Terminal.print("\(trace.id)  \(limits.compactMap { $0 }.joined(separator: " "))")
            try Terminal.print(lines: facts(of: summary, totals).lines.dropFirst())
            try channels.print(in: store.temperatureUnit(of: trace))
            try TraceMarkerResult.print(table: markers)
        }
        if summary.unreadableCount > 0 { throw Answer.inPart }
    }

    private func facts(of summary: StretchSummary, _ totals: TraceTotals) -> TextTable {
        let rows = summary.rows
        var facts = TextTable(["WHAT", "VALUE"])
        facts.append(["rows", "\(rows.rowCount)"])
        var span: Int64?
        if let first = rows.leastTime, let last = rows.greatestTime {
            facts.append(["first row", UTCText.milliseconds(first)])
            facts.append(["last row", UTCText.milliseconds(last)])
            span = last &- first
        }
        facts.append(["missing", TraceText.missing(rows)])
        facts.append(["repeated", "\(rows.repeatCount), left out"])
        totals.append(to: &facts, span: span)
        if summary.hiddenCount > 0 {
            facts.append(["hidden", "\(NumberText.count(summary.hiddenCount, "row")): none of them counts"])
        }
        if !summary.calibration.isEmpty { facts.append(["calibrated", summary.calibration.formulas]) }
        if summary.withheldCount > 0 {
            let count = NumberText.count(summary.withheldCount, "row")
            facts.append(["not here", "the samples of \(count) across the edges: none of these rows counts"])
        }
        if summary.unreadableCount > 0 {
            let count = NumberText.count(summary.unreadableCount, "row")
            facts.append(["unreadable", "\(count) are not counted: see groundwave trace verify \(name)"])
        }
        return facts
    }
}
