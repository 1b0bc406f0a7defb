import GroundwaveAuditing
import GroundwaveLogbook
import GroundwaveRadio
import GroundwaveStore

/// What people type to choose contacts: on the command line, and in the form of a page.
package struct ContactFilters: Hashable, Sendable {
    /// The call; `*` stands for any letters, as in `W1*`.
    package var call: String?
    /// The band, such as `20m`.
    package var band: String?
    /// The mode or submode, such as `CW` or `FT8`.
    package var mode: String?
    /// A time: contacts made then or later.
    package var since: String?
    /// A time: contacts made before; a day means its end.
    package var until: String?
    /// A time: contacts recorded or changed then or later.
    package var recordedSince: String?
    /// The session: its id, `last` or `open`.
    package var session: String?
    /// A park of either side.
    package var park: String?
    /// The call of an operator.
    package var `operator`: String?
    /// Conditions on fields, such as `GRIDSQUARE=FN*`.
    package var conditions: [String] = []

    /// Creates filters that choose every contact.
    package init() {}

    /// The filters as they were given, in an order of their own.
    package var text: String {
        let filters = [
            ("call", call), ("band", band), ("mode", mode), ("since", since), ("until", until),
            ("recorded-since", recordedSince), ("session", session), ("park", park), ("operator", `operator`),
        ]
        let texts = filters.compactMap { name, value in value.map { "\(name)=\($0)" } }
        return (texts + conditions.map { "where=\($0)" }).joined(separator: " ")
    }

    /// Returns the query that corresponds to the filters.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: ``StoreError`` with code `usage` if a filter is none, `notFound` if it names a session that is not here.
    package func query(_ store: any Reading, now: Int64) throws -> ContactQuery {
        var query = ContactQuery.contacts
        let isPattern = call?.contains { $0 == "*" || $0 == "?" } ?? false
        if isPattern { query.callPattern = call } else { query.call = call }
        query.band = try band.map { try BandName.checked($0) }
        query.mode = mode
        // Notes of an activation are included only if their mode is asked for.
        query.includesMetadata = mode.map { QSOKind.metadataModes.contains($0.uppercased()) } ?? false
        query.since = try since.map { try TimeArgument($0, now: now).start }
        query.until = try until.map { try TimeArgument($0, now: now).end }
        query.recordedSince = try recordedSince.map { try TimeArgument($0, now: now).startMilliseconds }
        query.session = try session.map { try SessionName.resolve($0, store) }
        query.park = park
        query.operatorCall = `operator`
        query.conditions = try conditions.map { try FieldCondition(checking: $0) }
        for condition in query.conditions { try store.checkField(condition.field) }
        return query
    }
}

extension FieldCondition {
    /// Reads a condition as it was typed.
    fileprivate init(checking text: String) throws {
        do { try self.init(text) } catch { throw StoreError(.usage, error.message, hint: error.hint.map { Hint($0) }) }
    }
}
