import GroundwaveEvents
import GroundwaveProjections
import GroundwaveStore

extension Store {
    /// Parses `text` as a point: `@120`, a time, `before:EVENT`, `after:EVENT`, `snapshot:ID`, `vector:REPLICA=n,…`
    /// or `known:REPLICA@n`. A day means its end. For a snapshot, the beginning of its ID or `last` is enough.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: ``StoreError`` with code `usage` if `text` is not a point, `notFound` if it names something that is
    ///   not here.
    public func point(_ text: String, now: Int64) throws -> Point {
        if text.hasPrefix("@") {
            guard let position = Position(text.dropFirst()) else { throw Self.noPoint(text) }
            return .position(position)
        }
        guard let colon = text.firstIndex(of: ":"), text[..<colon].allSatisfy(\.isLetter) else {
            do { return .time(milliseconds: try TimeArgument(text, now: now).lastMillisecond) } catch {
                throw Self.noPoint(text)
            }
        }
        let rest = String(text[text.index(after: colon)...])
        switch text[..<colon].lowercased() {
        case "before": return .before(try event(named: rest))
        case "after": return .after(try event(named: rest))
        case "snapshot": return .vector(try snapshot(named: rest).vector)
        case "known": return .known(try numbered(rest, separator: "@", in: text))
        case "vector":
            var vector = VersionVector()
            for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
                let entry = try numbered(String(part), separator: "=", in: text)
                vector[entry.replica] = entry.sequence
            }
            return .vector(vector)
        default: throw Self.noPoint(text)
        }
    }

    /// Returns the event that `text` names: `@120`, its position; `REPLICA.n`, where the beginning of the replica's
    /// ID or the name of its device is enough; or `last`.
    ///
    /// - Throws: ``StoreError`` with code `usage` if `text` is not an event, `notFound` if the event is not here.
    public func event(named text: String) throws -> EventID {
        if text.lowercased() == "last" { return try event(at: try describing { try log.lastPosition() }) }
        if text.hasPrefix("@"), let position = Position(text.dropFirst()) { return try event(at: position) }
        guard let dot = text.lastIndex(of: "."), let sequence = SequenceNumber(text[text.index(after: dot)...]),
            sequence > 0
        else {
            throw StoreError(
                .usage, "“\(text)” is not an event.",
                hint: "An event is REPLICA.n, such as 3VQ0HM8K.12, @position, or last.")
        }
        let event = EventID(try replica(named: String(text[..<dot])), sequence)
        guard try describing({ try log.position(of: event) }) != nil else { throw Self.noEvent(event) }
        return event
    }

    /// Returns the usable snapshot whose ID begins with `text`, or the newest one for `last`.
    private func snapshot(named text: String) throws -> SnapshotInformation {
        let all = snapshots().compactMap(\.information).filter { $0.log == log.id }
        if text.lowercased() == "last", let newest = all.max(by: { $0.created < $1.created }) { return newest }
        let found = text.isEmpty ? [] : all.filter { "\($0.id)".hasPrefix(text.uppercased()) }
        guard let snapshot = found.first, found.count == 1 else {
            throw StoreError(
                .notFound, "There is \(found.isEmpty ? "no" : "more than one") snapshot \(text) in this store.",
                hint: "To see them: \(.list(.snapshots))")
        }
        return snapshot
    }

    private func event(at position: Position) throws -> EventID {
        guard let event = try describing({ try log.withEvent(at: position) { frame, _ in frame.id } }) else {
            throw StoreError(.notFound, "There is no event at position @\(position).")
        }
        return event
    }

    private func numbered(_ text: String, separator: Character, in whole: String) throws -> EventID {
        guard let separatorIndex = text.lastIndex(of: separator),
            let sequence = SequenceNumber(text[text.index(after: separatorIndex)...])
        else { throw Self.noPoint(whole) }
        return EventID(try replica(named: String(text[..<separatorIndex])), sequence)
    }

    private static func noPoint(_ text: String) -> StoreError {
        StoreError(
            .usage, "“\(text)” is not a point in time.",
            hint: """
                Use @120 (a position), a time such as yesterday, 90m or 2026-05-01T12:00, before:EVENT, after:EVENT, \
                snapshot:ID, vector:REPLICA=n,… or known:REPLICA@n.
                """)
    }
}
