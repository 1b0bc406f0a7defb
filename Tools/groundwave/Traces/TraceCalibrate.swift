import ArgumentParser
import Foundation
import Groundwave
import GroundwaveAuditing
import GroundwaveMetering
import GroundwaveMeters

struct TraceCalibrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Correct what is shown of a channel, never what was measured.",
        discussion: """
              groundwave trace calibrate bench --channel current --factor 1.003 --offset -0.0012
              groundwave trace calibrate --meter 00:15:A5:00:11:22 --channel voltage \\
                --factor 0.998 --from 2026-05-01
              groundwave trace calibrate bench --channel current --remove
              groundwave trace calibrate

            Every command shows the value times the factor plus the offset, in the unit of the channel and rounded to its \
            decimals, and says so; charge and energy follow. With --measured it shows what was measured, which stays in the \
            store as it is.

            The calibration of a meter is that of all its traces or, with --from, of those that began then or later. That of \
            a trace comes before that of its meter, and --factor 1 --offset 0 is one too. A second calibration of the same \
            replaces the first. Without --channel, the calibrations are listed.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name: String?

    @Option(help: ArgumentHelp("The meter whose traces are calibrated.", valueName: "mac"))
    var meter: String?

    @Option(help: ArgumentHelp("The channel.", valueName: "name"))
    var channel: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What a value is multiplied by; default: 1.", valueName: "number"))
    var factor: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What is added then, in the unit of the channel; default: 0. It may be negative.", valueName: "number"))
    var offset: String?

    @Option(help: ArgumentHelp("Only the traces of the meter that began at this time or later.", valueName: "time"))
    var from: String?

    @Flag(help: "Remove the calibration of the channel.")
    var remove = false

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func validate() throws {
        if name != nil, meter != nil { throw ValidationError("Name a trace or a meter (--meter), not both.") }
        if from != nil, meter == nil { throw ValidationError("--from goes with --meter.") }
        if remove, factor != nil || offset != nil {
            throw ValidationError("--remove goes without --factor and --offset.")
        }
        guard channel != nil else {
            guard !remove, factor == nil, offset == nil else { throw ValidationError("Name the channel (--channel).") }
            return
        }
        guard name != nil || meter != nil else { throw ValidationError("Name a trace, or a meter (--meter).") }
        guard remove || factor != nil || offset != nil else {
            throw ValidationError("Specify --factor, --offset or both, or --remove.")
        }
    }

    func run() async throws {
        guard let channel else { return try await list() }
        let correction = try self.correction
        let store = try await options.open(author: writing.author)
        guard let target = try self.target(in: store) else { preconditionFailure("validate() has checked it.") }
        let note = writing.note ?? ""
        if remove {
            let written = try await store.removeCalibrations(
                target, channel: channel, note: note, author: writing.author)
            if options.json { return try Terminal.print(json: List(written.value)) }
            for calibration in written.value {
                try Terminal.print("Removed: \(calibration.item.description), \(calibration.place).")
            }
        } else {
            let written = try await store.calibrate(
                target, channel: channel, by: correction, note: note, author: writing.author)
            let result = Result(written.value)
            if options.json { return try Terminal.print(json: result) }
            try Terminal.print("Calibrated: \(written.value.item.description), \(written.value.place).")
        }
    }

    private func list() async throws {
        let store = try await options.openForReading()
        let target = try self.target(in: store)
        let found = try store.calibrations().filter { calibration in
            switch (target, calibration.target) {
            case (nil, _): true
            case (.trace(let id), .trace(let other)): id == other
            case (.meter(let mac, _), .meter(let other, _)): mac == other
            default: false
            }
        }
        if options.json { return try Terminal.print(json: List(found)) }
        if found.isEmpty { return try Terminal.print("No calibrations.") }
        var table = TextTable(["CHANNEL", "FACTOR", "OFFSET", "UNIT", "FOR"], numbersFrom: 1, to: 2)
        for calibration in found {
            let correction = calibration.item.correction
            table.append([
                calibration.item.name, "\(correction.factor)", "\(correction.offset)", calibration.item.unit.rawValue,
                calibration.place,
            ])
        }
        try table.print()
    }

    private func target(in store: some Reading) throws -> TraceCalibration.Target? {
        if let name { return .trace(try TraceName.resolve(name, store).id) }
        guard let meter else { return nil }
        let start = try from.map { try TimeArgument($0, now: Clock.now).startMilliseconds }
        return .meter(try MACAddress(argument: meter), from: start)
    }

    private var correction: ChannelCorrection {
        get throws {
            let numbers = try [(factor ?? "1", "a factor"), (offset ?? "0", "an offset")].map { text, what in
                guard let number = DecimalNumber(text) else {
                    throw StoreError(
                        .usage, "“\(text)” is not \(what).",
                        hint: "Write a decimal number, with at most nine digits before the point and nine behind it.")
                }
                return number
            }
            guard let correction = ChannelCorrection(factor: numbers[0], offset: numbers[1]) else {
                throw StoreError(
                    .usage, "“\(numbers[0])” is not a factor.", hint: "It must not be 0, and be below 1000.")
            }
            return correction
        }
    }

    /// A calibration as JSON.
    struct Result: Encodable {
        var id: String
        var trace: String?
        var mac: String?
        var from: String?
        var name: String
        var unit: String
        var factor: String
        var offset: String

        init(_ calibration: TraceCalibration) {
            id = "\(calibration.id)"
            switch calibration.target {
            case .trace(let id): trace = "\(id)"
            case .meter(let meter, let start): (mac, from) = (meter.description, start.map(UTCText.milliseconds))
            }
            let correction = CalibrationResult(calibration.item)
            (name, unit, factor, offset) = (correction.name, correction.unit, correction.factor, correction.offset)
        }
    }

    private struct List: Encodable {
        var calibrations: [Result]

        init(_ calibrations: [TraceCalibration]) { self.calibrations = calibrations.map(Result.init) }
    }
}

extension TraceCalibration {
    /// What it holds for, in words.
    fileprivate var place: String {
        switch target {
        case .trace(let id): "the trace \(id.short)"
        case .meter(let meter, nil): "all traces of \(meter)"
        case .meter(let meter, let start?): "traces of \(meter) from \(UTCText.milliseconds(start)) on"
        }
    }
}
