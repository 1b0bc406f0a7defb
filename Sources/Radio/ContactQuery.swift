import ADIF
import ByteCoding
import Events
import Projections
import Records

/// A query for contacts. All conditions must hold; without any, it matches all visible contacts.
///
/// ```swift
/// try view.all(.contacts.worked("W1AW").on(day: now))
/// ```
public struct ContactQuery: Hashable, Sendable {
    /// The other station's call, in full; case is ignored.
    public var call: String?
    /// The band, such as `20m`.
    public var band: String?
    /// The mode or submode, such as `CW` or `FT8`.
    public var mode: String?
    /// The earliest start, in seconds since 1970, inclusive.
    public var since: Int64?
    /// The latest start, in seconds since 1970, exclusive.
    public var until: Int64?
    /// The session.
    public var session: RecordID?
    /// A park of either side, such as `US-1234`.
    public var park: String?
    /// The operator.
    public var operatorCall: String?
    /// The earliest stamp, in milliseconds: matches contacts with a shown value written at this time or later.
    public var recordedSince: Int64?
    /// Matches only contacts that an event after this position changed.
    public var changedAfter: Position?
    /// Whether to match hidden contacts instead of visible ones.
    public var isHidden = false
    /// Whether to match notes of an activation too, whose mode is WEATHER, SOLAR or NOTE.
    public var includesMetadata = false
    /// The most contacts to return, the latest ones; `nil` for all.
    public var limit: Int?

    /// Creates a query for all contacts.
    public init() {}

    /// A query for all contacts.
    public static var contacts: ContactQuery { ContactQuery() }

    /// Returns a query restricted to contacts with this station.
    public func worked(_ call: String) -> ContactQuery { with { $0.call = call } }

    /// Returns a query restricted to the UTC day of this time, in seconds since 1970.
    public func on(day seconds: Int64) -> ContactQuery {
        let start = seconds - ((seconds % 86_400) + 86_400) % 86_400
        return with {
            $0.since = start
            $0.until = start + 86_400
        }
    }

    /// Returns a query restricted to contacts of a session.
    public func of(session: RecordID) -> ContactQuery { with { $0.session = session } }

    private func with(_ change: (inout ContactQuery) -> Void) -> ContactQuery {
        var copy = self
        change(&copy)
        return copy
    }

    /// Whether `record`, a contact, matches all conditions, including call and session.
    func matches(_ record: Record) -> Bool {
        guard record.isVisible != isHidden else { return false }
        if let changedAfter, record.lastPosition <= changedAfter { return false }
        let facts = ContactFacts(record)
        if !includesMetadata, facts.isMetadata { return false }
        if let call, facts.call != call.uppercased() { return false }
        if let band, facts.band?.lowercased() != band.lowercased() { return false }
        if let mode, !facts.isMode(mode.uppercased()) { return false }
        let seconds = facts.startSeconds
        if let since, (seconds ?? .min) < since { return false }
        if let until, (seconds ?? .min) >= until { return false }
        if let session, record.session != session { return false }
        if let park, !facts.parks.contains(park.uppercased()) { return false }
        if let operatorCall, facts.operatorCall != operatorCall.uppercased() { return false }
        if let recordedSince, !record.fields.contains(where: { $0.shown.stamp.milliseconds >= recordedSince }) {
            return false
        }
        return true
    }
}

/// The normalised shown values of a contact, as used by queries, counts and dupe checks.
public struct ContactFacts: Hashable, Sendable {
    /// The other station's call in upper case.
    public let call: String
    /// The start time, in seconds since 1970; `nil` if the date is invalid. An invalid time counts as 00:00.
    public let startSeconds: Int64?
    /// The band; derived from the frequency if it is not given.
    public let band: String?
    /// The mode in upper case, as it was written.
    public let mode: String?
    /// The submode in upper case.
    public let submode: String?
    /// The parks of both sides, in upper case, without a location after `@`.
    public let parks: [String]
    /// The own parks alone.
    public let myParks: [String]
    /// The operator in upper case; the station if no operator is given.
    public let operatorCall: String?

    /// Creates the facts of a contact.
    public init(_ record: Record) {
        func text(_ name: FieldName) -> String? { record.text(name).flatMap { $0.isEmpty ? nil : $0.uppercased() } }
        call = String(decoding: ContactKey.folded(Array((record.text(.call) ?? "").utf8)), as: UTF8.self)
        startSeconds = ContactTime.seconds(
            date: Array((record.text(.qsoDate) ?? "").utf8)[...], time: Array((record.text(.timeOn) ?? "").utf8)[...])
        band =
            record.text(.band).flatMap { $0.isEmpty ? nil : $0.lowercased() }
            ?? record.text(.freq).flatMap { Frequency(megahertz: $0) }.flatMap { Band(containing: $0) }?.name
        mode = text(.mode)
        submode = text(.submode)
        myParks = Self.parks(record.text(.myPOTARef))
        parks = myParks + Self.parks(record.text(.potaRef))
        operatorCall = text(.operator) ?? text(.stationCallsign)
    }

    /// Returns the parks in an ADIF list: in upper case, without a location after `@`.
    public static func parks(_ list: String?) -> [String] {
        (list ?? "").split(separator: ",").map { park in
            String(park.prefix { $0 != "@" }).uppercased().filter { !$0.isWhitespace }
        }
    }

    /// Whether the record is a note of an activation instead of a contact.
    public var isMetadata: Bool { mode.map { QSOKind.metadataModes.contains($0) } ?? false }
}

extension ViewReader {
    /// Calls `body` with the contacts that match `query`, the latest first, until `body` returns `false`.
    public func forEachContact(_ query: ContactQuery, _ body: (Record) throws -> Bool) throws {
        var left = query.limit ?? .max
        guard left > 0 else { return }
        func handOut(_ id: RecordID) throws -> Bool {
            guard let record = try record(QSOKind.name, id), query.matches(record) else { return true }
            left -= 1
            return try body(record) && left > 0
        }
        if let call = query.call {
            let prefix = ContactKey.folded(Array(call.utf8)) + [0]
            try forEachEntry(of: QSOKind.name, index: ContactIndex.call, prefix: prefix, isBackwards: true) { _, id in
                try handOut(id)
            }
        } else {
            let since = query.since.map { ContactIndex.timeKey($0) } ?? []
            try forEachEntry(of: QSOKind.name, index: ContactIndex.time, from: since, isBackwards: true) { key, id in
                if let until = query.until, ContactIndex.seconds(key.bigEndianUInt64(at: 0)) >= until { return true }
                return try handOut(id)
            }
        }
    }

    /// Returns the contacts that match `query`, the earliest first. A limited query returns the latest ones.
    public func all(_ query: ContactQuery) throws -> [Record] {
        var records: [Record] = []
        try forEachContact(query) { record in
            records.append(record)
            return true
        }
        return records.reversed()
    }

    /// Returns the number of contacts that match `query`.
    public func count(_ query: ContactQuery) throws -> Int {
        var count = 0
        try forEachContact(query) { _ in
            count += 1
            return true
        }
        return count
    }
}
