import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension ViewReader {
    /// Returns the contact with this ID as it shows; `nil` if there is none, or if it is hidden.
    ///
    /// - Throws: If a row is damaged: see ``ViewReader``.
    /// - Complexity: A look-up.
    public func find(_ id: RecordID) throws -> Contact? {
        guard let record = try record(QSOKind.name, id), record.isVisible else { return nil }
        return Contact(record)
    }
}

/// What one event did to one field of a contact.
public struct FieldChange: Hashable, Sendable {
    /// The event.
    public let event: EventID
    /// Its position in this store.
    public let position: Position
    /// When it was written.
    public let stamp: Stamp
    /// The author; `nil` if none was named.
    public let author: String?
    /// The name of the device that wrote it.
    public let device: String
    /// The reason, in the author's words; `nil` if none was given.
    public let note: String?
    /// The value that the author replaced; `nil` if the field was empty.
    public let before: String?
    /// The value that was written; `nil` if the field was cleared.
    public let after: String?
}

/// The changes of one field of one record, newest first, each read when it is requested.
public struct FieldHistory: AsyncSequence, Sendable {
    let store: any Reading
    let kind: String
    let id: RecordID
    let field: String

    /// Reads the history when the first change is requested; later writes are not in it.
    public func makeAsyncIterator() -> Iterator { Iterator(history: self) }

    /// Steps from change to change.
    public struct Iterator: AsyncIteratorProtocol {
        private let history: FieldHistory
        private var positions: [Position]?
        private var devices: [ReplicaID: String] = [:]

        init(history: FieldHistory) { self.history = history }

        /// Returns the next older change; `nil` at the end.
        ///
        /// - Throws: ``StoreError`` with code `notFound` if there is no such record; `CancellationError`.
        public mutating func next() async throws -> FieldChange? {
            if positions == nil {
                positions = try history.positions()
                devices = try history.store.deviceNames()
            }
            while let position = positions?.popLast() {
                try Task.checkCancellation()
                if let change = try history.change(at: position, devices) { return change }
            }
            return nil
        }
    }

    private func positions() throws -> [Position] {
        let positions = try store.positions(of: kind, id)
        guard !positions.isEmpty else { throw WriteBatch.noRecord(kind, id) }
        return positions
    }

    private func change(at position: Position, _ devices: [ReplicaID: String]) throws -> FieldChange? {
        guard let entry = try store.describing({ try store.audit.entry(at: position) }),
            let change = entry.changes.first(where: { $0.field == field })
        else { return nil }
        func text(_ value: [UInt8]?) -> String? { value.map { String(decoding: $0, as: UTF8.self) } }
        return FieldChange(
            event: entry.event, position: position, stamp: entry.stamp,
            author: entry.note.author.isEmpty ? nil : entry.note.author,
            device: devices[entry.event.replica] ?? entry.event.replica.short,
            note: entry.note.text.isEmpty ? nil : entry.note.text,
            before: text(change.before), after: text(change.after))
    }
}

extension Reading {
    /// Returns the history of one field of a record, by the field's name, newest change first.
    public func history(of id: RecordID, kind: String, field: String) -> FieldHistory {
        FieldHistory(store: self, kind: kind, id: id, field: field)
    }

    /// Returns the history of one field of a contact, newest change first.
    ///
    /// ```swift
    /// for try await change in store.history(of: id, field: \.frequency) {
    ///     print(change.stamp, change.author ?? change.device, change.before ?? "–", "→", change.after ?? "–")
    /// }
    /// ```
    public func history<Value>(of id: RecordID, field: KeyPath<Contact, Value>) -> FieldHistory {
        guard let name = Contact.adifName(of: field) else {
            preconditionFailure("Only the typed fields of a contact have a history under their own name.")
        }
        return history(of: id, kind: QSOKind.name, field: name)
    }
}
