import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveLMDB
import GroundwaveRecords

extension ViewReader {
    /// Yields the records whose entry in `index` lies in the range, in the order of the entries or backwards, until
    /// `body` returns `false`.
    ///
    /// A damaged key misleads a search by at most one entry: the search ends at it or just after it. So the entries
    /// on both sides of the place where a search ends are verified, and those on both sides of the range.
    ///
    /// - Parameters:
    ///   - prefix: Only entries that start with these bytes.
    ///   - from: Only entries that, after the prefix, are not less than these bytes.
    ///   - isBackwards: Whether to go from the last entry to the first.
    public func forEachEntry(
        of kind: String, index: UInt8, prefix: [UInt8] = [], from: [UInt8] = [], isBackwards: Bool = false,
        _ body: (_ key: RawSpan, _ record: RecordID) throws -> Bool
    ) throws {
        let base = IndexKey.prefix(kind: kind, index: index)
        let start = base + prefix
        let first = start + from
        func split(_ key: RawSpan) throws -> Bool {
            try body(key.extracting(base.count..<(key.byteCount - 16)), RecordID(at: key.byteCount - 16, of: key))
        }
        func isEntry(_ key: RawSpan) -> Bool { key.byteCount >= base.count + 16 && Self.key(key, hasPrefix: start) }
        guard let overlay else {
            return try forEachStoredEntry(prefix: start, from: first, isBackwards) { key in
                try isEntry(key) && split(key)
            }
        }
        // Merge two sorted lists: the stored entries without those of overlaid records, and the entries of the
        // overlay.
        var others = Array(overlay.entries(prefix: start, from: first))
        if !isBackwards { others.reverse() }
        var continues = true
        try forEachStoredEntry(prefix: start, from: first, isBackwards) { key in
            guard isEntry(key) else { return false }
            guard case .stored = overlay.find(kind, RecordID(at: key.byteCount - 16, of: key)) else { return true }
            while continues, let other = others.last,
                isBackwards != other.span.bytes.lexicographicallyPrecedes(key)
            {
                others.removeLast()
                continues = try split(other.span.bytes)
            }
            if continues { continues = try split(key) }
            return continues
        }
        while continues, let other = others.popLast() { continues = try split(other.span.bytes) }
    }

    /// Yields the keys of the stored entries from `first` on, or backwards from the last one with `prefix` to
    /// `first`, until `body` returns `false`. Also yields keys without the prefix: `body` must end the list there.
    private func forEachStoredEntry(
        prefix: [UInt8], from first: [UInt8], _ isBackwards: Bool, _ body: (_ key: RawSpan) throws -> Bool
    ) throws {
        func handOut(_ key: RawSpan, _ value: RawSpan) throws -> Bool {
            try CheckedRow.checkEntry(key, value)
            return try body(key)
        }
        try transaction.withCursor(tables.index) { cursor in
            guard isBackwards else {
                return try cursor.forEach(from: first, confirming: CheckedRow.checkEntry, handOut)
            }
            var isThere: Bool
            if let end = Self.successor(of: prefix), try cursor.seek(atOrAfter: end, confirming: CheckedRow.checkEntry)
            {
                isThere = try cursor.previous()
            } else {
                isThere = try cursor.last()
            }
            while isThere {
                let continues = try cursor.withEntry { key, value in
                    guard !key.lexicographicallyPrecedes(first.span.bytes) else {
                        try CheckedRow.checkEntry(key, value)
                        return false
                    }
                    return try handOut(key, value)
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
