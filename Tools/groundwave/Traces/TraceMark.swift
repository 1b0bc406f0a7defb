import ArgumentParser
import Foundation
import Groundwave
import GroundwaveAuditing
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

struct TraceMark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Describe a moment of a trace; plots and groundwave trace show have it.",
        discussion: """
              groundwave trace mark last "charger unplugged"
              groundwave trace mark bench "fast charge begins" --at 2026-05-01T12:00:30.5

            To hide a marker: groundwave record remove marker ID
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "id"))
    var name: String

    @Argument(help: ArgumentHelp("The description.", valueName: "text"))
    var text: String

    @Option(help: ArgumentHelp("The moment; default: now, while the trace is recorded.", valueName: "time"))
    var at: String?

    @OptionGroup var options: StoreOptions
    @OptionGroup var writing: WriteOptions

    func run() async throws {
        let store = try await options.open(author: writing.author)
        let trace = try TraceName.resolve(name, store)
        let now = Date().timeIntervalSince1970
        let time: Int64
        if let at {
            time = try TimeArgument(at, now: Int64(now)).startMilliseconds
        } else {
            guard trace.end == nil else {
                throw StoreError(
                    .usage, "The trace \(trace.id.short) is not being recorded any more.",
                    hint: "Say which moment: --at 2026-05-01T12:00:30")
            }
            time = Int64(now * 1000)
        }
        let marker = try await store.mark(
            trace.id, at: time, text, note: writing.note ?? "", author: writing.author)
        if options.json { return try Terminal.print(json: TraceMarkerResult(marker)) }
        try Terminal.print(
            "Marked \(UTCText.milliseconds(time)) in the trace \(trace.id.short): marker \(marker.id.short).")
    }
}

/// A marker as JSON.
struct TraceMarkerResult: Encodable {
    var id: String
    var at: String
    var text: String

    init(_ marker: TraceMarker) {
        (id, at, text) = ("\(marker.id)", UTCText.milliseconds(marker.time), marker.text)
    }

    /// Prints markers as a table below an empty line.
    static func print(table markers: [TraceMarker]) throws {
        if markers.isEmpty { return }
        try Terminal.print("")
        var table = TextTable(["MARKED AT", "MARKER", "TEXT"])
        for marker in markers {
            table.append([UTCText.milliseconds(marker.time), marker.id.short, RecordText.short(marker.text, 80)])
        }
        try table.print()
    }
}
