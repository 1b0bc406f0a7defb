import ADIF
import EventLog
import Events
import Foundation
import Projections
import Radio
import Records

/// What to do with a file that comes in.
public struct ImportOptions: Sendable {
    /// The format; found out by looking where it is not given.
    public var format: LogFormat?
    /// Who is speaking: what the same source said last time is compared with what it says now. Where it is not given,
    /// the program that wrote the file, as its header says.
    public var source: String?
    /// Fields that every record gets, over what the file says.
    public var assignments: [Assignment] = []
    /// Minutes added to every time, for a computer whose clock was set to local time.
    public var shiftMinutes = 0
    /// The session that new contacts belong to.
    public var session: RecordID?
    /// Compare and count, and write nothing.
    public var isDryRun = false
    /// Who; the store's author where it is not given.
    public var author: String?
    /// Why; "Import FILE" where it is not given.
    public var note: String?

    /// Options that change nothing.
    public init() {}
}

/// A record, or a part of a file, that was odd, and what came of it.
public struct ImportRemark: Hashable, Sendable {
    /// The file, as it was named.
    public let file: String
    /// The record's place in the file, from 1; 0 for what stands outside of records.
    public let record: Int
    /// Where it begins, in bytes from 0.
    public let offset: UInt64
    /// The field; empty where it is the whole record.
    public let field: String
    /// The word for scripts, such as `length-in-characters`.
    public let code: String
    /// What it is, for people.
    public let message: String
    /// Whether the record was not taken in.
    public let isRejection: Bool
}

/// What an import did. Every record of the file is in exactly one of the four counts.
public struct ImportReport: Sendable {
    /// The import, for `revert`; `nil` where nothing was written.
    public var id: RecordID?
    /// Records and damaged parts of the file.
    public var records = 0
    /// New contacts.
    public var imported = 0
    /// Contacts of which the file says nothing new.
    public var unchanged = 0
    /// Contacts that the file has changed since it came last.
    public var updated = 0
    /// Records that were not taken in, each with a remark.
    public var rejected = 0
    /// Those of the unchanged ones that are hidden here, and stay so.
    public var hidden = 0
    /// Contacts that the source spoke of before and this file does not have. They stay.
    public var absent = 0
    /// What was odd.
    public var remarks: [ImportRemark] = []
}

extension Store {
    /// Takes in a log file: only what it says that is news becomes events.
    ///
    /// The file is read as a stream, and committed in batches that share one import id; killed in the middle, whole
    /// batches are there, and running it again completes it.
    ///
    /// - Parameters:
    ///   - name: What the file is called, for the note and the remarks.
    ///   - chunks: Hands out the file's bytes piece by piece, and nothing at its end.
    ///   - progress: Called now and then with the number of records so far.
    /// - Throws: ``StoreError`` with code `damaged` where the file holds no whole record though it is not an empty log.
    public func importLog(
        named name: String, _ options: ImportOptions = ImportOptions(),
        progress: @escaping @Sendable (Int) -> Void = { _ in },
        chunks: @escaping @Sendable () throws -> [UInt8]?
    ) async throws -> ImportReport {
        guard let writer else {
            throw StoreError(.notPermitted, "The store \(files.folder.path) is read-only.")
        }
        return try await Self.describing(files) {
            try await writer.exclusively { [self] in
                let logger = Subsystem.import.logger
                logger.trace("began", metadata: ["file": "\(name)"])
                var run = ImportRun(store: self, writer: writer, name: name, options: options, progress: progress)
                let report = try run.perform(chunks)
                logger.debug(
                    "done",
                    metadata: [
                        "records": "\(report.records)", "imported": "\(report.imported)",
                        "updated": "\(report.updated)", "rejected": "\(report.rejected)",
                    ])
                return report
            }
        }
    }
}

/// One import, on the writer's queue.
private struct ImportRun {
    let store: Store
    let writer: Writer
    let name: String
    let options: ImportOptions
    let progress: (Int) -> Void

    private var report = ImportReport()
    private var generator: Surroundings.Generator
    private var importID = RecordID(high: 0, low: 0)
    private var program = ""
    private var comparison: ImportComparison?
    private var waiting: [ADIFRecord] = []
    private var draft = DraftBatch(capacity: 1 << 20)
    private var closing: Record?
    private var lastHead: [HeadID] = []

    /// How many records are compared under one state of the views.
    private static let sliceCount = 4000

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

    mutating func perform(_ chunks: () throws -> [UInt8]?) throws -> ImportReport {
        importID = RecordID.random(using: &generator)
        try store.views.catchUp()
        var reader = LogReader(format: options.format)
        var hasHeader = options.format == .ndjson
        while true {
            let chunk = try chunks()
            if let chunk { reader.append(chunk) } else { reader.finish() }
            while let item = reader.next() {
                switch item {
                case .header(let header):
                    hasHeader = true
                    program = program.isEmpty ? header.fields.text(.programID) ?? "" : program
                    report.remarks += header.warnings.map { remark($0) }
                case .record(let record): try take(record)
                case .rejected(let rejection):
                    report.records += 1
                    report.rejected += 1
                    report.remarks.append(remark(rejection))
                }
            }
            if chunk == nil { break }
        }
        try compareWaiting()
        if let comparison { report.absent = try store.views.read { try comparison.absentCount(in: $0) } }
        let taken = report.imported + report.updated + report.unchanged
        if taken == 0, report.rejected > 0 || !hasHeader {
            let first = report.remarks.first { $0.isRejection }
            throw StoreError(
                .damaged, "\(name) has no complete record\(first.map { ": \($0.message)" } ?? ".")",
                hint: "Check that it is an ADIF log (.adi or .adx), and that it was downloaded completely.")
        }
        try commit(isLast: true)
        if report.id != nil { try store.views.catchUp() }
        return report
    }

