import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// A query for contacts. All conditions must hold; without any, it matches all visible contacts.
///
/// ```swift
/// try view.all(.contacts.worked("W1AW").on(day: now))
/// ```
public struct ContactQuery: Hashable, Sendable {
    /// The other station's call, in full; case is ignored.
    public var call: String?
    /// A pattern of calls: `*` stands for any characters, `?` for one; case is ignored.
    public var callPattern: String?
    /// The other station, wherever it is: `W1AW` and `W1AW/P` both match W1AW, W1AW/P and DL/W1AW.
    public var station: String?
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
    /// Conditions on the values of fields.
    public var conditions: [FieldCondition] = []
    /// Words that the values of a contact contain, each in any field; the case of ASCII letters is ignored.
    public var words: [String] = []
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

    /// Whether rows are walked to find the contacts, and not an index.
    package var isOfMany: Bool { isOfAnyStation && since == nil && limit == nil }

    /// Whether the index of times answers it, and not that of calls.
    var isOfAnyStation: Bool { call == nil && callPattern == nil && station == nil }

    /// Whether it asks for values of fields, and no index narrows down whose.
    fileprivate var asksForValues: Bool {
        (!conditions.isEmpty || !words.isEmpty) && isOfAnyStation && since == nil
    }

    /// Whether a contact that shows `values` matches all conditions, including call and session. An erased one does not.
    package func matches(_ values: borrowing ShownValues) -> Bool {
        guard values.isVisible != isHidden, !values.state.isErased else { return false }
        if let changedAfter, values.lastPosition <= changedAfter { return false }
        if !includesMetadata, values.isMetadata { return false }
        if let session, values.session != session { return false }
        if let recordedSince, !values.isShown(since: recordedSince) { return false }
        for condition in conditions where !condition.holds(values) { return false }
        for word in words where !WordSearch.finds(ContactKey.folded(word.utf8), in: values) { return false }
        return !asksForFacts || matches(ContactFacts(values))
    }

    private var asksForFacts: Bool {
        !isOfAnyStation || band != nil || mode != nil || since != nil || until != nil || park != nil
            || operatorCall != nil
    }

    private func matches(_ facts: ContactFacts) -> Bool {
        if let call, facts.call != call.uppercased() { return false }
        if let callPattern, !Wildcards.match(ContactKey.folded(callPattern.utf8), Array(facts.call.utf8)[...]) {
            return false
        }
        if let station, CallSign.base(of: facts.call) != CallSign.base(of: station.uppercased()) { return false }
        guard isBandAndMode(of: facts) else { return false }
        let seconds = facts.startSeconds
        if let since, (seconds ?? .min) < since { return false }
        if let until, (seconds ?? .min) >= until { return false }
        if let park, !facts.parks.contains(park.uppercased()) { return false }
        if let operatorCall, facts.operatorCall != operatorCall.uppercased() { return false }
        return true
    }

    /// Whether band and mode of a contact are those that are asked for.
    func isBandAndMode(of facts: ContactFacts) -> Bool {
        if let band, facts.band?.lowercased() != band.lowercased() { return false }
        return mode.map { facts.isMode($0.uppercased()) } ?? true
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

    /// The facts of a contact of which no more is known.
    init(startSeconds: Int64? = nil, band: String?, mode: String?, submode: String?) {
        (self.startSeconds, self.band, self.mode, self.submode) = (startSeconds, band, mode, submode)
        (call, parks, myParks, operatorCall) = ("", [], [], nil)
    }

    /// Creates the facts of a contact.
    public init(_ record: Record) { self.init { record.text($0) } }

    /// Creates the facts of a contact that shows `values`.
    package init(_ values: borrowing ShownValues) { self.init { values.text($0) } }

    private init(_ shown: (FieldName) -> String?) {
        func text(_ name: FieldName) -> String? { shown(name).flatMap { $0.isEmpty ? nil : $0.uppercased() } }
        call = String(decoding: ContactKey.folded((shown(.call) ?? "").utf8), as: UTF8.self)
        startSeconds = ContactTime.seconds(
            date: Array((shown(.qsoDate) ?? "").utf8)[...], time: Array((shown(.timeOn) ?? "").utf8)[...])
        band =
            shown(.band).flatMap { $0.isEmpty ? nil : $0.lowercased() }
            ?? shown(.freq).flatMap { Frequency(megahertz: $0) }.flatMap { Band(containing: $0) }?.name
        mode = text(.mode)
        submode = text(.submode)
        myParks = Self.parks(shown(.myPOTARef), shown(.mySIG), shown(.mySIGInfo))
        parks = myParks + Self.parks(shown(.potaRef), shown(.sig), shown(.sigInfo))
        operatorCall = text(.operator) ?? text(.stationCallsign)
    }

    /// Returns the parks of one side, each once: those of its list, else the one that it gives as a special activity.
    ///
    /// Source: the uploads of Parks on the Air read SIG_INFO where SIG is POTA, and many programs write nothing else.
    private static func parks(
        _ list: String?, _ activity: @autoclosure () -> String?, _ reference: @autoclosure () -> String?
    ) -> [String] {
        let listed = parks(list)
        if !listed.isEmpty || activity()?.uppercased() != "POTA" { return listed }
        return parks(reference())
    }

    /// Returns the parks in an ADIF list, each once: in upper case, without a location after `@`.
    public static func parks(_ list: String?) -> [String] {
        var parks: [String] = []
        for part in (list ?? "").split(separator: ",") {
            let park = String(part.prefix { $0 != "@" }).uppercased().filter { !$0.isWhitespace }
            if !park.isEmpty, !parks.contains(park) { parks.append(park) }
        }
        return parks
    }

    /// Whether the record is a note of an activation instead of a contact.
    public var isMetadata: Bool { mode.map { QSOKind.metadataModes.contains($0) } ?? false }
}

extension ViewReader {
    /// Calls `body` with the contacts that match `query`, the latest first, until `body` returns `false`.
    public func forEachContact(_ query: ContactQuery, _ body: (Record) throws -> Bool) throws {
        try forEachShownContactFromLatest(query) { id, values in try body(values.record(QSOKind.name, id)) }
    }

