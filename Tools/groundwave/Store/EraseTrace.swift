import Groundwave
import GroundwaveMetering
import GroundwaveMeters
import GroundwaveWording

extension Erase {
    struct TraceErased: Encodable {
        var events: Int
        var withheld: Int
        var trace: String
        var rows: UInt64
        var archives: [String]
        var remotes: [String]
        var event: String?
    }

    /// Erases the trace called `name`, or its rows of the given time, with markers and captured bytes.
    func erase(trace name: String, in store: Store) async throws {
        let trace = try TraceName.resolve(name, store)
        let (start, end) = try range.milliseconds
        let rows =
            try range.isGiven
            ? store.summary(of: trace.id, from: start, to: end).rows.rowCount : store.summary(of: trace.id).rowCount
        if !options.json {
            let label = trace.name.isEmpty ? "" : " \(trace.name)"
            let time = range.isGiven ? " of that time" : ""
            try Terminal.print("Trace \(trace.id.short)\(label): \(NumberText.count(rows, "row"))\(time).")
        }
        var erased = Erased()
        if !dryRun {
            if !yes {
                try Confirmation.ask(
                    "Erase this permanently?", orElse: "This would erase the trace \(trace.id.short) permanently.")
            }
            let (note, author) = (writing.note ?? "", writing.author)
            erased =
                try await range.isGiven
                ? store.erase(trace: trace.id, from: start, to: end, note: note, author: author)
                : store.erase(trace: trace.id, note: note, author: author)
        }
        let archives = try store.archives(covering: [trace.id])
        let remotes = try store.remotes().map(\.name)
        try store.close()
        if options.json {
            return try Terminal.print(
                json: TraceErased(
                    events: erased.eventCount, withheld: erased.withheldCount, trace: "\(trace.id)",
                    rows: rows, archives: archives.map(\.fileHash), remotes: remotes,
                    event: erased.batches.first.map { "\($0.first)" }))
        }
        if dryRun { return try Terminal.print("Nothing was written.") }
        try Terminal.print(
            erased.withheldCount == 0
                ? "It was already erased; nothing was left to erase."
                : "Erased: \(range.isGiven ? "the stretch" : "the trace"), its rows, markers and captured bytes, \(NumberText.count(erased.withheldCount, "event"))."
        )
        try EraseOutput.list(archives: archives)
        try EraseOutput.list(remotes: remotes)
        Terminal.remark(
            "Not erased: exported files, bundles and copies of this folder. The log keeps the summaries of the rows, which no "
                + "command shows any more: times, counts, least and greatest values, charge. Your other devices erase the "
                + "same when they receive this change.")
    }
}
