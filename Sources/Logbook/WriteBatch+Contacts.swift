import Foundation
import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveSettings
import GroundwaveStore

/// The session that a new contact belongs to.
public enum SessionChoice: Hashable, Sendable {
    /// The session that is active on this device, if there is one.
    case open
    /// This session.
    case session(RecordID)
    /// No session.
    case none
}

/// A contact that was logged.
public struct LoggedContact: Hashable, Sendable {
    /// Its record.
    public let id: RecordID
    /// Its fields: those that were entered, and those that were filled in from session and clock.
    public let assignments: [Assignment]
    /// Those of its fields that were filled in from the operator's settings.
    public let filledIn: [Assignment]
    /// The session that it belongs to; `nil` if none.
    public let session: RecordID?
    /// Remarks about unusual values, as sentences.
    public let remarks: [String]
}

extension WriteBatch {
    /// Logs a contact as a person entered it: checks the fields, and fills in others from the session and the clock.
    ///
    /// - Parameters:
    ///   - assignments: The fields that were entered.
    ///   - choice: The session that it belongs to.
    ///   - now: Seconds since 1970.
    /// - Throws: ``StoreError`` with code `usage` if a field is invalid.
    public mutating func log(
        _ assignments: [Assignment], in choice: SessionChoice = .open, now: Int64
    ) throws -> LoggedContact {
        let (session, remark) = try session(choice)
        var entry = try ContactEntry(assignments)
        try entry.complete(now: now, session: session, defaults: try defaults())
        var written = entry.assignments
        if let session { written.append(Assignment(QSOKind.sessionField, session.id.bytes)) }
        let id = try add(QSOKind.name, written)
        return LoggedContact(
            id: id, assignments: entry.assignments, filledIn: entry.filledIn, session: session?.id,
            remarks: entry.remarks + (remark.map { [$0] } ?? []))
    }

    /// Changes a contact as a person entered it: checks the fields, and keeps frequency and band, mode and submode
    /// consistent.
    ///
    /// - Returns: Whether anything was written, and remarks about unusual values.
    /// - Throws: ``StoreError`` with code `notFound` if there is no such contact; `usage` if it is hidden, or a field
    ///   is invalid.
    public mutating func edit(
        _ contact: RecordID, _ assignments: [Assignment]
    ) throws -> (isChanged: Bool, remarks: [String]) {
        guard let record = try record(QSOKind.name, contact) else { throw Self.noRecord(QSOKind.name, contact) }
        guard record.isVisible else {
            throw StoreError(
                .usage, "The contact \(contact.short) is hidden.",
                hint: "To show it again: \(.restoreContact(id: contact.short))")
        }
        var entry = try ContactEntry(assignments, to: record)
        try entry.settle(on: record)
        let isChanged = try set(QSOKind.name, contact, entry.assignments)
        return (isChanged, entry.remarks)
    }

    /// What the operator has set for all contacts, in the order in which it is shown.
    private mutating func defaults() throws -> [(name: FieldName, value: String)] {
        try LoggingDefaults.fields.compactMap { key, name in
            guard let record = try record(Settings.setting.name, Settings.recordID(of: key)), record.isVisible,
                let value = Settings.setting.value(of: "VALUE", in: record), !value.isEmpty
            else { return nil }
            return (name, String(decoding: value, as: UTF8.self))
        }
    }

    mutating func session(_ choice: SessionChoice) throws -> (OperatingSession?, remark: String?) {
        switch choice {
        case .none: return (nil, nil)
        case .session(let id):
            guard let record = try record(Radio.session.name, id) else { throw Self.noRecord(Radio.session.name, id) }
            return (OperatingSession(record), nil)
        case .open:
            guard let session = try openSession() else { return (nil, nil) }
            if session.status == .active { return (session, nil) }
            return (nil, "The session \(session.id.short) is paused, so the contact is not part of it.")
        }
    }
}
