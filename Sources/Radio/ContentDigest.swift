import ByteCoding
import Events
import Projections
import Records

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
        try forEachRecord(of: QSOKind.name) { record in
            guard record.isVisible else { return true }
            writer.removeAll()
            let fields = record.adifFields.map { (name: $0.name.name, value: $0.value) }
            for (name, value) in fields.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                writer.append(text: name)
                writer.append(lengthPrefixed: value)
            }
            hashes.append(Hash256(hashing: writer.bytes.span.bytes))
            return true
        }
        hashes.sort()
        writer.removeAll()
        for hash in hashes { writer.append(hash) }
        return (Hash256(hashing: writer.bytes.span.bytes), hashes.count)
    }
}
