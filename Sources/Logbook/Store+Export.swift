import GroundwaveADIF
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension ViewReader {
    /// Returns the contacts of `query` in the order in which they were first written down here. This is the order of
    /// exports, the same every time.
    ///
    /// Memory: 24 bytes for each contact.
    ///
    /// - Parameter note: Called with what each of them shows, in any order.
    func contactsInOrder(_ query: ContactQuery, _ note: (borrowing ShownValues) -> Void = { _ in }) throws -> [RecordID]
    {
        var order: [(position: Position, id: RecordID)] = []
        try forEachShownContact(query) { id, values in
            order.append((values.firstPosition, id))
            note(values)
            return true
        }
        order.sort { ($0.position, $0.id) < ($1.position, $1.id) }
        return order.map(\.id)
    }

    /// As ``contactsInOrder(_:_:)``, and the columns of a table that has all their fields.
    func contactsWithColumns(_ query: ContactQuery) throws -> (contacts: [RecordID], columns: [FieldName]) {
        var names = FieldNames()
        let contacts = try contactsInOrder(query) { names.insert(fieldsOf: $0) }
        return (contacts, CSV.columns(names.all))
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
    public func forEachContactInOrder(_ query: ContactQuery, _ body: (Record) throws -> Void) throws {
        try read { view in
            try view.forEachShown(of: QSOKind.name, view.contactsInOrder(query)) { id, values in
                try body(values.record(QSOKind.name, id))
            }
        }
    }

    /// Writes the contacts of `query`, all from one state of the store.
    ///
    /// - Parameters:
    ///   - created: The time that the header states, in seconds since 1970.
    ///   - sink: Receives the bytes piece by piece.
    /// - Throws: ``StoreError`` with code `usage` for ``ExportFormat/sqlite``, which only a file can hold.
    /// - Complexity: Reads every contact of the query twice: for their order, then in it. Memory grows by 40 bytes for
    ///   each contact and not with the log.
    public func export(
        _ query: ContactQuery, as format: ExportFormat = .adi, created: Int64, to sink: ([UInt8]) throws -> Void
    ) throws -> ExportReport {
        guard format != .sqlite else {
            throw StoreError(
                .usage, "An SQLite database cannot be written to standard output.", hint: "Name a file with -o.")
        }
        var hasBegun = false
        var report = ExportReport(token: try log.token(at: 0))
        try read { view in
            // If the views are damaged, they are rebuilt and read again; bytes that the sink has received cannot be
            // taken back.
            guard !hasBegun else {
                throw StoreError(.damaged, "The views were damaged.", hint: "They were rebuilt: export again.")
            }
            report = ExportReport(token: try log.token(at: view.position))
            var writer = ContactWriter(format, created: created)
            var contacts: [RecordID] = []
            if format == .csv {
                (contacts, writer.columns) = try view.contactsWithColumns(query)
            } else {
                contacts = try view.contactsInOrder(query)
            }
            var bytes: [UInt8] = []
            func flush() throws {
                report.bytes += bytes.count
                hasBegun = true
                try sink(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            writer.appendStart(to: &bytes)
            try view.forEachShown(of: QSOKind.name, contacts) { id, values in
                writer.append(id, values, to: &bytes)
                report.records += 1
                if bytes.count > 1 << 18 { try flush() }
            }
            writer.appendEnd(to: &bytes)
            try flush()
            report.remarks = writer.remarks
        }
        return report
    }

    /// Writes the contacts of `query` to a temporary file and renames it to `path`: a reader never sees half of it.
    ///
    /// If this throws, the file at `path` is unchanged.
    public func export(
        _ query: ContactQuery, as format: ExportFormat = .adi, created: Int64, toFile path: String
    ) throws -> ExportReport {
        var file = try AtomicFile(path)
        let report =
            try format == .sqlite
            ? exportDatabase(query, created: created, file)
            : export(query, as: format, created: created) { try file.write($0) }
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
            let (contacts, columns) = try view.contactsWithColumns(query)
            report.remarks = try file.describing(where: database.isOfWriting) {
                try database.write(columns, path: file.aside, facts: facts) { take in
                    try view.forEachShown(of: QSOKind.name, contacts) { id, values in
                        report.records += 1
                        try take(id, values)
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

/// The names of the fields that contacts have.
private struct FieldNames: ~Copyable {
    private var shown = ShownFields()
    private var isKnown = [Bool](repeating: false, count: Int(FieldName.maximumNumber) + 1)
    private var others: Set<FieldName> = []

    mutating func insert(fieldsOf contact: borrowing ShownValues) {
        shown.withFields(of: contact) { fields in
            for (name, _) in fields {
                if name.isKnown { isKnown[Int(name.number)] = true } else { others.insert(name) }
            }
        }
    }

    var all: Set<FieldName> { others.union(FieldName.allKnown.filter { isKnown[Int($0.number)] }) }
}
