import Foundation
import GroundwaveADIF
import GroundwaveEvents
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

// Contacts as values of type ``Contact`` instead of fields by name.

extension WriteBatch {
    /// Logs `contact` as a new record and returns its id.
    ///
    /// - Throws: As ``add(_:_:)``.
    public mutating func add(_ contact: Contact) throws -> RecordID {
        try add(QSOKind.name, contact.assignments)
    }

    /// Sets one field of a saved contact, and the fields that express the same: a frequency also sets its band.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - id: The contact.
    ///   - value: The new value.
    ///   - basis: The record as the author saw it, if that is older than the present state.
    /// - Returns: Whether anything was written; `false` if the field shows `value` already.
    /// - Throws: ``StoreError`` with code `notFound` if there is no such contact; errors of
    ///   ``set(_:_:_:basis:)``.
    @discardableResult
    public mutating func set<Value: Sendable>(
        _ field: WritableKeyPath<Contact, Value> & Sendable, of id: RecordID, to value: Value, basis: Record? = nil
    ) throws -> Bool {
        guard let present = try record(QSOKind.name, id) else { throw Self.noRecord(QSOKind.name, id) }
        return try set(QSOKind.name, id, Contact.assignments(setting: field, to: value), basis: basis ?? present)
    }

    /// Hides a contact: its content stays, and it can be shown again. Returns `false` if it is hidden already.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such contact.
    @discardableResult
    public mutating func removeContact(_ id: RecordID) throws -> Bool { try remove(QSOKind.name, id) }
}

extension Contact {
    /// Creates a contact with the station `call` that starts now, by the system's clock.
    public init(_ call: String, frequency: Frequency? = nil, band: Band? = nil, mode: Mode? = nil) {
        self.init(
            call, start: Int64(Date.now.timeIntervalSince1970), frequency: frequency, band: band, mode: mode)
    }
}

extension ContactQuery {
    /// Limits the query to the UTC day that contains `moment`.
    public func on(_ moment: Date) -> ContactQuery { on(day: Int64(moment.timeIntervalSince1970.rounded(.down))) }
}
