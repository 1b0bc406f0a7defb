import ArgumentParser
import Foundation
import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

struct TracePlot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot", abstract: "Draw a trace as SVG or PNG.",
        discussion: """
              groundwave trace plot last -o charge.png
              groundwave trace plot last -o night.svg --channels current \\
                --from 2026-05-01T22:00 --to 2026-05-02T06:00

            A plot of a long trace shows every peak: each pixel column shows the least and the greatest value. Where \
            rows are missing, the line is broken. Where rows are withheld or unreadable, a pale band shows the least and \
            the greatest of their values, and the second line of the picture tells how many they are. Times are in UTC.

            Calibrated channels are drawn calibrated, and the second line says so; --measured draws what was measured.

            If some rows cannot be read, the rest is drawn, and the exit status is 3.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name = "last"

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The output file; its name must end with .svg or .png.", valueName: "file"))
    var output: String

    @OptionGroup var overwriting: Overwriting

    @OptionGroup var range: TraceRange

    @Option(
        help: ArgumentHelp(
            "The channels to draw; default: the first in volts, in amperes and in watts.", valueName: "name,name"))
    var channels: String?

    @Option(help: ArgumentHelp("The width in pixels.", valueName: "pixels"))
    var width = 1200

    @Option(help: ArgumentHelp("The height in pixels.", valueName: "pixels"))
    var height = 600

    @OptionGroup var shown: ValueOptions
    @OptionGroup var options: ReadOptions

    func run() async throws {
        let file = try PlotFile(output)
        try overwriting.check(output)
        let store = try await options.open(needsHistory: true)
        let trace = try TraceName.resolve(name, store)
        var chosen = TracePlotOptions()
        chosen.channels = channels.map { $0.split(separator: ",").map(String.init) }
        (chosen.width, chosen.height) = (width, height)
        let (start, end) = try range.milliseconds
        let plot = try Progress.during("Drawing") { _ in
            try store.plot(
                trace, chosen, showing: shown.values, from: start == .min ? nil : start, to: end == .max ? nil : end)
        }
        let byteCount = try file.write(plot)
        let calibration = shown.measured ? .none : try store.calibration(of: trace)
        let result = PlotFile.Result(
            plot, calibration: calibration.limited(to: plot.series.map(\.channel)), file: output, byteCount: byteCount)
        if options.json {
            try Terminal.print(json: result)
        } else {
            try Terminal.print("\(result.channels.joined(separator: ", ")): \(NumberText.bytes(byteCount)).")
            PlotFile.remark(plot, verifying: [name])
        }
        if plot.unreadableCount > 0 { throw Answer.inPart }
    }
}
