import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveRecords

extension ViewReader {
    /// Yields the rows of `projection` in order of their keys, those of one key in order of record, or backwards, until
    /// `body` returns `false`.
    ///
    /// - Parameters:
    ///   - prefix: Only rows whose keys begin with these values; of longer keys than 400 bytes, the first 400 bytes count.
    ///   - text: Only rows whose next value is a text that begins with this one.
    ///   - isBackwards: Whether to go from the last row to the first.
    /// - Throws: ``StoreError`` with code `usage` if the store was opened without the projection.
    /// - Complexity: A look-up, and about half a microsecond for each row.
    public func forEachRow(
        of projection: any Projection.Type, prefix: ProjectionKey = [], text: String? = nil, isBackwards: Bool = false,
        _ body: (_ key: ProjectionKey, _ record: RecordID, _ value: [UInt8]) throws -> Bool
    ) throws {
        try forEachDerived(
            place(of: projection), in: ProjectedRows.table, prefix: Self.stored(prefix, text), from: [],
            isBackwards: isBackwards
        ) { key, record, value in try body(ProjectionKey(key), record, value.toArray()) }
    }

    /// Returns the sums of `projection` under `key`, without zeros at the end; empty if there are none. Cost: a look-up.
    ///
    /// - Throws: ``StoreError`` with code `usage` if the store was opened without the projection.
    public func sums(of projection: any Projection.Type, _ key: ProjectionKey) throws -> [Int64] {
        let stored =
            try DerivedKey.prefix(of: number(of: projection), index: IndexEntries.sums) + Self.stored(key.bytes)
        let sums = try transaction.withValue(stored, in: tables.index, confirming: CheckedRow.check) { row in
            try CheckedRow.check(stored.span.bytes, row)
            return Sums(row.extracting(4..<row.byteCount))
        }
        return (overlay?.sums[stored] ?? Sums([])).adding(sums ?? Sums([])).numbers
    }

    /// Yields the sums of `projection` in order of their keys, until `body` returns `false`. Keys whose sums are all zero are
    /// left out.
    ///
    /// - Parameter prefix: Only keys that begin with these values.
    /// - Throws: ``StoreError`` with code `usage` if the store was opened without the projection.
    /// - Complexity: A look-up, and about half a microsecond for each key.
    public func forEachSums(
        of projection: any Projection.Type, prefix: ProjectionKey = [],
        _ body: (_ key: ProjectionKey, _ sums: [Int64]) throws -> Bool
    ) throws {
        let base = try DerivedKey.prefix(of: number(of: projection), index: IndexEntries.sums)
        let start = base + Self.stored(prefix.bytes)
        var changes = (overlay?.sums ?? [:]).filter { $0.key.starts(with: start) }.sorted {
            $1.key.lexicographicallyPrecedes($0.key)
        }
        func handOut(_ key: RawSpan, _ sums: Sums) throws -> Bool {
            if sums.numbers.isEmpty { return true }
            return try body(ProjectionKey(key.extracting(base.count..<key.byteCount)), sums.numbers)
        }
        var continues = true
        try forEachStoredRow(prefix: start, from: start, false) { key, value in
            guard Self.key(key, hasPrefix: start) else { return false }
            while continues, let change = changes.last, change.key.span.bytes.lexicographicallyPrecedes(key) {
                changes.removeLast()
                continues = try handOut(change.key.span.bytes, change.value)
            }
            var sums = Sums(value)
            if let change = changes.last, change.key.span.bytes.elementsEqual(key) {
                changes.removeLast()
                sums = sums.adding(change.value)
            }
            if continues { continues = try handOut(key, sums) }
            return continues
        }
        while continues, let change = changes.popLast() {
            continues = try handOut(change.key.span.bytes, change.value)
        }
    }

    /// What the stored keys begin with that begin with `prefix`, and of which the next value is a text that begins with
    /// `text`.
    package static func stored(_ prefix: ProjectionKey, _ text: String?) -> [UInt8] {
        // The bytes of a text without its end are the prefix of all that begin with it.
        stored(prefix.bytes + (text.map { ProjectionKey([.text($0)]).bytes.dropLast(2) } ?? []))
    }

    /// As much of a key as is stored.
    private static func stored(_ key: [UInt8]) -> [UInt8] { Array(key.prefix(IndexEntries.keyLimit)) }

    private func place(of projection: any Projection.Type) throws -> Int {
        guard let place = kinds.place(of: .projection, projection.name) else {
            throw UnknownProjection(name: projection.name)
        }
        return place
    }

    private func number(of projection: any Projection.Type) throws -> UInt16 {
        derivations.numbers[try place(of: projection)]
    }
}

/// A projection that the store was opened without.
package struct UnknownProjection: Error {
    package let name: String
}
