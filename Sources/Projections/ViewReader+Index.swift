import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

extension ViewReader {
    /// Yields the records whose entry in `index` lies in the range, in the order of the entries or backwards, until
    /// `body` returns `false`.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - index: The number of the index; without such an index nothing is found.
    ///   - prefix: Only entries that start with these bytes.
    ///   - from: Only entries that, after the prefix, are not less than these bytes.
    ///   - isBackwards: Whether to go from the last entry to the first.
    ///   - body: Is given each entry with its record, and returns whether to go on.
    /// - Throws: If a row is damaged: see ``ViewReader``; what `body` throws.
    /// - Complexity: A look-up, then the entries of the range, one after the other.
    public func forEachEntry(
        of kind: String, index: UInt8, prefix: [UInt8] = [], from: [UInt8] = [], isBackwards: Bool = false,
        _ body: (_ key: RawSpan, _ record: RecordID) throws -> Bool
    ) throws {
        guard let place = kinds.place(of: .index, kind) else { return }
        try forEachDerived(
            place, in: index, prefix: prefix, from: from, isBackwards: isBackwards
        ) { key, record, _ in try body(key, record) }
    }

    /// Yields the rows that a derivation has made of records, with keys in the range, in order or backwards, until `body`
    /// returns `false`.
    func forEachDerived(
        _ place: Int, in index: UInt8, prefix: [UInt8], from: [UInt8], isBackwards: Bool,
        _ body: (_ key: RawSpan, _ record: RecordID, _ value: RawSpan) throws -> Bool
    ) throws {
        let base = DerivedKey.prefix(of: derivations.numbers[place], index: index)
        let start = base + prefix
        let first = start + from
        func split(_ key: RawSpan, _ value: RawSpan) throws -> Bool {
            try body(
                key.extracting(base.count..<(key.byteCount - 16)), RecordID(at: key.byteCount - 16, of: key), value)
        }
        func isRow(_ key: RawSpan) -> Bool { key.byteCount >= base.count + 16 && Self.key(key, hasPrefix: start) }
        guard let overlay else {
            return try forEachStoredRow(prefix: start, from: first, isBackwards) { key, value in
                try isRow(key) && split(key, value)
            }
        }
        // Merge two sorted lists: the stored rows without those of overlaid records, and the rows of the overlay.
        var others = Array(overlay.rows(prefix: start, from: first))
        if !isBackwards { others.reverse() }
        var continues = true
        try forEachStoredRow(prefix: start, from: first, isBackwards) { key, value in
            guard isRow(key) else { return false }
            guard !overlay.replaces(RecordID(at: key.byteCount - 16, of: key), of: kinds.derivations[place].kinds)
            else {
                return true
            }
            while continues, let other = others.last,
                isBackwards != other.key.span.bytes.lexicographicallyPrecedes(key)
            {
                others.removeLast()
                continues = try split(other.key.span.bytes, other.value.span.bytes)
            }
            if continues { continues = try split(key, value) }
            return continues
        }
        while continues, let other = others.popLast() {
            continues = try split(other.key.span.bytes, other.value.span.bytes)
        }
    }

    /// Yields the stored rows from the key `first` on, or backwards from the last one with `prefix` to `first`, until `body`
    /// returns `false`. Also yields keys without the prefix: `body` must end the list there.
    ///
    /// A damaged key misleads a search by at most one row: the search ends at it or just after it. So the rows on both sides
    /// of the place where a search ends are verified, and those on both sides of the range.
    func forEachStoredRow(
        prefix: [UInt8], from first: [UInt8], _ isBackwards: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
    ) throws {
        func handOut(_ key: RawSpan, _ row: RawSpan) throws -> Bool {
            try CheckedRow.check(key, row)
            return try body(key, row.extracting(4..<row.byteCount))
        }
        try transaction.withCursor(tables.index) { cursor in
            guard isBackwards else {
                return try cursor.forEach(from: first, confirming: CheckedRow.check, handOut)
            }
            var isThere: Bool
            if let end = Self.successor(of: prefix), try cursor.seek(atOrAfter: end, confirming: CheckedRow.check) {
                isThere = try cursor.previous()
            } else {
                isThere = try cursor.last()
            }
            while isThere {
                let continues = try cursor.withEntry { key, row in
                    guard !key.lexicographicallyPrecedes(first.span.bytes) else {
                        try CheckedRow.check(key, row)
                        return false
                    }
                    return try handOut(key, row)
                }
                isThere = continues ? try cursor.previous() : false
            }
        }
    }

    /// Returns the least key greater than all that start with `prefix`, or `nil` if there is none.
    private static func successor(of prefix: [UInt8]) -> [UInt8]? {
        guard let place = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        var next = Array(prefix[...place])
        next[place] += 1
        return next
    }
}
