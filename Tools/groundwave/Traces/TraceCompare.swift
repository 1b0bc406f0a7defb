import ArgumentParser
import Foundation
import Groundwave
import GroundwaveAuditing
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

struct TraceCompare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare two traces over one time axis, in a table and a plot.",
        discussion: """
              groundwave trace compare "old cable" "new cable"
              groundwave trace compare monday friday --from 10m --to 1h -o charges.svg
              groundwave trace compare left right --align clock -o line.png

            The traces are A and B, in this order. By default they are laid over one another from the first row of each \
            on, and --from and --to are durations since then: two charges of two days. With --align clock they are \
            compared at the same moments, and --from and --to are times in UTC: two meters on one line. Without --from \
            and --to that is the time that both traces have.

            What is missing, withheld or unreadable is shown as groundwave trace show and groundwave trace plot show it. If \
            some rows cannot be read, the rest is compared, and the exit status is 3.
            """)

    @Argument(help: ArgumentHelp("The first trace, A.", valueName: "a"))
    var nameOfA: String

    @Argument(help: ArgumentHelp("The second trace, B.", valueName: "b"))
    var nameOfB: String

    @Option(help: "What the traces have in common: start, their first rows, or clock, the time of day.")
    var align = TraceComparison.Alignment.start

    @Option(help: ArgumentHelp("Only rows from then on: 10m since the first row, or a time.", valueName: "duration"))
    var from: String?

    @Option(help: ArgumentHelp("Only rows before then.", valueName: "duration"))
    var to: String?

    @Option(
        help: ArgumentHelp(
            "The channels to compare; default: all that both have, and in the plot the first in volts, in amperes and in "
                + "watts.", valueName: "name,name"))
    var channels: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file for the plot; its name must end with .svg or .png.", valueName: "file"))
    var output: String?

    @OptionGroup var overwriting: Overwriting

    @Option(help: ArgumentHelp("The width of the plot in pixels.", valueName: "pixels"))
    var width = 1200

    @Option(help: ArgumentHelp("The height of the plot in pixels.", valueName: "pixels"))
    var height = 600

    @OptionGroup var shown: ValueOptions
    @OptionGroup var options: ReadOptions

    func run() async throws {
        let file = try output.map { try PlotFile($0) }
        if let output { try overwriting.check(output) }
        let store = try await options.open(needsHistory: true)
        let (a, b) = (try TraceName.resolve(nameOfA, store), try TraceName.resolve(nameOfB, store))
        let range = try self.range
        var chosen = TracePlotOptions()
        chosen.channels = channels.map { $0.split(separator: ",").map(String.init) }
        (chosen.width, chosen.height) = (width, height)
        let comparison = try store.compare(a, with: b, by: align, showing: shown.values, from: range.from, to: range.to)
        let table = try ComparisonTable(comparison, channels: chosen.channels)
        let drawn = try file.map { file in
            let plot = try Progress.during("Drawing") { _ in try store.plot(comparison, chosen) }
            return (plot: plot, byteCount: try file.write(plot))
        }
        if options.json {
            try Terminal.print(
                json: Joined(
                    first: table.result,
                    second: Drawn(
                        plot: drawn.map { .init($0.plot, file: output ?? "", byteCount: $0.byteCount) })))
        } else {
            try table.print()
            if let drawn {
                let result = PlotFile.Result(drawn.plot, file: output ?? "", byteCount: drawn.byteCount)
                try Terminal.print("")
                try Terminal.print(
                    "Plot of \(result.channels.joined(separator: ", ")): \(NumberText.bytes(drawn.byteCount)).")
                PlotFile.remark(drawn.plot, verifying: [nameOfA, nameOfB])
            }
        }
        if table.unreadableCount > 0 || drawn.map({ $0.plot.unreadableCount > 0 }) == true { throw Answer.inPart }
    }

    /// What is said of the plot beside the table.
    private struct Drawn: Encodable {
        var plot: PlotFile.Result?
    }

    /// The ends of the range, in milliseconds on the axis.
    private var range: (from: Int64?, to: Int64?) {
        get throws {
            switch align {
            case .start:
                return (
                    try from.map { try DurationText.milliseconds($0, atLeast: 0) },
                    try to.map { try DurationText.milliseconds($0) }
                )
            case .clock:
                let now = Clock.now
                return (
                    try from.map { try TimeArgument($0, now: now).startMilliseconds },
                    try to.map { try TimeArgument($0, now: now).endMilliseconds }
                )
            }
        }
    }
}

extension TraceComparison.Alignment: ExpressibleByArgument {}
