import GroundwaveADIF
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension ViewReader {
    /// Calls `body` with the contacts of `query` in the order in which they were first written down here. This is the
    /// order of exports, the same every time.
    ///
    /// Memory: 24 bytes for each contact; the records are read one by one.
    func forEachContactInOrder(_ query: ContactQuery, _ body: (Record) throws -> Void) throws {
        var order: [(position: Position, id: RecordID)] = []
        try forEachContact(query) { record in
            order.append((record.firstPosition, record.id))
            return true
        }
        order.sort { ($0.position, $0.id) < ($1.position, $1.id) }
        for (_, id) in order {
            if let record = try record(QSOKind.name, id) { try body(record) }
        }
    }
}

extension Reading {
    /// Calls `body` with the contacts of `query` in the order in which they were first written down here.
    public func forEachContactInOrder(_ query: ContactQuery, _ body: (Record) throws -> Void) throws {
        try read { view in try view.forEachContactInOrder(query, body) }
    }

    /// Writes the contacts of `query`, all from one state of the store.
    ///
    /// - Parameters:
    ///   - created: The time that the header states, in seconds since 1970.
    ///   - sink: Receives the bytes piece by piece.
    /// - Throws: ``StoreError`` with code `usage` for ``ExportFormat/sqlite``, which only a file can hold.
    /// - Complexity: Reads every contact of the query once, for CSV twice. Memory grows by 24 bytes for each contact
    ///   and not with the log.
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
            if format == .csv { writer.columns = try Self.columns(query, view) }
            var bytes: [UInt8] = []
            func flush() throws {
                report.bytes += bytes.count
                hasBegun = true
                try sink(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            writer.appendStart(to: &bytes)
            try view.forEachContactInOrder(query) { record in
                writer.append(record, to: &bytes)
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
            let columns = try Self.columns(query, view)
            report.remarks = try file.describing(where: database.isOfWriting) {
                try database.write(columns, path: file.aside, facts: facts) { take in
                    try view.forEachContactInOrder(query) { record in
                        report.records += 1
                        try take(record)
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

    private static func columns(_ query: ContactQuery, _ view: borrowing ViewReader) throws -> [FieldName] {
        var names: Set<FieldName> = []
        try view.forEachContact(query) { record in
            for (name, _) in record.adifFields { names.insert(name) }
            return true
        }
        return CSV.columns(names)
    }
}