    private mutating func take(_ record: ADIFRecord) throws {
        report.records += 1
        report.remarks += record.warnings.map { remark($0) }
        waiting.append(adjusted(record))
        if waiting.count == Self.sliceCount {
            try compareWaiting()
            progress(report.records)
        }
    }

    /// The record with what `--set` and `--shift` say.
    private func adjusted(_ record: ADIFRecord) -> ADIFRecord {
        guard !options.assignments.isEmpty || options.shiftMinutes != 0 else { return record }
        var record = record
        record.fields = ImportAdjustment(assignments: options.assignments, shiftMinutes: options.shiftMinutes)
            .applied(to: record.fields)
        return record
    }

    private mutating func compareWaiting() throws {
        guard !waiting.isEmpty else { return }
        let records = waiting
        waiting.removeAll(keepingCapacity: true)
        var comparison =
            try comparison
            ?? ImportComparison(
                source: SourceID(name: sourceName), session: options.session,
                undos: store.views.read { try Reverts(in: $0, store.log).undos })
        // Let go of here, so that it is changed in place: what it has met grows with the file.
        self.comparison = nil
        let outcomes = try store.views.read { view in
            // Runs anew when the views had to be rebuilt.
            comparison.beginSlice()
            return try records.map { try comparison.compare($0, in: view) }
        }
        comparison.endSlice()
        self.comparison = comparison
        for (record, outcome) in zip(records, outcomes) {
            switch outcome {
            case .new(let change):
                report.imported += 1
                try append(change)
            case .updated(let change):
                report.updated += 1
                try append(change)
            case .unchanged: report.unchanged += 1
            case .heard(let change):
                report.unchanged += 1
                try append(change)
            case .hidden:
                report.unchanged += 1
                report.hidden += 1
            case .rejected(let reason):
                report.rejected += 1
                report.remarks.append(
                    ImportRemark(
                        file: name, record: record.number, offset: record.byteOffset, field: "CALL", code: reason,
                        message: "The record has no CALL, so it is not a contact.", isRejection: true))
            }
        }
    }

    private var sourceName: String { options.source ?? (program.isEmpty ? "adif" : program) }

    private mutating func append(_ change: Change) throws {
        if options.isDryRun { return }
        // Room is left for the event that closes the batch.
        let bound = DraftBatch.byteBound(of: change) + 64 << 10
        if draft.count >= EventLimits.batchCount - 1 || !draft.hasRoom(for: bound) { try commit(isLast: false) }
        draft.append(change, by: writer.replica, using: &generator)
    }

    /// Commits what was collected, closed by the record of this import.
    private mutating func commit(isLast: Bool) throws {
        guard !draft.isEmpty else { return }
        var assignments = [
            Assignment("FILE", text: name), Assignment("SOURCE", text: sourceName),
            Assignment("IMPORTED", text: String(report.imported)), Assignment("UPDATED", text: String(report.updated)),
        ]
        if !program.isEmpty { assignments.append(Assignment("PROGRAM", text: program)) }
        if isLast {
            assignments.append(Assignment("RECORDS", text: String(report.records)))
            assignments.append(Assignment("REJECTED", text: String(report.rejected)))
            assignments.append(Assignment("ABSENT", text: String(report.absent)))
        }
        var operations = ImportKind.schema.operations(assigning: assignments, to: nil)
        for index in operations.indices { operations[index].supersedes = lastHead }
        let words = AuditNote(author: options.author ?? store.author, text: options.note ?? "Import \(name)")
        let note = try store.views.read { try $0.naming(words, for: writer.replica, on: writer.deviceName) }
        draft.append(
            Change(kind: ImportKind.name, record: importID, operations: operations), by: writer.replica, note: note,
            using: &generator)
        let appended = try writer.append(draft)
        lastHead = [HeadID(appended.last)]
        report.id = importID
        draft = DraftBatch(capacity: 1 << 20)
    }

    private func remark(_ warning: ADIFWarning) -> ImportRemark {
        ImportRemark(
            file: name, record: warning.recordNumber, offset: warning.byteOffset, field: warning.field?.name ?? "",
            code: warning.code.rawValue, message: warning.code.explanation, isRejection: false)
    }

    private func remark(_ rejection: ADIFRejection) -> ImportRemark {
        ImportRemark(
            file: name, record: rejection.recordNumber, offset: rejection.byteRange.lowerBound,
            field: rejection.field?.name ?? "", code: rejection.code.rawValue, message: rejection.code.explanation,
            isRejection: true)
    }
}
