import GroundwaveADIF
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension ViewReader {
    /// Lends the contacts of `query` to `body`, in the order in which they were first written down here, which is that of
    /// exports, and, if `hasColumns`, the columns of a table that has all their fields.
    func withContactsInOrder<Result>(
        _ query: ContactQuery, hasColumns: Bool = false,
        _ body: (borrowing FoundRecords, [FieldName]) throws -> Result
    ) throws -> Result {
        var names = FieldNames()
        func isAsked(_ values: borrowing ShownValues) -> Bool {
            guard query.matches(values) else { return false }
            if hasColumns { names.insert(fieldsOf: values) }
            return true
        }
        func lend(_ contacts: borrowing FoundRecords) throws -> Result {
            try body(contacts, hasColumns ? CSV.columns(names.all) : [])
        }
        if query.isOfMany { return try withRecordsInOrder(of: QSOKind.name, where: isAsked, lend) }
        var ids: [RecordID] = []
        try forEachCandidate(query) { ids.append($0) }
        return try withRecords(of: QSOKind.name, ids, isByPosition: true, where: isAsked, lend)
    }

    /// The columns of a table that has all fields of `contacts`.
    func columns(of contacts: [RecordID]) throws -> [FieldName] {
        var names = FieldNames()
        try forEachShown(of: QSOKind.name, contacts) { _, values in names.insert(fieldsOf: values) }
        return CSV.columns(names.all)
    }
}

extension Reading {
    /// Calls `body` with the contacts of `query` in the order in which they were first written down here.
    ///
    /// - Throws: As ``read(_:)``; what `body` throws.
    /// - Complexity: Reads every contact of the query twice: for their order, then in it.
    public func forEachContactInOrder(_ query: ContactQuery, _ body: (Record) throws -> Void) throws {
        try read { view in
            try view.withContactsInOrder(query) { contacts, _ in
                try view.forEachShown(in: contacts) { id, values in try body(values.record(QSOKind.name, id)) }
            }
        }
    }

    /// Writes the contacts of `query`, all from one state of the store.
    ///
    /// - Parameters:
    ///   - query: Which contacts.
    ///   - format: The format of the file.
    ///   - cabrillo: What a log of a contest says besides its contacts; other formats ignore it.
    ///   - created: The time that the header states, in seconds since 1970.
    ///   - sink: Receives the bytes piece by piece.
    /// - Throws: ``StoreError`` with code `usage` for ``ExportFormat/sqlite``, which only a file can hold, and for contacts
    ///   that are not of one contest in ``ExportFormat/cabrillo``.
    /// - Complexity: Reads every contact of the query twice: for their order, then in it. Memory grows by 40 bytes for
    ///   each contact and not with the log.
    public func export(
        _ query: ContactQuery, as format: ExportFormat = .adi, cabrillo: CabrilloOptions = CabrilloOptions(),
        created: Int64, to sink: ([UInt8]) throws -> Void
    ) throws -> ExportReport {
        if format == .cabrillo { return try exportCabrillo(query, cabrillo, to: sink) }
        guard format != .sqlite else {
            throw StoreError(
                .usage, "An SQLite database cannot be written to standard output.", hint: "Name a file with -o.")
        }
        var hasBegun = false
        var report = ExportReport(token: try log.token(at: 0))
        try read { view in
            guard !hasBegun else { throw StoreError.damagedWhileExporting }
            report = ExportReport(token: try log.token(at: view.position))
            try view.withContactsInOrder(query, hasColumns: format == .csv) { contacts, columns in
                var writer = ContactWriter(format, columns, created: created)
                var bytes: [UInt8] = []
                func flush() throws {
                    report.bytes += bytes.count
                    hasBegun = true
                    try sink(bytes)
                    bytes.removeAll(keepingCapacity: true)
                }
                writer.appendStart(to: &bytes)
                try view.forEachShown(in: contacts) { id, values in
                    writer.append(id, values, to: &bytes)
                    report.records += 1
                    if bytes.count > 1 << 18 { try flush() }
                }
                writer.appendEnd(to: &bytes)
                try flush()
                report.remarks = writer.remarks
            }
        }
        return report
    }

    /// Writes the contacts of `query` to a temporary file and renames it to `path`: a reader never sees half of it.
    ///
    /// If this throws, the file at `path` is unchanged.
    ///
    /// - Throws: As ``export(_:as:cabrillo:created:to:)``; the code for the system error if the file cannot be written.
    /// - Complexity: As ``export(_:as:cabrillo:created:to:)``.
    public func export(
        _ query: ContactQuery, as format: ExportFormat = .adi, cabrillo: CabrilloOptions = CabrilloOptions(),
        created: Int64, toFile path: String
    ) throws -> ExportReport {
        var file = try AtomicFile(path)
        let report =
            try format == .sqlite
            ? exportDatabase(query, created: created, file)
            : export(query, as: format, cabrillo: cabrillo, created: created) { try file.write($0) }
        try file.finish()
        return report
    }

    private func exportDatabase(
        _ query: ContactQuery, created: Int64, _ file: borrowing AtomicFile
    ) throws -> ExportReport {
        var report = ExportReport(token: try log.token(at: 0))
        try read { view in
            report = ExportReport(token: try log.token(at: view.position))
            try file.truncate()
            let facts = databaseFacts(created: created, position: view.position)
            let database = try components.contactDatabase()
            report.remarks = try view.withContactsInOrder(query, hasColumns: true) { contacts, columns in
                try file.describing(where: database.isOfWriting) {
                    try database.write(columns, path: file.aside, facts: facts) { take in
                        try view.forEachShown(in: contacts) { id, values in
                            report.records += 1
                            try take(id, values)
                        }
                    }
                }
            }
            report.bytes = try file.byteCount()
        }
        return report
    }

    /// Returns the rows of the table `export`.
    func databaseFacts(created: Int64, position: Position) -> [(key: String, value: String)] {
        [
            ("program", "Groundwave \(Store.libraryVersion)"), ("log", "\(logID)"), ("position", "\(position)"),
            ("created", UTCText.seconds(created)),
        ]
    }
}

extension StoreError {
    /// If the views are damaged, they are rebuilt and read again; bytes that a sink has received cannot be taken back.
    static let damagedWhileExporting = StoreError(
        .damaged, "The views were damaged.", hint: "They were rebuilt: export again.")
}

/// The names of the fields that contacts have.
private struct FieldNames: ~Copyable {
    private var shown = ShownFields()
    private var layouts = LayoutMemo()
    private(set) var all: Set<FieldName> = []

    mutating func insert(fieldsOf contact: borrowing ShownValues) {
        shown.read(contact)
        var isNew = false
        _ = layouts.of(shown.layout) { _ in
            isNew = true
            return []
        }
        if isNew { all.formUnion(shown.layout.names) }
    }
}
