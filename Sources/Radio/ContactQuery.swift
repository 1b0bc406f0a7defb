import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// Which contacts are wanted. Conditions are joined by "and"; without any, all that show and are contacts.
///
/// ```swift
/// try view.all(.contacts.worked("W1AW").on(day: now))
/// ```
public struct ContactQuery: Hashable, Sendable {
    /// The other station's call, whole; upper and lower case are one.
    public var call: String?
    /// The band, such as `20m`.
    public var band: String?
    /// The mode or submode, such as `CW` or `FT8`.
    public var mode: String?
    /// Seconds since 1970: contacts that started then or later.
    public var since: Int64?
    /// Seconds since 1970: contacts that started before.
    public var until: Int64?
    /// The session.
    public var session: RecordID?
    /// A park of either side, such as `US-1234`.
    public var park: String?
    /// The operator.
    public var operatorCall: String?
    /// Only contacts that were written down or changed at this stamp's milliseconds or later.
    public var recordedSince: Int64?
    /// Only contacts that an event behind this position touched.
    public var changedAfter: Position?
    /// Hidden contacts instead of those that show.
    public var isHidden = false
    /// Notes of an activation too, whose mode is WEATHER, SOLAR or NOTE.
    public var includesMetadata = false
    /// At most so many, the latest.
    public var limit: Int?

    /// All contacts.
    public init() {}

    /// All contacts.
    public static var contacts: ContactQuery { ContactQuery() }

    /// Those with this station.
    public func worked(_ call: String) -> ContactQuery { with { $0.call = call } }

    /// Those on the UTC day that holds this moment, in seconds since 1970.
    public func on(day seconds: Int64) -> ContactQuery {
        let start = seconds - ((seconds % 86_400) + 86_400) % 86_400
        return with {
            $0.since = start
            $0.until = start + 86_400
        }
    }

    /// Those of a session.
    public func of(session: RecordID) -> ContactQuery { with { $0.session = session } }

    private func with(_ change: (inout ContactQuery) -> Void) -> ContactQuery {
        var copy = self
        change(&copy)
        return copy
    }

    /// Whether `record`, a contact, is one of those wanted. The call and session are compared too.
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

/// What queries, counts and dupe checks look at: the shown values of a contact, normalised.
public struct ContactFacts: Hashable, Sendable {
    /// The other station's call in upper case.
    public let call: String
    /// When it started, in seconds since 1970; `nil` where date or time cannot be read.
    public let startSeconds: Int64?
    /// The band, derived from the frequency where it is not given.
    public let band: String?
    /// The mode in upper case, as it was written.
    public let mode: String?
    /// The submode in upper case.
    public let submode: String?
    /// The parks of both sides, in upper case, without a location behind `@`.
    public let parks: [String]
    /// The own parks alone.
    public let myParks: [String]
    /// The operator in upper case; the station where no operator is given.
    public let operatorCall: String?

    /// The facts of a contact.
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

    /// The parks in a list as ADIF writes it: upper case, without a location behind `@`.
    public static func parks(_ list: String?) -> [String] {
        (list ?? "").split(separator: ",").map { park in
            String(park.prefix { $0 != "@" }).uppercased().filter { !$0.isWhitespace }
        }
    }

    /// Whether it is a note of an activation and no contact.
    public var isMetadata: Bool { mode.map { QSOKind.metadataModes.contains($0) } ?? false }
}

extension ViewReader {
    /// Hands out the contacts of `query`, the latest first, until `body` says `false`.
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

    /// The contacts of `query`, the earliest first; of a limited query the latest ones.
    public func all(_ query: ContactQuery) throws -> [Record] {
        var records: [Record] = []
        try forEachContact(query) { record in
            records.append(record)
            return true
        }
        return records.reversed()
    }

    /// How many contacts `query` has.
    public func count(_ query: ContactQuery) throws -> Int {
        var count = 0
        try forEachContact(query) { _ in
            count += 1
            return true
        }
        return count
    }
}
