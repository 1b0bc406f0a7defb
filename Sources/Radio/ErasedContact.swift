import GroundwaveADIF
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

/// The ids by which an import knows an erased contact again, whatever program wrote the file.
///
/// The contact's own id is random, or has the source of the import that made it. So an erase also erases ids that are made
/// from each key that the contact ever had, and an import looks for them before it makes a new contact.
package enum ErasedContact {
    /// What is known of the station's call where the key was taken from.
    private enum Station: UInt8 {
        /// It is the one in the id.
        case given = 0
        /// The contact has one; a file does not say which.
        case any = 1
        /// The contact has none.
        case none = 2
    }

    /// The number of keys of one contact that are erased with it: the last ones that it had.
    static let keyLimit = 16

    /// Returns the ids to erase together with a contact.
    ///
    /// - Parameter changes: All changes of the contact whose values are here, in order.
    /// - Returns: At most two ids for each of the last 16 keys, without repetition.
    package static func ids(of changes: some Sequence<Change>) -> [RecordID] {
        var values: [FieldKey: [UInt8]] = [:]
        var keys: [(key: ContactKey, occurrence: Int)] = []
        for change in changes {
            for operation in change.operations where operation.code.isValue {
                values[operation.field] = operation.value
            }
            let imported = values[.number(QSOKind.Number.importKey)].flatMap { ImportedKey($0) }
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
            keys.removeFirst(Swift.max(0, keys.count - keyLimit))
        }
        return keys.flatMap { key, occurrence in
            key.station.isEmpty
                ? [id(key, Station.none, occurrence)]
                : [id(key, .given, occurrence), id(key, .any, occurrence)]
        }
    }

    /// Returns the ids of which one was erased if the contact of a file with `key` was.
    static func ids(matching key: ContactKey, _ occurrence: Int) -> [RecordID] {
        [id(key, key.station.isEmpty ? .any : .given, occurrence), id(key, .none, occurrence)]
    }

    private static func id(_ key: ContactKey, _ station: Station, _ occurrence: Int) -> RecordID {
        let call = station == .given ? key.station : []
        let bytes = Array("erased".utf8) + [station.rawValue] + key.bytes + call
        let hash = (bytes + ContactIndex.bigEndian(UInt64(occurrence))).withSpan { Hash256(hashing: $0) }
        return RecordID(high: hash.id.high, low: hash.id.low)
    }
}

extension OperationCode {
    /// Whether it decides what a plain field shows.
    fileprivate var isValue: Bool { self == .set || self == .clear || self == .candidate }
}
