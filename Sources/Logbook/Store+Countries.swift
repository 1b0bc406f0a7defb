import Foundation
import GroundwaveCountryFiles
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// The result of filling in what a country file says.
public struct CountryReport: Hashable, Sendable {
    /// The number of contacts that were looked at.
    public internal(set) var contacts = 0
    /// The number of those that got values, or other ones than the file had said before.
    public internal(set) var filled = 0
    /// The number of those whose call the file does not know.
    public internal(set) var unknown = 0
    /// The id under which this can be reverted; `nil` if nothing was written.
    public internal(set) var id: RecordID?
}

extension Reading {
    /// The setting that has the path of the country file of this device.
    package static var countryFileSetting: String { "countryFile" }

    /// Returns what the operator's country file says; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, `notPermitted` or `damaged` if it cannot be read.
    /// - Complexity: 18 ms for a file of 30,000 words.
    package func countries() throws -> CountryFields? {
        try setting(Self.countryFileSetting).map { try CountryFields(CountryFile(at: $0.value)) }
    }
}

extension CountryFile {
    /// Reads the file at `path`.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, `notPermitted` or `damaged`.
    package init(at path: String) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw StoreError(
                isThere ? .notPermitted : .notFound,
                "The country file \(path) \(isThere ? "cannot be read" : "does not exist").",
                hint: "country-files.com has cty.csv. To set it: \(.set(key: "countryFile", example: "PATH"))")
        }
        defer { try? handle.close() }
        let bytes: [UInt8]
        do { bytes = [UInt8](try handle.read(upToCount: Self.byteLimit + 1) ?? Data()) } catch {
            throw StoreError(.inputOutput, "The country file \(path) cannot be read.", cause: error)
        }
        do { try self.init(bytes) } catch {
            throw StoreError(
                .damaged, "\(path) is not a country file. \(error.message)",
                hint: "Its format is that of cty.csv or cty.dat.")
        }
    }
}

extension WriteBatch {
    /// Adds what the country file says of a contact that this batch logs, and returns it by field, in alphabetical order.
    package mutating func addCountry(
        of contact: LoggedContact, by countries: CountryFields
    ) throws -> [(field: String, value: String)] {
        let own = Set(contact.assignments.map(\.name))
        guard let call = contact.assignments.last(where: { $0.name == "CALL" })?.value,
            let change = countries.change(of: nil, contact.id, call: String(decoding: call, as: UTF8.self), own: own)
        else { return [] }
        try append(change)
        return change.operations.map { operation in
            (QSOKind.schema.name(of: operation.field), String(decoding: operation.value ?? [], as: UTF8.self))
        }.sorted { $0.0 < $1.0 }
    }

    /// Fills in contacts as they are now, and returns how many. Those that were hidden or erased meanwhile are left.
    package mutating func fillCountries(
        of ids: ArraySlice<RecordID>, by countries: CountryFields
    ) throws -> Int {
        var count = 0
        for id in ids {
            guard let record = try record(QSOKind.name, id), record.isVisible,
                let change = countries.change(of: record, id, call: record.text(.call) ?? "")
            else { continue }
            try append(change)
            count += 1
        }
        return count
    }

    /// Replaces what the country file said of a contact whose call this batch changes to that in `assignments`.
    package mutating func replaceCountry(
        of id: RecordID, _ assignments: [Assignment], by countries: CountryFields
    ) throws {
        guard let call = assignments.last(where: { $0.name == "CALL" })?.value,
            let record = try record(QSOKind.name, id)
        else { return }
        let own = Set(assignments.map(\.name))
        if let change = countries.change(of: record, id, call: String(decoding: call, as: UTF8.self), own: own) {
            try append(change)
        }
    }
}

extension Store {
    /// The number of contacts that one batch fills in.
    private static let filledAtOnce = 2000

    /// Fills in what the country file says of the contacts of `query`, where nobody else says anything.
    ///
    /// It is written in batches, as an import of `file`, which can be reverted; one that ends early is completed by the
    /// next one.
    ///
    /// - Parameters:
    ///   - file: What the file is called.
    ///   - isDryRun: Whether to count only.
    package func fillCountries(
        of query: ContactQuery, by countries: CountryFields, from file: String, isDryRun: Bool, note: String?,
        author: String?
    ) async throws -> CountryReport {
        var (report, ids) = try needed(query, countries)
        guard !isDryRun, !ids.isEmpty else { return report }
        guard let writer else {
            throw StoreError(.notPermitted, "The store \(files.folder.path) is read-only.")
        }
        var generator = writer.surroundings.generator
        let (id, replica) = (RecordID.random(using: &generator), writer.replica)
        var book = try views.read { view in
            let cancelled = try Reverts(in: view, log).cancelled
            return try ImportBook(of: file, CountryFields.source, by: replica, or: id, cancelled, in: view)
        }
        report.id = book.id
        while !ids.isEmpty {
            let (slice, known) = (ids.prefix(Self.filledAtOnce), book)
            ids = ids.dropFirst(slice.count)
            let counts = ids.isEmpty ? [("RECORDS", report.contacts), ("REJECTED", 0), ("ABSENT", 0)] : []
            let written = try await write(note: note ?? "Fill in from \(file)", author: author) { batch in
                let updated = try known.updated + batch.fillCountries(of: slice, by: countries)
                let texts =
                    [("FILE", file), ("SOURCE", CountryFields.source)]
                    + ([("IMPORTED", known.imported), ("UPDATED", updated)] + counts).map { ($0.0, "\($0.1)") }
                let closing = known.change(assigning: texts.map { Assignment($0.0, text: $0.1) })
                try batch.append(closing)
                return closing
            }
            if let batch = written.batch { book.note(written.value, as: batch.last) }
        }
        return report
    }

    /// Counts the contacts of `query`, and returns those that the country file has anything new for.
    private func needed(
        _ query: ContactQuery, _ countries: CountryFields
    ) throws -> (report: CountryReport, ids: ArraySlice<RecordID>) {
        var report = CountryReport()
        var ids: [RecordID] = []
        try read { view in
            // Damaged views are rebuilt, and read from their start.
            (report, ids) = (CountryReport(), [])
            try view.forEachContact(query) { record in
                report.contacts += 1
                let call = record.text(.call) ?? ""
                if countries.values(of: call).isEmpty { report.unknown += 1 }
                if countries.change(of: record, record.id, call: call) != nil { ids.append(record.id) }
                return true
            }
        }
        report.filled = ids.count
        return (report, ids[...])
    }
}
