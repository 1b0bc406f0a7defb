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
        var ranks: [Int] = []
        var order: [Int] = []
        try forEachShown(of: QSOKind.name) { _, values in
            guard values.isVisible else { return true }
            writer.removeAll()
            shown.withFields(of: values) { fields in
                Self.sort(fields, &ranks, into: &order)
                for place in order {
                    let (name, value) = fields[place]
                    writer.append(text: name.name)
                    writer.append(lengthPrefixed: value.span.bytes)
                }
            }
            hashes.append(writer.withSpan { Hash256(hashing: $0) })
            return true
        }
        hashes.sort()
        writer.removeAll()
        for hash in hashes { writer.append(hash) }
        return (Hash256(hashing: writer.bytes.span.bytes), hashes.count)
    }

    /// The places of the known fields in order of name, by their numbers.
    private static let rank: [Int] = {
        var rank = [Int](repeating: 0, count: Int(FieldName.maximumNumber) + 1)
        let byName = FieldName.allKnown.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (place, name) in byName.enumerated() { rank[Int(name.number)] = place }
        return rank
    }()

    /// Puts the places of `fields` into `order`, sorted by name. Reuses the memory of both arrays.
    private static func sort(_ fields: [ShownFields.Field], _ ranks: inout [Int], into order: inout [Int]) {
        ranks.removeAll(keepingCapacity: true)
        for field in fields { ranks.append(field.name.isKnown ? rank[Int(field.name.number)] : -1) }
        order.sortPlaces(fields.count) { left, right in
            if ranks[left] >= 0, ranks[right] >= 0 { return ranks[left] < ranks[right] }
            return fields[left].name.name.utf8.lexicographicallyPrecedes(fields[right].name.name.utf8)
        }
    }
}
