import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension ViewReader {
    /// The contact with this id as it shows; `nil` where there is none, or where it is hidden.
    public func find(_ id: RecordID) throws -> Contact? {
        guard let record = try record(QSOKind.name, id), record.isVisible else { return nil }
        return Contact(record)
    }
}

/// What one event did to one field of a contact.
public struct FieldChange: Hashable, Sendable {
    /// The event.
    public let event: EventID
    /// Where it stands in this store.
    public let position: Position
    /// When it was written.
    public let stamp: Stamp
    /// Who wrote it, where somebody was named.
    public let author: String?
    /// The name of the device that wrote it.
    public let device: String
    /// Why, in the author's words, where any were given.
    public let note: String?
    /// What the author was looking at; `nil` where the field had no value.
    public let before: String?
    /// What they wrote; `nil` where they cleared the field.
    public let after: String?
}

/// The changes of one field of one record, the newest first, read one by one as they are asked for.
public struct FieldHistory: AsyncSequence, Sendable {
    let store: any Reading
    let kind: String
    let id: RecordID
    let field: String

    /// Reads the history as it is when the first change is asked for; what is written later is not in it.
    public func makeAsyncIterator() -> Iterator { Iterator(history: self) }

    /// Steps from change to change.
    public struct Iterator: AsyncIteratorProtocol {
        private let history: FieldHistory
        private var positions: [Position]?
        private var devices: [ReplicaID: String] = [:]

        init(history: FieldHistory) { self.history = history }

        /// The next older change; `nil` at the end.
        ///
        /// - Throws: ``StoreError`` with code `notFound` where there is no such record; `CancellationError`.
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
    /// The history of one field of a record, by the field's name, the newest change first.
    public func history(of id: RecordID, kind: String, field: String) -> FieldHistory {
        FieldHistory(store: self, kind: kind, id: id, field: field)
    }

    /// The history of one field of a contact, the newest change first.
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
