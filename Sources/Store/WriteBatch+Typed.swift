import GroundwaveEvents
import GroundwaveRecords

// Records as values of a ``TypedRecord``.
extension WriteBatch {
    /// Creates a record with the values of `value` and returns its id. Properties without a value are not written.
    ///
    /// - Throws: The errors of the value's own validation; ``StoreError`` with code `invalid` if a value is not of the type
    ///   of its field, `usage` if the kind is not registered.
    public mutating func add<Kind: TypedRecord>(_ value: Kind) throws -> RecordID {
        try value.validate()
        return try add(Kind.name, value.assignments(since: nil))
    }

    /// Changes a record as `saved` was read: what arrived since for the same fields stays beside it, as a conflict.
    ///
    /// Only the properties that `change` makes differ are written, and what the type does not know stays. To decide a
    /// conflict of a field in favour of the value that shows, write it by name: ``set(_:_:_:basis:)``.
    ///
    /// - Returns: Whether anything was written.
    /// - Throws: The errors of `change` and of the value's own validation; ``StoreError`` with code `invalid` if a value is
    ///   not of the type of its field, `usage` if the record was erased.
    @discardableResult
    public mutating func edit<Kind: TypedRecord>(
        _ saved: Saved<Kind>, _ change: (inout Kind) throws -> Void
    ) throws -> Bool {
        var value = saved.value
        try change(&value)
        try value.validate()
        let assignments = value.assignments(since: saved.value)
        return try !assignments.isEmpty && set(Kind.name, saved.id, assignments, basis: saved.record)
    }

    /// Changes a record as it is now.
    ///
    /// - Returns: Whether anything was written.
    /// - Throws: ``StoreError`` with code `notFound` if there is no such record; else as the other function of this name.
    @discardableResult
    public mutating func edit<Kind: TypedRecord>(
        _ kind: Kind.Type, _ id: RecordID, _ change: (inout Kind) throws -> Void
    ) throws -> Bool {
        guard let record = try record(Kind.name, id) else { throw Self.noRecord(Kind.name, id) }
        return try edit(Saved<Kind>(record), change)
    }

    /// Hides a record: its content stays, and ``restore(_:)`` shows it again. Returns `false` if it is hidden already.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such record.
    @discardableResult
    public mutating func remove<Kind: TypedRecord>(_ saved: Saved<Kind>) throws -> Bool {
        try remove(Kind.name, saved.id)
    }

    /// Shows a hidden record again. Returns `false` if nothing hides it.
    ///
    /// - Throws: ``StoreError`` with code `notFound` if there is no such record, `usage` if it was erased.
    @discardableResult
    public mutating func restore<Kind: TypedRecord>(_ saved: Saved<Kind>) throws -> Bool {
        try restore(Kind.name, saved.id)
    }
}
