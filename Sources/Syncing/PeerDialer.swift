import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore

/// Synchronises with devices that are connected to directly. The network component provides it.
package protocol PeerDialer: Sendable {
    /// Synchronises `store` with the device at a host, until both sides have all that the other one has.
    ///
    /// - Parameter summary: Is added to, also if this throws.
    func sync(_ store: Store, at host: String, _ port: Int, _ summary: inout SyncSummary) async throws

    /// Keeps a connection to the device of `remote` open, and reports each time that both sides are in step.
    ///
    /// It returns when the task is cancelled, when the store continues as another replica, and when the peer is quarantined.
    func stay(
        connectedTo remote: Remote, at host: String, _ port: Int, _ store: Store,
        _ report: @escaping @Sendable (SyncSummary) -> Void
    ) async throws

    /// Connects to a device.
    ///
    /// - Throws: `ConnectionError` if nobody answers; `CancellationError` if the task is cancelled.
    func open(_ host: String, _ port: Int) async throws -> any ByteStream

    /// The first message of the device at a host, and how long connecting and that message took.
    ///
    /// - Parameter secure: Returns the stream over which the stores of the log talk with each other.
    func greeting(
        of host: String, _ port: Int, over secure: (any ByteStream) async throws -> any ByteStream
    ) async throws -> (greeting: Greeting, duration: Duration)
}

extension [StoreComponent] {
    /// The dialer of one of the components.
    ///
    /// - Throws: ``StoreError`` with code `usage` if none has one.
    package func dialer(for address: RemoteAddress) throws -> any PeerDialer {
        for component in self { if let dialer = component.service as? any PeerDialer { return dialer } }
        throw StoreError(
            .usage, "\(address) is the address of a device, and this program was built without the network component.",
            hint: "Use a folder instead: file:///path/to/folder.")
    }
}