    /// Calls `body` with the contacts that match `query`, as their rows show them: in any order, but for a limited query
    /// the latest first. Ends where `body` returns `false`.
    ///
    /// - Complexity: About a microsecond for each contact of the store, or of the call, the times or the limit that the
    ///   query asks for; no allocation for a contact.
    package func forEachShownContact(
        _ query: ContactQuery, _ body: (RecordID, borrowing ShownValues) throws -> Bool
    ) throws {
        guard query.isOfMany else { return try forEachShownContactFromLatest(query, body) }
        try forEachShown(of: QSOKind.name) { id, values in try query.matches(values) ? body(id, values) : true }
    }

    /// Calls `body` with the contacts that match `query`, as their rows show them, the latest first, until `body` returns
    /// `false`.
    package func forEachShownContactFromLatest(
        _ query: ContactQuery, _ body: (RecordID, borrowing ShownValues) throws -> Bool
    ) throws {
        var left = query.limit ?? .max
        guard left > 0 else { return }
        var values = shownValues(of: QSOKind.name)
        try forEachCandidate(query, isBackwards: true) { id in
            guard try read(id, of: QSOKind.name, into: &values), query.matches(values) else { return true }
            left -= 1
            return try body(id, values) && left > 0
        }
    }

    /// Calls `body` with the ids of contacts in the order of their time, among them all that match `query`: of a limited
    /// one its latest, else also some that do not match.
    package func forEachCandidate(_ query: ContactQuery, _ body: (RecordID) -> Void) throws {
        if query.asksForValues { return try forEachMatch(query, body) }
        guard query.limit != nil else {
            return try forEachCandidate(query, isBackwards: false) { id in
                body(id)
                return true
            }
        }
        var ids: [RecordID] = []
        try forEachShownContactFromLatest(query) { id, _ in
            ids.append(id)
            return true
        }
        for id in ids.reversed() { body(id) }
    }

    /// Calls `body` with the ids of the contacts that match `query`, whose values only their rows tell, in the order of their
    /// time: all rows are read in the order in which they lie.
    private func forEachMatch(_ query: ContactQuery, _ body: (RecordID) -> Void) throws {
        var matches: [(key: [UInt8], id: RecordID)] = []
        try forEachShown(of: QSOKind.name) { id, values in
            if query.matches(values) { matches.append((ContactIndex.timeKey(of: values), id)) }
            return true
        }
        matches.sort { $0.key == $1.key ? $0.id < $1.id : $0.key.lexicographicallyPrecedes($1.key) }
        for match in matches.suffix(query.limit ?? .max) { body(match.id) }
    }

    /// Calls `body` with the ids of the contacts that match `query` as far as an index tells, in the order of their time or
    /// backwards, until it returns `false`.
    private func forEachCandidate(
        _ query: ContactQuery, isBackwards: Bool, _ body: (RecordID) throws -> Bool
    ) throws {
        if let station = query.station {
            let base = CallSign.base(of: ContactKey.folded(station.utf8)[...])
            return try forEachCandidate(withCall: Array(base), isBackwards, body)
        }
        if let pattern = query.callPattern {
            return try forEachCandidate(withCalls: ContactKey.folded(pattern.utf8), isBackwards, body)
        }
        if let call = query.call {
            return try forEachCandidate(withCall: ContactKey.folded(call.utf8), isBackwards, body)
        }
        var indexed = IndexedQuery(query)
        try forEachIndexedContact(query, isBackwards: isBackwards) { contact, id in
            try indexed.matches(contact) == false || body(id)
        }
    }

    private func forEachCandidate(
        withCall call: [UInt8], _ isBackwards: Bool, _ body: (RecordID) throws -> Bool
    ) throws {
        try forEachEntry(
            of: QSOKind.name, index: ContactIndex.call, prefix: call + [0], isBackwards: isBackwards
        ) { _, id in try body(id) }
    }

    /// The contacts whose calls match `pattern`, sorted by time: the index has them call by call.
    private func forEachCandidate(
        withCalls pattern: [UInt8], _ isBackwards: Bool, _ body: (RecordID) throws -> Bool
    ) throws {
        var found: [(time: UInt64, id: RecordID)] = []
        var last: (call: [UInt8], isMatch: Bool) = ([], Wildcards.match(pattern, []))
        let prefix = Wildcards.prefix(of: pattern)
        try forEachEntry(of: QSOKind.name, index: ContactIndex.call, prefix: prefix) { key, id in
            let end = Swift.max(0, key.byteCount - 9)
            let call = key.extracting(0..<end)
            if !last.call.withSpan({ call.elementsEqual($0) }) {
                let bytes = call.toArray()
                last = (bytes, Wildcards.match(pattern, bytes[...]))
            }
            if last.isMatch { found.append((key.bigEndianUInt64(at: end + 1), id)) }
            return true
        }
        found.sort { ($0.time, $0.id) < ($1.time, $1.id) }
        if isBackwards { found.reverse() }
        var former: RecordID?
        for (_, id) in found where id != former {
            // A contact away from home is there twice, with the same time.
            former = id
            guard try body(id) else { return }
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
}
