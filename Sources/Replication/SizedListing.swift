/// A transport whose listings have the sizes of objects, so that they need not be read to be counted.
package protocol SizedListing: Transport {
    /// Returns the sizes in bytes of all objects below a folder, as the remote says.
    ///
    /// - Throws: ``TransportError``.
    func byteCounts(below prefix: ObjectPrefix) async throws(TransportError) -> [Int]
}
