import ArgumentParser
import Foundation
import Groundwave
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import Synchronization

struct TraceRecord: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record what a meter measures, until Ctrl-C or the end of the input.",
        discussion: """
              groundwave trace record --meter 00:15:A5:00:11:22 --model um25c \\
                --device /dev/rfcomm0
              groundwave trace record --meter 00:15:A5:00:11:22 --model tc66c \\
                --input capture.bin --rate 10

            Rows are on the disk within a second. If the program is killed, the next program that opens the store adds \
            what was recorded to the log, and the trace shows where it ended. A file does not contain the times of its \
            rows: they get times from now on, at the rate of the meter's counter or of --rate. A device, or a named \
            pipe, that another program records from is refused.
            """)

    @Option(help: ArgumentHelp("The address of the meter: twelve hexadecimal digits.", valueName: "mac"))
    var meter: String

    @Option(help: ArgumentHelp("The model.", valueName: "model"))
    var model: MeterModel

    @Option(help: "How the meter is connected: usb or bluetooth; default: the usual way for the model.")
    var link: MeterModel.Link?

    @Option(help: ArgumentHelp("The serial device of the meter, such as /dev/rfcomm0.", valueName: "path"))
    var device: String?

    @Option(help: ArgumentHelp("A file or pipe with what the meter sent; - is standard input.", valueName: "file"))
    var input: String?

    @Option(
        help: ArgumentHelp(
            "The number of rows per second in a file; default: as often as this program polls the model.",
            valueName: "rows"))
    var rate: Double?

    @Option(help: ArgumentHelp("The speed of the serial device.", valueName: "baud"))
    var baud = 115_200

    @Option(help: ArgumentHelp("The name of the trace.", valueName: "text"))
    var name = ""

    @Flag(
        help: "Also keep the bytes that the meter sends, so that groundwave trace decode can decode them again later.")
    var raw = false

    @OptionGroup var options: StoreOptions

    struct Result: Encodable {
        var trace: String
        var rows: UInt64
        var gaps: UInt64
        var missing: UInt64
        var repeats: UInt64
        var refusedBytes: Int
        var bytes: Int
        var silences: Int
        var looksLike: [String]?
    }

    func validate() throws {
        guard (device == nil) != (input == nil) else {
            throw ValidationError("Specify either --device or --input.")
        }
        if let rate, !(rate > 0 && rate <= 1_000_000) {
            throw ValidationError(
                "--rate must be a number of rows per second, up to 1000000.")
        }
    }

    func run() async throws {
        let address = try MACAddress(argument: meter)
        let path = device ?? input ?? "-"
        let line = try MeterLine(path, baud: baud)
        let store = try await options.open()
        let link = link ?? model.links[0]
        // Other devices see which device has the meter; a recording from a file reserves none.
        if device != nil { try await store.connect(address, model: model) }
        let recorder = try await store.record(
            meter: address, model: model, over: link, name: name,
            source: path == "-" ? "standard input" : URL(filePath: path).lastPathComponent,
            rate: line.isFile || rate != nil ? rowsPerSecond : nil, isKeepingCapture: raw)
        if !options.json {
            Terminal.remark("Recording \(recorder.trace.short)\(line.isFile ? "" : "; Ctrl-C ends it").")
        }
        let isAsked = Request()
        let signals = Interruption.whenAsked { isAsked.set() }
        defer { signals.forEach { $0.cancel() } }
        var feed = MeterFeed(model, over: link, by: line, now: store.surroundings.now)
        let silences = Silences(model, of: path, isTold: !options.json, by: store.surroundings.now)
        do {
            try await record(&feed, line.isFile, with: recorder, isAsked, silences) {
                try await store.connect(address, model: model)
            }
            try await recorder.finish()
        } catch {
            throw await left(store, recorder, feed.refusedByteCount, silences, after: error)
        }
        if device != nil { try await store.disconnect(address) }
        try printReport(store, recorder, feed.refusedByteCount, silences)
    }

    /// Saves what was received of a recording that failed, and reports it; returns the error, with a hint where the
    /// rest is if that failed too.
    private func left(
        _ store: Store, _ recorder: TraceRecorder, _ refused: Int, _ silences: Silences, after error: any Error
    ) async -> any Error {
        do {
            try await recorder.stop()
            if device != nil { try await store.disconnect(MACAddress(argument: meter)) }
            try printReport(store, recorder, refused, silences)
            return error
        } catch let second {
            guard let first = error as? StoreError ?? second as? StoreError else { return error }
            let rest = "What was recorded is beside the log, and is added to it when the store is next opened: trace "
            return StoreError(
                first.code, first.message,
                hint: [first.hint, "\(rest)\(recorder.trace.short)."].compactMap { $0 }.joined(separator: " "),
                cause: first.cause)
        }
    }

    /// Records until the end of the input, or until `isAsked` is set.
    private func record(
        _ feed: inout MeterFeed, _ isFile: Bool, with recorder: TraceRecorder, _ isAsked: Request, _ silences: Silences,
        renewing renew: () async throws -> Void
    ) async throws {
        var renewal = ContinuousClock.now + .milliseconds(MeterLease.renewalMilliseconds)
        var isOurs = device != nil
        var live = LiveValues()
        defer { live.end() }
        var isOver = false
        var isRateAssumed = false
        defer { if isRateAssumed, !options.json { remarkRate() } }
        while !isOver {
            isOver = isAsked.isSet
            let step = try isOver ? feed.finish() : feed.next()
            try await recorder.append(step.rows, by: step.reception, of: step.pieces)
            if isFile, rate == nil, step.rows.runs.contains(where: { $0.layout.tick == nil }) { isRateAssumed = true }
            if step.isAtEnd, !isOver {
                guard let device else { break }
                throw StoreError(
                    .inputOutput, "The meter has disconnected: no more data comes from \(device).",
                    hint: "Check that it is on and connected, and record again.")
            }
            if isOurs, ContinuousClock.now >= renewal {
                renewal += .milliseconds(MeterLease.renewalMilliseconds)
                // Another device has only recorded that it took over the meter; the meter still sends its data here.
                do { try await renew() } catch let error as StoreError where error.code == .busy {
                    isOurs = false
                    Terminal.remark("\(error.message) Recording continues.")
                }
            }
            if !isFile { silences.take(step) }
            await live.show(recorder)
        }
    }

    /// The number of rows per second of an input without times: as asked for, or the usual one of the model.
    private var rowsPerSecond: Double { rate ?? model.usualRowsPerSecond(over: link ?? model.links[0]) }

    private func remarkRate() {
        Terminal.remark("The file has no times: \(Int(rowsPerSecond)) rows a second are assumed (--rate).")
    }

    private func printReport(
        _ store: Store, _ recorder: TraceRecorder, _ refused: Int, _ silences: Silences
    ) throws {
        let summary = try store.summary(of: recorder.trace)
        let bytes = try store.storage(of: recorder.trace).byteCount
        if options.json {
            return try Terminal.print(
                json: Result(
                    trace: "\(recorder.trace)", rows: summary.rowCount, gaps: summary.gapCount,
                    missing: summary.missingCount, repeats: summary.repeatCount, refusedBytes: refused, bytes: bytes,
                    silences: silences.count, looksLike: silences.models.isEmpty ? nil : silences.models.map(\.rawValue)
                ))
        }
        try Terminal.print(
            "\(NumberText.count(summary.rowCount, "row")) in \(NumberText.bytes(bytes)), "
                + "\(summary.missingCount) missing in \(NumberText.count(summary.gapCount, "gap")), "
                + "\(summary.repeatCount) repeated: trace \(recorder.trace.short).")
        if refused > 0 { Terminal.remark("\(NumberText.count(refused, "byte")) could not be decoded.") }
        if summary.rowCount == 0 {
            Terminal.remark(
                "No rows were recorded. Check that the meter is a \(model.displayName), and how it is connected (--link)."
            )
        }
    }
}

/// Whether the user asked to end: set by a signal, and read by the loop that records.
final class Request: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

/// Shows the last values as a status line of the terminal, at most once a second.
struct LiveValues {
    private var last = ContinuousClock.now
    private let isWanted = isatty(STDERR_FILENO) == 1 && !Terminal.manner.withLock { $0.isQuiet }

    mutating func show(_ recorder: TraceRecorder) async {
        guard isWanted, ContinuousClock.now - last >= .seconds(1) else { return }
        last = .now
        var line = NumberText.count(await recorder.rowCount, "row")
        if let (layout, values) = await recorder.lastRow {
            for (channel, value) in zip(layout.channels, values).prefix(4) {
                line += "  \(channel.name) \(TraceText.value(value, channel))"
            }
        }
        Terminal.showStatus("\(line)")
    }

    func end() { Terminal.clearStatus() }
}
