import ADIF
import EventLog
import Events
import Projections
import Radio
import Records

extension ViewReader {
    /// Hands out the contacts of `query` in the order in which they were first written down here: the order of an
    /// export, the same every time.
    ///
    /// Memory: 24 bytes a contact; the records are read one by one.
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

extension Store {
    /// Hands out the contacts of `query` in the order in which they were first written down here.
    public func forEachContactInOrder(_ query: ContactQuery, _ body: (Record) throws -> Void) throws {
        try read { view in try view.forEachContactInOrder(query, body) }
    }

    /// Writes the contacts of `query`, all from one state of the store.
    ///
    /// - Parameters:
    ///   - created: The moment that the header says, in seconds since 1970.
    ///   - sink: Takes the bytes piece by piece.
    /// - Complexity: Reads every contact of the query once, for a table twice; memory does not grow with the log but
    ///   for 24 bytes a contact.
    public func export(
        _ query: ContactQuery, as format: ExportFormat = .adi, created: Int64, to sink: ([UInt8]) throws -> Void
    ) throws -> ExportReport {
        var hasBegun = false
        var report = ExportReport(token: ChangeToken(epoch: log.epoch, position: 0))
        try read { view in
            // Views that turn out damaged are built anew and read again; what the sink has cannot be taken back.
            guard !hasBegun else {
                throw StoreError(.damaged, "The views were damaged.", hint: "They were built anew: export once more.")
            }
            report = ExportReport(token: ChangeToken(epoch: log.epoch, position: view.position))
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

    private static func columns(_ query: ContactQuery, _ view: borrowing ViewReader) throws -> [FieldName] {
        var names: Set<FieldName> = []
        try view.forEachContact(query) { record in
            for (name, _) in record.adifFields { names.insert(name) }
            return true
        }
        return CSV.columns(names)
    }
}

/// What this library is.
public enum Groundwave {
    /// The version of library and program.
    public static let version = "0.1.0"
}
