import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRadio
import GroundwaveRecords
import GroundwaveStore

extension Reading {
    /// Calls `body` with the contacts of `query`, from the earliest to the latest; a limited query keeps the latest
    /// ones.
    ///
    /// Memory: 16 bytes for each contact.
    public func forEachContactByTime(_ query: ContactQuery, _ body: (Record) throws -> Void) throws {
        try forEachShownContactByTime(query) { id, values in try body(values.record(QSOKind.name, id)) }
    }

    /// As ``forEachContactByTime(_:_:)``, with what their rows show instead of a record of each.
    package func forEachShownContactByTime(
        _ query: ContactQuery, _ body: (RecordID, borrowing ShownValues) throws -> Void
    ) throws {
        try read { view in
            var ids: [RecordID] = []
            try view.forEachShownContactFromLatest(query) { id, _ in
                ids.append(id)
                return true
            }
            ids.reverse()
            try view.forEachShown(of: QSOKind.name, ids, body)
        }
    }

    /// Counts the contacts of `query`. Notes of an activation never count.
    public func countContacts(_ query: ContactQuery, by keys: [ContactCounts.Key]) throws -> ContactCounts {
        try read { view in
            var counts = ContactCounts(by: keys)
            try view.forEachShownContact(query) { _, values in
                counts.add(values)
                return true
            }
            return counts
        }
    }
}
