import ArgumentParser
import Everything
import Foundation
import Groundwave
import GroundwaveMeterProtocols
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording
import Synchronization

struct TraceRecord: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record what a meter measures, until Ctrl-C or the end of the input.",
        discussion: """
              groundwave trace record --meter 00:15:A5:00:11:22 --model um25c \\
                --device /dev/rfcomm0
              groundwave trace record --meter 00:15:A5:00:11:22 --model tc66c \\
                --input capture.bin --rate 10
              groundwave trace record --meter 00:15:A5:00:11:22 --model um25c \\
                --device /dev/rfcomm0 --until "current<0.05 for 60s" --for 8h
              groundwave trace record --meter 02:00:00:00:00:01 --model fnb58 --device hid:

            Rows are on the disk within a second. If the program is killed, the next program that opens the store adds \
            what was recorded to the log, and the trace shows where it ended. A file does not contain the times of its \
            rows: they get times from now on, at the rate of the meter's counter or of --rate. A device, or a named \
            pipe, that another program records from is refused. A device that is disconnected is waited for, see \
            --reconnect, and the same trace goes on with a gap.

            On a terminal, it shows the channels, charge and energy, missing rows, and the last minutes of one channel. \
            The conditions --for, --until, --until-charge and --until-energy are judged by the times of the rows: the \
            first row that meets one is the last of the trace. A gap starts the time behind "for" anew.
            """)

    @Option(help: ArgumentHelp("The address of the meter: twelve hexadecimal digits.", valueName: "mac"))
    var meter: String

    @Option(help: ArgumentHelp("The model.", valueName: "model"))
    var model: MeterModel

    @Option(help: "How the meter is connected: usb or bluetooth; default: the usual way for the model.")
    var link: MeterModel.Link?

    @Option(
        help: ArgumentHelp(
            """
            The serial device of the meter, such as /dev/rfcomm0, or its USB HID (Linux): hid: for the only one of the \
            model, hid:2E3C:5558 with vendor and product, or hid:/dev/hidraw3.
            """, valueName: "path"))
    var device: String?

    @Option(help: ArgumentHelp("A file or pipe with what the meter sent; - is standard input.", valueName: "file"))
    var input: String?

    @Option(
        help: ArgumentHelp(
            "The number of rows per second in a file; default: as often as this program polls the model.",
            valueName: "rows"))
    var rate: Double?

    @Option(
        help: ArgumentHelp("How long to wait for a device that is disconnected; 0: not at all.", valueName: "seconds"))
    var reconnect = 60

    @Option(help: ArgumentHelp("The speed of the serial device.", valueName: "baud"))
    var baud = 115_200

    @Option(help: ArgumentHelp("The name of the trace.", valueName: "text"))
    var name = ""

    @Flag(
        help: "Also keep the bytes that the meter sends, so that groundwave trace decode can decode them again later.")
    var raw = false

    @OptionGroup var stop: StopOptions
    @OptionGroup var live: LiveOptions
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
        var stoppedBy: String?
    }

    func validate() throws {
        guard (device == nil) != (input == nil) else {
            throw ValidationError("Specify either --device or --input.")
        }
        guard (0...86_400).contains(reconnect) else {
            throw ValidationError("--reconnect must be a number of seconds up to 86400.")
        }
        if let device, HIDLine.isAddress(device), link == .bluetooth {
            throw ValidationError("A USB HID is not connected by Bluetooth.")
        }
        if let rate, !(rate > 0 && rate <= 1_000_000) {
            throw ValidationError(
                "--rate must be a number of rows per second, up to 1000000.")
        }
    }

    func run() async throws {
        let address = try MACAddress(argument: meter)
        let conditions = try stop.conditions
        let (line, path) = try openLine()
        let store = try await options.open()
        let link = link ?? model.links[0]
        // Other devices see which device has the meter; a recording from a file reserves none.
        if device != nil { try await store.connect(address, model: model) }
        let recorder = try await store.record(
            meter: address, model: model, over: link, name: name,
            source: path == "-" ? "standard input" : URL(filePath: path).lastPathComponent,
            rate: line.isFile || rate != nil ? rowsPerSecond : nil, isKeepingCapture: raw,
            isExclusive: device != nil, until: conditions)
        if !options.json {
            Terminal.remark("Recording \(recorder.trace.short)\(line.isFile ? "" : "; Ctrl-C ends it").")
        }
        if !options.json, !conditions.isEmpty { try remarkCalibration(of: recorder.trace, store) }
        if !line.isFile, !options.json { try remarkOthers(store, address, recorder) }
        let isAsked = Request()
        let signals = Interruption.whenAsked { isAsked.set() }
        defer { signals.forEach { $0.cancel() } }
        var feed = MeterFeed(model, over: link, from: line, now: store.surroundings.now)
        let silences = Silences(model, of: path, isTold: !options.json, by: store.surroundings.now)
        var display = LiveRecording(store, recorder.trace, live, isWanted: !options.json)
        do {
            try await record(&feed, line.isFile, with: recorder, isAsked, silences, &display) {
                try await store.connect(address, model: model)
            }
            try await recorder.finish()
            display.end()
        } catch {
            display.end()
            throw await left(store, recorder, feed.refusedByteCount, silences, after: error)
        }
        if device != nil { try await store.disconnect(address) }
        try await printReport(store, recorder, feed.refusedByteCount, silences)
    }

    /// Opens the device or the input, and returns it with what to call it.
    private func openLine() throws -> (any MeterPort, String) {
        if let device, HIDLine.isAddress(device) {
            let line = try HIDLine(device, for: model)
            return (line, line.path)
        }
        let path = device ?? input ?? "-"
        return (try MeterLine(path, baud: baud), path)
    }

    /// Saves what was received of a recording that failed, and reports it; returns the error, with a hint where the
    /// rest is if that failed too.
    private func left(
        _ store: Store, _ recorder: TraceRecorder, _ refused: Int, _ silences: Silences, after error: any Error
    ) async -> any Error {
        do {
            try await recorder.stop()
            if device != nil { try await store.disconnect(MACAddress(argument: meter)) }
            try await printReport(store, recorder, refused, silences)
            return error
        } catch let second {
            guard let first = error as? StoreError ?? second as? StoreError else { return error }
            let trace = recorder.trace.short
            let rest: Hint =
                "What was recorded is beside the log, and is added to it when it is next opened: trace \(trace)."
            return StoreError(
                first.code, first.message,
                hint: first.advice.map { "\($0) \(rest)" } ?? rest,
                cause: first.cause)
        }
    }

    /// Records until the end of the input, until a condition is met, or until `isAsked` is set.
    private func record(
        _ feed: inout MeterFeed, _ isFile: Bool, with recorder: TraceRecorder, _ isAsked: Request, _ silences: Silences,
        _ display: inout LiveRecording, renewing renew: () async throws -> Void
    ) async throws {
        var renewal = ContinuousClock.now + .milliseconds(MeterLease.renewalMilliseconds)
        var isOurs = device != nil
        var isOver = false
        var isRateAssumed = false
        var absence = Absence(upTo: reconnect, isTold: !options.json)
        var compared = try stop.conditions.compactMap(\.channel)
        defer { if isRateAssumed, !options.json { remarkRate() } }
        while !isOver {
            isOver = isAsked.isSet
            let step = try isOver ? feed.finish() : feed.next()
            try await recorder.append(step.rows, by: step.reception, of: step.pieces)
            if isFile, rate == nil, step.rows.runs.contains(where: { $0.layout.tick == nil }) { isRateAssumed = true }
            if !step.rows.runs.isEmpty {
                remarkUnknown(compared, step.rows.runs.map(\.layout))
                compared = []
            }
            if await recorder.metCondition != nil { break }
            if !isOver, let device { try absence.take(step, of: device) }
            if step.isAtEnd, !isOver { break }
            if isOurs, ContinuousClock.now >= renewal {
                renewal += .milliseconds(MeterLease.renewalMilliseconds)
                // Another device has only recorded that it took over the meter; the meter still sends its data here.
                do { try await renew() } catch let error as StoreError where error.code == .busy {
                    isOurs = false
                    Terminal.remark("\(error.message) Recording continues.")
                }
            }
            if !isFile, !absence.isRunning { silences.take(step) }
            display.refresh()
        }
    }

    /// The number of rows per second of an input without times: as asked for, or the usual one of the model.
    private var rowsPerSecond: Double { rate ?? model.usualRowsPerSecond(over: link ?? model.links[0]) }

    /// Says which of the channels that --until compares the first rows do not have.
    private func remarkUnknown(_ channels: [String], _ layouts: [Layout]) {
        let known = layouts.flatMap { $0.channels.map(\.name) }
        for channel in channels where !known.contains(channel) {
            let names = layouts[0].channels.prefix(8).map(\.name).joined(separator: ", ")
            Terminal.remark(
                "The first rows have no channel \(channel), which --until compares; they have \(names).")
        }
    }

    /// Says that conditions compare what is measured, if the trace is calibrated.
    private func remarkCalibration(of trace: RecordID, _ store: Store) throws {
        guard let record = try store.record(Metering.trace.name, trace),
            let text = try store.calibration(of: Trace(record)).text
        else { return }
        Terminal.remark("Conditions compare what the meter measures. What is shown of it is \(text).")
    }

    /// Says which other recordings of the meter run on this device, as from a pipe: which of them are there.
    private func remarkOthers(_ store: Store, _ address: MACAddress, _ recorder: TraceRecorder) throws {
        for other in try store.recordings(of: address) where other.id != recorder.trace {
            Terminal.remark("The trace \(other.id.short) records the meter \(address) too, from \(other.source).")
        }
    }

    private func remarkRate() {
        Terminal.remark("The file has no times: \(Int(rowsPerSecond)) rows a second are assumed (--rate).")
    }

    private func printReport(
        _ store: Store, _ recorder: TraceRecorder, _ refused: Int, _ silences: Silences
    ) async throws {
        let condition = await recorder.metCondition?.description
        let summary = try store.summary(of: recorder.trace)
        let bytes = try store.storage(of: recorder.trace).byteCount
        if options.json {
            return try Terminal.print(
                json: Result(
                    trace: "\(recorder.trace)", rows: summary.rowCount, gaps: summary.gapCount,
                    missing: summary.missingCount, repeats: summary.repeatCount, refusedBytes: refused, bytes: bytes,
                    silences: silences.count,
                    looksLike: silences.models.isEmpty ? nil : silences.models.map(\.rawValue),
                    stoppedBy: condition))
        }
        try Terminal.print(
            "\(NumberText.count(summary.rowCount, "row")) in \(NumberText.bytes(bytes)), "
                + "\(summary.missingCount) missing in \(NumberText.count(summary.gapCount, "gap")), "
                + "\(summary.repeatCount) repeated: trace \(recorder.trace.short).")
        if let condition { try Terminal.print("Ended by the condition “\(condition)”.") }
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

/// Shows what is recorded on the terminal of standard error, if that is one.
struct LiveRecording {
    private var trace: LiveTrace?

    init(_ store: Store, _ id: RecordID, _ options: LiveOptions, isWanted: Bool) {
        let isQuiet = Terminal.manner.withLock { $0.isQuiet }
        guard isWanted, !isQuiet, Terminal.canReplaceLines(on: STDERR_FILENO) else { return }
        trace = try? store.record(Metering.trace.name, id).map {
            try LiveTrace(Trace($0), in: store, options, hint: "Ctrl-C ends it.")
        }
    }

    /// Shows the trace as it is now, if that is due. What cannot be read is not shown: the recording goes on.
    mutating func refresh(isDue: Bool = false) {
        if (try? trace?.refresh(isDue: isDue)) == true { trace?.show(on: STDERR_FILENO) }
    }

    /// Shows the trace for the last time.
    mutating func end() {
        refresh(isDue: true)
        Terminal.leaveStatus()
    }
}
