import GroundwaveProjections
import GroundwaveRadio
import GroundwaveStore

extension Reading {
    /// Writes the contacts of `query` as a map, all from one state of the store.
    ///
    /// - Parameters:
    ///   - query: Which contacts.
    ///   - format: The format of the map.
    ///   - sink: Receives the bytes piece by piece.
    /// - Throws: As ``read(_:)``; what `sink` throws.
    /// - Complexity: Reads every contact of the query twice: for their order, then in it. Memory grows by 40 bytes for each
    ///   contact, and with the number of squares.
    public func export(
        _ query: ContactQuery, asMap format: MapFormat, to sink: ([UInt8]) throws -> Void
    ) throws -> MapReport {
        var hasBegun = false
        var writer = MapWriter(format)
        try read { view in
            guard !hasBegun else { throw StoreError.damagedWhileExporting }
            writer = MapWriter(format)
            try view.withContactsInOrder(query) { contacts, _ in
                var bytes: [UInt8] = []
                func flush() throws {
                    writer.count(bytes: bytes.count)
                    hasBegun = true
                    try sink(bytes)
                    bytes.removeAll(keepingCapacity: true)
                }
                writer.appendStart(to: &bytes)
                try view.forEachShown(in: contacts) { id, values in
                    writer.append(id, values, to: &bytes)
                    if bytes.count > 1 << 18 { try flush() }
                }
                writer.appendEnd(to: &bytes)
                try flush()
            }
        }
        return writer.report
    }

    /// Writes the contacts of `query` as a map to a temporary file and renames it to `path`: a reader never sees half of it.
    ///
    /// If this throws, the file at `path` is unchanged.
    ///
    /// - Throws: As ``export(_:asMap:to:)``; the code for the system error if the file cannot be written.
    /// - Complexity: As ``export(_:asMap:to:)``.
    public func export(_ query: ContactQuery, asMap format: MapFormat, toFile path: String) throws -> MapReport {
        var file = try AtomicFile(path)
        let report = try export(query, asMap: format) { try file.write($0) }
        try file.finish()
        return report
    }
}
