import GroundwaveReplication
import GroundwaveStore

/// How a remote is reached.
package enum RemoteAccess: Sendable {
    /// Storage for objects.
    case storage(any Transport)
    /// A device that is connected to directly, if a component can.
    case device(host: String, port: Int)
}

extension RemoteAddress {
    /// Returns how the remote at this address is reached.
    ///
    /// - Throws: ``StoreError`` with code `usage` if only an application can reach it.
    package func access() throws -> RemoteAccess {
        switch self {
        case .folder(let url): return .storage(FolderTransport(url))
        case .host(let name, let port): return .device(host: name, port: port)
        case .application(let name):
            throw StoreError(
                .usage, "Only the application that has named the remote “\(name)” can open it.",
                hint: "Synchronise in that application, or through another remote.")
        }
    }

    /// Whether only an application can reach it.
    package var isOfApplication: Bool { if case .application = self { true } else { false } }
}
