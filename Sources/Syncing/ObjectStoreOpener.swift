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

extension Store {
    /// Throws unless storage refuses to replace an object. It stores one twice, under a name that nobody has used, and deletes
    /// it.
    ///
    /// - Throws: ``StoreError`` with code `usage` if the second object was accepted; errors of the remote.
    func requireRefusals(of transport: any Transport, _ remote: Remote) async throws {
        let number = String(surroundings.randomNumber(), radix: 16)
        guard let name = ObjectName("groundwave-probe-\(number)") else { preconditionFailure("It is a name.") }
        let (first, second) = ([UInt8]("first".utf8), [UInt8]("second".utf8))
        do {
            _ = try await transport.putIfAbsent(name, first)
            let outcome = try await transport.putIfAbsent(name, second)
            let found = try await transport.get(name, range: nil, limit: 64)
            // A key that may not delete is enough for synchronising; it leaves a few bytes.
            try? await transport.delete(name)
            if outcome == .exists, found == first { return }
        } catch { throw Self.describe(error, at: remote, file: files.log) }
        throw StoreError(
            .usage, "The server of \(remote.address) overwrites objects, although it is asked not to.",
            hint: """
                Two devices that push at the same moment could replace each other's contacts there. Use a server that \
                keeps to If-None-Match, or a folder. Nothing was added.
                """)
    }
}
