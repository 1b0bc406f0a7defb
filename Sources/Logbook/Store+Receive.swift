import GroundwaveADIF
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

// Contacts that other programs report one by one, while they are made. They are compared as an import compares the records
// of a file: so a contact becomes one, whoever reports it, how often, and if its file is imported later.

extension Store {
    /// Takes in a contact that a program reports.
    ///
    /// - Parameters:
    ///   - fields: Its fields. There is a call among them.
    ///   - program: The name of the program: the source of what it says.
    ///   - restores: Whether the contact shows again if only this program has hidden it, by ``hide(_:in:by:note:author:)``.
    ///   - choice: The session that it belongs to if it is new.
    ///   - countries: What is filled in of country and zones if it is new.
    /// - Throws: ``StoreError`` with code `usage` if the contact has too many fields; the code for why nothing could be written.
    package func receive(
        _ fields: ADIFFields, from program: String, restores: Bool = false, in choice: SessionChoice = .open,
        countries: CountryFields? = nil, note: String? = nil, author: String? = nil
    ) async throws -> Written<ReceivedContact> {
        let imported = ImportedRecord(ADIFRecord(fields: fields))
        let log = log
        return try await write(note: note ?? "From \(program)", author: author) { batch in
            let (session, remark) = try batch.session(choice)
            let compared = try batch.read { view in
                var comparing = try Comparing(view, log, SourceID(name: program), session?.id)
                return try comparing.compare(imported, in: view, restores)
            }
            if let change = compared.change { try batch.append(change) }
            let isNew = compared.outcome == .new
            let contact = LoggedContact(
                id: compared.id, assignments: fields.map { Assignment($0.name.name, Array($0.value)) }, filledIn: [],
                session: isNew ? session?.id : nil, remarks: isNew ? remark.map { [$0] } ?? [] : [])
            if isNew, let countries { _ = try batch.addCountry(of: contact, by: countries) }
            return ReceivedContact(outcome: compared.outcome, contact: contact, contradicted: compared.contradicted)
        }
    }

    /// Hides the contact with an id that a program gave it, since it was deleted there.
    ///
    /// - Parameter field: The field with the id.
    /// - Returns: The contact and whether it was shown before; `nil` if there is none with this id.
    package func hide(
        _ id: [UInt8], in field: String, by program: String, note: String? = nil, author: String? = nil
    ) async throws -> Written<(contact: RecordID, wasShown: Bool)?> {
        try await write(note: note ?? "Deleted in \(program)", author: author) { batch in
            guard let contact = try batch.read({ try $0.contact(withServiceID: id, in: field) }),
                let record = try batch.record(QSOKind.name, contact)
            else { return nil }
            guard record.isVisible else { return (contact, false) }
            try batch.append(
                Change(
                    kind: QSOKind.name, record: contact, source: SourceID(name: program),
                    operations: [FieldOperation(.delete, .life, supersedes: record.coveredByDelete)]))
            return (contact, true)
        }
    }
}

/// The comparison of one record with what is here.
private struct Comparing {
    struct Result {
        var id: RecordID
        var outcome: ReceivedContact.Outcome
        var change: Change?
        var contradicted: [String]
    }

    private let log: EventLog
    private let source: SourceID
    private let session: RecordID?
    private let ids: ContactIDs
    private let hasErased: Bool
    private var undos: EventSet

    init(_ view: borrowing ViewReader, _ log: EventLog, _ source: SourceID, _ session: RecordID?) throws {
        (self.log, self.source, self.session) = (log, source, session)
        ids = ContactIDs(key: try view.idKey(by: log.roster()))
        hasErased = try view.hasRecords(of: ErasureKind.name)
        undos = try Reverts(in: view, log).undos
    }

    /// - Parameter restores: Whether a contact that only this source has hidden is restored.
    mutating func compare(
        _ imported: ImportedRecord, in view: borrowing ViewReader, _ restores: Bool
    ) throws -> Result {
        let result = try compare(imported, in: view)
        guard restores, result.outcome == .hidden, let record = try view.record(QSOKind.name, result.id) else {
            return result
        }
        // What this source has hidden counts as if it were undone.
        for deletion in record.deletions where try log.change(at: deletion.position)?.change.source == source {
            undos.insert(deletion.event)
        }
        return try compare(imported, in: view)
    }

    private func compare(_ imported: ImportedRecord, in view: borrowing ViewReader) throws -> Result {
        var comparison = ImportComparison(source: source, ids: ids, session: session, undos: undos)
        comparison.hasErased = hasErased
        var contact = view.shownValues(of: QSOKind.name)
        let outcome = try comparison.compare(imported, in: view, &contact)
        guard let id = comparison.lastContact else { preconditionFailure("A record is matched to a contact.") }
        let contradicted = comparison.fieldOutcomes.filter { $0.outcome == .contradicted }.map(\.field)
        func result(_ outcome: ReceivedContact.Outcome, _ change: Change? = nil) -> Result {
            Result(id: id, outcome: outcome, change: change, contradicted: contradicted)
        }
        return switch outcome {
        case .new(let contact): result(.new, contact.change)
        case .restored(let change), .updated(let change): result(.changed, change)
        case .asserted(let change): result(.known, change)
        case .unchanged: result(.known)
        case .hidden: result(.hidden)
        case .erased: result(.erased)
        }
    }
}
