import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension Reading {
    /// Calls `body` with the contacts of `query`, from the earliest to the latest; a limited query keeps the latest
    /// ones.
    ///
    /// Memory: 56 bytes for each contact.
    ///
    /// - Throws: As ``read(_:)``; what `body` throws.
    /// - Complexity: Reads every contact of the query.
    public func forEachContactByTime(_ query: ContactQuery, _ body: (Record) throws -> Void) throws {
        try forEachShownContactByTime(query) { id, values in try body(values.record(QSOKind.name, id)) }
    }

    /// As ``forEachContactByTime(_:_:)``, with what their rows show instead of a record of each.
    package func forEachShownContactByTime(
        _ query: ContactQuery, _ body: (RecordID, borrowing ShownValues) throws -> Void
    ) throws {
        // All rows are read before the first is passed on: damaged views are rebuilt, and read from their start.
        try read { view in
            var ids: [RecordID] = []
            try view.forEachCandidate(query) { ids.append($0) }
            try view.withRecords(of: QSOKind.name, ids, isByPosition: false, where: query.matches) { contacts in
                try view.forEachShown(in: contacts, body)
            }
        }
    }

    /// Throws unless `field` is one of ADIF, or some record here has it: else a question about it is a typing error.
    ///
    /// - Throws: ``StoreError`` with code `usage`.
    public func checkField(_ field: FieldName) throws {
        if try field.isKnown || read({ $0.names.knownOrdinal(of: .name(field.name)) != nil }) { return }
        throw StoreError(
            .usage, "No contact has a field called \(field).", hint: "ADIF's names are like FREQ or MY_RIG.")
    }

    /// Counts the contacts of `query` by each combination of the values of `keys`, and if asked to, those of each that are
    /// confirmed. Notes of an activation never count.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: About 50 ns for each contact if the index answers all that is asked for; else about a microsecond.
    public func countContacts(
        _ query: ContactQuery, groupedBy keys: [ContactGroups.Key], countsConfirmations: Bool = false
    ) throws -> ContactGroups {
        var query = query
        query.includesMetadata = false
        return try read { try $0.groups(query, by: keys, countsConfirmations: countsConfirmations) }
    }

    /// Counts the contacts of `query`. Notes of an activation never count.
    ///
    /// - Throws: As ``read(_:)``.
    /// - Complexity: About 50 ns for each contact if the index answers all that is asked for; else about a microsecond.
    public func countContacts(_ query: ContactQuery, by keys: [ContactCounts.Key]) throws -> ContactCounts {
        var query = query
        query.includesMetadata = false
        return try read { view in
            var counts = ContactCounts(by: keys)
            try view.forEachTally(query, of: keys) { counts.add($0, $1) }
            return counts
        }
    }
}
