import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

struct TraceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a trace: its channels, charge and energy, and missing rows.",
        discussion: """
              groundwave trace show last
              groundwave trace show last --from 2026-05-01T12:00 --to 2026-05-01T13:00

            What is shown of a whole trace comes from summaries, so it stays available when the samples are withheld.
            Of a stretch, rows at its edges count only if their samples are here: what is left out is shown.

            Calibrated channels are shown calibrated, and the corrections too; --measured shows what was measured.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name = "last"

    @OptionGroup var range: TraceRange
    @OptionGroup var shown: ValueOptions
    @OptionGroup var options: ReadOptions

    /// What is said beside ``TraceResult``.
    struct Details: Encodable {
        struct Gap: Encodable {
            var row: UInt64
            var missing: UInt64
            var how: String
        }

        var blocks: Int
        var inTail: Int
        var gaps: [Gap]
        var repeats: UInt64
        var charge: Double?
        var energy: Double?
        var energyUncertainty: Double?
        var calibrated: [CalibrationResult]?
        var coveredSeconds: Double
        var bytesPerValue: Double?
        var samples: String
        var withheld: UInt64
        var unreadable: UInt64
        var hidden: UInt64
        var stretches: [TraceStretchResult]
        var rawBytes: UInt64
        var channels: [TraceChannels.Result]
        var markers: [TraceMarkerResult]
    }

    func run() async throws {
        let store = try await options.open(needsHistory: true)
        let trace = try TraceName.resolve(name, store)
        if range.isGiven {
            let (start, end) = try range.milliseconds
            return try show(trace, from: start, to: end, in: store)
        }
        let summary = try store.summary(of: trace.id, showing: shown.values)
        let gaps = try store.gaps(of: trace.id)
        let (storage, rawCount) = (try store.storage(of: trace.id), try store.captureSize(of: trace.id))
        let sharing = try store.sharing(of: trace)
        let totals = TraceTotals(of: summary.parts)
        let channels = TraceChannels(channels: summary.channels)
        let markers = try store.markers(of: trace.id)
        let stretches = try store.hiddenStretches(of: trace.id)
        let details = Details(
            blocks: summary.blockCount, inTail: summary.tailCount,
            gaps: gaps.map { .init(row: $0.row, missing: $0.count, how: TraceText.how($0.kind)) },
            repeats: summary.repeatCount, charge: totals.charge, energy: totals.energy,
            energyUncertainty: totals.energyUncertainty, calibrated: CalibrationResult.all(summary.calibration),
            coveredSeconds: totals.coveredSeconds, bytesPerValue: storage.bytesPerValue, samples: sharing.rawValue,
            withheld: storage.withheldCount, unreadable: storage.unreadableCount, hidden: summary.hiddenCount,
            stretches: stretches.map(TraceStretchResult.init), rawBytes: rawCount, channels: channels.results,
            markers: markers.map(TraceMarkerResult.init))
        if options.json {
            return try Terminal.print(json: Joined(first: TraceResult(trace, summary), second: details))
        }
        try Terminal.print("\(trace.id)  \(TraceText.state(trace, summary))")
        var facts = TextTable(["WHAT", "VALUE"])
        if !trace.name.isEmpty { facts.append(["name", trace.name]) }
        if trace.meter != nil || trace.model != nil {
            facts.append([
                "meter", "\(trace.meter?.description ?? "?"), \(trace.model?.displayName ?? "unknown model")",
            ])
        }
        if !trace.source.isEmpty { facts.append(["from", trace.source]) }
        if let condition = trace.stoppedBy { facts.append(["ended by", condition]) }
        if let first = summary.firstTime, let last = summary.lastTime {
            facts.append(["first row", UTCText.milliseconds(first)])
            facts.append(["last row", UTCText.milliseconds(last)])
            facts.append(["span", TraceText.span(milliseconds: last &- first)])
        }
        facts.append(["rows", "\(summary.rowCount)"])
        facts.append(["missing", TraceText.missing(summary.rows)])
        facts.append(["repeated", "\(summary.repeatCount), left out"])
        totals.append(to: &facts, span: nil)
        if summary.hiddenCount > 0 { facts.append(["hidden", TraceText.hidden(summary.hiddenCount, stretches)]) }
        if !summary.calibration.isEmpty { facts.append(["calibrated", summary.calibration.formulas]) }
        if let size = details.bytesPerValue {
            facts.append([
                "stored", "\(NumberText.count(summary.blockCount, "block")), \(Self.decimal(size)) bytes a value",
            ])
        }
        facts.append(["samples", sharing == .synced ? "go to every device" : "stay where they were recorded"])
        if storage.withheldCount > 0 {
            facts.append(["not here", "the samples of \(NumberText.count(storage.withheldCount, "row"))"])
        }
        if rawCount > 0 {
            facts.append(["raw", "\(NumberText.bytes(Int(clamping: rawCount))) received from the meter and sent to it"])
        }
        if summary.tailCount > 0 {
            facts.append(["in the tail", "\(NumberText.count(summary.tailCount, "row")), not in the log yet"])
        }
        if storage.unreadableCount > 0 {
            facts.append([
                "unreadable",
                "\(NumberText.count(storage.unreadableCount, "row")): see groundwave trace verify \(trace.id.short)",
            ])
        }
        try Terminal.print(lines: facts.lines.dropFirst())
        try channels.print(in: store.temperatureUnit(of: trace))
        try TraceMarkerResult.print(table: markers)
        guard !gaps.isEmpty else { return }
        try Terminal.print("")
        var table = TextTable(["MISSING BEFORE ROW", "ROWS", "HOW"], numbersFrom: 0, to: 1)
        for gap in gaps.prefix(20) { table.append(["\(gap.row)", "\(gap.count)", TraceText.how(gap.kind)]) }
        try table.print()
        if gaps.count > 20 { try Terminal.print("… and \(gaps.count - 20) more: --json lists them all.") }
    }

    private static func decimal(_ value: Double) -> String { TraceText.decimal(Int128((value * 1000).rounded()), 3) }
}
