import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

// Counting contacts by what their entries in the index of times say, without their rows.

/// What contacts that are counted together have in common.
private struct ContactTally: Hashable {
    /// The hours since 1970; `nil` without a valid date, or if times are not asked for.
    let hour: Int64?
    /// `nil` if bands and modes are not asked for.
    let facts: IndexedContact.Facts?

    var contact: ContactFacts {
        ContactFacts(
            startSeconds: hour.map { $0 * 3600 }, band: facts?.bandName, mode: facts?.modeName,
            submode: facts?.submodeName)
    }
}

extension ViewReader {
    /// Returns the number of contacts that match `query`.
    ///
    /// - Complexity: As ``forEachTally(_:of:_:)``.
    public func count(_ query: ContactQuery) throws -> Int {
        var count = 0
        try forEachTally(query, of: []) { count += $1 }
        return count
    }

    /// Counts the contacts that match `query` by the facts that `keys` ask for, and passes each count with these facts to
    /// `body`.
    ///
    /// - Complexity: About 50 ns for each contact, from the index of times alone. Rows are read if the query or a key asks
    ///   for more than the index says, and of contacts whose band or mode is asked for and not in the standard's lists.
    package func forEachTally(
        _ query: ContactQuery, of keys: [ContactCounts.Key], _ body: (ContactFacts, Int) -> Void
    ) throws {
        var indexed = IndexedQuery(query)
        guard indexed.isAnsweredByIndex, query.limit == nil, keys.allSatisfy(\.isInIndex) else {
            return try forEachShownContact(query) { _, values in
                body(ContactFacts(values), 1)
                return true
            }
        }
        let hasTimes = keys.contains { $0 == .day || $0 == .hour }
        let hasFacts = keys.contains { $0 == .band || $0 == .mode }
        var counts: [ContactTally: Int] = [:]
        var others: [RecordID] = []
        try forEachIndexedContact(query) { contact, id in
            let isAsked = indexed.matches(contact)
            if isAsked == nil || isAsked == true && hasFacts && !contact.facts.areKnown {
                others.append(id)
            } else if isAsked == true {
                let tally = ContactTally(
                    hour: hasTimes ? contact.startSeconds.map { Self.hour($0) } : nil,
                    facts: hasFacts ? contact.facts : nil)
                counts[tally, default: 0] += 1
            }
            return true
        }
        for (tally, count) in counts { body(tally.contact, count) }
        try forEachShown(of: QSOKind.name, others) { _, values in
            if query.matches(values) { body(ContactFacts(values), 1) }
        }
    }

    private static func hour(_ seconds: Int64) -> Int64 { (seconds - (seconds % 3600 + 3600) % 3600) / 3600 }

    /// Calls `body` with the entries of the index of times from the start that `query` asks for, until it returns `false`.
    func forEachIndexedContact(
        _ query: ContactQuery, isBackwards: Bool = false, _ body: (IndexedContact, RecordID) throws -> Bool
    ) throws {
        let since = query.since.map { ContactIndex.timeKey($0) } ?? []
        try forEachEntry(of: QSOKind.name, index: ContactIndex.time, from: since, isBackwards: isBackwards) { key, id in
            guard let contact = IndexedContact(key) else {
                throw ViewError.damaged("an entry of a contact is malformed")
            }
            return try body(contact, id)
        }
    }

}
