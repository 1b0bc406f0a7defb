import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

// Which contact a record of a file is about.
extension ImportComparison {
    /// Returns the id of a contact that is not there yet, or that is not found by its key: of the first occurrence whose
    /// contact no earlier record of the file matched by the id of a service.
    func freeID(_ key: ContactKey, _ occurrence: Int) -> RecordID {
        var number = occurrence
        while met.contains(ids.id(of: key, number)) { number += 1 }
        return ids.id(of: key, number)
    }

    /// Whether a contact that no earlier record matched, with the id of the first occurrence, is the one for a record of the
    /// file: ``find(_:in:_:)`` prefers it to all others.
    func isFirst(_ contact: borrowing ShownValues, of imported: ImportedRecord) -> Bool {
        guard imported.serviceIDs.isEmpty,
            let key = contact.value(QSOKind.Number.importKey).flatMap({ ImportedKey($0) }),
            key.key == imported.key.id, key.occurrence == 0
        else { return false }
        return isSameStation(contact, imported)
    }

    private func isSameStation(_ contact: borrowing ShownValues, _ imported: ImportedRecord) -> Bool {
        let station = contact.value(UInt32(FieldName.stationCallsign.number)) ?? []
        return station.elementsEqual(imported.key.station)
            || imported.key.mayBeSameStation(as: ContactKey.folded(station))
    }

    /// Returns the id that was erased if a contact with the key of a record, which no stored contact matches, was. Several
    /// contacts with one key are told apart by their order alone, so that of each one before it is looked for, too, up to
    /// the eighth.
    func erasedID(
        _ key: ContactKey, _ occurrence: Int, in view: borrowing ViewReader
    ) throws -> RecordID? {
        guard hasErased else { return nil }
        let occurrences = Set((0...Swift.min(occurrence, 7)) + [occurrence])
        return try occurrences.sorted().flatMap { ids.erased(as: key, $0) }.first {
            try view.state(of: QSOKind.name, $0)?.isErased ?? false
        }
    }

    /// Finds the contact for a record of the file, among those that no earlier record matched, and reads it.
    ///
    /// If several contacts have the same service id, the one with assertions of this source is preferred: after a
    /// merge, the file refers to the hidden contact, not to the one that took over its id. If several have the same
    /// key, the one with the least occurrence is preferred; among equal occurrences, the one that an import created with
    /// this key and station.
    func find(
        _ imported: ImportedRecord, in view: borrowing ViewReader, _ contact: inout ShownValues
    ) throws -> RecordID? {
        var best: (id: RecordID, occurrence: Int)?
        var latest: RecordID?
        for (field, service) in imported.serviceIDs where best == nil {
            let key = ContactIndex.serviceKey(field, service)
            try view.forEachEntry(of: QSOKind.name, index: ContactIndex.service, prefix: key) { entry, id in
                guard entry.byteCount == key.count, !met.contains(id) else { return true }
                guard try view.read(id, of: QSOKind.name, into: &contact) else { return true }
                latest = id
                let isOwn = contact.sources.contains(source)
                if best == nil || isOwn { best = (id, 0) }
                return !isOwn
            }
        }
        if best == nil {
            try view.forEachEntry(of: QSOKind.name, index: ContactIndex.key, prefix: imported.key.bytes) { _, id in
                guard !met.contains(id), try view.read(id, of: QSOKind.name, into: &contact) else { return true }
                latest = id
                guard isSameStation(contact, imported) else { return true }
                let key = contact.value(QSOKind.Number.importKey).flatMap { ImportedKey($0) }
                let candidate = (id: id, occurrence: key?.occurrence ?? .max)
                if best.map({ isPreferred(candidate, to: $0, imported.key) }) ?? true { best = candidate }
                return true
            }
        }
        if let best, best.id != latest { _ = try view.read(best.id, of: QSOKind.name, into: &contact) }
        return best?.id
    }

    private func isPreferred(
        _ candidate: (id: RecordID, occurrence: Int), to other: (id: RecordID, occurrence: Int), _ key: ContactKey
    ) -> Bool {
        if candidate.occurrence != other.occurrence { return candidate.occurrence < other.occurrence }
        func isOwn(_ contact: (id: RecordID, occurrence: Int)) -> Bool {
            contact.occurrence != .max && ids.id(of: key, contact.occurrence) == contact.id
        }
        return isOwn(candidate) == isOwn(other) ? candidate.id < other.id : isOwn(candidate)
    }
}
