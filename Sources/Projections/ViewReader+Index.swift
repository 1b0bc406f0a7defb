import ByteCoding
import Events
import LMDB
import Records

extension ViewReader {
    /// Hands out the records whose entry in `index` lies in `range`, in order of the entries or backwards, until
    /// `body` says `false`.
    ///
    /// A damaged key sends a search astray at most by one place: to itself, or to just behind it. So the entries on both
    /// sides of the place where a search ends are checked, and those on both sides of the range.
    ///
    /// - Parameters:
    ///   - prefix: Only entries that start with these bytes.
    ///   - from: Only entries at or behind these bytes, which follow the prefix.
    ///   - isBackwards: From the last entry to the first.
    public func forEachEntry(
        of kind: String, index: UInt8, prefix: [UInt8] = [], from: [UInt8] = [], isBackwards: Bool = false,
        _ body: (_ key: RawSpan, _ record: RecordID) throws -> Bool
    ) throws {
        let base = IndexKey.prefix(kind: kind, index: index)
        let start = base + prefix
        let first = start + from
        func handOut(_ key: RawSpan, _ value: RawSpan) throws -> Bool {
            try Self.checkEntry(key, value)
            guard key.byteCount >= base.count + 16, Self.key(key, hasPrefix: start) else { return false }
            return try body(
                key.extracting(base.count..<(key.byteCount - 16)), RecordID(at: key.byteCount - 16, of: key))
        }
        try transaction.withCursor(tables.index) { cursor in
            guard isBackwards else {
                let hasBefore = try cursor.seek(atOrAfter: first) ? try cursor.previous() : try cursor.last()
                if hasBefore { try cursor.withEntry(Self.checkEntry) }
                return try cursor.forEach(from: first, handOut)
            }
            var isThere: Bool
            if let end = Self.successor(of: start), try cursor.seek(atOrAfter: end) {
                try cursor.withEntry(Self.checkEntry)
                isThere = try cursor.previous()
            } else {
                isThere = try cursor.last()
            }
            while isThere {
                let goesOn = try cursor.withEntry { key, value in
                    guard !key.lexicographicallyPrecedes(first.span.bytes) else {
                        try Self.checkEntry(key, value)
                        return false
                    }
                    return try handOut(key, value)
                }
                isThere = goesOn ? try cursor.previous() : false
            }
        }
    }

    /// Throws unless the entry of an index is what was written.
    private static func checkEntry(_ key: RawSpan, _ value: RawSpan) throws {
        guard value.byteCount == 4, CRC32C.checksum(key) == value.uint32(at: 0) else {
            throw ViewError.damaged("the checksum of an index entry is wrong")
        }
    }

    /// The first key behind all that start with `prefix`, or `nil` where there is none.
    private static func successor(of prefix: [UInt8]) -> [UInt8]? {
        guard let place = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
        var next = Array(prefix[...place])
        next[place] += 1
        return next
    }
}
