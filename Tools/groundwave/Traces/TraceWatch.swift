import ArgumentParser
import Everything
import Foundation
import Groundwave
import GroundwaveMeters
import GroundwaveWording

struct TraceWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show a trace while it is recorded, until it ends or until Ctrl-C.",
        discussion: """
              groundwave trace watch last
              groundwave trace watch last --channel voltage --minutes 30

            On a terminal, it shows the channels, charge and energy, missing rows, and the last minutes of one channel. \
            Otherwise it prints a line a second as long as rows come, with --json an object, and with --quiet nothing: \
            then it waits for the end. The recording is only read, and goes on as it would without.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name = "last"

    @OptionGroup var live: LiveOptions
    @OptionGroup var options: StoreOptions

    /// What is said beside ``TraceResult``.
    struct Details: Encodable {
        struct Missing: Encodable {
            var counted: UInt64
            var unanswered: UInt64
            var estimated: UInt64
        }

        var gaps: UInt64
        var missingBy: Missing
        var repeats: UInt64
        var charge: Double?
        var energy: Double?
        var energyUncertainty: Double?
        var calibrated: [CalibrationResult]?
        var coveredSeconds: Double
        var silentSeconds: Int64?
        var channels: [TraceChannels.Result]

        init(_ trace: LiveTrace) {
            let summary = trace.view.summary
            let missing = summary.rows.missing
            gaps = summary.gapCount
            missingBy = Missing(
                counted: missing.counted, unanswered: missing.unanswered, estimated: missing.estimated)
            repeats = summary.repeatCount
            let totals = TraceTotals(of: summary.parts)
            (charge, energy, coveredSeconds) = (totals.charge, totals.energy, totals.coveredSeconds)
            energyUncertainty = totals.energyUncertainty
            calibrated = CalibrationResult.all(summary.calibration)
            silentSeconds = trace.silence.map { $0 / 1000 }
            channels = TraceChannels(channels: summary.channels).results
        }
    }

    func run() async throws {
        let store = try await options.openForReading()
        let isDrawn = !options.json && Terminal.canReplaceLines(on: STDOUT_FILENO)
        var trace = try LiveTrace(
            TraceName.resolve(name, store), in: store, live, hint: "Ctrl-C ends watching; the recording goes on.")
        let isAsked = Request()
        let signals = Interruption.whenAsked { isAsked.set() }
        defer { signals.forEach { $0.cancel() } }
        defer { Terminal.leaveStatus() }
        var printed: (rows: UInt64?, at: ContinuousClock.Instant) = (nil, .now)
        while true {
            let isOver = isAsked.isSet || trace.hasEnded
            let isRead = try trace.refresh(isDue: isOver)
            let isNew = printed.rows != trace.view.summary.rowCount && ContinuousClock.now >= printed.at
            if isDrawn {
                if isRead, !options.output.quiet { trace.show(on: STDOUT_FILENO) }
            } else if isOver || isRead && isNew {
                try tell(trace)
                printed = (trace.view.summary.rowCount, .now + .seconds(1))
            }
            if isOver { break }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func tell(_ trace: LiveTrace) throws {
        if options.json {
            let view = trace.view
            try Terminal.print(json: Joined(first: TraceResult(view.trace, view.summary), second: Details(trace)))
        } else if !options.output.quiet {
            try Terminal.print(trace.line)
        }
    }
}
