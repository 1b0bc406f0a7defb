import Events
import Foundation
import Projections
import Radio
import Records

/// Which session a new contact belongs to.
public enum SessionChoice: Hashable, Sendable {
    /// The one that is active on this device, if there is one.
    case open
    /// This one.
    case session(RecordID)
    /// None.
    case none
}

/// A contact that was logged.
public struct LoggedContact: Hashable, Sendable {
    /// Its record.
    public let id: RecordID
    /// What it says: what was entered, and what session and clock filled in.
    public let assignments: [Assignment]
    /// The session it belongs to.
    public let session: RecordID?
    /// What was unusual, in sentences.
    public let remarks: [String]
}

extension WriteBatch {
    /// Logs a contact as a person entered it: checked, and filled up from the session and the clock.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: ``StoreError`` with code `usage` where an entry cannot be meant.
    public mutating func log(
        _ assignments: [Assignment], in choice: SessionChoice = .open, now: Int64
    ) throws -> LoggedContact {
        let (session, remark) = try session(choice)
        var entry = try ContactEntry(assignments)
        try entry.complete(now: now, session: session)
        var written = entry.assignments
        if let session { written.append(Assignment(QSOKind.sessionField, session.id.bytes)) }
        let id = try add(QSOKind.name, written)
        return LoggedContact(
            id: id, assignments: entry.assignments, session: session?.id,
            remarks: entry.remarks + (remark.map { [$0] } ?? []))
    }

    /// Changes a contact as a person says: checked, with frequency and band, mode and submode kept in step.
    ///
    /// - Returns: Whether anything was written, and what was unusual.
    public mutating func edit(
        _ contact: RecordID, _ assignments: [Assignment]
    ) throws -> (isChanged: Bool, remarks: [String]) {
        guard let record = try record(QSOKind.name, contact) else { throw Self.noRecord(QSOKind.name, contact) }
        guard record.isVisible else {
            throw StoreError(
                .usage, "The contact \(contact.short) is hidden.",
                hint: "To show it again: groundwave qso restore \(contact.short)")
        }
        var entry = try ContactEntry(assignments, to: record)
        try entry.settle(on: record)
        let isChanged = try set(QSOKind.name, contact, entry.assignments)
        return (isChanged, entry.remarks)
    }

    private mutating func session(_ choice: SessionChoice) throws -> (OperatingSession?, remark: String?) {
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
