import Foundation
import GroundwaveADIF
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// The options of an import.
public struct ImportOptions: Sendable {
    /// The format; detected if not given.
    public var format: LogFormat?
    /// The source of the file: what the same source asserted last time is compared with what it asserts now. If not
    /// given, the program that wrote the file, according to its header.
    public var source: String?
    /// Fields that are set in every record and override those of the file.
    public var assignments: [Assignment] = []
    /// Minutes added to every time, for a computer whose clock was set to local time.
    public var shiftMinutes = 0
    /// The session that new contacts belong to.
    public var session: RecordID?
    /// Whether to compare and count only, and write nothing.
    public var isDryRun = false
    /// The author; the store's author if not given.
    public var author: String?
    /// The note; "Import FILE" if not given.
    public var note: String?

    /// Creates options that change nothing.
    public init() {}
}

/// A problem with a record, or with a part of a file, and how it was handled.
public struct ImportRemark: Hashable, Sendable {
    /// The file, as it was named.
    public let file: String
    /// The number of the record in the file, from 1; 0 for parts outside of records.
    public let record: Int
    /// The byte offset at which it begins.
    public let offset: UInt64
    /// The field; empty if it concerns the whole record.
    public let field: String
    /// The code for scripts, such as `length-in-characters`.
    public let code: String
    /// The explanation for people.
    public let message: String
    /// Whether the record was rejected.
    public let isRejection: Bool
}

/// The result of an import. Every record of the file is in exactly one of the four counts.
public struct ImportReport: Sendable {
    /// The ID of the import, for `revert`; `nil` if nothing was written.
    public var id: RecordID?
    /// The number of records and damaged parts of the file.
    public var records = 0
    /// The number of new contacts.
    public var imported = 0
    /// The number of contacts for which the file has nothing new.
    public var unchanged = 0
    /// The number of contacts that the file changed since its last import.
    public var updated = 0
    /// The number of rejected records, each with a remark.
    public var rejected = 0
    /// The number of unchanged contacts that are hidden here, and stay hidden.
    public var hidden = 0
    /// The number of contacts that earlier files of this source had and this file does not have. They stay.
    public var absent = 0
    /// The problems that were found.
    public var remarks: [ImportRemark] = []
}

extension Store {
    /// Imports a log file: only what is new in it becomes events.
    ///
    /// The file is read as a stream, and committed in batches that share one import ID. If the process is killed in
    /// between, whole batches remain, and running the import again completes it.
    ///
    /// - Parameters:
    ///   - name: The name of the file, for the note and the remarks.
    ///   - chunks: Returns the bytes of the file piece by piece, and `nil` at its end.
    ///   - progress: Called now and then with the number of records so far.
    /// - Throws: ``StoreError`` with code `damaged` if the file holds no whole record and is not an empty log.
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
    private var pending: [ADIFRecord] = []
    private var draft = DraftBatch(capacity: 1 << 20)
    private var lastHead: [HeadID] = []

    /// The number of records compared against one state of the views.
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
                case .record(let record): try consume(record)
                case .rejected(let rejection):
                    report.records += 1
                    report.rejected += 1
                    report.remarks.append(remark(rejection))
                }
            }
            if chunk == nil { break }
        }
        try comparePending()
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

    private mutating func consume(_ record: ADIFRecord) throws {
        report.records += 1
        report.remarks += record.warnings.map { remark($0) }
        pending.append(adjusted(record))
        if pending.count == Self.sliceCount {
            try comparePending()
            progress(report.records)
        }
    }

    /// Returns the record with `--set` and `--shift` applied.
    private func adjusted(_ record: ADIFRecord) -> ADIFRecord {
        guard !options.assignments.isEmpty || options.shiftMinutes != 0 else { return record }
        var record = record
        record.fields = ImportAdjustment(assignments: options.assignments, shiftMinutes: options.shiftMinutes)
            .applied(to: record.fields)
        return record
    }

    private mutating func comparePending() throws {
        guard !pending.isEmpty else { return }
        let records = pending
        pending.removeAll(keepingCapacity: true)
        var comparison =
            try comparison
            ?? ImportComparison(
                source: SourceID(name: sourceName), session: options.session,
                undos: store.views.read { try Reverts(in: $0, store.log).undos })
        // Cleared so that the local copy is changed in place: the table of matched contacts grows with the file.
        self.comparison = nil
        let outcomes = try store.views.read { view in
            // Runs again if the views had to be rebuilt.
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
            case .asserted(let change):
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
        // Leave room for the event that closes the batch.
        let bound = DraftBatch.byteBound(of: change) + 64 << 10
        if draft.count >= EventLimits.batchCount - 1 || !draft.hasRoom(for: bound) { try commit(isLast: false) }
        draft.append(change, by: writer.replica, using: &generator)
    }

    /// Commits the collected changes, closed by the record of this import.
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
        let note = try store.views.read {
            try $0.naming(words, for: writer.replica, store.components, on: writer.deviceName)
        }
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
