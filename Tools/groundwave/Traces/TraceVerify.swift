import ArgumentParser
import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

struct TraceVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check every row of a trace against its summaries. Read-only.",
        discussion: """
              groundwave trace verify last
              groundwave trace verify --all

            This checks the summaries that lists, totals and plots are made of, that no row is missing or repeated \
            between blocks, and that the trace ends with its last row. Withheld rows are counted, but are not an \
            error. Exits with status 65 if anything is wrong. groundwave verify checks the log itself.
            """)

    @Argument(help: ArgumentHelp("The trace; default: the last one.", valueName: "id"))
    var name: String?

    @Flag(help: "Check all traces.")
    var all = false

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        struct Trace: Encodable {
            var id: String
            var name: String
            var ok: Bool
            var blocks: Int
            var rows: UInt64
            var inTail: UInt64
            var withheldBlocks: Int
            var withheld: UInt64
            var rawBytes: UInt64
            var withheldBytes: UInt64
            var cells: Int
            var damage: [Damage]
        }

        struct Damage: Encodable {
            var what: String
            var first: UInt64?
            var last: UInt64?
            var event: String?
            var detail: String
        }

        var ok: Bool
        var traces: [Trace]
    }

    func validate() throws {
        guard name == nil || !all else { throw ValidationError("Use either a trace or --all, not both.") }
    }

    func run() async throws {
        let store = try await options.openWholeForReading()
        let traces = try all ? store.traces() : [TraceName.resolve(name ?? "last", store)]
        let results = try Progress.during("Verifying") { progress in
            try traces.enumerated().map { index, trace in
                progress.update("Verifying trace \(index + 1) of \(traces.count)")
                return Self.result(trace, try store.verify(trace))
            }
        }
        let result = Result(ok: results.allSatisfy(\.ok), traces: results)
        if options.json { try Terminal.print(json: result) } else { try describe(result) }
        if !result.ok { throw ExitCode(StoreError.Code.damaged.exitCode) }
    }

    private static func result(_ trace: Trace, _ found: TraceVerification) -> Result.Trace {
        Result.Trace(
            id: "\(trace.id)", name: trace.name, ok: found.isOK, blocks: found.blockCount, rows: found.rowCount,
            inTail: found.tailCount, withheldBlocks: found.withheldBlockCount, withheld: found.withheldCount,
            rawBytes: found.captureByteCount, withheldBytes: found.withheldByteCount,
            cells: found.cellCount,
            damage: found.damage.map {
                .init(
                    what: $0.what.rawValue, first: $0.first, last: $0.last, event: $0.event.map { "\($0)" },
                    detail: $0.detail)
            })
    }

    private func describe(_ result: Result) throws {
        if result.traces.isEmpty { return try Terminal.print("No traces.") }
        var table = TextTable(["ID", "NAME", "BLOCKS", "ROWS", "WITHHELD", "FOUND"], numbersFrom: 2)
        for trace in result.traces {
            table.append([
                String(trace.id.prefix(8)), RecordText.short(trace.name, 30), "\(trace.blocks)", "\(trace.rows)",
                "\(trace.withheld)", "\(trace.damage.count)",
            ])
        }
        try table.print()
        try Terminal.print("")
        let found = result.traces.flatMap { trace in trace.damage.map { (trace.id.prefix(8), $0) } }
        for (trace, damage) in found.prefix(50) {
            // The code, `what`, is for scripts.
            let rows = damage.first.map { ", " + Self.words($0, damage.last ?? $0) } ?? ""
            try Terminal.print("Trace \(trace)\(rows): \(damage.detail)")
        }
        if found.count > 50 { try Terminal.print("… and \(found.count - 50) more: --json lists them all.") }
        let rows = NumberText.count(result.traces.reduce(0) { $0 + $1.rows }, "row")
        let traces = NumberText.count(result.traces.count, "trace")
        try Terminal.print(
            result.ok
                ? Terminal.styled("All is well:", .green) + " \(rows) of \(traces)."
                : Terminal.styled("Problems found:", .red)
                    + " \(NumberText.count(found.count, "finding")), \(rows) of \(traces) read."
        )
        let blocks = result.traces.reduce(0) { $0 + $1.withheldBlocks }
        if blocks > 0 {
            Terminal.remark(
                "\(NumberText.count(blocks, "block")) of rows \(blocks == 1 ? "is" : "are") withheld: their summaries "
                    + "were checked without the rows.")
        }
        if found.contains(where: { $0.1.what == TraceVerification.Damage.What.missingRows.rawValue }) {
            Terminal.remark(
                "The next groundwave sync brings back missing rows that other devices still have.")
        }
    }

    private static func words(_ first: UInt64, _ last: UInt64) -> String {
        first == last ? "row \(first)" : "rows \(first) to \(last)"
    }
}
