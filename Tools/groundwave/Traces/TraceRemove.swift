import ArgumentParser
import Groundwave
import GroundwaveMeters
import GroundwaveWording

struct TraceRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Hide a trace, or a stretch of it; groundwave trace restore shows it again.",
        discussion: """
              groundwave trace remove last --note "Cable was loose"
              groundwave trace remove bench --from 2026-05-01T12:00 --to 2026-05-01T12:05

            Nothing is lost: the rows stay in the log, and hidden ones are in no sum, plot or export. To remove them \
            for ever: groundwave erase --trace ID
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name: String

    @OptionGroup var range: TraceRange
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let id = try TraceName.resolve(name, store).id
        if range.isGiven {
            let (start, end) = try range.milliseconds
            let stretch = try await store.hide(
                id, from: start, to: end, note: writing.note ?? "", author: writing.author)
            if options.json { return try Terminal.print(json: TraceStretchResult(stretch)) }
            let count = NumberText.count(try store.summary(of: id).hiddenCount, "row")
            return try Terminal.print("The stretch is hidden. Hidden in the trace \(id.short): \(count).")
        }
        let written = try await store.setHidden(
            true, trace: id, note: writing.note ?? "", author: writing.author)
        if options.json { return try Terminal.print(json: ChangeResult(id, written.batch)) }
        try Terminal.print("The trace \(id.short) is \(written.value ? "now" : "already") hidden.")
    }
}

struct TraceRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Show a hidden trace, or hidden stretches of a trace, again.",
        discussion: """
              groundwave trace restore last
              groundwave trace restore bench --from 2026-05-01T12:00 --to 2026-05-01T12:05

            groundwave trace list --hidden lists the hidden ones. With --from and --to, the hidden stretches that have \
            a moment in this time show again. What was erased does not come back.
            """)

    @Argument(help: ArgumentHelp("The hidden trace, or the one with hidden stretches.", valueName: "id"))
    var name: String

    @OptionGroup var range: TraceRange
    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        if range.isGiven { return try await restoreStretches(in: store) }
        let id = try TraceName.resolve(name, store, hidden: true).id
        let written = try await store.setHidden(
            false, trace: id, note: writing.note ?? "", author: writing.author)
        if options.json { return try Terminal.print(json: ChangeResult(id, written.batch)) }
        try Terminal.print("The trace \(id.short) is \(written.value ? "visible again" : "not hidden").")
    }
    private func restoreStretches(in store: Store) async throws {
        let (start, end) = try range.milliseconds
        let id = try TraceName.resolve(name, store).id
        let written = try await store.restoreStretches(
            of: id, from: start, to: end, note: writing.note ?? "", author: writing.author)
        if options.json {
            return try Terminal.print(
                json: TraceStretchResult.List(stretches: written.value.map(TraceStretchResult.init)))
        }
        try Terminal.print(
            written.value.isEmpty
                ? "No stretch of the trace \(id.short) is hidden there."
                : "\(NumberText.count(written.value.count, "stretch", "stretches")) visible again in the trace \(id.short)."
        )
    }
}

/// A hidden stretch as JSON.
struct TraceStretchResult: Encodable {
    struct List: Encodable {
        var stretches: [TraceStretchResult]
    }

    var id: String
    var from: String?
    var to: String?
    var erased: Bool

    init(_ stretch: HiddenStretch) {
        (id, erased) = ("\(stretch.id)", stretch.isErased)
        from = stretch.start == .min ? nil : UTCText.milliseconds(stretch.start)
        to = stretch.end == .max ? nil : UTCText.milliseconds(stretch.end)
    }
}
