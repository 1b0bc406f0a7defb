import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveMeters

struct TraceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a trace: its channels, charge and energy, and missing rows.",
        discussion: """
              groundwave trace show last

            Everything shown here comes from summaries, so it stays available when the samples are withheld.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name = "last"

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
        var coveredSeconds: Double
        var bytesPerValue: Double?
        var samples: String
        var withheld: UInt64
        var unreadable: UInt64
        var rawBytes: UInt64
        var channels: [ChannelResult]
    }

    func run() async throws {
        let store = try await options.open()
        let trace = try TraceName.resolve(name, store)
        let summary = try store.summary(of: trace.id)
        let gaps = try store.gaps(of: trace.id)
        let (storage, rawCount) = (try store.storage(of: trace.id), try store.captureSize(of: trace.id))
        let sharing = try store.sharing(of: trace)
        let details = details(summary, gaps, storage, sharing, rawCount)
        if options.json {
            return try Terminal.print(json: Joined(first: TraceResult(trace, summary), second: details))
        }
        try Terminal.print("\(trace.id)  \(TraceText.state(trace, summary))")
        var facts = TextTable(["WHAT", "VALUE"])
        if !trace.name.isEmpty { facts.append(["name", trace.name]) }
        facts.append(["meter", "\(trace.meter?.description ?? "?"), \(trace.model?.displayName ?? "unknown model")"])
        if !trace.source.isEmpty { facts.append(["from", trace.source]) }
        if let condition = trace.stoppedBy { facts.append(["ended by", condition]) }
        if let first = summary.firstTime, let last = summary.lastTime {
            facts.append(["first row", UTCText.milliseconds(first)])
            facts.append(["last row", UTCText.milliseconds(last)])
            facts.append(["span", TraceText.span(milliseconds: last &- first)])
        }
        facts.append(["rows", "\(summary.rowCount)"])
        let gapCount = NumberText.count(summary.gapCount, "gap")
        facts.append(["missing", "\(summary.missingCount) in \(gapCount)\(TraceText.how(summary.rows.missing))"])
        facts.append(["repeated", "\(summary.repeatCount), left out"])
        if let charge = details.charge { facts.append(["charge", TraceText.quantity(charge, "Ah")]) }
        if let energy = details.energy { facts.append(["energy", TraceText.quantity(energy, "Wh")]) }
        if details.charge != nil {
            let milliseconds = Int64(exactly: (details.coveredSeconds * 1000).rounded()) ?? .max
            let covered = TraceText.span(milliseconds: milliseconds)
            facts.append(["covered", "\(covered), without gaps"])
        }
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
        try printChannels(summary)
        guard !gaps.isEmpty else { return }
        try Terminal.print("")
        var table = TextTable(["MISSING BEFORE ROW", "ROWS", "HOW"], numbersFrom: 0, to: 1)
        for gap in gaps.prefix(20) { table.append(["\(gap.row)", "\(gap.count)", TraceText.how(gap.kind)]) }
        try table.print()
        if gaps.count > 20 { try Terminal.print("… and \(gaps.count - 20) more: --json lists them all.") }
    }

    private func printChannels(_ summary: TraceSummary) throws {
        let channels = summary.channels
        if channels.isEmpty { return }
        try Terminal.print("")
        var table = TextTable(["CHANNEL", "LEAST", "MEAN", "GREATEST", "LAST", "UNIT"], numbersFrom: 1)
        // A meter of ten groups sends twenty totals that nobody uses.
        let silent = channels.filter { $0.cell.least == 0 && $0.cell.greatest == 0 }.map(\.channel.name)
        for (channel, cell) in channels where !silent.contains(channel.name) {
            table.append([
                channel.name, TraceText.decimal(Int128(cell.least), channel.decimals),
                TraceText.decimal(cell.mean, channel.decimals),
                TraceText.decimal(Int128(cell.greatest), channel.decimals),
                TraceText.decimal(Int128(cell.last), channel.decimals), channel.unit.rawValue,
            ])
        }
        if silent.count < channels.count { try table.print() }
        if !silent.isEmpty {
            let rest = silent.count > 8 ? " and \(silent.count - 6) more" : ""
            let named = rest.isEmpty ? silent[...] : silent.prefix(6)
            try Terminal.print("0 throughout: \(named.joined(separator: ", "))\(rest).")
        }
    }

    private func details(
        _ summary: TraceSummary, _ gaps: [TraceGap], _ storage: TraceStorage, _ sharing: SampleSharing,
        _ rawCount: UInt64
    ) -> Details {
        Details(
            blocks: summary.blockCount, inTail: summary.tailCount,
            gaps: gaps.map { .init(row: $0.row, missing: $0.count, how: TraceText.how($0.kind)) },
            repeats: summary.repeatCount,
            charge: summary.ampereHours, energy: summary.wattHours,
            coveredSeconds: Double(summary.coveredMilliseconds) / 1000,
            bytesPerValue: storage.bytesPerValue,
            samples: sharing.rawValue, withheld: storage.withheldCount, unreadable: storage.unreadableCount,
            rawBytes: rawCount,
            channels: summary.channels.map { ChannelResult($0, $1) })
    }

    private static func decimal(_ value: Double) -> String { TraceText.decimal(Int128((value * 1000).rounded()), 3) }
}
