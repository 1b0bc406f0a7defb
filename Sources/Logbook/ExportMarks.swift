import Foundation
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveStore

/// The last export under each name: `exports.json` in the store's folder, on this device only.
struct ExportMarks: Codable {
    struct Mark: Codable, Hashable {
        /// The state that was exported.
        var token: ChangeToken
        /// The filter of that export.
        var filter: String
    }

    var marks: [String: Mark] = [:]

    private static func path(in files: StoreFiles) -> String { files.folder.appending(path: "exports.json").path }

    init(of files: StoreFiles) throws {
        guard let data = try AtomicFile.read(Self.path(in: files)) else { return }
        do { self = try JSONDecoder().decode(Self.self, from: data) } catch {
            throw StoreError(
                .damaged, "\(Self.path(in: files)) cannot be read.",
                hint: "Delete it: the next export under a name then exports everything.", cause: error)
        }
    }

    func write(to files: StoreFiles) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var file = try AtomicFile(Self.path(in: files))
        try file.write([UInt8](encoder.encode(self)))
        try file.finish()
    }
}

extension Store {
    /// Narrows `query` to what has changed since the last export under `name` with the same filter. Returns all of
    /// `query` if there was no such export, if its filter differs, or if the log was rebuilt since: a contact may be
    /// exported twice, but is never missed.
    ///
    /// - Parameters:
    ///   - query: What to export.
    ///   - name: The name of the export.
    ///   - filter: The name of the filter, which ``finishExport(named:filter:_:)`` stores.
    /// - Returns: The query, and whether it leaves out what was exported before.
    /// - Throws: ``StoreError`` with code `notPermitted` if the store is read-only.
    public func query(
        _ query: ContactQuery, newSinceExportNamed name: String, filter: String
    ) throws -> (query: ContactQuery, isContinued: Bool) {
        guard !isReadOnly else {
            throw StoreError(
                .notPermitted, "The store \(files.folder.path) is read-only, so it cannot remember an export.",
                hint: "What is possible: \(.exportAll)")
        }
        guard let mark = try ExportMarks(of: files).marks[name], mark.filter == filter,
            try describing({ try log.hasHistory(of: mark.token) })
        else { return (query, false) }
        var query = query
        query.changedAfter = mark.token.position
        return (query, true)
    }

    /// Stores the state of an export under `name`. Call it when the export's file is complete.
    ///
    /// - Parameters:
    ///   - name: The name of the export.
    ///   - filter: The name of its filter.
    ///   - report: What ``Reading/export(_:as:cabrillo:created:to:)`` returned.
    /// - Throws: ``StoreError`` if the file of these states cannot be written; then the former state stays.
    public func finishExport(named name: String, filter: String, _ report: ExportReport) throws {
        var marks = try ExportMarks(of: files)
        marks.marks[name] = ExportMarks.Mark(token: report.token, filter: filter)
        try marks.write(to: files)
    }
}
