import Groundwave
import GroundwaveEvents
import GroundwaveMeters
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveWording

/// A history as a table: time, who, which record, what, and why; one line for all that an import wrote in a batch.
struct HistoryText {
    private let devices: [ReplicaID: String]
    private let isVerbose: Bool
    private let isOneRecord: Bool
    private var names: RecordNames
    private var table: TextTable
    private var lines = 0
    private var batch: ImportBatch?

    /// How many rows there are, that of the batch at the end included.
    var rowCount: Int { lines + (batch == nil ? 0 : 1) }

    /// What an import wrote at once.
    private struct ImportBatch {
        var replica: ReplicaID
        var stamp: Stamp
        var counted: Stamp
        var note: AuditNote
        var noteWithheld: Withholding?
        var position: Position
        /// The import; `nil` if the event that closes the batch is not among those that are shown.
        var id: RecordID?
        var new = 0
        var changed = 0
        /// The contacts of which the file said only what was known.
        var asserted = 0
    }

    init(_ store: any Reading, isVerbose: Bool, isOneRecord: Bool) throws {
        devices = try store.deviceNames()
        self.isVerbose = isVerbose
        self.isOneRecord = isOneRecord
        names = RecordNames(store)
        table = TextTable(
            isOneRecord
                ? ["EVENT", "UTC", "WHO", "CHANGE", "NOTE"] : ["EVENT", "UTC", "WHO", "WHAT", "CHANGE", "NOTE"])
    }

    /// Whether `entry` is not of the batch that the last row tells of.
    func startsNewRow(_ entry: AuditEntry) -> Bool {
        !(isCollapsed(entry) && batch.map { belongs(entry, to: $0) } ?? false)
    }

    private func isCollapsed(_ entry: AuditEntry) -> Bool {
        if isVerbose || isOneRecord { return false }
        // A country that was filled in as a contact was logged is in no import.
        if entry.source == CountryFields.sourceID {
            return batch.map { $0.id != nil && belongs(entry, to: $0) } ?? false
        }
        return entry.isImported || entry.kind == "import"
    }

    private func belongs(_ entry: AuditEntry, to batch: ImportBatch) -> Bool {
        entry.event.replica == batch.replica && entry.stamp == batch.stamp
    }

    mutating func append(_ entry: AuditEntry) throws {
        guard isCollapsed(entry) else {
            try finishBatch()
            return try appendRows(entry)
        }
        if batch.map({ !belongs(entry, to: $0) }) ?? true {
            try finishBatch()
            batch = ImportBatch(
                replica: entry.event.replica, stamp: entry.stamp, counted: entry.counted, note: entry.note,
                noteWithheld: entry.noteWithheld, position: entry.position)
        }
        if entry.kind == "import" {
            // It has counted the whole batch, of which a filter may show less.
            batch?.id = entry.record
            batch?.new = entry.growth(of: "IMPORTED")
            batch?.changed = entry.growth(of: "UPDATED")
        } else if batch?.id == nil {
            if entry.isNew { batch?.new += 1 } else if !entry.changes.isEmpty { batch?.changed += 1 }
        }
        if entry.kind != "import", entry.changes.isEmpty { batch?.asserted += 1 }
    }

    private mutating func finishBatch() throws {
        guard let batch else { return }
        var parts: [String] = []
        if batch.new > 0 { parts.append("\(batch.new) new") }
        if batch.changed > 0 { parts.append("\(batch.changed) updated") }
        if batch.asserted > 0 { parts.append("\(batch.asserted) unchanged") }
        row(
            batch.position, (batch.stamp, batch.counted), batch.replica, (batch.note, batch.noteWithheld),
            ["import", batch.id?.short].compactMap(\.self).joined(separator: " "),
            parts.isEmpty ? "nothing" : parts.joined(separator: ", "))
        self.batch = nil
    }

    private mutating func row(
        _ position: Position, _ time: (stamp: Stamp, counted: Stamp), _ replica: ReplicaID,
        _ words: (note: AuditNote, withheld: Withholding?), _ what: String, _ change: String
    ) {
        lines += 1
        let cells = [
            "@\(position)", TimeText.milliseconds(time.counted.milliseconds), who(words.note, replica), what, change,
            ClockText.note(ShownValue.note(words.note, words.withheld), time.counted, insteadOf: time.stamp),
        ]
        append(cells)
    }

    private mutating func append(_ cells: [String]) {
        table.append(isOneRecord ? Array(cells[0...2] + cells[4...5]) : cells)
    }

    private func who(_ note: AuditNote, _ replica: ReplicaID) -> String {
        let device = devices[replica] ?? replica.short
        if note.author.isEmpty || note.author == device { return device }
        return devices.count > 1 ? "\(note.author) @\(device)" : note.author
    }

    private mutating func appendRows(_ entry: AuditEntry) throws {
        let what = try names.name(entry.kind, entry.record)
        let changes = ChangeText.lines(of: entry, isFull: isVerbose)
        row(
            entry.position, (entry.stamp, entry.counted), entry.event.replica, (entry.note, entry.noteWithheld), what,
            changes.first ?? "bookkeeping")
        for change in changes.dropFirst() { append(["", "", "", "", change, ""]) }
    }

    /// Prints the table.
    mutating func finish() throws {
        try finishBatch()
        if lines > 0 { try table.print() }
    }
}

extension AuditEntry {
    /// By how much the count in a field of this name grew.
    fileprivate func growth(of field: String) -> Int {
        guard let change = changes.first(where: { $0.field == field }) else { return 0 }
        func count(_ value: [UInt8]?) -> Int { value.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0 }
        return count(change.after) - count(change.before)
    }
}
