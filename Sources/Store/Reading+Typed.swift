import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

// Records as values of a ``TypedRecord``. Each function reads one state; several belong together within ``Reading/read(_:)``.
extension Reading {
    /// Returns the record with this id; `nil` if there is none, or if it is hidden. Cost: a look-up.
    ///
    /// - Throws: ``StoreError`` if the views cannot be read.
    public func find<Kind: TypedRecord>(_ kind: Kind.Type, _ id: RecordID) throws -> Saved<Kind>? {
        try read { try $0.find(kind, id) }
    }

    /// Returns all records of a kind that show, in order of id. Cost: reads every record of the kind, a few microseconds
    /// for each.
    ///
    /// - Throws: ``StoreError`` if the views cannot be read.
    public func all<Kind: TypedRecord>(_ kind: Kind.Type) throws -> [Saved<Kind>] { try read { try $0.all(kind) } }

    /// Returns the records that `index` finds, in order of their keys: see
    /// ``ViewReader/all(_:prefix:text:isBackwards:limit:)``, which has the same parameters and cost.
    ///
    /// - Throws: ``StoreError`` if the views cannot be read.
    public func all<Kind: TypedRecord>(
        _ index: RecordIndex<Kind>, prefix: ProjectionKey = [], text: String? = nil, isBackwards: Bool = false,
        limit: Int = .max
    ) throws -> [Saved<Kind>] {
        try read { try $0.all(index, prefix: prefix, text: text, isBackwards: isBackwards, limit: limit) }
    }
}
