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
    /// The source whose word counts as what a person writes by hand; empty for none. A file of another source is refused.
    public var trusted = ""
    /// Whether contacts that were erased here are imported as new ones; if not, they stay erased.
    public var takesErasedAgain = false
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
    /// The number of unchanged contacts that were erased here, and stay so.
    public var erased = 0
    /// When the last one of these was erased, by the clock of who did it.
    public var lastErased: Stamp?
    /// The number of contacts that earlier files of this source had and this file does not have. They stay.
    public var absent = 0
    /// How many values of stored contacts had which outcome, by the name of the field, where the file has other ones.
    public var fields: [String: [ImportComparison.FieldOutcome: Int]] = [:]
    /// The problems that were found.
    public var remarks: [ImportRemark] = []

    mutating func note(_ outcomes: [(field: String, outcome: ImportComparison.FieldOutcome)]) {
        for (field, outcome) in outcomes { fields[field, default: [:]][outcome, default: 0] += 1 }
    }
}

extension Store {
    /// Imports a log file: only what is new in it becomes events.
    ///
    /// The file is read as a stream, and committed in batches that share one import ID. If the process is killed in
    /// between, whole batches remain, and running the import again on this device completes it, under the same ID. So
    /// does an import of the same file by another program at the same time: what one has written, the other finds there.
    ///
    /// - Parameters:
    ///   - name: The name of the file, for the note and the remarks.
    ///   - options: How to read the file, and what may be replaced.
    ///   - progress: Called now and then with the number of records so far.
    ///   - chunks: Returns the bytes of the file piece by piece, and `nil` at its end.
    /// - Throws: ``StoreError`` with code `damaged` if the file holds no whole record and is not an empty log; `usage` if it
    ///   is of another source than the trusted one, and nothing was written; `busy` if
    ///   other programs keep changing contacts, so that no batch could be compared with what is there.
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
