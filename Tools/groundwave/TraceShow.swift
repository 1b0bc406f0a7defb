import ArgumentParser
import Groundwave
import Metering

struct TraceShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a trace: its channels, what flowed, and what is missing.",
        discussion: """
              groundwave trace show last

            Everything here is known without the samples: it stays when they are withheld.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name = "last"

    @OptionGroup var options: StoreOptions

    /// What is said beside ``TraceResult``.
    struct Details: Encodable {
        struct Channel: Encodable {
            var name: String
            var unit: String
            var decimals: Int
            var min: String
            var max: String
            var mean: String
            var first: String
            var last: String
        }

        struct Gap: Encodable {
            var row: UInt64
            var missing: UInt64
        }

        var blocks: Int
        var inTail: Int
        var gaps: [Gap]
        var repeats: UInt64
        var charge: Double?
        var energy: Double?
        var coveredSeconds: Double
        var bytesPerValue: Double?
        var channels: [Channel]
    }

    func run() async throws {
        let store = try await options.open()
        let trace = try TraceName.resolve(name, store)
        let summary = try store.summary(of: trace.id)
        let gaps = try store.gaps(of: trace.id)
        let details = details(summary, gaps, try store.encodedSize(of: trace.id))
        if options.json {
            return try Terminal.print(json: Joined(first: TraceResult(trace, summary), second: details))
        }
        Terminal.print("\(trace.id)  \(TraceText.state(trace, summary))")
        var facts = TextTable(["WHAT", "VALUE"])
        if !trace.name.isEmpty { facts.append(["name", trace.name]) }
        facts.append(["meter", "\(trace.meter?.description ?? "?"), \(trace.model?.displayName ?? "unknown model")"])
        if !trace.source.isEmpty { facts.append(["from", trace.source]) }
        if let first = summary.firstTime, let last = summary.lastTime {
            facts.append(["first row", UTCText.milliseconds(first)])
            facts.append(["last row", UTCText.milliseconds(last)])
            facts.append(["span", TraceText.span(milliseconds: last &- first)])
        }
        facts.append(["rows", "\(summary.rowCount)"])
        facts.append(["missing", "\(summary.missingCount) in \(NumberText.count(summary.gapCount, "gap"))"])
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
        if summary.tailCount > 0 {
            facts.append(["in the tail", "\(NumberText.count(summary.tailCount, "row")), not in the log yet"])
        }
        if summary.unreadCount > 0 {
            facts.append(["unread", "\(NumberText.count(summary.unreadCount, "block")) that this version cannot read"])
        }
        facts.lines.dropFirst().forEach(Terminal.print)
        for part in summary.parts {
            Terminal.print("")
            var table = TextTable(["CHANNEL", "LEAST", "MEAN", "GREATEST", "LAST", "UNIT"], numbersFrom: 1)
            for (channel, cell) in zip(part.layout.channels, part.cells) {
                table.append([
                    channel.name, TraceText.decimal(Int128(cell.least), channel.decimals),
                    Self.mean(cell, channel), TraceText.decimal(Int128(cell.greatest), channel.decimals),
                    TraceText.decimal(Int128(cell.last), channel.decimals), channel.unit.rawValue,
                ])
            }
            table.print()
        }
        guard !gaps.isEmpty else { return }
        Terminal.print("")
        var table = TextTable(["MISSING BEFORE ROW", "ROWS"], numbersFrom: 0)
        for gap in gaps.prefix(20) { table.append(["\(gap.row)", "\(gap.count)"]) }
        table.print()
        if gaps.count > 20 { Terminal.print("… and \(gaps.count - 20) more: --json lists them all.") }
    }

    private func details(_ summary: TraceSummary, _ gaps: [TraceGap], _ byteCount: Int) -> Details {
        let charges = summary.parts.compactMap { $0.layout.ampereHours($0.totals) }
        let energies = summary.parts.compactMap { $0.layout.wattHours($0.totals) }
        let values = summary.parts.reduce(0) { $0 + $1.count * UInt64($1.layout.channels.count) }
        return Details(
            blocks: summary.blockCount, inTail: summary.tailCount,
            gaps: gaps.map { .init(row: $0.row, missing: $0.count) }, repeats: summary.repeatCount,
            charge: charges.isEmpty ? nil : charges.reduce(0, +),
            energy: energies.isEmpty ? nil : energies.reduce(0, +),
            coveredSeconds: summary.parts.reduce(0) {
                $0 + Double($1.totals.covered) / Double($1.layout.clockHertz)
            }, bytesPerValue: values > 0 && byteCount > 0 ? Double(byteCount) / Double(values) : nil,
            channels: summary.parts.flatMap { part in
                zip(part.layout.channels, part.cells).map { channel, cell in
                    Details.Channel(
                        name: channel.name, unit: channel.unit.rawValue, decimals: channel.decimals,
                        min: TraceText.decimal(Int128(cell.least), channel.decimals),
                        max: TraceText.decimal(Int128(cell.greatest), channel.decimals),
                        mean: Self.mean(cell, channel), first: TraceText.decimal(Int128(cell.first), channel.decimals),
                        last: TraceText.decimal(Int128(cell.last), channel.decimals))
                }
            })
    }

    /// The mean with the decimals of the channel, rounded to the nearest.
    private static func mean(_ cell: Cell, _ channel: Channel) -> String {
        let count = Int128(cell.count)
        let half = cell.sum < 0 ? -count / 2 : count / 2
        return TraceText.decimal((cell.sum &+ half) / count, channel.decimals)
    }

    private static func decimal(_ value: Double) -> String { TraceText.decimal(Int128((value * 1000).rounded()), 3) }
}
