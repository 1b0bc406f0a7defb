import GroundwaveAuditing
import GroundwaveEventLog
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension Reading {
    /// The session that was last started or resumed on this device and has not ended; `nil` if there is none.
    ///
    /// A session that is open on another device does not count: two operators may log into one log at the same time.
    /// Resuming it here makes it this device's session too.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: An index look-up.
    public func openSession() throws -> OperatingSession? {
        guard let replica else { return nil }
        return try read { try $0.openSession(of: replica) }
    }

    /// Returns all sessions that show, earliest first.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: Reads every session.
    public func sessions() throws -> [OperatingSession] {
        var sessions: [OperatingSession] = []
        try read { view in
            try view.forEachRecord(of: Radio.session.name) { record in
                if record.isVisible { sessions.append(OperatingSession(record)) }
                return true
            }
        }
        return sessions.sorted { ($0.fields["STARTED"] ?? "", $0.id) < ($1.fields["STARTED"] ?? "", $1.id) }
    }
}

extension Store {
    /// Starts a session, or records one of the past: one with `ENDED` has ended, and leaves an open session alone.
    ///
    /// - Parameters:
    ///   - assignments: The fields that its contacts get, as a person entered them; `STARTED`, now if it is left out,
    ///     and `ENDED` are times as on a command line.
    ///   - now: Seconds since 1970.
    ///   - isReplacing: Whether to end a session that is still open.
    ///   - note: The reason, in the user's words.
    ///   - author: The author, if other than that of the store.
    /// - Throws: ``StoreError`` with code `usage` if a session is open and not to be replaced, or if an entry is
    ///   invalid.
    /// - Complexity: At most one commit.
    public func startSession(
        _ assignments: [Assignment], now: Int64, isReplacing: Bool = false, note: String = "", author: String? = nil
    ) async throws -> Written<StartedSession> {
        try await write(note: note, author: sessionAuthor(author, assignments)) { batch in
            let (checked, remarks) = try OperatingSession.checked(SessionTime.read(assignments, now: now))
            let hasEnded = checked.contains { $0.name == "ENDED" && $0.value != nil }
            let open = hasEnded ? nil : try batch.openSession()
            if let open {
                guard isReplacing else {
                    throw StoreError(
                        .usage, "The session \(open.id.short) is still \(open.status.rawValue).",
                        hint: "First \(.endSession). To do that in one step: \(.replaceSession)")
                }
                try batch.setStatus(.ended, of: open.id, now: now)
            }
            let status: OperatingSession.Status = hasEnded ? .ended : .active
            var fields = checked + [Assignment("STATUS", text: status.rawValue)]
            if !checked.contains(where: { $0.name == "STARTED" }) {
                fields.append(Assignment("STARTED", text: SessionTime.text(now)))
            }
            try SessionTime.check(fields, of: nil)
            let id = try batch.add(Radio.session.name, fields)
            return StartedSession(id: id, status: status, replaced: open?.id, remarks: remarks)
        }
    }

    /// Pauses, resumes or ends a session.
    ///
    /// - Returns: Whether anything was written: pausing a paused session writes nothing.
    /// - Throws: ``StoreError`` with code `notFound` if there is no such session; `usage` if another one is still open
    ///   and this one is to be resumed.
    /// - Complexity: At most one commit.
    public func setSession(
        _ id: RecordID, to status: OperatingSession.Status, now: Int64, note: String = "", author: String? = nil
    ) async throws -> Written<Bool> {
        try await write(note: note, author: author) { batch in
            if status == .active, let open = try batch.openSession(), open.id != id {
                throw StoreError(
                    .usage, "The session \(open.id.short) is still \(open.status.rawValue).",
                    hint: "First \(.endSession).")
            }
            return try batch.setStatus(status, of: id, now: now)
        }
    }

    /// Changes the fields that a session's contacts get. Contacts that are already logged keep their values.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - assignments: As for ``startSession(_:now:isReplacing:note:author:)``; a session that is open and gets an end
    ///     has ended.
    ///   - now: Seconds since 1970.
    ///   - note: The reason, in the user's words.
    ///   - author: The author, if other than that of the store.
    /// - Returns: Remarks about unusual values; no batch if nothing changed.
    /// - Throws: ``StoreError`` with code `notFound` if there is no such session; `usage` if an entry is invalid.
    /// - Complexity: At most one commit.
    public func editSession(
        _ id: RecordID, _ assignments: [Assignment], now: Int64, note: String = "", author: String? = nil
    ) async throws -> Written<[String]> {
        try await write(note: note, author: author) { batch in
            var (checked, remarks) = try OperatingSession.checked(SessionTime.read(assignments, now: now))
            guard let record = try batch.record(Radio.session.name, id) else {
                throw WriteBatch.noRecord(Radio.session.name, id)
            }
            let session = OperatingSession(record)
            try SessionTime.check(checked, of: session)
            if session.isOpen, checked.contains(where: { $0.name == "ENDED" && $0.value != nil }) {
                checked.append(Assignment("STATUS", text: OperatingSession.Status.ended.rawValue))
            }
            try batch.set(Radio.session.name, id, checked)
            return remarks
        }
    }

