import GroundwaveConnections
import GroundwaveEventLog
import GroundwaveEvents
import GroundwavePeering
import GroundwaveRemotes
import GroundwaveReplication
import GroundwaveStore
import GroundwaveSyncing
import Synchronization

/// Listens for other devices of the log and serves each, many at once, until it is stopped.
///
/// Who may connect says ``Store/serve(at:peerLimit:)``.
public final class Serving: Sendable {
    /// A connected device.
    public struct Peer: Hashable, Sendable {
        /// Its number in the order of connection, from 1.
        public let number: Int
        /// Its network address.
        public let address: String
        /// The replica that it claims to write as, or has proved to be if the log is sealed; `nil` before its hello.
        public internal(set) var replica: ReplicaID?
        /// The name of the device; `nil` if it is not known here.
        public internal(set) var device: String?
    }

    /// An event of a connection.
    public enum Event: Sendable {
        /// A device has sent its hello.
        case connected(Peer)
        /// Both sides are caught up: what was sent and received since the last time. `returnedEvents` of the received
        /// events had been lost here.
        case synced(Peer, sentEvents: UInt64, receivedEvents: Int, returnedEvents: Int)
        /// A device that has connected with a code was let into the log, or was not, since several have used that code.
        case joined(Peer, isMember: Bool)
        /// A device violated the protocol and was disconnected, for the reason in the sentence.
        case quarantined(Peer, String)
        /// A device has disconnected, with the reason if there is one.
        case disconnected(Peer, String?)
    }

    /// The events, in order. The newest thousand are buffered for the reader; ends with ``stop()``.
    public let events: AsyncStream<Event>
    /// The address at which it listens.
    public let address: HostAndPort
    private let listener: Listener
    private let sink: AsyncStream<Event>.Continuation

    init(_ store: Store, at endpoint: HostAndPort, peerLimit: Int) async throws {
        let (events, sink) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(1000))
        let numbers = Mutex(0)
        do {
            listener = try await Listener.listen(
                host: endpoint.host, port: endpoint.port, peerLimit: peerLimit,
                refuse: { await store.refuse($0, reason: "too many devices are connected: try again later") }
            ) { stream in
                let number = numbers.withLock { number in
                    number += 1
                    return number
                }
                await store.serve(stream, number: number, to: sink)
            }
        } catch {
            throw StoreError(cannotListenAt: endpoint, error)
        }
        self.events = events
        self.sink = sink
        address = HostAndPort(host: listener.host, port: listener.port)
    }

    /// The number of devices that are connected now.
    public var count: Int { listener.count }

    /// Closes all connections, and returns when they are closed.
    public func stop() async {
        await listener.stop()
        sink.finish()
    }

    deinit { sink.finish() }
}

extension StoreError {
    fileprivate init(cannotListenAt endpoint: HostAndPort, _ error: ConnectionError) {
        self.init(
            .inputOutput, "Cannot listen on \(endpoint): \(error.sentence).",
            hint: "Choose another port, or close the program that uses this one.", cause: error)
    }
}
