import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveWording

struct TraceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List traces, the newest last.",
        discussion: """
              groundwave trace list
            """)

    @Flag(help: "List the hidden traces.")
    var hidden = false

    @OptionGroup var options: ReadOptions

    struct Result: Encodable { var traces: [TraceResult] }

    func run() async throws {
        let store = try await options.open()
        let traces = try store.traces(hidden: hidden).map { ($0, try store.summary(of: $0.id)) }
        if options.json { return try Terminal.print(json: Result(traces: traces.map(TraceResult.init))) }
        if traces.isEmpty { return try Terminal.print(hidden ? "No hidden traces." : "No traces.") }
        var table = TextTable(
            ["ID", "FROM", "SPAN", "METER", "MODEL", "NAME", "STATE", "ROWS", "MISSING"], numbersFrom: 7)
        for (trace, summary) in traces {
            let span = (summary.lastTime ?? 0) &- (summary.firstTime ?? 0)
            table.append([
                trace.id.short, (summary.firstTime ?? trace.started).map(TimeText.milliseconds) ?? "?",
                TraceText.span(milliseconds: span), trace.meter?.description ?? "?",
                trace.model?.displayName ?? "?", RecordText.short(trace.name, 30), TraceText.state(trace, summary),
                "\(summary.rowCount)", "\(summary.missingCount)",
            ])
        }
        try table.print()
    }
}