    /// Returns `author`; if neither it nor the store's author is set, the operator who starts the session.
    private func sessionAuthor(_ author: String?, _ assignments: [Assignment]) -> String? {
        if author != nil || !self.author.isEmpty { return author }
        func text(_ name: String) -> String? {
            assignments.last { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self).uppercased() }
        }
        return text("OPERATOR") ?? text("CALL")
    }
}

/// A session that was started.
public struct StartedSession: Hashable, Sendable {
    /// Its record.
    public let id: RecordID
    /// Whether it is active, or has ended already.
    public let status: OperatingSession.Status
    /// The session that was ended for it; `nil` if none was open.
    public let replaced: RecordID?
    /// Remarks about unusual values, as sentences.
    public let remarks: [String]
}

extension WriteBatch {
    /// Returns the session that is open on this device.
    mutating func openSession() throws -> OperatingSession? {
        let replica = replica
        return try read { try $0.openSession(of: replica) }
    }

    @discardableResult
    mutating func setStatus(_ status: OperatingSession.Status, of id: RecordID, now: Int64) throws -> Bool {
        guard let record = try record(Radio.session.name, id) else { throw Self.noRecord(Radio.session.name, id) }
        let session = OperatingSession(record)
        let status = Assignment("STATUS", text: status.rawValue)
        let key = Radio.session.key(for: status.name)
        var operations = Radio.session.operations(assigning: [status], to: record)
        let isOurs = record[key]?.shown.id.event.replica == replica
        if operations.isEmpty, !isOurs, session.isOpen, let value = status.value {
            // Another device wrote this status; writing it again here makes the session this device's too.
            operations = [FieldOperation(.set, key, supersedes: record.superseded(by: key), value: value)]
        }
        if operations.isEmpty { return false }
        let ended = status.value == Array("ended".utf8) ? Assignment("ENDED", text: SessionTime.text(now)) : nil
        if ended != nil || session.fields["ENDED"] != nil {
            operations += Radio.session.operations(assigning: [ended ?? Assignment("ENDED", nil)], to: record)
        }
        try append(Change(kind: Radio.session.name, record: id, operations: operations))
        return true
    }
}

extension ViewReader {
    /// Returns the session that `replica` last started or resumed and that has not ended; `nil` if there is none.
    ///
    /// Cost: an index look-up.
    ///
    /// - Throws: If a row is damaged: see ``ViewReader``.
    public func openSession(of replica: ReplicaID) throws -> OperatingSession? {
        var found: OperatingSession?
        let status = Radio.session.key(for: "STATUS")
        try forEachEntry(of: Radio.session.name, index: Radio.openSessions, isBackwards: true) { _, id in
            guard let record = try record(Radio.session.name, id), record.isVisible,
                record[status]?.shown.id.event.replica == replica
            else { return true }
            found = OperatingSession(record)
            return false
        }
        return found
    }
}

/// Times as sessions store them: `2026-05-01T12:00:00Z`.
enum SessionTime {
    static func text(_ seconds: Int64) -> String { UTCText.seconds(seconds) }

    /// Returns `assignments` with start and end, which a person wrote as on a command line, in their stored form.
    static func read(_ assignments: [Assignment], now: Int64) throws -> [Assignment] {
        try assignments.map { assignment in
            guard ["STARTED", "ENDED"].contains(assignment.name), let value = assignment.value else {
                return assignment
            }
            let time = try TimeArgument(String(decoding: value, as: UTF8.self), now: now)
            return Assignment(assignment.name, text: text(time.start))
        }
    }

    /// Throws if `session`, or a new one, would have no start with `assignments`, or end before it.
    static func check(_ assignments: [Assignment], of session: OperatingSession?) throws {
        func value(_ name: String) -> String? {
            guard let assignment = assignments.last(where: { $0.name == name }) else { return session?.fields[name] }
            return assignment.value.map { String(decoding: $0, as: UTF8.self) }
        }
        guard let started = value("STARTED") else { throw StoreError(.usage, "A session needs a start.") }
        // Texts of this form are in the order of their times.
        if let ended = value("ENDED"), ended < started {
            throw StoreError(.usage, "The session would end at \(ended), before its start at \(started).")
        }
    }
}
