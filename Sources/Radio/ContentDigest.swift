import GroundwaveADIF
import GroundwaveByteCoding
import GroundwaveEvents
import GroundwaveProjections
import GroundwaveRecords

extension ViewReader {
    /// Returns the digest of the visible contacts: of their shown fields alone, independent of authors and write
    /// order.
    ///
    /// An export and an import into a fresh store preserve it. Each visible contact is hashed as its pairs of ADIF
    /// name and value in order of name; the hashes are sorted, including duplicates, and hashed. Ids, provenance, the
    /// order of fields, hidden contacts and records of other kinds are not included.
    /// - Returns: The digest and the number of contacts in it.
    /// - Complexity: O(*n* log *n*) in the contacts, which are all read; 32 bytes of memory each.
    public func contentDigest() throws -> (hash: Hash256, contacts: Int) {
        var hashes: [Hash256] = []
        var writer = ByteWriter(capacity: 1024)
        var shown = ShownFields()
        var orders = LayoutMemo()
        try forEachShown(of: QSOKind.name) { _, values in
            guard values.isVisible else { return true }
            writer.removeAll()
            shown.read(values)
            let (names, bytes) = (shown.layout.names, shown.bytes(of: values))
            for place in orders.of(shown.layout, make: { Self.placesByName($0.names) }) {
                writer.append(text: names[place].name)
                writer.append(lengthPrefixed: bytes.span.bytes.extracting(shown.range(at: place)))
            }
            hashes.append(writer.withSpan { Hash256(hashing: $0) })
            return true
        }
        hashes.sort()
        writer.removeAll()
        for hash in hashes { writer.append(hash) }
        return (Hash256(hashing: writer.bytes.span.bytes), hashes.count)
    }

    /// The places of `names` in order of name.
    private static func placesByName(_ names: [FieldName]) -> [Int] {
        names.indices.sorted { names[$0].name.utf8.lexicographicallyPrecedes(names[$1].name.utf8) }
    }
}
