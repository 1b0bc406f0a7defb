import Groundwave
import GroundwaveMetering
import GroundwaveMeters

extension TraceShow {
    /// A stretch as JSON.
    struct Stretch: Encodable {
        var id: String
        var name: String
        var from: String?
        var to: String?
        var first: String?
        var last: String?
        var rows: UInt64
        var missing: UInt64
        var gaps: UInt64
        var repeats: UInt64
        var charge: Double?
        var energy: Double?
        var coveredSeconds: Double
        var withheld: UInt64
        var unreadable: UInt64
        var channels: [TraceChannels.Result]
    }

    /// Shows the rows from `start` up to `end`, in milliseconds since 1970.
    func show(_ trace: Trace, from start: Int64, to end: Int64, in store: some Reading) throws {
        let summary = try store.summary(of: trace.id, from: start, to: end)
        let rows = summary.rows
        let totals = TraceTotals(of: rows.parts)
        let channels = TraceChannels(channels: summary.channels)
        if options.json {
            try Terminal.print(
                json: Stretch(
                    id: "\(trace.id)", name: trace.name, from: start == .min ? nil : UTCText.milliseconds(start),
                    to: end == .max ? nil : UTCText.milliseconds(end), first: rows.leastTime.map(UTCText.milliseconds),
                    last: rows.greatestTime.map(UTCText.milliseconds), rows: rows.rowCount, missing: rows.missingCount,
                    gaps: rows.gapCount, repeats: rows.repeatCount, charge: totals.charge, energy: totals.energy,
                    coveredSeconds: totals.coveredSeconds, withheld: summary.withheldCount,
                    unreadable: summary.unreadableCount, channels: channels.results))
        } else {
            let limits = [
                start == .min ? nil : "from \(UTCText.milliseconds(start))",
                end == .max ? nil : "to \(UTCText.milliseconds(end))",
            ]
            try Terminal.print("\(trace.id)  \(limits.compactMap { $0 }.joined(separator: " "))")
            try Terminal.print(lines: facts(of: summary, totals).lines.dropFirst())
            try channels.print()
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

extension TraceText {
    /// The number of missing rows, of gaps, and how they were told: `82 in 3 gaps (counted 80, estimated 2)`.
    static func missing(_ rows: JoinedSummary) -> String {
        "\(rows.missingCount) in \(NumberText.count(rows.gapCount, "gap"))\(how(rows.missing))"
    }
}
