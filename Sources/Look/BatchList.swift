import GroundwaveAuditing
import GroundwaveEvents
import GroundwaveLogbook
import GroundwaveProjections
import GroundwaveRecords
import GroundwaveStore
import GroundwaveWording

/// What was written at once, as one row: when, by whom, what, and why.
struct BatchList {
    /// What the rows are chosen by.
    struct Filter: Sendable {
        var replicas: Set<ReplicaID>?
        var author: String?
        var kind: String?
        var field: String?
        var since: Int64?
        var until: Int64?

        /// Whether every event of every batch is wanted.
        var isEmpty: Bool {
            replicas == nil && author == nil && kind == nil && field == nil && since == nil && until == nil
        }

        func matches(_ entry: AuditEntry) -> Bool {
            if let replicas, !replicas.contains(entry.event.replica) { return false }
            if let author, entry.note.author.lowercased() != author.lowercased() { return false }
            if let kind, entry.kind != kind { return false }
            if let field, !entry.changes.contains(where: { $0.field == field || $0.field.isEmpty }) { return false }
            if let since, entry.counted.milliseconds < since { return false }
            if let until, entry.counted.milliseconds >= until { return false }
            return true
        }
    }

    /// A row.
    struct Row {
        /// The batch.
        let batch: Batch
        /// Its first entries that match, the last written first.
        var entries: [AuditEntry]
        /// How many of its events match.
        var count: Int
    }

    /// The rows, newest first.
    private(set) var rows: [Row] = []
    /// The position to go on before; `nil` if there is nothing older.
    private(set) var next: Position?

    /// So many entries of a batch are kept for its row.
    private static let entryLimit = 3
    /// So many events are looked at for one page; a search goes on by its link.
    private static let lookLimit = 50_000

    /// Collects rows that end before the position `end`.
    ///
    /// - Throws: As `Reading.read`.
    /// - Complexity: A few look-ups for each event of the batches passed, at most ``lookLimit`` of them.
    init(_ reading: any Reading, _ filter: Filter, before end: Position?, limit: Int) throws {
        let audit = try reading.audit.knowingClocks()
        var position = try reading.describing { try audit.lastPosition() }
        if let end, end <= position { position = end == 0 ? 0 : end - 1 }
        var looked = 0
        while position > 0, rows.count < limit, looked < Self.lookLimit {
            let (batch, entries, count, seen) = try reading.describing {
                try Self.read(closing: position, audit, filter, reading)
            }
            looked += seen
            if let batch, count > 0 { rows.append(Row(batch: batch, entries: entries, count: count)) }
            position = (batch?.position ?? position) - 1
        }
        next = position > 0 ? position + 1 : nil
    }

    private static func read(
        closing position: Position, _ audit: Audit, _ filter: Filter, _ reading: any Reading
    ) throws -> (Batch?, [AuditEntry], Int, Int) {
        // A moment may lie inside a batch.
        guard let rest = try audit.log.withEvent(at: position, { frame, _ in frame.rest }),
            let batch = try Batch(closing: position + UInt64(rest), in: audit.log)
        else { return (nil, [], 0, 1) }
        var (entries, count, seen): ([AuditEntry], Int, Int) = ([], 0, 0)
        var next = position + 1
        while next > batch.position {
            next -= 1
            seen += 1
            if filter.isEmpty, entries.count == entryLimit {
                count += 1
                continue
            }
            guard let entry = try audit.entry(at: next), filter.matches(entry) else { continue }
            guard !reading.components.contains(where: { $0.isRoutine?(entry.kind, entry.changes) ?? false }) else {
                continue
            }
            count += 1
            if entries.count < entryLimit { entries.append(entry) }
        }
        return (batch, entries, count, seen)
    }

    /// The rows as a table.
    func html(_ caption: String, _ visit: Visit) throws -> HTML {
        let devices = try visit.reading.deviceNames()
        var names = RecordNames(visit.reading)
        var table = PageTable(caption, ["When", "Who", "What", "Change", "Why"])
        for row in rows {
            guard let entry = row.entries.first else { continue }
            table.append([
                "<a href=\"\(visit.link(Visit.address(ofBatch: row.batch.last)))\">\(Visit.time(entry.counted.milliseconds))</a>",
                Self.who(entry, devices), try Self.what(row, &names, visit), Self.change(row),
                HTML(RecordText.short(Self.note(entry), 80)),
            ])
        }
        return table.html(none: "Nothing was written that matches.")
    }

    /// The author, and the device where it has another name.
    static func who(_ entry: AuditEntry, _ devices: [ReplicaID: String]) -> HTML {
        who(entry.note, entry.event.replica, devices)
    }

    static func who(_ note: AuditNote, _ replica: ReplicaID, _ devices: [ReplicaID: String]) -> HTML {
        let device = devices[replica] ?? replica.short
        if note.author.isEmpty || note.author == device { return HTML(device) }
        return devices.count > 1 ? "\(note.author) <small>on \(device)</small>" : HTML(note.author)
    }

    static func note(_ entry: AuditEntry) -> String {
        ClockText.note(ShownValue.note(entry.note, entry.noteWithheld), entry.counted, insteadOf: entry.stamp)
    }

    private static func what(_ row: Row, _ names: inout RecordNames, _ visit: Visit) throws -> HTML {
        guard let first = row.entries.first else { return "" }
        if row.count == 1 || Set(row.entries.map(\.record)).count == 1 && row.count <= row.entries.count {
            return visit.link(
                try names.name(first.kind, first.record), Visit.address(ofRecord: first.kind, first.record))
        }
        if let book = row.entries.first(where: { $0.kind == ImportKind.name }) {
            return visit.link("import \(book.record.short)", Visit.address(ofRecord: book.kind, book.record))
        }
        return HTML(Visit.count(row.count, "change"))
    }

    private static func change(_ row: Row) -> HTML {
        guard let first = row.entries.first else { return "" }
        if row.count > 1, row.entries.contains(where: { $0.kind == ImportKind.name }) {
            return HTML(Visit.count(row.count - 1, "record"))
        }
        let lines = row.entries.flatMap { ChangeText.lines(of: $0, isFull: false).prefix(2) }
        let more = row.count - row.entries.count
        let words =
            lines.isEmpty ? [first.isImported ? "said again what was known" : "bookkeeping"] : Array(lines.prefix(3))
        return words.map { HTML(RecordText.short($0, 120)) }.joined(separator: "<br>")
            + (more > 0 ? "<br><small>and \(Visit.grouped(more)) more</small>" : "")
    }
}
