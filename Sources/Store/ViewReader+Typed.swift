import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

// Records as values of a ``TypedRecord``.
extension ViewReader {
    /// Returns the record with this id; `nil` if there is none, or if it is hidden. Cost: a look-up.
    ///
    /// - Throws: If a row is damaged: see ``ViewReader``.
    public func find<Kind: TypedRecord>(_ kind: Kind.Type, _ id: RecordID) throws -> Saved<Kind>? {
        try record(Kind.name, id).flatMap { $0.isVisible ? Saved($0) : nil }
    }

    /// Returns all records of a kind that show, in order of id. Cost: reads every record of the kind, a few microseconds
    /// for each.
    ///
    /// - Throws: If a row is damaged: see ``ViewReader``.
    public func all<Kind: TypedRecord>(_ kind: Kind.Type) throws -> [Saved<Kind>] {
        var found: [Saved<Kind>] = []
        try forEachRecord(of: Kind.name) { record in
            if record.isVisible { found.append(Saved(record)) }
            return true
        }
        return found
    }

    /// Returns the records that `index` finds, in order of their keys, those of one key in order of id.
    ///
    /// A record with several keys in the range is returned once for each.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - prefix: Only keys that begin with these values; of longer keys than 400 bytes, the first 400 bytes count.
    ///   - text: Only keys whose next value is a text that begins with this one.
    ///   - isBackwards: Whether to begin with the last key.
    ///   - limit: The most records that are returned.
    /// - Throws: If a row is damaged: see ``ViewReader``.
    /// - Complexity: A few microseconds for each record that is returned, however many there are.
    public func all<Kind: TypedRecord>(
        _ index: RecordIndex<Kind>, prefix: ProjectionKey = [], text: String? = nil, isBackwards: Bool = false,
        limit: Int = .max
    ) throws -> [Saved<Kind>] {
        var found: [Saved<Kind>] = []
        if limit < 1 { return found }
        try forEachEntry(of: index, prefix: prefix, text: text, isBackwards: isBackwards) { _, id in
            if let record = try record(Kind.name, id) { found.append(Saved(record)) }
            return found.count < limit
        }
        return found
    }

    /// Returns the number of keys that `index` has in a range, without reading the records. The parameters are those of
    /// ``all(_:prefix:text:isBackwards:limit:)``. Cost: about half a microsecond for each.
    ///
    /// - Throws: If a row is damaged: see ``ViewReader``.
    public func count<Kind: TypedRecord>(
        of index: RecordIndex<Kind>, prefix: ProjectionKey = [], text: String? = nil
    ) throws -> Int {
        var count = 0
        try forEachEntry(of: index, prefix: prefix, text: text, isBackwards: false) { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// Returns the keys that several records have in an index of the kind that is ``RecordIndex/isUnique``, in order of index
    /// and key: things that were probably entered twice.
    ///
    /// - Throws: ``StoreError`` if the views cannot be read.
    /// - Complexity: Reads these indexes, about half a microsecond for each record.
    public func repeated<Kind: TypedRecord>(_ kind: Kind.Type) throws -> [RepeatedKey] {
        var found: [RepeatedKey] = []
        for index in Kind.indexes where index.isUnique {
            var last = RepeatedKey(index: index.schema.name, key: [], records: [])
            try forEachEntry(of: index, prefix: [], text: nil, isBackwards: false) { key, id in
                if key == last.key {
                    last.records.append(id)
                } else {
                    if last.records.count > 1 { found.append(last) }
                    last = RepeatedKey(index: index.schema.name, key: key, records: [id])
                }
                return true
            }
            if last.records.count > 1 { found.append(last) }
        }
        return found
    }

    private func forEachEntry<Kind: TypedRecord>(
        of index: RecordIndex<Kind>, prefix: ProjectionKey, text: String?, isBackwards: Bool,
        _ body: (_ key: ProjectionKey, _ id: RecordID) throws -> Bool
    ) throws {
        try forEachEntry(
            of: Kind.name, index: index.schema.number, prefix: Self.stored(prefix, text), isBackwards: isBackwards
        ) { key, id in try body(ProjectionKey(key), id) }
    }
}

/// A key that several records have, of which each should have its own.
public struct RepeatedKey: Hashable, Sendable {
    /// The name of the index.
    public let index: String
    /// The key.
    public let key: ProjectionKey
    /// The records, in order of id.
    public internal(set) var records: [RecordID]
}
