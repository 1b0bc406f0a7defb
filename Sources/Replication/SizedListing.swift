/// A transport whose listings have the sizes of objects, so that they need not be read to be counted.
package protocol SizedListing: Transport {
    /// Returns all objects below a folder in byte order of their names, with their sizes as the remote says.
    ///
    /// - Throws: ``TransportError``.
    func sizes(below prefix: ObjectPrefix) async throws(TransportError) -> [(name: ObjectName, byteCount: Int)]
}
