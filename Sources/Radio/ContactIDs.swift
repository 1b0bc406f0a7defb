import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// The ids of imported contacts: keyed hashes of their keys, so that two devices that import one contact derive one record,
/// from whatever program each has it (decision 6).
///
/// The hash is keyed by the log's own random key, so an id tells nothing to someone who has no values of the log, such as the
/// holder of a proof or of what was left of an erased contact.
package struct ContactIDs: Sendable {
    private let hash: KeyedHash

    /// The number of keys of one contact that are erased with it: the last ones that it had.
    static let keyLimit = 16

    /// The ids in a log whose key is `key`.
    package init(key: [UInt8]) { hash = KeyedHash(key: key) }

    /// Returns the id of an imported contact, the `occurrence`-th with its key and station.
    func id(of key: ContactKey, _ occurrence: Int) -> RecordID { id(key, station: key.station, occurrence) }

    /// Returns an id that is of no contact, but is erased with one whose station is not known: a file that gives the station
    /// finds it erased.
    private func idWithAnyStation(_ key: ContactKey, _ occurrence: Int) -> RecordID {
        // No call has a blank in it.
        id(key, station: [0x20], occurrence)
    }

    private func id(_ key: ContactKey, station: [UInt8], _ occurrence: Int) -> RecordID {
        var writer = ByteWriter(capacity: 24 + station.count)
        writer.append(key.id)
        writer.append(contentsOf: station.span.bytes)
        writer.append(bigEndian: UInt64(occurrence))
        let hash = writer.withSpan { self.hash($0) }
        return RecordID(high: hash.id.high, low: hash.id.low)
    }

    /// Returns the ids to erase together with a contact: those that a file of any program would give it, by each key that it
    /// ever had.
    ///
    /// - Parameter changes: All changes of the contact whose values are here, in order.
    /// - Returns: Two ids for each of the last 16 keys, without repetition.
    package func erased(with changes: some Sequence<Change>) -> [RecordID] {
        var values: [FieldKey: [UInt8]] = [:]
        var keys: [(key: ContactKey, occurrence: Int)] = []
        for change in changes {
            for operation in change.operations where operation.code.isValue {
                values[operation.field] = operation.value
            }
            let imported = values[.number(QSOKind.Number.importKey)].flatMap { ImportedKey($0[...]) }
            let key = KeyFields { values[.number($0)].map { $0[...] } }.key
            let occurrence = imported?.occurrence ?? 0
            var new = [(key: key, occurrence: occurrence)]
            if let imported, imported.key != key.id {
                new.append((ContactKey(id: imported.key, station: key.station), occurrence))
            }
            for entry in new {
                keys.removeAll { $0 == entry }
                keys.append(entry)
            }
            keys.removeFirst(Swift.max(0, keys.count - Self.keyLimit))
        }
        return keys.flatMap { key, occurrence in
            let isKnown = !key.station.isEmpty
            return [
                id(of: key, occurrence),
                isKnown ? id(key, station: [], occurrence) : idWithAnyStation(key, occurrence),
            ]
        }
    }

    /// Returns the ids of which one was erased if the contact of a file with `key` was.
    func erased(as key: ContactKey, _ occurrence: Int) -> [RecordID] {
        [id(of: key, occurrence)] + (key.station.isEmpty ? [] : [idWithAnyStation(key, occurrence)])
    }

    /// Returns the id of a contact that was erased and is taken in again: one that nobody derives.
    static func id(_ id: RecordID, again: RecordID) -> RecordID {
        let hash = (again.bytes + id.bytes).withSpan { Hash256(hashing: $0) }
        return RecordID(high: hash.id.high, low: hash.id.low)
    }
}

extension OperationCode {
    /// Whether it decides what a plain field shows.
    fileprivate var isValue: Bool { self == .set || self == .clear || self == .candidate }
}
