import Foundation
import GroundwaveADIF
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

/// Writes contacts into a new SQLite database, for SQL queries.
///
/// | table | columns |
/// |---|---|
/// | `qso` | `_id`; `_start`, as `2026-05-01T12:00:00Z`, if date and time can be read; then a column for each field in use, in the order of a table |
/// | `export` | `key` and `value`: program, version, log, position, created |
///
/// A value is the text that was written, or a blob if it is not UTF-8; a missing field is NULL. `CALL` and `_start`
/// are indexed.
struct ContactTable {
    /// The maximum number of fields in a table: SQLite allows 2,000 columns (sqlite.org/limits.html), minus our own.
    static let columnLimit = 1990

    private let columns: [FieldName]
    private let leftOut: Set<FieldName>

    /// Prepares a database with a column for each of `names`.
    ///
    /// Fields without a column, because there are too many or because their name is reserved, are reported for each
    /// contact.
    init(names: [FieldName]) {
        let usable = names.filter { !["_id", "_start"].contains($0.name.lowercased()) && !$0.name.contains("\0") }
        columns = Array(usable.prefix(Self.columnLimit))
        leftOut = Set(names).subtracting(columns)
    }

    /// Writes the contacts that `each` passes on into the empty file at `path`.
    ///
    /// - Returns: A remark for each value that was left out.
    func write(
        path: String, facts: [(key: String, value: String)],
        _ each: (_ take: (RecordID, borrowing ShownValues) throws -> Void) throws -> Void
    ) throws -> [ExportReport.Remark] {
        let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0 + 2) })
        return try SQLiteFile.write(path: path) { database in
            try makeTables(facts, in: database)
            var remarks: [ExportReport.Remark] = []
            let marks = Array(repeating: "?", count: columns.count + 2).joined(separator: ", ")
            let insert = try database.prepare("INSERT INTO qso VALUES (\(marks))")
            var shown = ShownFields()
            try each { id, values in
                var row = [SQLiteValue](repeating: .null, count: columns.count + 2)
                row[0] = .text("\(id)")
                row[1] = SQLiteValue(values.startSeconds.map { UTCText.seconds($0) })
                shown.withFields(of: values) { fields in
                    for (name, value) in fields {
                        if let index = places[name] {
                            row[index] =
                                String(validating: value, as: UTF8.self).map { .text($0) } ?? .blob(Array(value))
                        } else if leftOut.contains(name) {
                            remarks.append(
                                .init(
                                    record: id, field: name.name,
                                    message: "SQLite has no room for another column; the field was left out."))
                        }
                    }
                }
                try insert.execute(row[...])
            }
            try database.execute("CREATE INDEX index_qso_on__start ON qso(_start)")
            if columns.contains(.call) { try database.execute("CREATE INDEX index_qso_on_CALL ON qso(\"CALL\")") }
            return remarks
        }
    }

    private func makeTables(_ facts: [(key: String, value: String)], in database: Database) throws {
        try database.execute("CREATE TABLE export (\"key\" TEXT PRIMARY KEY, value TEXT)")
        for (key, value) in facts {
            try database.execute("INSERT INTO export VALUES (?, ?)", .text(key), .text(value))
        }
        let named = columns.map { ", \($0.name.quotedInSQL) TEXT" }.joined()
        try database.execute("CREATE TABLE qso (_id TEXT PRIMARY KEY, _start TEXT\(named))")
    }
}
