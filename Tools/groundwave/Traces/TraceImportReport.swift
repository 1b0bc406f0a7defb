import Groundwave
import GroundwaveEvents
import GroundwaveMetering
import GroundwaveRecords
import GroundwaveTraceFiles
import GroundwaveWording

/// What an import has done, or would do.
struct TraceImportReport {
    /// As JSON.
    struct Result: Encodable {
        struct Column: Encodable {
            var name: String
            var column: String
            var unit: String
            var decimals: Int
            var wrong: UInt64
            var rounded: UInt64
        }

        struct LeftOut: Encodable {
            var withoutTime: UInt64
            var withoutValues: UInt64
            var earlier: UInt64
            var columns: [String]
        }

        var trace: String?
        var rows: UInt64
        var missing: UInt64
        var started: String?
        var isStartGuessed: Bool?
        var recipe: String?
        var channels: [Column]?
        var leftOut: LeftOut?
    }

    private let source: TraceSource
    private let leftOut: ForeignLeftOut?
    private let trace: RecordID?
    private let rows: UInt64
    private let missing: UInt64

    /// What became of the rows that `reading` has read: the trace, or `nil` if nothing was imported.
    init(_ source: TraceSource, _ leftOut: ForeignLeftOut?, trace: RecordID?, rows: UInt64, missing: UInt64) {
        (self.source, self.leftOut, self.trace) = (source, leftOut, trace)
        (self.rows, self.missing) = (rows, missing)
    }

    /// The report as JSON.
    var result: Result {
        var result = Result(
            trace: trace.map { "\($0)" }, rows: rows, missing: missing,
            started: source.started.map(UTCText.milliseconds))
        if let plan = source.plan, let leftOut {
            result.isStartGuessed = source.isGuessed
            result.recipe = plan.recipe?.name
            result.channels = plan.layout.channels.enumerated().map { index, channel in
                Result.Column(
                    name: channel.name, column: plan.columns[index], unit: channel.unit.rawValue,
                    decimals: channel.decimals, wrong: leftOut.wrongValues[index],
                    rounded: leftOut.roundedValues[index])
            }
            result.leftOut = Result.LeftOut(
                withoutTime: leftOut.withoutTime, withoutValues: leftOut.withoutValues, earlier: leftOut.earlier,
                columns: plan.unusedColumns)
        }
        return result
    }

    /// Prints the report.
    func print() throws {
        if let plan = source.plan { try describe(plan) }
        let began = source.started.map { ", from \(UTCText.milliseconds($0))" } ?? ""
        let gaps = missing == 0 ? "" : ", \(missing) missing"
        let count = NumberText.count(rows, "row")
        if let trace {
            try Terminal.print("\(count)\(began)\(gaps): trace \(trace.short).")
        } else {
            try Terminal.print("\(count)\(began)\(gaps) would be imported. Nothing was written.")
        }
        if source.isGuessed {
            Terminal.remark(
                "The file does not say when it was recorded: its last row is taken to be of when the file was last "
                    + "changed. --start says when it began.")
        }
        if let plan = source.plan, let leftOut { remark(plan, leftOut) }
    }

    private func describe(_ plan: ForeignPlan) throws {
        if let recipe = plan.recipe { try Terminal.print("Read as \(recipe.name): \(recipe.program).") }
        var table = TextTable(["CHANNEL", "COLUMN", "UNIT", "DECIMALS"], numbersFrom: 3, to: 3)
        for (channel, column) in zip(plan.layout.channels, plan.columns) {
            table.append([channel.name, column, channel.unit.rawValue, "\(channel.decimals)"])
        }
        try table.print()
    }

    private func remark(_ plan: ForeignPlan, _ leftOut: ForeignLeftOut) {
        func tell(_ count: UInt64, _ what: String, _ reason: String) {
            if count > 0 { Terminal.remark("Left out: \(NumberText.count(count, what)) \(reason).") }
        }
        tell(leftOut.withoutTime, "line", "without a time")
        tell(leftOut.withoutValues, "line", "without a value")
        tell(leftOut.earlier, "row", "earlier than the row before")
        for (channel, count) in zip(plan.layout.channels, leftOut.wrongValues) {
            tell(count, "value", "of \(channel.name) that could not be read")
        }
        for (channel, count) in zip(plan.layout.channels, leftOut.roundedValues) where count > 0 {
            Terminal.remark(
                "\(NumberText.count(count, "value")) of \(channel.name) rounded to \(channel.decimals) decimals.")
        }
        let unused = plan.unusedColumns
        if !unused.isEmpty {
            let names = unused.prefix(8).map { "“\($0)”" }.joined(separator: ", ")
            let rest = unused.count > 8 ? " and \(unused.count - 8) more" : ""
            Terminal.remark("Columns left out: \(names)\(rest).")
        }
    }
}
