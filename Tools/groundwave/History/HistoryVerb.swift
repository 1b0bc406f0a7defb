import ArgumentParser
import Foundation
import Groundwave
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

struct HistoryVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show what happened, newest first: who, when, before and after, and why.",
        discussion: """
            Each batch of an import is one line; --full shows each of its events.

              groundwave history W1AW
              groundwave history --since yesterday --field FREQ
            """)

    @Argument(
        help: ArgumentHelp("Only this record: its id, the first letters of the id, last, or a call.", valueName: "id"))
    var id: String?

    @OptionGroup var options: ReadOptions
    @Flag(help: "Print one JSON object per line instead of one for all.")
    var ndjson = false

    @Option(help: ArgumentHelp("Only changes of this field.", valueName: "field"))
    var field: String?
    @Option(help: ArgumentHelp("Only what this device wrote: its name or its replica id.", valueName: "replica"))
    var replica: String?
    @Option(help: ArgumentHelp("Only what this operator wrote.", valueName: "name"))
    var author: String?
    @Option(help: ArgumentHelp("Only records of this kind; without an id, all kinds.", valueName: "kind"))
    var kind: String?
    @Option(
        help: ArgumentHelp("Only what was written at this time or later: today, 90m, 2026-05-01.", valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Only what was written before this time; a day means its end.", valueName: "time"))
    var until: String?
    @Option(help: ArgumentHelp("Show at most this many events; default on a terminal: 50.", valueName: "count"))
    var limit: Int?
    @Flag(help: "Show every event of an import, every field of a new record, and each renewal of a meter's lease.")
    var full = false

    func run() async throws {
        if ndjson { Terminal.manner.withLock { $0.isJSON = true } }
        let store = try await options.open(needsHistory: true)
        let query = try query(store)
        let isText = !options.json && !ndjson
        if isText { return try printText(store, query) }
        var events: [HistoryEvent] = []
        try store.forEachHistoryEntry(query) { entry in
            let event = HistoryEvent(entry)
            if ndjson { try Terminal.print(json: event) } else { events.append(event) }
            return true
        }
        if !ndjson { try Terminal.print(json: ["events": events]) }
    }

    private func query(_ store: any Reading) throws -> HistoryQuery {
        var query = HistoryQuery()
        if let id {
            let kind = kind ?? QSOKind.name
            query.record = (kind, try store.resolve(id, kind: kind))
        }
        query.kind = kind
        query.field = field?.uppercased()
        query.author = author
        query.replica = try replica.map { try store.replica(named: $0) }
        let now = Int64(Date().timeIntervalSince1970)
        query.since = try since.map { try TimeArgument($0, now: now).startMilliseconds }
        query.until = try until.map { try TimeArgument($0, now: now).endMilliseconds }
        query.limit = limit
        query.isWithRenewals = full
        return query
    }

    private func printText(_ store: any Reading, _ query: HistoryQuery) throws {
        // A limit counts what is shown: lines of an import are one.
        let limit = limit ?? (Terminal.isTerminal ? 50 : .max)
        var query = query
        query.limit = nil
        var text = try HistoryText(store, isVerbose: full, isOneRecord: id != nil)
        var isCut = false
        try store.forEachHistoryEntry(query) { entry in
            if text.startsNewRow(entry), text.rowCount == limit {
                isCut = true
                return false
            }
            try text.append(entry)
            return true
        }
        try text.finish()
        if text.rowCount == 0 { return try Terminal.print("No change matches.") }
        if isCut { Terminal.remark("Showing the latest \(limit); --limit \(limit * 2) shows more.") }
    }
}

/// One event as JSON.
struct HistoryEvent: Encodable {
    struct Change: Encodable {
        var record: String
        var field: String
        var operation: String
        var before: JSONBytes?
        var after: JSONBytes?
        var withheld: String?
        var withheldBefore: String?
    }

    var event: String
    var position: UInt64
    var stamp: String
    var countsAs: String?
    var replica: String
    var author: String
    var note: String
    var correlation: String?
    var causation: String?
    var noteWithheld: String?
    var kind: String
    var imported: Bool
    var changes: [Change]

    init(_ entry: AuditEntry) {
        event = "\(entry.event)"
        position = entry.position
        stamp = UTCText.milliseconds(entry.stamp.milliseconds)
        countsAs = ClockText.counted(entry.counted, insteadOf: entry.stamp)
        replica = "\(entry.event.replica)"
        author = entry.note.author
        note = entry.note.text
        correlation = entry.note.correlation.isEmpty ? nil : entry.note.correlation
        causation = entry.note.causation.isEmpty ? nil : entry.note.causation
        noteWithheld = entry.noteWithheld?.rawValue
        kind = entry.kind
        imported = entry.isImported
        changes = entry.changes.map { change in
            Change(
                record: "\(entry.record)", field: change.field, operation: "\(change.operation)",
                before: change.before.map { JSONBytes($0) }, after: change.after.map { JSONBytes($0) },
                withheld: change.withheld?.rawValue, withheldBefore: change.withheldBefore?.rawValue)
        }
    }
}
