import ArgumentParser
import Foundation
import Groundwave
import GroundwaveMetering
import GroundwaveMeters

/// The options of what is shown of a trace while it is recorded.
struct LiveOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The channel to draw on a terminal; default: the first in amperes.", valueName: "name"))
    var channel: String?

    @Option(help: ArgumentHelp("For how many minutes to draw it.", valueName: "minutes"))
    var minutes = 5

    @OptionGroup var shown: ValueOptions

    func validate() throws {
        guard (1...1_440).contains(minutes) else { throw ValidationError("--minutes must be a number from 1 to 1440.") }
    }
}

/// Reads a trace again and again while it is recorded, and keeps what is shown of it.
///
/// Everything is read from the store, as any other program reads it: a row is there within a second.
struct LiveTrace {
    /// The shortest time between two looks: rows reach the disk as often.
    private static let refreshMilliseconds: Int64 = 500
    /// The most of the time that is spent on looking is one part of so many.
    private static let share: Int64 = 20

    private(set) var view: LiveView
    private let store: Store
    private let now: @Sendable () -> Arrival
    private let span: Int64
    private let values: TraceValues
    private var dueAt: Int64
    /// The time up to which rows were read.
    private var readTo: Int64?

    init(_ trace: Trace, in store: Store, _ options: LiveOptions, hint: TerminalText) throws {
        (self.store, now) = (store, store.surroundings.now)
        span = Int64(options.minutes) * 60_000
        values = options.shown.values
        let present = now()
        dueAt = present.monotonicMilliseconds
        view = LiveView(
            trace, try store.summary(of: trace.id, showing: values), drawing: options.channel, minutes: options.minutes,
            hint: hint, temperatureUnit: try store.temperatureUnit(of: trace), at: present)
    }

    /// Whether the trace has ended, or its recorder has.
    var hasEnded: Bool { view.trace.end != nil || view.summary.tail == .interrupted }

    /// Reads the trace again, if the last look is long enough ago. Returns whether it was read.
    ///
    /// - Parameter isDue: Whether it is read however long ago the last look is.
    /// - Throws: ``StoreError`` with code `notFound` if the trace was hidden or erased.
    mutating func refresh(isDue: Bool = false) throws -> Bool {
        let start = now().monotonicMilliseconds
        guard isDue || start >= dueAt else { return false }
        try read()
        let end = now().monotonicMilliseconds
        dueAt = end + max(Self.refreshMilliseconds, Self.share * (end - start))
        return true
    }

    private mutating func read() throws {
        // The end is read before the rows: if it is there, they all are.
        let id = view.trace.id
        guard let record = try store.record(Metering.trace.name, id), record.isVisible else {
            throw StoreError(
                .notFound, "There is no trace \(id.short) any more.",
                hint: "groundwave trace list --hidden lists the hidden ones.")
        }
        let trace = Trace(record)
        let summary = try store.summary(of: trace.id, showing: values)
        // Rows that were taken with another calibration are taken again.
        if summary.calibration != view.summary.calibration { readTo = nil }
        view.temperatureUnit = try store.temperatureUnit(of: trace)
        view.take(trace, summary, at: now())
        guard let last = summary.lastTime, view.recent != nil else { return }
        let start = max(readTo ?? .min, last &- span)
        try store.forEachPiece(of: trace.id, showing: values, from: start) { piece in
            if case .rows(let rows) = piece { view.take(rows) }
            return true
        }
        readTo = last
    }

    /// Shows the lines on the terminal with this descriptor.
    func show(on descriptor: Int32) { Terminal.showStatus(view.lines(on: .of(descriptor), at: now()), on: descriptor) }

    /// The trace in one line.
    var line: TerminalText { view.line(at: now()) }

    /// The milliseconds since the last row, if no row has come for a while.
    var silence: Int64? { view.silence(at: now()) }
}
