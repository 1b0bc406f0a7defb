import GroundwaveADIF
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveLogFormat
import GroundwaveMDBPages
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// One import, on the writer's queue.
///
/// The records are compared with the views, and what is new becomes a batch, which is appended only if nobody has changed a
/// contact meanwhile: else its records are compared again.
struct ImportRun {
    private let store: Store
    private let writer: Writer
    private let name: String
    private let options: ImportOptions
    private let progress: (Int) -> Void

    private var report = ImportReport()
    private var generator: Surroundings.Generator
    private var program = ""
    /// The header of a Cabrillo log; empty for other files.
    private var cabrilloHeader = ""
    private var comparison: ImportComparison?
    /// The import's own record; `nil` before the first record of the file was compared.
    private var book: ImportBook?
    /// When the contacts were erased that records of the file are about.
    private var erased: [RecordID: Stamp?] = [:]
    /// The records that are still to be compared.
    private var pending: [ImportedRecord] = []
    private var draft = DraftBatch(capacity: 1 << 20)
    /// The records that were compared since the last batch, and what the report said then.
    private var compared: [ImportedRecord] = []
    private var committed = ImportReport()
    /// The position of the last event that these were compared with; `nil` if there are none.
    private var seen: Position?
    /// The position of the last event of this import: up to it, nobody else has changed a contact since it began.
    private var written: Position = 0

    /// The number of records compared against one state of the views.
    private static let sliceCount = 1000
    /// The number of records after which what is new in them is committed, so that no more are compared again.
    private static let comparedCount = 16_000
    /// How often the records of a batch are compared.
    private static let attemptCount = 20

    init(
        store: Store, writer: Writer, name: String, options: ImportOptions, progress: @escaping (Int) -> Void
    ) {
        self.store = store
        self.writer = writer
        generator = writer.surroundings.generator
        self.name = name
        self.options = options
        self.progress = progress
    }

    /// - Parameter chunks: The bytes of the file piece by piece, and `nil` at its end. Called by one thread after another.
    mutating func perform(_ chunks: @escaping @Sendable () throws -> [UInt8]?) throws -> ImportReport {
        try store.views.catchUp()
        var hasHeader = options.format == .ndjson
        let file = ImportFile(name: name, options, chunks)
        // Another core parses the next records while these are compared.
        var slices = OrderedWork<Result<[ImportFile.Item], any Error>>()
        // The caller closes the file as soon as this returns.
        defer { while slices.next() != nil {} }
        slices.add { Result { try file.nextItems() } }
        while let items = try slices.next()?.get(), !items.isEmpty {
            slices.add { Result { try file.nextItems() } }
            for item in items {
                report.remarks += item.remarks
                switch item.content {
                case .header(let name, let cabrillo):
                    hasHeader = true
                    if program.isEmpty { program = name }
                    cabrilloHeader += cabrillo
                case .record(let record):
                    report.records += 1
                    try consume(record)
                case .rejected:
                    report.records += 1
                    report.rejected += 1
                }
            }
        }
        try comparePending()
        if let comparison { report.absent = try store.views.read { try comparison.absentCount(in: $0) } }
        let taken = report.imported + report.updated + report.unchanged
        if taken == 0, report.rejected > 0 || !hasHeader {
            let first = report.remarks.first { $0.isRejection }
            throw StoreError(
                .damaged, "\(name) has no complete record\(first.map { ": \($0.message)" } ?? ".")",
                hint:
                    "Check that it is a log (ADI, ADX, CSV, NDJSON or Cabrillo), and that it was downloaded completely."
            )
        }
        try commit(isLast: true)
        if report.id != nil { try store.views.catchUp() }
        return report
    }

    private mutating func consume(_ record: ImportedRecord) throws {
        pending.append(record)
        if pending.count == Self.sliceCount {
            try comparePending()
            progress(report.records)
        }
    }

    private mutating func comparePending() throws {
        let records = pending
        pending.removeAll(keepingCapacity: true)
        try compare(records)
        // Where nothing is to be written, nothing has to be compared again.
        if draft.isEmpty { keepCompared() } else if compared.count >= Self.comparedCount { try commit(isLast: false) }
    }

    /// Compares records of the file, appends what is new in them to the draft, and commits that whenever it is full.
    private mutating func compare(_ records: [ImportedRecord]) throws {
        var rest = records[...]
        while !rest.isEmpty {
            let slice = rest.prefix(EventLimits.batchCount - 1 - draft.count)
            let count = try append(slice, outcomes(of: slice))
            rest = rest.dropFirst(count)
            if count < slice.count || draft.count == EventLimits.batchCount - 1 { try commit(isLast: false) }
        }
    }

    /// The result for one record.
    private struct Compared {
        var outcome: ImportComparison.Outcome
        var fields: [(field: String, outcome: ImportComparison.FieldOutcome)]
    }

