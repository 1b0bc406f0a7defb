import GroundwaveReplication
import GroundwaveStore

/// Opens the buckets of object stores. The object store component provides it.
package protocol ObjectStoreOpener: Sendable {
    /// Opens a bucket with the keys of this device. Makes no request.
    ///
    /// - Throws: ``StoreError`` with code `notPermitted` if there are no keys, or if others can read their file.
    func open(_ bucket: Bucket, _ context: AccessContext) throws -> any Transport
}

extension [StoreComponent] {
    /// The opener of one of the components.
    ///
    /// - Throws: ``StoreError`` with code `usage` if none has one.
    package func opener(for address: RemoteAddress) throws -> any ObjectStoreOpener {
        for component in self { if let opener = component.service as? any ObjectStoreOpener { return opener } }
        throw StoreError(
            .usage,
            "\(address) is a bucket of an object store, and this program was built without the component for these.",
            hint: "Use a folder instead: file:///path/to/folder.")
    }
}
