import Events
import Foundation
import Radio
import Records

// Contacts as plain values: a thin layer over records, for programs that know what they log.

extension WriteBatch {
    /// Logs `contact` as a new record and returns its id.
    public mutating func add(_ contact: Contact) throws -> RecordID {
        try add(QSOKind.name, contact.assignments)
    }

    /// Sets one field of a saved contact, and the fields that express the same: a frequency also sets its band.
    ///
    /// - Parameter basis: The record as the author saw it, if that is older than the present state.
    /// - Returns: Whether anything was written; `false` if the field shows `value` already.
    /// - Throws: ``StoreError`` with code `notFound` if there is no such contact.
    @discardableResult
    public mutating func set<Value: Sendable>(
        _ field: WritableKeyPath<Contact, Value> & Sendable, of id: RecordID, to value: Value, basis: Record? = nil
    ) throws -> Bool {
        guard let present = try record(QSOKind.name, id) else { throw Self.noRecord(QSOKind.name, id) }
        return try set(QSOKind.name, id, Contact.assignments(setting: field, to: value), basis: basis ?? present)
    }

    /// Hides a contact: its content stays, and it can be restored. Returns `false` if it is hidden already.
    @discardableResult
    public mutating func removeContact(_ id: RecordID) throws -> Bool { try remove(QSOKind.name, id) }
}

extension Contact {
    /// Creates a contact with `call` that starts now.
    public init(_ call: String, frequency: Frequency? = nil, band: Band? = nil, mode: Mode? = nil) {
        self.init(
            call, start: Int64(Date.now.timeIntervalSince1970), frequency: frequency, band: band, mode: mode)
    }
}

extension ContactQuery {
    /// Limits the query to the UTC day that contains `moment`.
    public func on(_ moment: Date) -> ContactQuery { on(day: Int64(moment.timeIntervalSince1970.rounded(.down))) }
}
