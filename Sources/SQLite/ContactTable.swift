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
/// A value is the text that was written, or a blob if it is not UTF-8; a missing field is NULL. `_id`, `_start` and `CALL`
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
        let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0 + 3) })
        return try SQLiteFile.write(path: path) { database in
            try makeTables(facts, in: database)
            var remarks: [ExportReport.Remark] = []
            let marks = Array(repeating: "?", count: columns.count + 2).joined(separator: ", ")
            let insert = try database.prepare("INSERT INTO qso VALUES (\(marks))")
            var shown = ShownFields()
            var parameters = LayoutMemo()
            try each { id, values in
                insert.clear()
                try insert.bind(.text("\(id)"), 1)
                try insert.bind(SQLiteValue(values.startSeconds.map { UTCText.seconds($0) }), 2)
                shown.read(values)
                let bytes = shown.bytes(of: values)
                let parametersOfFields = parameters.of(shown.layout) { $0.names.map { places[$0] ?? 0 } }
                for (place, parameter) in parametersOfFields.enumerated() {
                    if parameter > 0 {
                        try insert.bind(bytes.span.bytes.extracting(shown.range(at: place)), parameter)
                    } else if leftOut.contains(shown.layout.names[place]) {
                        remarks.append(
                            .init(
                                record: id, field: shown.layout.names[place].name,
                                message: "SQLite has no room for another column; the field was left out."))
                    }
                }
                try insert.execute()
            }
            // Made of all rows at once, since keys that come in no order cost more one by one.
            try database.execute("CREATE UNIQUE INDEX index_qso_on__id ON qso(_id)")
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
        try database.execute("CREATE TABLE qso (_id TEXT, _start TEXT\(named))")
    }
}
