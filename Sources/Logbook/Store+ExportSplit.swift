import Foundation
import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// A criterion by which an export is split into files.
public enum ExportSplit: String, Hashable, Sendable, CaseIterable {
    /// One file for each own park; a contact from several parks at once is in the file of each.
    case park
    /// One file for each UTC day.
    case day
}

/// One file of a split export.
public struct ExportedFile: Hashable, Sendable {
    /// Its name in the folder.
    public let name: String
    /// The number of contacts in it.
    public internal(set) var records: Int
    /// The size in bytes.
    public internal(set) var bytes: Int
}

extension Reading {
    /// Writes the contacts of `query` into files of the folder at `folder`, one for each station, park and UTC day as
    /// `split` asks, with the names that programs for activations use: `N0CALL@US-0001-20260501.adi`.
    ///
    /// Each file is written under a temporary name and renamed. Contacts without a park are in the files without a park in
    /// their name.
    ///
    /// - Parameters:
    ///   - query: Which contacts.
    ///   - format: The format of the files.
    ///   - split: By what they are divided.
    ///   - folder: The folder, which exists.
    ///   - created: The time that the headers state, in seconds since 1970.
    ///   - isReplacing: Whether a file of the same name is replaced.
    /// - Throws: ``StoreError`` with code `usage` for ``ExportFormat/cabrillo``, and with code `exists` if there is such a file and it is not to be replaced; then nothing was
    ///   written.
    /// - Returns: The files, by name, and the report of all of them; a contact in two files counts twice.
    public func export(
        _ query: ContactQuery, as format: ExportFormat, by split: Set<ExportSplit>, into folder: URL, created: Int64,
        isReplacing: Bool = false
    ) throws -> (files: [ExportedFile], report: ExportReport) {
        if format == .cabrillo {
            throw StoreError(.usage, "The log of a contest is one file.", hint: "Instead: \(.exportAsOneFile)")
        }
        var report = ExportReport(token: try log.token(at: 0))
        var files: [ExportedFile] = []
        try read { view in
            report = ExportReport(token: try log.token(at: view.position))
            files = []
            var groups: [String: [RecordID]] = [:]
            try view.withContactsInOrder(query) { contacts, _ in
                try view.forEachShown(in: contacts) { id, values in
                    for name in Self.fileNames(of: values, by: split) { groups[name, default: []].append(id) }
                }
            }
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw StoreError(error, "The folder \(folder.path) cannot be created")
            }
            if !isReplacing { try Self.checkNew(groups.keys.map { "\($0).\(format.rawValue)" }, in: folder) }
            for (name, ids) in groups.sorted(by: { $0.key < $1.key }) {
                let file = try write(ids, "\(name).\(format.rawValue)", format, folder, created, view, &report)
                files.append(file)
            }
        }
        return (files, report)
    }

    /// Throws unless none of the files is there.
    private static func checkNew(_ names: [String], in folder: URL) throws {
        let present = names.sorted().filter { FileManager.default.fileExists(atPath: folder.appending(path: $0).path) }
        guard let first = present.first else { return }
        let others = present.count == 1 ? "" : ", and so do \(present.count - 1) others"
        throw StoreError(
            .exists, "\(folder.appending(path: first).path) exists already\(others).",
            hint: "To replace them: \(.replaceFiles)")
    }

    private func write(
        _ ids: [RecordID], _ name: String, _ format: ExportFormat, _ folder: URL, _ created: Int64,
        _ view: borrowing ViewReader, _ report: inout ExportReport
    ) throws -> ExportedFile {
        let columns = [.csv, .sqlite].contains(format) ? try view.columns(of: ids) : []
        var file = try AtomicFile(folder.appending(path: name).path)
        if format == .sqlite {
            let database = try components.contactDatabase()
            report.remarks += try file.describing(where: database.isOfWriting) {
                let facts = databaseFacts(created: created, position: view.position)
                return try database.write(columns, path: file.aside, facts: facts) { take in
                    try view.forEachShown(of: QSOKind.name, ids, take)
                }
            }
        } else {
            var writer = ContactWriter(format, columns, created: created)
            var bytes: [UInt8] = []
            writer.appendStart(to: &bytes)
            try view.forEachShown(of: QSOKind.name, ids) { id, values in writer.append(id, values, to: &bytes) }
            writer.appendEnd(to: &bytes)
            try file.write(bytes)
            report.remarks += writer.remarks
        }
        let byteCount = try file.byteCount()
        try file.finish()
        report.records += ids.count
        report.bytes += byteCount
        return ExportedFile(name: name, records: ids.count, bytes: byteCount)
    }

    /// Returns the names, without extension, of the files that a contact belongs to.
    static func fileNames(of contact: borrowing ShownValues, by split: Set<ExportSplit>) -> [String] {
        let facts = ContactFacts(contact)
        let station = contact.text(.stationCallsign) ?? contact.text(.operator) ?? ""
        let call = fileName(station.isEmpty ? "log" : station.uppercased())
        var day = ""
        if split.contains(.day) {
            day = facts.startSeconds.map { "-\(ContactTime.text(seconds: $0).date)" } ?? "-undated"
        }
        guard split.contains(.park) else { return [call + day] }
        let names = facts.myParks.map { "\(call)@\(fileName($0))\(day)" }
        return names.isEmpty ? [call + day] : names
    }

    /// Returns `text` with an underscore for every character that a file system might interpret; values come from
    /// untrusted sources.
    private static func fileName(_ text: String) -> String {
        String(
            text.prefix(64).map { letter in
                letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-") ? letter : "_"
            })
    }
}