    /// Returns when a contact was erased, by the clock of who did it.
    private func whenErased(_ id: RecordID, _ view: borrowing ViewReader) throws -> Stamp? {
        var stamp: Stamp?
        try store.log.withEvents(at: view.state(of: QSOKind.name, id)?.history.positions ?? []) { _, frame, bytes in
            let (shape, values) = (bytes.extracting(frame.shape), bytes.extracting(frame.values))
            let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            if reader?.isErase(shape: shape, values: values) == true { stamp = min(stamp ?? frame.stamp, frame.stamp) }
        }
        return stamp
    }

    private mutating func outcomes(of records: ArraySlice<ImportedRecord>) throws -> [Compared] {
        var comparison = try begun()
        // Cleared so that the local copy is changed in place: the table of matched contacts grows with the file.
        self.comparison = nil
        var erased: [RecordID: Stamp?] = [:]
        let (outcomes, position) = try store.views.read { view in
            // Runs again if the views had to be rebuilt.
            comparison.forget(after: compared.count)
            erased = [:]
            comparison.hasErased = try view.hasRecords(of: ErasureKind.name)
            var contact = view.shownValues(of: QSOKind.name)
            let outcomes = try records.map { record in
                let outcome = try comparison.compare(record, in: view, &contact)
                if case .erased(let id) = outcome, erased[id] == nil { erased[id] = try whenErased(id, view) }
                return Compared(outcome: outcome, fields: comparison.fieldOutcomes)
            }
            return (outcomes, view.position)
        }
        self.comparison = comparison
        self.erased = erased
        // The views may be behind the batches of this import, whose contacts are met already.
        let last = max(position, written)
        seen = min(seen ?? last, last)
        return outcomes
    }

    /// Appends what is new in the records to the draft, until it is full. Returns the number of records that were dealt
    /// with; the others are forgotten.
    private mutating func append(
        _ records: ArraySlice<ImportedRecord>, _ outcomes: [Compared]
    ) throws -> Int {
        var count = 0
        for (record, result) in zip(records, outcomes) {
            guard append(result.outcome) else { break }
            report.note(result.fields)
            switch result.outcome {
            case .new, .restored: report.imported += 1
            case .updated: report.updated += 1
            case .unchanged, .asserted: report.unchanged += 1
            case .hidden:
                report.unchanged += 1
                report.hidden += 1
            case .erased(let id):
                report.unchanged += 1
                report.erased += 1
                if let stamp = erased[id] ?? nil { report.lastErased = max(report.lastErased ?? stamp, stamp) }
            }
            compared.append(record)
            count += 1
        }
        comparison?.forget(after: compared.count)
        return count
    }

    /// Appends what the outcome brings, if anything, to the draft; returns whether there was room for it.
    private mutating func append(_ outcome: ImportComparison.Outcome) -> Bool {
        if options.isDryRun { return true }
        switch outcome {
        case .new(let contact):
            guard hasRoom(for: contact.byteBound) else { return false }
            draft.append(contact, using: &generator)
        case .restored(let change), .updated(let change), .asserted(let change):
            guard hasRoom(for: DraftBatch.byteBound(of: change)) else { return false }
            draft.append(change, by: writer.replica, using: &generator)
        case .unchanged, .hidden, .erased: break
        }
        return true
    }

    /// Whether the draft has room for an event, and for the one that closes the batch.
    private func hasRoom(for byteBound: Int) -> Bool { draft.isEmpty || draft.hasRoom(for: byteBound + 64 << 10) }

    /// The comparison with what this source has said before; with the first one the import's own record is looked for.
    private mutating func begun() throws -> ImportComparison {
        if let comparison { return comparison }
        try checkTrusted()
        let (id, source) = (RecordID.random(using: &generator), sourceName)
        let formerValues = isOwnExport ? self.formerValues : nil
        let again = options.takesErasedAgain ? RecordID.random(using: &generator) : nil
        let (comparison, book) = try store.views.read { [name, options, writer] view in
            let reverts = try Reverts(in: view, store.log)
            return (
                ImportComparison(
                    source: SourceID(name: source), isTrusted: isTrusted,
                    ids: ContactIDs(key: try view.idKey(by: store.log.roster())),
                    session: options.session, undos: reverts.undos, again: again, formerValues: formerValues),
                try ImportBook(of: name, source, by: writer.replica, or: id, reverts.cancelled, in: view)
            )
        }
        self.book = book
        return comparison
    }

    /// Whether the file is an export of this program, of this log or another one.
    private var isOwnExport: Bool { SourceID(name: sourceName) == SourceID(name: ADIWriter.programID) }

