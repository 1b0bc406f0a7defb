import ArgumentParser
import Groundwave
import Metering

struct TraceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List traces, the newest last.",
        discussion: """
              groundwave trace list
            """)

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Trace: Encodable {
            var id: String
            var name: String
            var mac: String?
            var model: String?
            var state: String
            var first: String?
            var last: String?
            var rows: UInt64
            var missing: UInt64
        }

        var traces: [Trace]
    }

    func run() async throws {
        let store = try await options.open()
        let traces = try store.traces().map { ($0, try store.summary(of: $0.id)) }
        if options.json {
            return try Terminal.print(
                json: Result(
                    traces: traces.map { trace, summary in
                        Result.Trace(
                            id: "\(trace.id)", name: trace.name, mac: trace.meter?.description,
                            model: trace.model?.rawValue, state: TraceText.state(trace, summary),
                            first: summary.firstTime.map(UTCText.milliseconds),
                            last: summary.lastTime.map(UTCText.milliseconds), rows: summary.rowCount,
                            missing: summary.missingCount)
                    }))
        }
        if traces.isEmpty { return Terminal.print("No traces.") }
        var table = TextTable(
            ["ID", "FROM", "SPAN", "METER", "MODEL", "NAME", "STATE", "ROWS", "MISSING"], numbersFrom: 7)
        for (trace, summary) in traces {
            let span = (summary.lastTime ?? 0) - (summary.firstTime ?? 0)
            table.append([
                trace.id.short, (summary.firstTime ?? trace.started).map(TimeText.milliseconds) ?? "?",
                TraceText.span(milliseconds: span), trace.meter?.description ?? "?",
                trace.model?.displayName ?? "?", RecordText.short(trace.name, 30), TraceText.state(trace, summary),
                "\(summary.rowCount)", "\(summary.missingCount)",
            ])
        }
        table.print()
    }
}