    /// Returns the values that the events of a contact have written to a field.
    private func formerValues(of contact: RecordID, _ field: FieldKey) throws -> [[UInt8]] {
        let positions = try store.views.read { try $0.allPositions(of: QSOKind.name, contact) }
        var values: [[UInt8]] = []
        try store.log.withEvents(at: positions) { _, frame, bytes in
            let change = try? Change(
                shape: bytes.extracting(frame.shape), values: bytes.extracting(frame.values),
                isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            guard let change, change.record == contact else { return }
            values += change.operations.filter { $0.field == field }.compactMap(\.value)
        }
        return values
    }

    private var isTrusted: Bool { !options.trusted.isEmpty }

    /// Throws unless the file is of the source that is trusted: nothing of it was written yet.
    private func checkTrusted() throws {
        guard !options.trusted.isEmpty, SourceID(name: options.trusted) != SourceID(name: sourceName) else { return }
        throw StoreError(
            .usage, "\(name) is from the source \(sourceName), not from \(options.trusted).",
            hint: "To trust the source of this file: \(.trustSource(sourceName))")
    }

    private var sourceName: String { options.source ?? (program.isEmpty ? "adif" : program) }

    /// Commits the draft, closed by the record of this import, if there is anything to write.
    private mutating func commit(isLast: Bool) throws {
        for _ in 0..<Self.attemptCount {
            guard let book, !draft.isEmpty || isLast && book.isUnfinished && !options.isDryRun else {
                return keepCompared()
            }
            let seen = try seen ?? max(written, store.views.read { $0.position })
            let (closed, closing) = try closed(book, isLast: isLast)
            do {
                let appended = try writer.append(closed, behind: seen)
                self.book?.note(closing, as: appended.last)
                report.id = book.id
                draft = DraftBatch(capacity: 1 << 20)
                written = appended.position + UInt64(appended.count) - 1
                return keepCompared()
            } catch EventLogError.moved(let last) {
                if try concerns(after: seen, through: last) { try compareAgain() } else { self.seen = last }
            }
        }
        throw StoreError(
            .busy, "Other programs keep changing contacts of this store.",
            hint: "Import the file again: that completes the import.")
    }

    /// Returns the draft with the event that closes it.
    private mutating func closed(_ book: ImportBook, isLast: Bool) throws -> (DraftBatch, Change) {
        var assignments = [
            Assignment("FILE", text: name), Assignment("SOURCE", text: sourceName),
            Assignment("IMPORTED", text: String(book.imported + report.imported - committed.imported)),
            Assignment("UPDATED", text: String(book.updated + report.updated - committed.updated)),
        ]
        if !program.isEmpty { assignments.append(Assignment("PROGRAM", text: program)) }
        if !cabrilloHeader.isEmpty { assignments.append(Assignment("CABRILLO", text: cabrilloHeader)) }
        if isLast {
            assignments.append(Assignment("RECORDS", text: String(report.records)))
            assignments.append(Assignment("REJECTED", text: String(report.rejected)))
            assignments.append(Assignment("ABSENT", text: String(report.absent)))
        }
        let words = AuditNote(author: options.author ?? store.author, text: options.note ?? "Import \(name)")
        let note = try store.views.read {
            try $0.naming(words, for: writer.replica, store.components, on: writer.deviceName)
        }
        let closing = book.change(assigning: assignments)
        var closed = draft
        closed.append(closing, by: writer.replica, note: note, using: &generator)
        return (closed, closing)
    }

    /// Notes that the records compared so far need no further look.
    private mutating func keepCompared() {
        comparison?.keep(compared.count)
        compared.removeAll(keepingCapacity: true)
        committed = report
        seen = nil
    }

    /// Whether the events after `seen` may change what the comparison finds. If the log ends before it, they do.
    private func concerns(after seen: Position, through last: Position) throws -> Bool {
        guard last > seen else { return true }
        let concerning = RevertKind.bookkeeping.union([QSOKind.name]).subtracting([ReplicaKind.name])
        var isFound = false
        try store.log.scan(from: seen + 1) { position, frame, bytes in
            let shape = bytes.extracting(frame.shape)
            let reader = try? ChangeReader(shape: shape, isWithheld: frame.isWithheld, by: frame.names(in: bytes))
            let kind = reader.map { String(decoding: shape.extracting($0.kind).toArray(), as: UTF8.self) }
            isFound = kind.map { concerning.contains($0) } ?? true
            return !isFound && position < last
        }
        return isFound
    }

    /// Compares the records since the last batch once more, with what another program has written by now.
    private mutating func compareAgain() throws {
        let records = compared
        compared.removeAll(keepingCapacity: true)
        comparison?.forget(after: 0)
        draft = DraftBatch(capacity: 1 << 20)
        (report.imported, report.updated) = (committed.imported, committed.updated)
        (report.unchanged, report.hidden) = (committed.unchanged, committed.hidden)
        (report.erased, report.fields) = (committed.erased, committed.fields)
        seen = nil
        try store.views.catchUp()
        book = try store.views.read { try book?.renewed(in: $0, store.log) }
        try compare(records)
    }
}
